"""`python -m tests.golden [PAGE ...]`: record the present texts of the pages."""

import sys

from explorer.choices.pages import PAGES
from tests.golden.record import write

for page in sys.argv[1:] or PAGES:
    write(page)
    print(page, flush=True)
