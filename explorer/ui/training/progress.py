"""The pictures of a training: its progress, the heads as they take shape, and the loss."""

import re
from typing import Final

import streamlit as st
from jaxtyping import Float
from torch import Tensor

from explorer.analysis.attention import Attention
from explorer.analysis.head_summary import right_looks
from explorer.choices.parameters import Learning, Look
from explorer.choices.settings import Settings
from explorer.forward import forward
from explorer.languages import between, mark, sentences, tr, tr_n
from explorer.markdown import literal
from explorer.names import ATTENTION_KINDS, AttentionKind
from explorer.runtime.engine import engine
from explorer.runtime.memory import estimate
from explorer.runtime.shares import TURN
from explorer.runtime.turns import busy_share
from explorer.tasks.grammar import Words
from explorer.tasks.tasks import Rearrange, words_of
from explorer.text import Batch, tokenize
from explorer.training.cost import seconds_a_step
from explorer.training.pool import Training
from explorer.training.worker import Order
from explorer.transformer import TransformerTrace
from explorer.ui.components.live_plot import live_plot
from explorer.ui.controls.attention import named_with_hue
from explorer.ui.controls.choices import chosen
from explorer.ui.controls.widgets import segments, select, select_slider
from explorer.ui.frame.running import on_page, tell
from explorer.ui.frame.stage import stage
from explorer.ui.training.watched import duration_in_words, show_newest, trainings
from explorer.views.training import learning_pictures, loss_picture
from explorer.weights.catalogue import (
    UNTRAINED,
    TrainedHere,
    checkpoint,
    request,
    right_in_words,
)

STARTING: Final = 2.0  # seconds until a worker takes its first step
EVERY: Final = 20  # the curve grows by this many steps during training
FAST, SLOW = 0.2, 1.0  # seconds between redraws
# Watching a training must not slow down other pages. If pages are being drawn for more than the
# first share of the time, trainings are redrawn slowly; below the second share, fast again.
CROWDED, CALM = 0.35, 0.2
PHASES: Final = {
    "starting": mark("Starting …"),
    "paused": mark("Paused."),
    "done": mark("Trained."),
}


def progress_of(training: Training | None, order: Order) -> tuple[float, str]:
    """The progress from 0 to 1, and in words."""
    if training is None:
        return 0.0, expectation(order)
    steps = training.order.training.steps
    done = min(1.0, training.step / steps)
    far = tr("Step {step:,} of {steps:,}.", step=training.step, steps=steps)
    if training.phase == "failed":
        stopped = tr("It stopped: {why}.", why=literal(tr(training.why)))
        if not training.latest:
            return 0.0, sentences(stopped, expectation(order))
        kept = tr("The weights after step {step:,} are kept.", step=training.latest)
        return done, sentences(stopped, kept)
    if training.phase == "waiting":
        return done, sentences(far, _waits(training)) if training.step else _waits(training)
    if training.phase != "training":
        if training.had_its_turn:
            return done, f"{far} " + tr(
                "Paused: while others wait, one training may take {turn} at a stretch.",
                turn=duration_in_words(TURN),
            )
        return done, f"{far} {tr(PHASES[training.phase])}"
    speed = training.steps_a_second
    rate = tr_n("{n} step a second", "{n} steps a second", round(speed))
    if not speed:
        return done, far
    return done, tr(
        "Step {step:,} of {steps:,}, {rate}, {time} left.",
        step=training.step,
        steps=steps,
        rate=rate,
        time=duration_in_words((steps - training.step) / speed),
    )


def _waits(training: Training) -> str:
    """The reason why a training waits."""
    before = trainings().position(training)
    if training.lacks_memory and not before:
        return tr("Waiting until others here need less memory …")
    if not before:
        return tr("Others are training here at the moment: you are next.")
    return tr("Others are training here at the moment: {n} ahead of you.", n=before)


