"""Titles of blocks, names of rows, and the code of a picture, on all pictures of causes."""

from explorer.analysis.attention import KIND_NAMES
from explorer.analysis.causes.asked import Asked
from explorer.languages import tr
from explorer.names import AttentionKind
from explorer.views.picture import Call


def block_title(kind: AttentionKind) -> str:
    """The name of an attention above its heads."""
    return tr(KIND_NAMES[kind])


def layer_names(count: int) -> list[str]:
    """The rows of a picture of layers."""
    return [tr("layer {layer}", layer=layer + 1) for layer in range(count)]


def code_of(asked: Asked, ask: str, number: int, **more: object) -> Call:
    """What draws one of the pictures of a question again."""
    return Call(method="why", arguments={"ask": ask, **asked.about(), **more}, number=number)
