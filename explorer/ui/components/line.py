"""A line that somebody types in: it reports while they type, one text at a time.

The browser sends the next text once the run that took the last one has ended, which `run_ends`
tells it. The explorer's own text replaces what is in the field if nobody has typed on in the
meantime; what was typed over an older version of it is refused.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from explorer.languages import tr
from explorer.runtime.shares import SENTENCE_LENGTH
from explorer.ui.components.component import Act, component
from explorer.ui.components.explanations import explanations
from explorer.ui.components.word_list import open_word
from explorer.ui.frame.session import Line, session

# One more than is kept, and a browser counts some characters as two: whoever pastes a book is told.
_MOST: Final = 2 * SENTENCE_LENGTH + 2
_line = component(
    "line",
    '<div class="line"><label></label>'
    f'<textarea rows="1" autocomplete="off" maxlength="{_MOST}"></textarea>'
    '<div class="examples" role="group"></div></div>',
)
_run_ends = component("run_ends", '<div class="explanation" popover="manual"></div>', prose=True)


def line(
    key: str,
    label: str,
    text: str,
    placeholder: str,
    examples: Sequence[str],
    *,
    take: Callable[[str], None],
) -> None:
    """Draw the line with this text; `take` is called with each text that is typed.

    Whoever begins to type is offered the `examples`.
    """
    here = session()
    found = here.lines.setdefault(key, Line(text, take))
    found.take, found.drawn = take, True
    if found.text != text:
        found.text = text
        found.version += 1
    data = {
        "key": key,
        "label": label,
        "placeholder": placeholder,
        "examples": {"name": tr("Examples"), "sentences": examples},
        "session": here.name,
        "text": text,
        "version": found.version,
        "seq": found.seq,
    }
    _line(key=f"line_{key}", data=data, states=["typed"])


def run_ends() -> None:
    """Tell the browser that all of this run is on its way. Draw it last.

    The marked words of the page explain themselves from now on; a click on one opens the Glossary.
    """
    seqs = {key: one.seq for key, one in session().lines.items()}
    _ends("run_ends", {"opened": open_word}, seqs=seqs, words=explanations())


def tick_ends() -> None:
    """Tell the browser which run came before a part that ticks: it may have missed its end."""
    _ends("tick_ends", {})


def _ends(key: str, acts: Mapping[str, Act], **more: object) -> None:
    here = session()
    data = {"session": here.name, "run": here.runs, **more}
    missed = {"missed": lambda _: None}  # the run that follows is all
    _run_ends(key=key, data=data, on={**missed, **acts})