def expectation(order: Order) -> str:
    """The size of an order and its time, in words: a range, since nothing has been measured yet."""
    steps = order.training.steps
    idle, busy = (
        STARTING + steps * seconds
        for seconds in seconds_a_step(order.config, order.training, order.task, order.device)
    )
    low, high = duration_in_words(idle), duration_in_words(busy)
    size = order.config.n_weights
    weights = tr_n("{n:,} weight", "{n:,} weights", size)
    work = tr_n("{n:,} step", "{n:,} steps", steps)
    return tr(
        "{weights}, {steps}: {low} to {high} on this machine.",
        weights=weights,
        steps=work,
        low=low,
        high=high,
    )


def trace_of(
    settings: Settings, order: Order, training: Training | None, batch: Batch, step: int | None
) -> TransformerTrace | None:
    """The trace of the pair on show, with the weights after `step` or the newest ones.

    None if those weights were removed from memory.
    """
    if training is not None:
        model = trainings().weights(training, step)
        if model is not None or training.snapshots:
            return None if model is None else forward(model, batch)
    source = settings.request.source
    if training is None and isinstance(source, TrainedHere):
        loaded = checkpoint(source)
        return None if loaded is None else forward(loaded.model, batch)
    # Not begun: show the initial model.
    first = request(UNTRAINED, order.config, seed=order.seed, device=order.device)
    need = estimate(order.config, 1, batch.src.shape[1], batch.tgt_in.shape[1])
    with on_page():
        return engine().use(first, need, lambda found, _: forward(found.model, batch), tell=tell)


def pace(training: Training | None, now: float | None = None) -> float | None:
    """The seconds until the next redraw; None if nothing changes by itself.

    `now` is the current pace, so that it does not switch back and forth.
    """
    if training is None or not training.is_busy:
        return None
    if training.phase == "waiting":
        return SLOW
    return SLOW if busy_share() > (CALM if now == SLOW else CROWDED) else FAST


def choose_learning(
    order: Order, training: Training | None
) -> tuple[AttentionKind, int, int | None]:
    """Let the visitor choose an attention, its layer (from 0), and the step of the weights."""
    with st.container(horizontal=True, vertical_alignment="center", key="learning_choices"):
        kind: AttentionKind = segments(
            Learning.learning, tr("Attention"), ATTENTION_KINDS, names=named_with_hue
        )
        n_layers = order.config.layers_of(kind)
        layers = range(1, n_layers + 1)
        layer = select(Learning.learning_layer, tr("Layer"), layers, usual=n_layers, width=125) - 1
        return kind, layer, choose_snapshot(training)


def show_learning(
    settings: Settings,
    order: Order,
    training: Training | None,
    look: tuple[AttentionKind, int, int | None],
    every: float | None,
) -> None:
    """Show everything that changes during training; redrawn every `every` seconds.

    `order` is the order of the training on show, or the one that Train would begin.
    """
    _, _, step = look
    if training is not None:
        _keep_pace(training, every)
    done, words = progress_of(training, order)
    if training is not None and training.accuracies:
        _, share = training.accuracies[-1]
        words = between(" · ").join([words, right_in_words(order.task, share)])
    heads, beside = stage("what", "words")
    with beside:
        st.progress(done, words)
    with heads:
        said = _show_heads(settings, order, training, look)
    with beside:
        show_loss(order, training, step)
        for line in said:
            st.text(line)
        if step is not None and training is not None and step != training.latest:
            st.caption(tr("The answer at the top of the page comes from the newest weights."))


def _show_heads(
    settings: Settings,
    order: Order,
    training: Training | None,
    look: tuple[AttentionKind, int, int | None],
) -> list[str]:
    """Draw a head and all heads of its layer; returns what to say about them."""
    kind, layer, step = look
    batch = on_show(settings, order)
    if batch is None:
        st.info(tr("Type a sentence"), icon=":material/keyboard:")
        return []
    trace = trace_of(settings, order, training, batch, step)
    if trace is None:
        st.info(tr("These weights were removed from memory: train again to see them."))
        return []
    attention = Attention.of(trace, batch, 0, kind, layer)
    head = min(chosen(Look.head) or 1, attention.n_heads)
    pictures = learning_pictures(attention, head - 1)
    for column, picture in zip(st.columns([4, 3]), pictures, strict=True):
        with column:
            live_plot(picture)
    source = _source(settings, order)
    said = [_guesses_in_words(order, batch, trace, source)]
    if kind == "cross" and isinstance(order.task, Rearrange):
        shares = right_looks(trace.attention(kind, layer).weights[0], order.task.order(source))
        said.append(_looks_in_words(shares, head))
    return said


