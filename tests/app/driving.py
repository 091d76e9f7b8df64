"""Opens the app without a browser, and reads what it sends to one."""

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Widget

from explorer.choices.pages import PAGES
from explorer.choices.parameters import PARAMETERS, TEXT_KEYS
from explorer.choices.query import VERSION
from explorer.ui.components import live_plot
from explorer.ui.controls import batch, model
from explorer.ui.frame import session as sessions
from explorer.ui.frame.page import is_unfolded
from explorer.ui.frame.session import Line, Session
from explorer.views.picture import Picture
from tests.figures.reading import array, heatmaps, spec

# Components of the frame: they show nothing of the page.
AROUND = (
    "page_head",
    "toolbar",
    "room_seat",
    "run_ends",
    "tick_ends",
)
WITHOUT_SENTENCE = ("room", "glossary")  # pages that need none
APP = Path(__file__).parents[2] / "app.py"
# The pages that show something of a model; the others are opened in `test_every_page`.
OF_MODELS = [name for name in PAGES if name not in ("tour", "room", "glossary")]

# Each AppTest reads what all installed packages say of themselves, for components that they might
# bring. That takes longer than to draw a page, and never changes.
manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)


# Whatever a test is about, no run of a page may fail.
run_unchecked = AppTest._run


def _run(at: AppTest, *arguments: Any, **more: Any) -> AppTest:
    run_unchecked(at, *arguments, **more)
    for element in at.main:
        # A widget that the explorer has changed is a new one: its key has a version.
        if isinstance(element, Widget) and element.key:
            element.key = re.sub(r"-\d+$", "", element.key)
    assert not at.exception, [error.message for error in at.exception]
    return at


patched: Any = AppTest
patched._run = _run


@dataclass
class LineOnPage:
    """A line on a page, as `at.text_input` gives Streamlit's own fields."""

    at: AppTest
    key: str
    line: Line

    @property
    def value(self) -> str:
        return self.line.text

    disabled = False

    @property
    def proto(self) -> Any:
        """The component that was sent to the browser."""
        components = self.at.get("bidi_component")
        (found,) = (one.proto for one in components if one.proto.id.endswith(f"-line_{self.key}"))
        return found

    @property
    def placeholder(self) -> str:
        return str(json.loads(self.proto.bytes)["placeholder"])

    @property
    def label(self) -> str:
        return str(json.loads(self.proto.bytes)["label"])

    def input(self, text: str) -> AppTest:
        """Type a text; the next run takes it."""
        self.line.text = text
        session_of(self.at).clicks.append(partial(self.line.take, text))
        return self.at

    set_value = input


@dataclass
class Fields:
    """The fields of a page: Streamlit's own, and the lines."""

    at: AppTest
    of_streamlit: Any

    def __iter__(self) -> Iterator[Any]:
        yield from self.of_streamlit
        yield from (LineOnPage(self.at, *line) for line in session_of(self.at).lines.items())

    def __len__(self) -> int:
        return len(list(self))

    def __call__(self, key: str) -> Any:
        (found,) = [field for field in self if field.key == key] or [None]
        if found is None:
            raise KeyError(key)
        return found


# A request's page counts in a session's first run only; later, a click turns the page.
switch_first_page = AppTest.switch_page


def _switch_page(at: AppTest, path: str) -> AppTest:
    if "session" in at.session_state and session_of(at).address is not None:
        turned = next(name for name, page in PAGES.items() if page[0] == path)
        session_of(at).clicks.append(partial(setattr, session_of(at), "page", turned))
        return at
    return switch_first_page(at, path)


fields_of_streamlit: Any = AppTest.text_input
patched.switch_page = _switch_page
patched.text_input = property(lambda at: Fields(at, fields_of_streamlit.fget(at)))


# A test sees what is folded away until an example is picked, which folds it.
def _folded(key: str) -> tuple[str, bool]:
    page, _ = sessions.memory().get("unfolded", {}).get(key, ("", False))
    return key, is_unfolded(key) or page != sessions.session().page


for module in (model, batch):
    vars(module)["folded"] = _folded


# The drawing that was sent with each text alternative and numbers; its SVG is tested by itself.
_drawn: dict[str, Any] = {}
_payload = live_plot.payload


def _noting(picture: Picture) -> bytes:
    sent = _payload(picture)
    data, drawing = json.loads(sent), picture.drawing
    _drawn[data["svg"] + data["alt"]] = spec(drawing), drawing
    return sent


live_plot.payload = _noting


