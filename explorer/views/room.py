"""The pictures of a room: everybody's answers to a question, and everybody's trainings."""

from collections.abc import Sequence

from explorer.exercises.question import Question
from explorer.figures import rooms as figures
from explorer.figures.theme import Theme
from explorer.languages import between, tr, tr_n
from explorer.rooms.board import Curve, Setting
from explorer.rooms.questions import Tally, with_right
from explorer.views.picture import Picture


def answers_picture(question: Question, result: Tally, theme: Theme, *, revealed: bool) -> Picture:
    """The number of people for each answer or cell; once `revealed`, also what is right."""
    if question.grid is not None:
        right = question.right if isinstance(question.right, frozenset) else frozenset()
        drawing = figures.marked_cells(
            question.grid.rows,
            question.grid.columns,
            result.cells,
            result.people,
            theme,
            right=right if revealed else None,
        )
        most = max(result.cells.values(), default=0)
        alt = tr(
            "How many of {people} marked each cell: {most} at most.",
            people=result.people,
            most=most,
        )
        caption = tr("The number in a cell: how many marked it.")
        if revealed:
            caption += " " + tr("A frame: the cell is right.")
    else:
        bars = with_right(question, result.bars) if revealed else result.bars
        drawing = figures.counted(bars, result.people, theme, revealed=revealed)
        counts = between("; ").join(f"{label}: {count}" for label, count, _ in bars)
        alt = tr(
            "How many of {people} gave each answer. {answers}.",
            people=result.people,
            answers=counts or tr("None yet"),
        )
        caption = tr("✓ the right answer") if revealed else ""
    return Picture(
        key="room_answers",
        name="room",
        title=tr("Room"),
        drawing=drawing,
        alt=alt,
        caption=caption,
    )


def board_picture(order: Sequence[Curve], mine: int | None, theme: Theme) -> Picture:
    """The curves of all trainings, best first; `mine` is the place of the reader's own."""
    best = order[0]
    return Picture(
        key="room_board",
        name="board",
        # Translators: the board on which a room sees everybody's answers.
        title=tr("Board"),
        drawing=figures.board(
            [curve.accuracies for curve in order], mine, max(c.steps for c in order), theme
        ),
        alt=tr_n(
            "{n} training. The best has {right:.0f}% right: {setting}.",
            "{n} trainings. The best has {right:.0f}% right: {setting}.",
            len(order),
            right=100 * best.accuracy,
            setting=setting_in_words(best.setting),
        ),
    )


def setting_in_words(setting: Setting) -> str:
    """A training and its settings in words."""
    return tr(
        "{task}, {steps}, rate {rate:g}, batch {batch}, d_model {d_model}, {heads}, "
        "{encoder} + {decoder} layers",
        task=tr(setting.task),
        steps=tr_n("{n:,} step", "{n:,} steps", setting.steps),
        rate=setting.rate,
        batch=setting.batch,
        d_model=setting.d_model,
        heads=tr_n("{n} head", "{n} heads", setting.heads),
        encoder=setting.encoder_layers,
        decoder=setting.decoder_layers,
    )