def _keep_pace(training: Training, every: float | None) -> None:
    """Redraw everything if this part should be redrawn at another pace, or if it has ended."""
    has_ended = not training.is_busy
    if (has_ended and show_newest(training)) or pace(training, every) != every:
        st.rerun()


def choose_snapshot(training: Training | None) -> int | None:
    """Let the visitor choose the step whose weights to show; None for the newest."""
    if training is None:
        return None
    steps = trainings().to_replay(training) or [training.step]
    idle = not training.is_busy and len(steps) > 1
    step: int = select_slider(
        Learning.replay,
        tr("Replay: weights after step"),
        steps,
        usual=steps[-1],
        disabled=not idle,
        width=360,
        shown=None if idle else steps[-1],
    )
    return step if idle else None


def on_show(settings: Settings, order: Order) -> Batch | None:
    """The pair on show, with the right answer as target, or the typed one if there is none."""
    task, source = order.task, _source(settings, order)
    if not source:
        return None
    typed = settings.targets[settings.row]
    target = task.answer(source) or tuple(tokenize(typed) if isinstance(typed, str) else ())
    return Batch.from_words([source], [target], *task.read([source], [target]))


def _source(settings: Settings, order: Order) -> Words:
    return words_of(order.task, settings.sources[settings.row])


def _guesses_in_words(order: Order, batch: Batch, trace: TransformerTrace, source: Words) -> str:
    """The most probable next words, and the right ones where the task says them."""
    guesses = trace.logits[0].argmax(dim=-1).cpu()
    names = batch.tgt_names(guesses.tolist())
    words = " ".join("–" if re.fullmatch(r"#\d+", name) else name for name in names)
    notes = [tr("{id}: an id that stands for no word of yours.", id="–")] if "–" in words else []
    if batch.tgt_out is not None and order.task.answer(source) is not None:
        right = int((guesses == batch.tgt_out[0]).sum())
        guessed = tr(
            "Likeliest next words: {words} ({right} of {all} right)",
            words=words,
            right=right,
            all=len(guesses),
        )
        wanted = tr("Right: {words}", words=" ".join(batch.tgt_labels[0][1:]))
        return "\n".join([guessed, wanted, *notes])
    guessed = tr("Likeliest next words: {words}", words=words)
    return "\n".join([guessed, *notes])


def _looks_in_words(shares: Float[Tensor, " heads"], head: int) -> str:
    """How often `head`, which is framed, and the best head attend to the right word, in words."""
    best = int(shares.argmax())
    share = float(shares[best])
    if best == head - 1:
        return tr(
            "Head {head}, the framed one, looks most at exactly the word that comes next in "
            "{share:.0%} of the rows that answer with a word. No other head does better.",
            head=head,
            share=share,
        )
    return tr(
        "Head {best} looks most at exactly the word that comes next in {share:.0%} of the rows "
        "that answer with a word, head {head}, the framed one, in {other:.0%}.",
        best=best + 1,
        share=share,
        head=head,
        other=float(shares[head - 1]),
    )


def show_loss(order: Order, training: Training | None, step: int | None) -> None:
    """Draw the loss so far."""
    losses = [] if training is None else list(training.losses)
    if training is not None and training.is_live:  # the curve need not be redrawn every time
        losses = losses[: len(losses) // EVERY * EVERY]
    steps, words = order.training.steps, order.config.tgt_vocab_size
    live_plot(loss_picture(losses, steps=steps, words=words, marked=step))
