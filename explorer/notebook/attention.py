"""Attention for notebooks: one head, all heads, and one weight step by step."""

from dataclasses import dataclass

from explorer.analysis.attention import ATTENTION_NAMES, Attention
from explorer.analysis.head_roles import KnownHeads
from explorer.analysis.head_steps import head_steps
from explorer.config import require_place
from explorer.exploration import Exploration, StepFocus
from explorer.figures import describe
from explorer.figures.attention import Heads, all_heads, one_head
from explorer.figures.equation import equation
from explorer.figures.theme import LIGHT
from explorer.languages import tr
from explorer.names import PAD, AttentionKind
from explorer.notebook.picture import HeadsPlot, Picture, Plot
from explorer.notebook.words import about
from explorer.ui.components.heads_bytes import Stack, heads_bytes
from explorer.ui.pictures import heads_of, in_words, looks_most
from explorer.ui.steps.focus import Focus
from explorer.ui.steps.step_views import STEPS, step_view
from explorer.weights.catalogue import TRANSLATOR, shipped_translator


@dataclass(frozen=True, slots=True)
class Place:
    """An attention and a head; None is the most telling one."""

    kind: AttentionKind | None = None
    layer: int | None = None
    head: int | None = None


def one_attention(seen: Exploration, place: Place, *, hide_pad: bool) -> Picture:
    """The head in focus, and all heads of its layer."""
    kind, layer, head = telling(seen, place)
    attention = seen.run().attention(kind, layer)
    if hide_pad:
        attention = attention.without_pad()
    _require_head(attention, head)
    heads = heads_of(attention)
    name = name_of(kind, layer, head)
    all_of = {"attention": tr(ATTENTION_NAMES[kind]), "layer": layer + 1}
    plots = [
        Plot(
            one_head(heads, head, LIGHT, kind=kind),
            f"{name}. {in_words(attention, head)}",
            tr("{name}: {looks}.", name=name, looks=looks_most(attention, head)),
        ),
        Plot(
            all_heads(heads, head, LIGHT, kind=kind),
            tr("{attention}, layer {layer}, all {heads} heads.", heads=attention.n_heads, **all_of),
            tr("{attention}, layer {layer}, all heads.", **all_of),
        ),
    ]
    return Picture(plots, about(seen))


def name_of(kind: AttentionKind, layer: int, head: int) -> str:
    """A head by its attention, layer and number; the arguments count from 0."""
    return tr(
        "{attention}, layer {layer}, head {head}",
        attention=tr(ATTENTION_NAMES[kind]),
        layer=layer + 1,
        head=head + 1,
    )


def all_attentions(seen: Exploration, place: Place) -> Picture:
    """Every head of every layer of every attention."""
    kind, layer, head = telling(seen, place)
    ran, config = seen.run(), seen.model.config
    stacks: dict[str, Stack] = {
        name: Stack.of([ran.attention(name, n) for n in range(config.layers_of(name))])
        for name in config.attention_kinds
    }
    focus = {"kind": kind, "layer": layer, "head": head}
    alt = tr(
        "Every head of every layer; lines of {attention}, layer {layer}.",
        attention=tr(ATTENTION_NAMES[kind]),
        layer=layer + 1,
    )
    return Picture([HeadsPlot(heads_bytes(stacks, LIGHT), focus, alt)], about(seen))


def steps_of(seen: Exploration, step: str, place: Place, at: StepFocus) -> Picture:
    """One head's weights, and one step of one of them."""
    if step not in STEPS:
        raise ValueError(f"step must be one of {', '.join(STEPS)}, got {step!r}")
    kind, layer, head = telling(seen, place)
    ran = seen.run()
    attention = ran.attention(kind, layer)
    _require_head(attention, head)
    inputs = ran.trace.attention_inputs(kind, layer)
    steps = head_steps(
        seen.model.attention(kind, layer), inputs, ran.trace.attention(kind, layer), head
    )
    words = [n for n, label in enumerate(attention.query_labels) if label != PAD]
    query = at.get("query", [*words[len(words) // 2 :], 0][0])
    key = at.get("key", int(steps.weights[query].argmax()))
    hidden = (
        ""
        if steps.may_attend[query, key]
        else PAD
        if attention.key_labels[key] == PAD
        else tr("future")
    )
    focus = Focus(
        steps=steps,
        query=query,
        key=key,
        query_labels=attention.query_labels,
        key_labels=attention.key_labels,
        reason=hidden,
        came_from="",
        head=head,
        form=at.get("form", "vector"),
        which=at.get("which", "q"),
        dropout=seen.dropout_seed is not None,
    )
    view = step_view(step, focus)
    heads = Heads(
        weights=steps.weights[None],
        scores=steps.scores[None],
        may_attend=steps.may_attend,
        query_labels=attention.query_labels,
        key_labels=attention.key_labels,
    )
    alt = describe.attention_in_words(steps.weights, attention.query_labels, attention.key_labels)
    plots = [
        Plot(
            one_head(heads, 0, LIGHT, kind=kind, cell=(query, key)),
            alt,
            f"{name_of(kind, layer, head)}.",
        ),
        Plot(
            equation(view.matrices, view.signs, LIGHT), view.title, f"{view.title}. {view.numbers}"
        ),
    ]
    return Picture(plots, about(seen))


def telling(seen: Exploration, place: Place) -> tuple[AttentionKind, int, int]:
    """The attention, layer and head to show, where not all are given."""
    config, known = seen.model.config, known_heads(seen)
    offered = config.attention_kinds
    usual: AttentionKind = "cross" if seen.learnt is not None else "encoder"
    kind = place.kind or (usual if usual in offered else offered[0])
    layer = place.layer
    require_place(config, kind, layer or 0)
    if layer is None:
        last = config.layers_of(kind) - 1
        layer = last if seen.learnt is not None and kind != "encoder" else 0
        if known is not None and kind == "cross":
            layer = known.aligning[0]
    head = place.head
    if head is None:
        head = 0 if known is None else known.telling(kind, layer)
    return kind, layer, head


def known_heads(seen: Exploration) -> KnownHeads | None:
    """What the heads do over many sentences, where that was measured."""
    if seen.learnt is None or seen.learnt.name != TRANSLATOR:
        return None
    return KnownHeads.read(shipped_translator().about["heads"])


def _require_head(attention: Attention, head: int) -> None:
    if not 0 <= head < attention.n_heads:
        raise ValueError(f"head must lie in 0 … {attention.n_heads - 1}, got {head}")
