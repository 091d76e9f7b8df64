"""What one sees of a training: how far it is, the heads as they take shape, and the curves."""

import math
from dataclasses import replace
from typing import Final, get_args

import streamlit as st

from explorer.analysis.head_summary import right_looks
from explorer.attention import may_attend
from explorer.explore import run
from explorer.figures import describe
from explorer.figures.attention import Heads, all_heads, one_head
from explorer.figures.theme import THEMES
from explorer.figures.training import curves
from explorer.names import AttentionKind
from explorer.runtime.memory import estimate
from explorer.runtime.turns import busy_share, in_turn
from explorer.tasks.grammar import Words
from explorer.tasks.tasks import Rearrange, judged_on, words_of
from explorer.text import Batch, tokenize
from explorer.training.pool import Training
from explorer.training.worker import Order
from explorer.transformer import TransformerTrace
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.choices import IN_URL, as_number, choice
from explorer.ui.markdown import literal
from explorer.ui.reading import with_model
from explorer.ui.settings import Settings, Weights
from explorer.ui.training.session import adopt, expected_seconds, spoken, trainings

HEIGHT: Final = 310
EVERY: Final = 10  # steps that the curves grow by while it trains
FAST, SLOW = 0.2, 1.0  # seconds from one redraw to the next
# Who watches a training must not take the others' time: from this share of it on that somebody's
# page is being drawn, trainings are drawn seldom, and from that share down often again.
CROWDED, CALM = 0.35, 0.2


def progress_of(training: Training | None, order: Order) -> tuple[float, str]:
    """How far it is, from 0 to 1, and in words."""
    # Options that were changed meanwhile are those of the next run.
    steps = (training.order if training is not None and training.is_live else order).training.steps
    if training is None or training.phase == "failed":
        why = f"It stopped: {literal(training.why)}. " if training is not None else ""
        size = order.config.n_weights
        return 0.0, (
            f"{why}{size:,} weights, {steps:,} steps: about {spoken(expected_seconds(order))} on "
            "this machine."
        )
    done = min(1.0, training.step / steps)
    far = f"Step {training.step:,} of {steps:,}"
    if training.phase == "waiting":
        before = trainings().position(training)
        if training.lacks_memory and not before:
            return done, "Waiting until others here need less memory …"
        waiting = f"{before} more wait before you" if before else "you are next"
        return done, f"Others are training here at the moment: {waiting}."
    if training.phase == "starting":
        return done, f"{far}. Starting …"
    if training.phase != "training":
        said = {"paused": "Paused.", "stopped": "Stopped.", "done": "Trained."}
        return done, f"{far}. {said[training.phase]}"
    speed = training.steps_a_second
    left = f", {spoken((steps - training.step) / speed)} left" if speed else ""
    return done, f"{far}, {speed:.0f} steps a second{left}."


def trace_of(
    settings: Settings, order: Order, training: Training | None, batch: Batch, step: int | None
) -> TransformerTrace | None:
    """The pair on show through the model after that step, or as it is now.

    None where those weights had to make room for others.
    """
    model = None if training is None else trainings().weights(training, step)
    if model is not None:
        return run(model, batch)
    if training is not None and training.snapshots:
        return None
    # Not begun: the model as it will begin.
    first = replace(settings, weights=Weights(task=order.task), level="words")
    need = estimate(order.config, 1, batch.src.shape[1], batch.tgt_in.shape[1])
    return with_model(first, need, lambda loaded, _: run(loaded.model, batch))


def pace(training: Training | None, now: float | None = None) -> float | None:
    """Seconds until it is to be drawn again; None where nothing changes by itself.

    `now` is what that is at present, so that it does not change to and fro.
    """
    if training is None or not training.is_busy:
        return None
    if training.phase == "waiting":
        return SLOW
    return SLOW if busy_share() > (CALM if now == SLOW else CROWDED) else FAST


@in_turn
def show_learning(
    settings: Settings, order: Order, training: Training | None, every: float | None
) -> None:
    """Everything that changes while it trains; it is drawn again `every` so many seconds."""
    done, words = progress_of(training, order)
    st.progress(done, words)
    if training is not None and not training.is_busy and every is None:
        # It said its last word just after the page was drawn.
        if adopt(training, show=False):
            st.rerun()
    elif training is not None and pace(training, every) != every:
        # Its turn has come, or it has just ended, or many others have come or gone.
        if not training.is_busy:
            adopt(training)
        st.rerun()
    step: int | None = None
    with st.container(horizontal=True, vertical_alignment="center", key="learning_choices"):
        kind = st.segmented_control(
            "Attention", get_args(AttentionKind), default="cross", required=True, key="learning",
            label_visibility="collapsed", **IN_URL,
        )  # fmt: skip
        n_layers = settings.n_encoder_layers if kind == "encoder" else settings.n_decoder_layers
        layers = range(1, n_layers + 1)
        layer = choice("Layer", layers, key="learning_layer", width=125, usual=n_layers) - 1
        steps = [] if training is None else trainings().to_replay(training)
        steps = steps or [0 if training is None else training.step]
        idle = training is not None and not training.is_busy and len(steps) > 1
        chosen = st.select_slider(
            "Replay: weights after step", steps, steps[-1], key=f"replay{len(steps)}",
            disabled=not idle, width=360,
        )  # fmt: skip
        if idle:
            step = chosen
        shown = step if step is not None else training.latest if training is not None else 0
        st.badge(
            f"weights after step {shown:,}" if shown else "untrained",
            icon=":material/science:",
            color="blue" if shown else "orange",
        )
    batch = on_show(settings, order)
    heads, curves = st.columns([7, 3])
    with heads:
        if batch is None:
            st.info("Type a source sentence above, or pick an example.", icon=":material/keyboard:")
        else:
            trace = trace_of(settings, order, training, batch, step)
            if trace is None:
                st.info("These weights had to make room for others: train again to see them.")
            else:
                show_heads(settings, order, batch, trace, kind, layer)
    with curves:
        show_curves(settings, order, training, step)


