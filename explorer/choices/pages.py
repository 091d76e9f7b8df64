"""The pages by their places: one line each."""

from typing import Final

from explorer.languages import mark

PLACES: Final = {
    # Translators: where one begins: Home, Tour
    mark("Start"): {
        "home": ("pages/home.py", mark("Home")),
        "tour": ("pages/tour.py", mark("Tour")),
    },
    # Translators: how a model reads a sentence: Tokens, Masks, Positions
    mark("Read"): {
        "tokens": ("pages/tokens.py", mark("Tokens")),
        "masks": ("pages/masks.py", mark("Masks")),
        "positions": ("pages/positions.py", mark("Positions")),
    },
    # Translators: a verb, for what heads do: Attention, Step by step, Why?
    mark("Attend"): {
        "attention": ("pages/attention.py", mark("Attention")),
        "steps": ("pages/steps.py", mark("Step by step")),
        "why": ("pages/why.py", mark("Why?")),
    },
    # Translators: a model is run: Stack, Training, Decoding
    mark("Run"): {
        "stack": ("pages/stack.py", mark("Stack")),
        "training": ("pages/training.py", mark("Training")),
        "decoding": ("pages/decoding.py", mark("Decoding")),
    },
    # Translators: try it yourself: Predict, Lab
    mark("Try"): {
        "predict": ("pages/predict.py", mark("Predict")),
        "lab": ("pages/lab.py", mark("Lab")),
    },
    mark("Room"): {"room": ("pages/room.py", mark("Room"))},
}
PAGES: Final = {
    **{name: page for pages in PLACES.values() for name, page in pages.items()},
    "glossary": ("pages/glossary.py", mark("Glossary")),  # in no place: always beside them
}
# Old links still lead there.
RENAMED: Final = {"heads": "attention", "practice": "predict", "words": "glossary"}
NO_PAGE: Final = "no_page"  # what Home's address says of a page that does not exist
