"""What was drawn for one follower and passed on to others is what their own pages draw."""

import asyncio
import re
from contextlib import AsyncExitStack

from google.protobuf.message import Message
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.people import Run
from tests.browser.conftest import Server
from tests.faults.guest import Guest, together


class Follower(Guest):
    """Beyond what a guest does: what the screen showed before each run, if something was sent."""

    was_sent: bool = False
    passed_on: dict[tuple[int, ...], bytes] | None = None
    field_passed_on: str = ""

    def _take(self, content: str | bytes, run: Run) -> bool:
        assert isinstance(content, bytes)
        kind = ForwardMsg.FromString(content).WhichOneof("type")
        if kind == "delta" and not self._is_running:
            self.was_sent = True
        if kind == "new_session" and self.was_sent:
            self.passed_on, self.was_sent = self.screen, False
            self.field_passed_on = self.field("src")
        return super()._take(content, run)

    @property
    def screen(self) -> dict[tuple[int, ...], bytes]:
        """Every element, as it looks; a widget's value is said only once."""
        everybody_has_their_own = "room_seat"
        return {
            place: _look(element)
            for place, element in self.elements.items()
            if element.bidi_component.component_name != everybody_has_their_own
        }

    async def follow(self, page: str, text: str = "") -> None:
        """Receive until a run of its own has drawn this page, with this sentence."""
        while True:
            self.errors += (await self.receive()).errors
            assert self.errors == []
            if self.is_on(page) and (not text or self.field("src") == text):
                return


def _look(element: Message) -> bytes:
    bare = type(element)()
    bare.CopyFrom(element)
    bare.has_one_shot_effect = False
    widget = getattr(bare, element.WhichOneof("type") or "")
    if getattr(widget, "set_value", False):
        for field, _ in widget.ListFields():
            if field.name in ("set_value", "value", "raw_value", "raw_values"):
                widget.ClearField(field.name)
    if element.WhichOneof("type") == "download_button":  # each session has its own file
        widget.ClearField("deferred_file_id")
    return bytes(bare.SerializeToString(deterministic=True))


async def _room(stack: AsyncExitStack, url: str) -> tuple[Guest, list[Follower]]:
    """A teacher, and four followers, of whom the last reads German."""
    teacher = await Guest.come(url, "room")
    stack.push_async_callback(teacher.leave)
    await teacher.press("Open a room")
    (code,) = set(re.findall(r"Room (\w{4}-\w{4})", "".join(teacher.markdown)))
    followers = []
    for language in ("", "", "", "&lang=de"):
        follower = await Follower.come(url, "", f"room={code}{language}")
        stack.push_async_callback(follower.leave)
        followers.append(follower)
    return teacher, followers


PAGES = ["home", "tokens", "positions", "masks", "attention", "heads", "steps", "stack", "decoding"]
ANIMALS = ["dog", "cat", "bird", "horse"]


def test_the_same_as_a_run_of_its_own(server: Server) -> None:
    async def visit() -> None:
        async with AsyncExitStack() as stack:
            teacher, followers = await _room(stack, server.url)
            for page in [*PAGES, "lab"]:
                await teacher.walk(page)
                await asyncio.gather(*(follower.follow(page) for follower in followers))
                passed_on = 0
                for animal in ANIMALS:  # a busy machine may draw everybody by a run of their own
                    text = f"the {animal} is on the page of {page}"
                    await teacher.put(src=text)
                    await asyncio.gather(*(follower.follow(page, text) for follower in followers))
                    for follower in followers:
                        if follower.passed_on is not None:
                            assert follower.passed_on == follower.screen, page
                            assert follower.field_passed_on == text, page
                            passed_on += 1
                        follower.passed_on = None
                    *english, german = (follower.screen for follower in followers)
                    assert english == [english[0]] * 3, page
                    assert german != english[0], page
                    if passed_on:
                        break
                assert passed_on, page

    together(visit)
