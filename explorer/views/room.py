"""The picture of a room: everybody's answers to a question."""

from explorer.exercises.question import Question
from explorer.figures import rooms as figures
from explorer.languages import between, tr
from explorer.rooms.questions import Tally, with_right
from explorer.views.picture import Picture


def answers_picture(question: Question, result: Tally, *, revealed: bool) -> Picture:
    """The number of people for each answer or cell; once `revealed`, also what is right."""
    if question.grid is not None:
        right = question.right if isinstance(question.right, frozenset) else frozenset()
        drawing = figures.marked_cells(
            question.grid.rows,
            question.grid.columns,
            result.cells,
            result.people,
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
        drawing = figures.counted(bars, result.people, revealed=revealed)
        counts = between("; ").join(f"{label}: {count}" for label, count, _ in bars)
        alt = tr(
            "How many of {people} gave each answer. {answers}.",
            people=result.people,
            answers=counts or tr("None yet"),
        )
        caption = tr("✓ the right answer") if revealed else ""
    return Picture(
        key="room_answers",
        title=tr("Room"),
        drawing=drawing,
        alt=alt,
        caption=caption,
    )
