"""The share of one person: what each visitor may take of the process that everybody shares.

Each limit stands here with its reason, and is checked on the server before the work is done.
A person who reaches one is told what is allowed, what was asked for, and the way out. A person is a
browser, as far as browsers can be told apart. Behind one network address there may be a whole
lecture hall, so the limits of an address are larger than what a hall needs.
"""

from typing import Final

# Text. The longest sentence that a model reads has 128 pieces, of a dozen letters at the most.
SENTENCE: Final = 2_000  # characters of one sentence, or of any other text that somebody types
MANY_SENTENCES: Final = 20_000  # characters of the one field that takes two hundred sentences, …
MANY_SENTENCES_FIELD: Final = "why_sentences"  # … by its key
NUMBER: Final = 40  # characters of a typed number: more than any that a page can show

# The network. A process of 1 GB has to survive whatever is sent to it.
UPLOAD: Final = 257 * 2**20  # bytes of one session's files: weights of 256 MB, and their form
UPLOADS_OF_ALL: Final = 4  # a part of the memory: that much holds the files of all, until read
UPLOAD_FILES: Final = 16  # files of one session at a time; a pretrained model has up to a dozen
UPLOAD_RATE: Final = 32_000  # bytes a second at least: a slow line of 0.25 Mbit/s
UPLOAD_STALL: Final = 15.0  # seconds that an upload may fall behind that, and may be silent
UPLOAD_UNREAD: Final = 60.0  # seconds until files that no page has read are dropped
FILES_NAMED: Final = 300  # files that somebody may drop at once, before those refused are said
MESSAGE: Final = 1_500_000  # bytes of one message, unpacked: a text of 1 MB is cut, and said
MESSAGES_AT_ONCE: Final = 200  # of one connection; a page that comes back sends a few
MESSAGES: Final = 40  # a second, from then on: whoever types or drags sends ten
MESSAGE_BYTES: Final = 64_000  # a larger message counts as several
CONNECTIONS_OF_ALL: Final = 3  # a part of the memory: that much holds a message of each, half sent
CONNECTIONS_OF_ONE: Final = 0.75  # of all, from one address, maybe a lecture hall's or a proxy's
FILES_OF_SESSION: Final = 3  # open files that Streamlit needs for each, besides the connection
FILES_BESIDES: Final = 100 + 128 * FILES_OF_SESSION  # Streamlit keeps 128 that have left

# Rooms. Somebody who guesses codes reconnects each time, and throws every cookie away: only the
# limit of an address stops that. In a hall of 300, everybody may mistype a code ten times a minute.
# With 50 guesses a second and 500 rooms open, one of the 2^40 codes is hit every 17 months.
WRONG_OF_WINDOW: Final = 10  # codes a minute
WRONG_OF_BROWSER: Final = 30  # a few windows
WRONG_OF_ADDRESS: Final = 3_000
OPENED_OF_WINDOW: Final = 5  # rooms a minute; nobody leads more
OPENED_OF_BROWSER: Final = 10
OPENED_OF_ADDRESS: Final = 300  # a workshop in which everybody opens one
# The answer of somebody who has been there for less than this goes with their connection: to be
# counted many times takes as many connections. After that, a phone may be locked.
STAYED: Final = 30.0  # seconds
RELOAD: Final = 20.0  # seconds until a connection that broke is taken to be gone

# Trainings. A person has one at a time. While others wait, each has the process for a turn. To stop
# and start it takes two seconds, a fifteenth of a turn, and most trainings of a lesson end in their
# first. Nobody would watch a longer training than the longest to its end; a click goes on with it.
TURN: Final = 30.0  # seconds
LONGEST: Final = 1800.0  # seconds of one training
# A model whose state is larger is not paused for others: it ends soon.
LARGEST_STATE: Final = 256 * 2**20  # bytes: 22 million weights
LONGEST_UNPAUSED: Final = 300.0  # seconds
ALL_STATES: Final = 2**30  # bytes on the disk, of all trainings that are paused

# A message from a browser. The largest page has about sixty widgets; one of them, a file field,
# may hold a model's 17 files. An event of a component says which cells were clicked: a grid of
# 16 × 16 marked cells takes 2,000 characters.
WIDGETS: Final = 300  # whose values one message says
HASHES: Final = 1_200  # of messages that it says the browser still has
NAME: Final = 1_000  # characters of a widget's id
OPTIONS: Final = 64  # chosen in one widget
EVENT: Final = 10_000  # characters of a component's event
DEPTH: Final = 8  # of lists in lists in it
EVENTS: Final = 8  # of one component in one message
