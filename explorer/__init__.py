"""The Transformer of "Attention Is All You Need", and everything it computes.

`load("translator")` gives a trained model, `explore` goes from sentences to a trace, `need` asks
which heads a model needs, and `speak` chooses the language of pictures and texts.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from explorer.exploration import explore as explore
    from explorer.languages import speak as speak
    from explorer.notebook.exploration import Exploration as Exploration
    from explorer.notebook.heads_needed import need as need
    from explorer.weights.loaded import Loaded as Loaded
    from explorer.weights.loaded import load as load

_HOMES = {  # the module of each name, and its name there
    "Exploration": ("explorer.notebook.exploration", "Exploration"),
    "Loaded": ("explorer.weights.loaded", "Loaded"),
    "explore": ("explorer.exploration", "explore"),
    "load": ("explorer.weights.loaded", "load"),
    "need": ("explorer.notebook.heads_needed", "need"),
    "speak": ("explorer.languages", "speak"),
}
__all__ = ["Exploration", "Loaded", "explore", "load", "need", "speak"]


def __getattr__(name: str) -> Any:
    """Import a name when it is first used: torch takes seconds to load."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    module, its_name = _HOMES[name]
    return getattr(import_module(module), its_name)
