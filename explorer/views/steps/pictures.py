"""The pictures of the steps: all weights of the head, and the step in focus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from explorer.analysis.head_steps import HeadSteps
from explorer.figures.attention import one_head
from explorer.figures.describe import attention_in_words
from explorer.figures.equation import equation
from explorer.languages import tr
from explorer.views.attention import name_of
from explorer.views.looks import middle_word
from explorer.views.picture import Call, Click, Picture
from explorer.views.steps.focus import Focus, Form
from explorer.views.steps.step_views import STEPS, StepView

# Matrices in which a click picks a query and a key, only a key, or only a query.
_PICKS_BOTH: Final = ("dots", "bias", "scores", "masked", "weights")
_PICKS_KEY: Final = ("keys", "products", "v", "shares", "x_key")
_PICKS_QUERY: Final = ("q", "x_query", "context", "concat", "out")


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixClick(Click):
    """The query or the key, or both, of the clicked cell of a step's matrices."""

    step: str
    form: Form

    def choices(self, point: Mapping[str, Any]) -> dict[str, object]:
        """As in `Click`."""
        name, row, column = str(point["name"]), round(point["y"]), round(point["x"])
        whole = self.form == "matrix"
        if self.step == "qkv":  # its matrices have a row per word only in matrix form
            if whole and not name.startswith("w_"):
                return {"query" if name in ("q", "x_q") else "key": row}
        elif name in _PICKS_BOTH and whole:
            return {"query": row, "key": column}
        elif name in (*_PICKS_BOTH, *_PICKS_KEY):
            return {"key": row}
        elif name == "k_t":
            return {"key": column}
        elif whole and name in _PICKS_QUERY:
            return {"query": row}
        return {}


def weights_picture(focus: Focus, step: str, changed: HeadSteps | None = None) -> Picture:
    """The weights of the head, or those after a change of it; the one in focus is framed."""
    at = focus if changed is None else replace(focus, steps=changed)
    key = "head_weights" if changed is None else "what_if_weights"
    where = "" if focus.layer is None else f"{name_of(focus.kind, focus.layer, focus.head)} "
    return Picture(
        key=key,
        title=tr("Head weights") if changed is None else tr("What if weights"),
        drawing=one_head(at.as_heads(), 0, kind=focus.kind, cell=(focus.query, focus.key)),
        alt=attention_in_words(at.steps.weights, focus.query_labels, focus.key_labels),
        caption="" if changed is None else tr("What if: the same head with the change."),
        summary=f"{where}{focus.pair()}",
        code=_code(focus, step, 0) if changed is None else None,
        click=Click(row="query", column="key"),
    )


def step_picture(name: str, focus: Focus, view: StepView, *, changed: bool = False) -> Picture:
    """The matrices of a step, or those after a change of the attention."""
    number = STEPS.index(name) + 1
    shapes = ", ".join(f"{m.title} {m.shape or m.values.shape}" for m in view.matrices)
    alt, title = f"{view.title}: {shapes}. {view.numbers}", tr("Step {step}", step=number)
    if changed:
        alt = tr("What if, {step}. {numbers}", step=view.title, numbers=view.numbers)
        title = tr("Step {step} what if", step=number)
    return Picture(
        key="step_what_if" if changed else "step_picture",
        name=f"step-{number}-what-if" if changed else f"step-{number}",
        title=title,
        drawing=equation(view.matrices, view.signs),
        alt=alt,
        caption=view.changed,
        summary=f"{view.title}. {view.numbers}",
        code=None if changed else _code(focus, name, 1),
        click=MatrixClick(step=name, form=focus.form),
    )


def telling_query(labels: Sequence[str]) -> int:
    """“it” if the sentence has one (what does *it* look at?), else a content word in its middle."""
    its = [at for at, label in enumerate(labels) if label == "it"]
    return [*its, middle_word(labels)][0]


def _code(focus: Focus, step: str, number: int) -> Call | None:
    """The call that draws it again, if the attention is one of a model."""
    if focus.layer is None:
        return None
    place = {"kind": focus.kind, "layer": focus.layer, "head": focus.head}
    cell = {"query": focus.query, "key": focus.key, "form": focus.form}
    which = focus.which if step == "qkv" else None
    arguments = {"step": step, **place, **cell, "which": which}
    return Call(method="steps", arguments=arguments, number=number)
