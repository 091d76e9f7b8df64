"""Where the files beside the package are: in the repository, or in the installed package."""

from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parent
_INSTALLED: Final = _PACKAGE / "_app"  # where pyproject.toml puts them in a wheel
IS_INSTALLED: Final = _INSTALLED.is_dir()
ROOT: Final = _INSTALLED if IS_INSTALLED else _PACKAGE.parent  # the folder of app.py
ASSETS: Final = ROOT / "assets"
COMPONENTS: Final = ASSETS / "components"
