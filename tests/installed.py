"""`python -P tests/installed.py PAGE ...`: the installed package shows these pages, or all of them.

Needs nothing but the package: it is run where there is no repository and no pytest.
"""

import sys

from streamlit.testing.v1 import AppTest

import explorer
from explorer.paths import ROOT

assert (ROOT / ".streamlit" / "config.toml").is_file()
print(explorer.__file__)
print(explorer.load("reverse").answer(["one two three"])[0])
print(len(explorer.explore("one two", model="reverse").heads().html()))
for page in sys.argv[1:] or sorted(path.stem for path in (ROOT / "pages").glob("*.py")):
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    if page != "home":
        at.switch_page(f"pages/{page}.py")
    at.run()
    assert not at.exception, at.exception
    assert not at.error, at.error
    print(at.title[0].value)