def new_session(**address: str) -> AppTest:
    """A session in which nothing is drawn yet, opened by an address."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    at.session_state["session"] = Session()
    at.query_params.update(address)
    return at


def session_of(at: AppTest) -> Session:
    """All that is known of the visitor."""
    found: Session = at.session_state["session"]
    return found


def memory_of(at: AppTest) -> dict[str, Any]:
    """What the pages remember of the visitor."""
    return session_of(at).memory


def open_drawer(at: AppTest, key: str) -> AppTest:
    """Open a drawer of the page on show; the page is not run."""
    return choose(at, drawer=key)


@contextmanager
def acting_for(at: AppTest) -> Iterator[None]:
    """In this block, whatever is done is done for this visitor."""
    run = sessions._this_run
    before = getattr(run, "session", None)
    run.session = session_of(at)
    try:
        yield
    finally:
        run.session = before


def pick_example(at: AppTest, name: str) -> None:
    """Pick an example, which folds away what it was picked from; and unfold that again."""
    at.selectbox(key="example").select(name).run()
    _, is_open = memory_of(at)["unfolded"].pop("more_sentences")
    assert not is_open
    at.run()


def open_page(name: str = "home", **choices: Any) -> AppTest:
    """A page of the app in a new session, whose address says these choices.

    Unless they say otherwise, the weights are untrained. What no address says, whether an expander
    is open, is as the session has it.
    """
    at = new_session(**VERSION)
    for key, choice in {"weights": "untrained", **choices}.items():
        if choice is None:
            continue
        if key not in PARAMETERS and key not in TEXT_KEYS:
            memory_of(at).setdefault("unfolded", {})[key] = name, choice
        else:
            at.query_params[key] = str(choice).lower() if isinstance(choice, bool) else str(choice)
    if name != "home":
        at.switch_page(PAGES[name][0])
    return at.run()


def button(at: AppTest, label: str) -> Any:
    """The button with this label."""
    (found,) = [one for one in at.button if one.label == label]
    return found


def press(at: AppTest, label: str) -> AppTest:
    """Press a button."""
    return button(at, label).click().run()


def choose(at: AppTest, **choices: Any) -> AppTest:
    """Make these choices in a page that is open; None takes one back. The page is not run."""
    for key, choice in choices.items():
        chosen = session_of(at).chosen
        if choice is None:
            chosen.pop(key, None)
        else:
            chosen[key] = choice
    return at


def state_of(pairs: list[tuple[str, str]], **more: Any) -> dict[str, Any]:
    """Sentence pairs as the controls keep them: src, tgt, src2, tgt2, …; their PAD is drawn."""
    state: dict[str, Any] = {"pairs": len(pairs), "hide_pad": False, **more}
    for number, (source, target) in enumerate(pairs, start=1):
        suffix = "" if number == 1 else str(number)
        state |= {f"src{suffix}": source, f"tgt{suffix}": target}
    return state


def components(at: AppTest) -> dict[str, Any]:
    """Every live component of the page by its key: what was sent to it."""
    found: dict[str, Any] = {}
    for element in at.get("bidi_component"):
        proto = element.proto
        key = proto.id.split("-", 2)[2]
        if key in AROUND or key.startswith("line_"):
            continue
        found[key] = sent_to(proto)
    return found


def answer_on_top(at: AppTest) -> str | None:
    """The model's answer in the line on top."""
    return answer(at)[0]


def answer(at: AppTest, number: int = 1) -> tuple[str | None, str]:
    """The answer to a source, in the line or among the folded pairs, and the verdict on it."""
    name = f"Model's answer {number}"
    for field in at.text_input:
        if field.key == f"answer{number}":
            assert field.disabled
            assert field.label.startswith(name)
            return field.value, field.label.removeprefix(name).strip()
    on_top = components(at)["answer_pieces"]
    assert str(number) in on_top["name"]
    return on_top["words"], on_top["note"]


def heads_as_sent(at: AppTest) -> bytes:
    """The bytes that were sent to the view of all heads."""
    (found,) = (
        element.proto.bytes
        for element in at.get("bidi_component")
        if element.proto.id.endswith("-heads_view")
    )
    return found


def sent_to(proto: Any) -> dict[str, Any]:
    """The data that was sent to a component; for a picture, also its traces and layout."""
    sent = unpacked(proto.bytes if proto.WhichOneof("data") == "bytes" else proto.json)
    if "svg" in sent:
        sent["spec"], sent["drawing"] = _drawn[sent["svg"] + sent["alt"]]
    return sent


def unpacked(sent: bytes | str) -> dict[str, Any]:
    """The data in a message: JSON; or the length of the JSON, the JSON, and weights as bytes."""
    # A length may begin with the byte of a brace, too.
    end = 4 if isinstance(sent, str) else 4 + int.from_bytes(sent[:4], "little")
    if isinstance(sent, str) or end > len(sent):
        found: dict[str, Any] = json.loads(sent)
        return found
    about = json.loads(sent[4:end])
    for stack in about["stacks"]:
        shape = (stack["layers"], about["heads"], len(stack["queries"]), len(stack["keys"]))
        stack["weights"] = np.frombuffer(sent, np.uint8, math.prod(shape), end).reshape(shape)
        end += math.prod(shape)
    assert end == len(sent)
    return about


def pictures(at: AppTest) -> dict[str, dict[str, Any]]:
    """Every plotly picture of the page by its key: spec, alt, caption …"""
    return {key: sent for key, sent in components(at).items() if "spec" in sent}


def numbers(picture: dict[str, Any], number: int = 0) -> np.ndarray:
    """The values of one heatmap of a picture."""
    return array(heatmaps(picture["spec"])[number]["z"])


def matrices(picture: dict[str, Any]) -> dict[str, np.ndarray]:
    """The matrices of an equation by their names, as float64; what is blank is NaN."""
    return {
        trace["name"]: array(trace["z"]).astype(np.float64) for trace in heatmaps(picture["spec"])
    }


def unlinked(text: str) -> str:
    """A text without the links of the words that explain themselves."""
    return re.sub(r"\[(.+?)\]\(glossary#.+?\)", r"\1", text)


def texts(at: AppTest) -> str:
    """Everything the page says outside its pictures."""
    kinds = ("markdown", "caption", "text", "info", "warning", "error")
    return "\n".join(element.value for kind in kinds for element in at.get(kind))
