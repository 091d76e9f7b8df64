"""The share of one person: what each visitor may take of the process that everybody shares.

Each limit stands here with its reason, and is checked on the server before the work is done.
Whoever reaches one reads a sentence that says what is allowed, what was asked for, and the way out.
A person is a browser, as far as one can be told apart from another; a limit for an address behind
which a whole lecture hall may sit is one that a hall does not reach.
"""

from typing import Final

# Text. The longest sentence that a model reads has 128 pieces, of a dozen letters at the most.
SENTENCE: Final = 2_000  # characters of one sentence
NUMBER: Final = 40  # characters of a typed number: more than any that a page can show
