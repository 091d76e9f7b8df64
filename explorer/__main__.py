"""The explorer from a terminal.

`transformer-explorer` starts the app; what follows goes to Streamlit, as in
`transformer-explorer --server.port 8600`. `transformer-explorer add NAME` adds a pretrained model.
"""

import subprocess
import sys
from importlib.util import find_spec
from runpy import run_module

from explorer.paths import ROOT


def main() -> None:
    """Run the command on the command line."""
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__)
        return
    if arguments[:1] == ["add"]:
        sys.exit(subprocess.call([sys.executable, "-m", "explorer.weights", *arguments]))
    if arguments and not arguments[0].startswith("-"):
        sys.exit(f"There is no command {arguments[0]!r}: see transformer-explorer --help")
    if find_spec("streamlit") is None:
        sys.exit('The app needs Streamlit: pip install "transformer-explorer[app]"')
    sys.argv = ["streamlit", "run", str(ROOT / "app.py"), *arguments]
    run_module("streamlit", run_name="__main__")  # in this process, which gets the signals


if __name__ == "__main__":
    main()
