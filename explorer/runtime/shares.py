"""The share of one person: how much of the common process each visitor may use.

Each limit is listed here with its reason, and is checked on the server before the work is done.
A person who reaches a limit is told the limit, what was asked for, and what to do instead. A
person is a browser, as far as browsers can be told apart. Behind one network address there may be
a whole lecture hall, so the limits of an address are larger than what a hall needs.
"""

from typing import Final

# Text. The longest sentence that a model reads has 128 pieces, of a dozen letters at the most.
SENTENCE_LENGTH: Final = 2_000  # characters of a sentence, or of any other typed text
MANY_SENTENCES_LENGTH: Final = 20_000  # of the one field that takes two hundred sentences
NUMBER_LENGTH: Final = 40  # characters of a typed number: more than any that a page can show

# The network. A process of 1 GB has to survive whatever is sent to it.
UPLOADS_MEMORY_DIVISOR: Final = 4  # a quarter of memory for all files that are not read yet
UPLOAD_FILES: Final = 16  # files of one field at a time; a pretrained model has up to a dozen
UPLOAD_RATE: Final = 32_000  # bytes a second at least: a slow line of 0.25 Mbit/s
UPLOAD_STALL: Final = 15.0  # seconds that an upload may lag behind that rate, or send nothing
UPLOAD_UNREAD: Final = 60.0  # seconds until files that no page has read are dropped
# A message repeats what all fields of the page hold: 1 kB as a rule, and 100 kB with 20,000 Chinese
# signs. Streamlit's costliest request takes 4 ms of everybody's time for a kilobyte.
MESSAGE: Final = 100_000  # bytes of one message, unpacked
MESSAGES_AT_ONCE: Final = 100  # of one connection, in a burst; a page that reconnects sends a few
MESSAGES_PER_SECOND: Final = 20  # after that burst; typing or dragging sends ten
MESSAGE_BYTES: Final = 2_000  # a larger message counts as several
CONNECTION_MEMORY: Final = 4_500_000  # bytes of memory that there must be for each connection
CONNECTIONS_SHARE_OF_ADDRESS: Final = 0.75  # of all: it may be a lecture hall or a proxy
FILES_PER_SESSION: Final = 3  # open files of Streamlit for each session, besides the connection
FILES_RESERVED: Final = 100 + 128 * FILES_PER_SESSION  # Streamlit keeps 128 sessions that have left

# Rooms. Somebody who guesses codes reconnects each time, and throws every cookie away: only the
# limit of an address stops that. In a hall of 300, everybody may mistype a code ten times a minute.
# With 50 guesses a second and 500 rooms open, one of the 2^40 codes is hit every 17 months.
WRONG_CODES_PER_WINDOW: Final = 10  # codes a minute
WRONG_CODES_PER_BROWSER: Final = 30  # a few windows
WRONG_CODES_PER_ADDRESS: Final = 3_000
ROOMS_OPENED_PER_WINDOW: Final = 5  # rooms a minute; nobody needs more
ROOMS_OPENED_PER_BROWSER: Final = 10
ROOMS_OPENED_PER_ADDRESS: Final = 300  # a workshop in which everybody opens one

# Trainings. While others wait, a training has a turn, in which most trainings of a lesson end.
TURN: Final = 120.0  # seconds; a click continues it
ALL_STATES: Final = 2**30  # bytes on the disk, of all paused trainings
