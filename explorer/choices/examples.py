"""Example sentences: to pick from, and to begin with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from explorer.languages import mark
from explorer.names import Reading
from explorer.tokenizer import IdTokenizer
from explorer.weights.catalogue import (
    SHIPPED_NAMES,
    TRANSLATOR,
    WeightsGoneError,
    pretrained_source,
    tokenizer,
)
from explorer.weights.huggingface.shelf import model_names

Pairs = tuple[tuple[str, str], ...]
ANY_WORDS: Final = "any words"
IDS: Final = "ids"  # of a pretrained model without a tokenizer


@dataclass(frozen=True, slots=True)
class Example:
    """Sentence pairs, and how to read them."""

    pairs: Pairs
    level: Reading = "words"
    pad_id: int = 0
    on_show: int = 1
    weights: str | None = None  # that the example is for; None: any that read such words
    choices: Mapping[str, Any] = field(default_factory=dict)  # that show what is to be seen


# The default sentences, by the name of the weights; most other weights read any words.
WORLDS: Final[dict[str, Pairs]] = {
    TRANSLATOR: (
        (
            "I know that the dog has eaten the fish.",
            "Ich weiß, dass der Hund den Fisch gegessen hat.",
        ),
        ("She gets up at six every morning.", "Sie steht jeden Morgen um sechs auf."),
    ),
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
    IDS: (("4 5 6 7 8 9", "10 11 12 13"), ("14 15 16", "17 18")),
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
TOY_NAME: Final = mark("8×8 toy batch of ids, PAD = 1")
EXAMPLES: Final = {
    mark("The verb comes last"): Example(WORLDS[TRANSLATOR], weights=TRANSLATOR),
    mark("“It” looks at both nouns either way"): Example(
        (
            (
                "The animal didn't cross the street because it was too tired.",
                "Das Tier überquerte die Straße nicht, weil es zu müde war.",
            ),
            (
                "The animal didn't cross the street because it was too wide.",
                "Das Tier überquerte die Straße nicht, weil sie zu breit war.",
            ),
        ),
        on_show=2,
        weights=TRANSLATOR,
        choices={"attention": "encoder", "layer": 4, "head": 2, "query": 8, "key": 1},
    ),
    mark("Verbs that split"): Example(
        (
            ("She gets up at six every morning.", "Sie steht jeden Morgen um sechs auf."),
            ("He turned off the light.", "Er schaltete das Licht aus."),
        ),
        weights=TRANSLATOR,
    ),
    mark("Two words become one"): Example(
        (
            ("The washing machine is broken.", "Die Waschmaschine ist kaputt."),
            ("I lost my driver's license.", "Ich habe meinen Führerschein verloren."),
        ),
        weights=TRANSLATOR,
    ),
    mark("Questions"): Example(
        (
            ("Where did you buy this book?", "Wo hast du dieses Buch gekauft?"),
            ("Do you know why she is crying?", "Weißt du, warum sie weint?"),
        ),
        weights=TRANSLATOR,
    ),
    mark("What greedy decoding misses"): Example(
        (
            ("There is always a next time.", "Es gibt immer ein nächstes Mal."),
            (
                "Our team scored the winning goal in the last minute.",
                "Unsere Mannschaft schoss in der letzten Minute das Siegtor.",
            ),
        ),
        weights=TRANSLATOR,
        choices={"method": "beam"},
    ),
    mark("Words it has never seen"): Example(
        (
            (
                "Mr Featherstone fed three zorblats.",
                "Herr Featherstone fütterte drei Zorblats.",
            ),
            ("The zorblat is sleeping.", "Der Zorblat schläft."),
        ),
        weights=TRANSLATOR,
    ),
    mark("Cats and dogs, swapped"): Example(
        (
            ("I like cats more than dogs", "ich mag Katzen mehr als Hunde"),
            ("I like dogs more than cats", "ich mag Hunde mehr als Katzen"),
        )
    ),
    mark("Three lengths: watch the padding"): Example(
        (
            ("the dog has seen the cat", "der Hund hat die Katze gesehen"),
            ("it was tired", "es war müde"),
            ("yes", "ja"),
        )
    ),
    mark("Small task: reverse"): Example(WORLDS[ANY_WORDS], weights="reverse"),
    mark("Small task: copy"): Example(WORLDS[ANY_WORDS], weights="copy"),
    mark("Small task: sort"): Example(WORLDS[ANY_WORDS], weights="sort"),
    mark("Small task: number words"): Example(WORLDS["numbers"], weights="numbers"),
    mark("Small task: a small grammar"): Example(WORLDS["german"], weights="german"),
    mark("Learnt by heart: film quotes"): Example(WORLDS["quotes"], weights="quotes"),
    TOY_NAME: Example(tuple((row, row) for row in TOY_BATCH), "ids", 1, 6),
    mark("Reference masks, PAD = 2"): Example((("0 7 8 1 2 2", "0 5 6 2"),), "ids", 2),
    mark("Six ids, PAD = 0"): Example((("1 2 3 4 0 0", "1 2 3 4 0 0"),), "ids", 0),
    mark("Many scripts"): Example(
        (
            ("the cat 👩‍🔬 saw 你好 and שלום", "die Katze sah नमस्ते <b>x</b>"),
            ("<pad> is a word here", "<pad> ist hier ein Wort"),
        )
    ),
}


def world_of(weights: str) -> str:
    """The world of these weights: those of one world begin with the same sentences."""
    if weights in SHIPPED_NAMES:
        return weights if weights in WORLDS else ANY_WORDS
    return IDS if weights in model_names() and _reads_only_ids(weights) else ANY_WORDS


def _reads_only_ids(model: str) -> bool:
    try:
        return isinstance(tokenizer(pretrained_source(model)), IdTokenizer)
    except WeightsGoneError:
        return False


def sentences_for(weights: str) -> list[str]:
    """Four sources to try with these weights; fewer where there are fewer examples."""
    world = world_of(weights)
    found = [*WORLDS[world]]
    for example in EXAMPLES.values():
        if example.weights == weights or (example.weights is None and world == ANY_WORDS):
            found += example.pairs[:1] if example.level == "words" else ()
    return list(dict.fromkeys(source for source, _ in found))[:4]


def reads_any_words(world: str) -> bool:
    """Whether weights of this world can read whatever somebody types."""
    return world in (ANY_WORDS, TRANSLATOR)
