"""`python -m docs.reference FOLDER`: the API reference as HTML, made of the docstrings."""

import sys
from pathlib import Path
from pkgutil import iter_modules

import pdoc

import explorer
from explorer.paths import ROOT

# pdoc looks for them in the module, and they come only when they are first asked for.
vars(explorer).update({name: getattr(explorer, name) for name in explorer.__all__})
rooms = [room.name for room in iter_modules(explorer.__path__, "explorer.")]
pdoc.render.configure(docformat="google", math=True)
not_called_from_outside = r"!explorer\.ui|.*\.__main__$"
folder = Path(sys.argv[1])
pdoc.pdoc("explorer", *rooms, not_called_from_outside, output_directory=folder)
# Constants are shown with their values, and paths are those of this machine.
for page in (*folder.rglob("*.html"), folder / "search.js"):
    page.write_text(page.read_text("utf-8").replace(str(ROOT), "…"), "utf-8")