def on_show(settings: Settings, order: Order) -> Batch | None:
    """The pair on show, with its right answer for a target; without one, with what is typed."""
    task, source = order.task, _source(settings, order)
    if not source:
        return None
    typed = settings.targets[min(settings.row, len(settings.targets) - 1)]
    target = task.answer(source) or tuple(tokenize(typed) if settings.answers is None else ())
    return Batch.from_words([source], [target], *task.read([source], [target]))


def _source(settings: Settings, order: Order) -> Words:
    return words_of(order.task, settings.sources[min(settings.row, len(settings.sources) - 1)])


def show_heads(
    settings: Settings,
    order: Order,
    batch: Batch,
    trace: TransformerTrace,
    kind: AttentionKind,
    layer: int,
) -> None:
    """All heads of one layer, and what the model would say."""
    attention = trace.attention(kind, layer)
    queries = batch.src_labels[0] if kind == "encoder" else batch.tgt_in_labels[0]
    keys = batch.tgt_in_labels[0] if kind == "decoder" else batch.src_labels[0]
    heads = Heads(
        weights=attention.weights[0].cpu().numpy(),
        scores=attention.scores[0].cpu().numpy(),
        may_attend=may_attend(attention).cpu().numpy(),
        query_labels=queries,
        key_labels=keys,
    )
    theme = THEMES[settings.theme]
    head = min(as_number(st.session_state.get("head"), 1), len(heads.weights))
    focus, grid = st.columns([4, 3])
    with focus:
        live_plot(
            one_head(heads, head - 1, theme, kind=kind, height=HEIGHT, compact=True),
            key="learning_head",
            alt=f"{kind} attention, layer {layer + 1}, head {head}. "
            + describe.attention_in_words(heads.weights[head - 1], queries, keys),
            file_name="learning-head",
        )
    with grid:
        live_plot(
            all_heads(heads, head - 1, theme, kind=kind, height=HEIGHT, cell_width=40),
            key="learning_heads",
            alt=f"{kind} attention, layer {layer + 1}, all heads. "
            + " ".join(
                f"Head {n + 1}: {describe.looks_most(w, queries, keys)}."
                for n, w in enumerate(heads.weights)
            ),
            file_name="learning-heads",
            on_pick=pick_head,
        )
    said = trace.logits[0].argmax(dim=-1).cpu()
    words = f"Most probable next words: {' '.join(batch.tgt_names(said.tolist()))}"
    source = _source(settings, order)
    if batch.tgt_out is not None and order.task.answer(source) is not None:
        right = int((said == batch.tgt_out[0]).sum())
        words += (
            f" ({right} of {len(said)} right)\nThe right words: {' '.join(batch.tgt_labels[0][1:])}"
        )
    st.text(words)
    if kind == "cross" and isinstance(order.task, Rearrange):
        shares = right_looks(attention.weights[0], order.task.order(source))
        best = int(shares.argmax())
        st.text(
            f"Head {best + 1} looks most at the very word that comes next in "
            f"{float(shares[best]):.0%} of the rows that answer with a word."
        )


def pick_head(point: dict[str, str]) -> None:
    """A small picture was clicked."""
    st.session_state.head = int(point["name"])


def show_curves(
    settings: Settings, order: Order, training: Training | None, step: int | None
) -> None:
    """Loss and accuracy so far."""
    losses = [] if training is None else list(training.losses)
    if training is not None and training.is_live:  # the curves need not be redrawn every time
        losses = losses[: len(losses) // EVERY * EVERY]
    accuracies = [] if training is None else list(training.accuracies)
    judged = judged_on(order.task)
    highest = math.log(order.config.tgt_vocab_size)
    share = accuracies[-1][1] if accuracies else 0.0
    live_plot(
        curves(
            losses,
            accuracies,
            THEMES[settings.theme],
            steps=max(order.training.steps, len(losses)),
            top=max([1.15 * highest, *(1.05 * loss for loss in losses[:1])]),
            marked=step,
            judged=judged,
            height=HEIGHT,
        ),
        key="curves",
        alt=f"Loss and accuracy of {len(losses)} steps. "
        + (f"Loss now {losses[-1]:.3f}, at first {losses[0]:.3f}. " if losses else "")
        + f"{share:.1%} of {judged} right.",
        file_name="training",
    )
