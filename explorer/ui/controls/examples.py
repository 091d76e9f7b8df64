"""Example sentences: to pick from, and to begin with."""

from dataclasses import dataclass
from typing import Final

from explorer.names import Level
from explorer.weights.catalogue import SHIPPED_NAMES

Pairs = tuple[tuple[str, str], ...]
ANY_WORDS: Final = "any words"


@dataclass(frozen=True, slots=True)
class Example:
    """Sentence pairs, and how to read them."""

    pairs: Pairs
    level: Level = "words"
    pad_id: int = 0
    on_show: int = 1
    world: str = ANY_WORDS  # the world they belong to, see `WORLDS`


# The default sentences, by the name of the weights; all other weights read any words.
WORLDS: Final[dict[str, Pairs]] = {
    ANY_WORDS: (
        (
            "the animal didn't cross the street because it was too tired",
            "das Tier ging nicht über die Straße weil es zu müde war",
        ),
        (
            "he made me an offer that I can't refuse so I said yes",
            "er machte mir ein Angebot das ich nicht ablehnen kann also sagte ich ja",
        ),
    ),
    "numbers": (
        ("siebenhundertdreiundvierzig", "seven hundred forty three"),
        ("einundzwanzig", "twenty one"),
    ),
    "german": (
        (
            "heute hat der alte Hund die kleine Katze gesehen",
            "today the old dog has seen the small cat",
        ),
        (
            "das Kind weint, weil der Vogel nicht singt",
            "the child cries because the bird does not sing",
        ),
    ),
    "quotes": (
        ("I'm gonna make him an offer", "he can't refuse"),
        ("may the Force", "be with you"),
    ),
}
TOY_BATCH: Final = (
    "2 3 4 5 6 7 8 9",
    "2 7 7 4 2 4 3 4",
    "3 6 8 5 2 1 3 4",
    "4 7 9 6 3 1 7 1",
    "5 7 2 7 3 1 8 1",
    "1 6 2 8 4 1 8 1",
    "1 1 1 1 5 1 9 1",
    "1 1 1 1 5 1 1 1",
)
TOY_NAME: Final = "8×8 toy batch of ids, PAD = 1"
EXAMPLES: Final = {
    "The animal was tired": Example(WORLDS[ANY_WORDS]),
    "A film quote and its answer": Example(WORLDS["quotes"], world="quotes"),
    "Number words: the ones come first": Example(WORLDS["numbers"], world="numbers"),
    "German: the verb comes last": Example(WORLDS["german"], world="german"),
    "Cats and dogs, swapped": Example(
        (
            ("I like cats more than dogs", "ich mag Katzen mehr als Hunde"),
            ("I like dogs more than cats", "ich mag Hunde mehr als Katzen"),
        )
    ),
    "Three lengths: watch the padding": Example(
        (
            ("the dog has seen the cat", "der Hund hat die Katze gesehen"),
            ("it was tired", "es war müde"),
            ("yes", "ja"),
        )
    ),
    TOY_NAME: Example(tuple((row, row) for row in TOY_BATCH), "ids", 1, 6),
    "Reference masks, PAD = 2": Example((("0 7 8 1 2 2", "0 5 6 2"),), "ids", 2),
    "Six ids, PAD = 0": Example((("1 2 3 4 0 0", "1 2 3 4 0 0"),), "ids", 0),
    "Many scripts": Example(
        (
            ("the cat 👩‍🔬 saw 你好 and שלום", "die Katze sah नमस्ते <b>x</b>"),
            ("<pad> is a word here", "<pad> ist hier ein Wort"),
        )
    ),
}


def world_of(weights: str) -> str:
    """The world of these weights; weights of one world can read the same sentences."""
    return weights if weights in WORLDS and weights in SHIPPED_NAMES else ANY_WORDS
