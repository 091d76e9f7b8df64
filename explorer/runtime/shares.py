"""The share of one person: what each visitor may take of the process that everybody shares.

Each limit stands here with its reason, and is checked on the server before the work is done.
Whoever reaches one reads a sentence that says what is allowed, what was asked for, and the way out.
A person is a browser, as far as one can be told apart from another; a limit for an address behind
which a whole lecture hall may sit is one that a hall does not reach.
"""

from typing import Final

# Text. The longest sentence that a model reads has 128 pieces, of a dozen letters at the most.
SENTENCE: Final = 2_000  # characters of one sentence, or of any other text that somebody types

# A message from a browser. The largest page has about sixty widgets; one of them, a file field,
# may hold a model's 17 files. An event of a component says which cells were clicked: a grid of
# 16 × 16 marked cells takes 2,000 characters.
WIDGETS: Final = 300  # whose values one message says
NAME: Final = 1_000  # characters of a widget's id
OPTIONS: Final = 64  # chosen in one widget
EVENT: Final = 10_000  # characters of a component's event
DEPTH: Final = 8  # of lists in lists in it
EVENTS: Final = 8  # of one component in one message
FILES: Final = 64  # that a message asks to upload, or says were uploaded
