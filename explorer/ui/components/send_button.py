"""A button that sends an answer; so does Enter in the field above it.

The click is a state, not a passing event: on a line that is dead for a while, it is not lost.
"""

from collections.abc import Callable

from explorer.languages import tr
from explorer.ui.components.component import component
from explorer.ui.frame.session import session

_component = component(
    "send_button", '<button type="button" class="send-button"></button>', prose=True
)


def send_button(key: str, *, again: bool, is_sent: bool, on_send: Callable[[], None]) -> None:
    """Draw the button; `again`: an answer was sent before; `is_sent`: it is this one."""
    here = session()
    data = {
        "session": here.name,
        "taken": here.events.get((key, "sent")),
        "label": tr("Send again") if again else tr("Send"),
        "sending": tr("Sending …"),
        "done": is_sent,
    }
    _component(key=key, data=data, on={"sent": lambda _: on_send()})
