"""Python that draws a picture of the app again, with the same numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, Final

from explorer.config import ModelConfig

_LONG: Final = 80  # characters of a line


@dataclass(frozen=True, slots=True, kw_only=True)
class ExploreCall:
    """Sentences and model as `explorer.explore` takes them; all texts are data, written as such."""

    sources: Sequence[str]
    targets: Sequence[str | None] | None  # None: the model's own answers
    model: str = ""  # the name or the file of a trained one
    note: str = ""  # where the model comes from
    config: ModelConfig | None = None  # of an untrained one
    seed: int = 0
    tokenizer: str = ""  # an expression; empty for the model's own
    imports: Sequence[str] = ()
    side: str = "right"
    length: int | None = None
    dropout_seed: int | None = None
    row: int = 0
    hide_pad: bool = False


def explore_code(call: ExploreCall) -> str:
    """The lines that read the sentences and run the model."""
    imports = ["import explorer"]
    imports += [f"from explorer.config import {ModelConfig.__name__}"] * (call.config is not None)
    imports += call.imports
    given: list[str] = [_texts(call.sources)]
    if call.targets is not None:
        given.append(_texts(call.targets))
    if call.config is None:
        given.append(f"model={call.model!r}")
    else:
        given += [f"model={config_code(call.config)}", f"seed={call.seed}"]
    if call.tokenizer:
        given.append(f"tokenizer={call.tokenizer}")
    usual = (("side", call.side, "right"), ("length", call.length, None))
    for name, value, default in (*usual, ("dropout_seed", call.dropout_seed, None)):
        if value != default:
            given.append(f"{name}={value!r}")
    pair = f".pair({call.row + 1})" if call.row else ""
    if call.hide_pad:
        pair = f".pair({call.row + 1}, hide_pad=True)"
    note = f"# {call.note}\n" if call.note else ""
    return "\n".join(imports) + f"\n\n{note}seen = {_call('explorer.explore', given)}{pair}\n"


def picture_code(call: ExploreCall, method: str, arguments: Mapping[str, Any], number: int) -> str:
    """All lines, to the picture with this number of those that the method draws.

    An argument that is None is left out.
    """
    given = [f"{name}={value!r}" for name, value in arguments.items() if value is not None]
    draws = _call(f"seen.{method}", given)
    return f"{explore_code(call)}picture = {draws}[{number}]\npicture.show()\n"


def torch_code(call: ExploreCall) -> str:
    """The same model as `torch.nn.Transformer`, and how far the two are apart."""
    return (
        "from explorer.interop import largest_difference, to_torch\n"
        f"{explore_code(call)}"
        "twin = to_torch(seen.model)  # a torch.nn.Transformer with the same weights\n"
        "print(twin)\n"
        'print("largest difference:", largest_difference(twin, seen.trace))\n'
    )


def config_code(config: ModelConfig) -> str:
    """The config, as far as it is not the paper's base model."""
    given = [
        f"{field.name}={getattr(config, field.name)!r}"
        for field in fields(config)
        if field.default is MISSING or getattr(config, field.name) != field.default
    ]
    return f"ModelConfig({', '.join(given)})"


def _texts(texts: Sequence[str | None]) -> str:
    return f"[{', '.join(map(repr, texts))}]"


def _call(name: str, given: Sequence[str]) -> str:
    line = f"{name}({', '.join(given)})"
    if len(line) <= _LONG:
        return line
    return f"{name}(\n" + "".join(f"    {argument},\n" for argument in given) + ")"
