"""A field for files: they are chosen or dropped, sent beside the pages, and given to the page."""

from typing import Final

from explorer.languages import tr
from explorer.runtime.shares import UPLOAD_FILES
from explorer.ui.components.component import component
from explorer.ui.frame.session import session
from explorer.web.files import BOX, FILES, NAME, TakenFile, box

_MIB: Final = 2**20
_component = component(
    "file_field",
    '<div class="file-field" role="group"><p class="name"></p><div class="drop">'
    '<button type="button"></button><span></span></div><p class="help"></p>'
    '<progress hidden></progress><p class="said" role="status"></p>'
    '<input type="file" multiple hidden></div>',
    prose=True,
)


def file_field(key: str, label: str, *, most_bytes: int, help: str) -> list[TakenFile]:
    """The files that were sent with this field since the last run, of so many bytes together.

    Each file is returned once.
    """
    here = session()
    name = f"{here.name}-{key}"
    files = box(name, most_bytes)
    most = most_bytes // _MIB
    data = {
        "label": label,
        "help": help,
        "most": most_bytes,
        "count": UPLOAD_FILES,
        "where": FILES,
        "headers": {BOX: name},
        "name": NAME,
        "taken": here.events.get((key, "came")),
        "texts": {
            "choose": tr("Choose files"),
            "drop": tr("or drop them here: up to {most} MB together", most=most),
            "sending": tr("Sending {name} …"),
            "stop": tr("Stop"),
            "sent": tr("Sent: {names}"),
            "many": tr("No more files than {most} are taken.", most=UPLOAD_FILES),
            "large": tr("Up to {most} MB are taken; this would be {size} MB."),
            "failed": tr("{name} could not be sent. Try it again."),
            "503": tr("Others are sending large files. Try it again in a minute."),
        },
    }
    _component(key=key, data=data, on={"came": files.give})
    return files.take()
