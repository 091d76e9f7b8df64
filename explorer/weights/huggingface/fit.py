"""Whether the tensors in a model's files are those that its config.json promises."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from explorer.languages import tr, tr_n
from explorer.weights.huggingface.description import Description
from explorer.weights.huggingface.families.family import TensorSource
from explorer.weights.huggingface.files import CONFIG, PretrainedError
from explorer.weights.huggingface.tensors import Shape, Stored

NUMBERS: Final = ("F32", "F16", "BF16", "F64")
_SHOWN: Final = 3  # names in a message
_WRITERS: Final = re.compile(r"(For(ConditionalGeneration|MaskedLM|CausalLM)|LMHeadModel|MTModel)$")


def require_names(
    described: Description, wanted: Mapping[str, TensorSource], tensors: Mapping[str, Stored]
) -> tuple[str, ...]:
    """Every tensor must be there, of numbers, and none in the stacks that has no place.

    Returns the heads beside the stacks, which are left out.
    """
    _require_layers(described, wanted, tensors)
    _require_all(described, wanted, tensors)
    read = {name for taken in wanted.values() for name in _read_by(taken)}
    others = [
        tr("{name} as {kind}", name=stored.name, kind=stored.kind)
        for name, stored in tensors.items()
        if name in read and stored.kind not in NUMBERS
    ]
    if others:
        raise PretrainedError(
            tr(
                "Numbers must be {kinds}, and the files hold {names}: save the model in one of "
                "these.",
                kinds=", ".join(NUMBERS),
                names=_listed(others),
            )
        )
    kept = read.union(*(names for ties in described.family.tied.values() for names in ties))
    unused = re.compile(described.family.unused)
    surplus = [
        name
        for name, stored in tensors.items()
        if name not in kept and stored.kind in NUMBERS and not unused.fullmatch(name)
    ]
    heads = {name: _head(described, name, read, kept) for name in surplus}
    if without_place := [tensors[name].name for name, head in heads.items() if not head]:
        raise PretrainedError(_has_no_place(described, without_place))
    return tuple(dict.fromkeys(heads.values()))


def _require_layers(
    described: Description, wanted: Mapping[str, TensorSource], tensors: Mapping[str, Stored]
) -> None:
    config = described.config
    stacks = {"encoder": config.n_encoder_layers, "decoder": config.n_decoder_layers}
    for stack, layers in stacks.items():
        if not layers:
            continue
        start = wanted[f"{stack}.0.attention.w_o.weight"].names[0].partition("0.")[0]
        numbered = (name.removeprefix(start) for name in tensors if name.startswith(start))
        held = {name.partition(".")[0] for name in numbered if name[:1].isdecimal()}
        if held and len(held) != layers:
            raise PretrainedError(
                tr_n(
                    "{file} describes {n:,} layer in the {stack}, and the files hold {held:,}. "
                    "Take both from one model.",
                    "{file} describes {n:,} layers in the {stack}, and the files hold {held:,}. "
                    "Take both from one model.",
                    layers,
                    file=CONFIG,
                    stack=tr(stack),
                    held=len(held),
                )
            )


def _require_all(
    described: Description, wanted: Mapping[str, TensorSource], tensors: Mapping[str, Stored]
) -> None:
    needed = [name for taken in wanted.values() if not taken.or_zeros for name in _read_by(taken)]
    missing = [name for name in needed if name not in tensors]
    if not missing:
        return
    model = described.family.title
    if len(missing) == len(needed):
        raise PretrainedError(
            tr(
                "The files hold no tensor of {model}; theirs have names such as {names}. Take "
                "{file} and the weights from one model, and give its tensors the names that "
                "{example} is one of.",
                model=model,
                names=_listed([stored.name for stored in tensors.values()]) or "–",
                file=CONFIG,
                example=missing[0],
            )
        )
    raise PretrainedError(
        tr_n(
            "The files do not hold {first}, which {model} needs: save the whole model, and its "
            "{file} beside it.",
            "The files do not hold {n:,} of the {whole:,} tensors that {model} needs, {first} for "
            "example: save the whole model, and its {file} beside it.",
            len(missing),
            first=missing[0][:160],
            whole=len(needed),
            model=model,
            file=CONFIG,
        )
    )


def _head(described: Description, name: str, read: Collection[str], kept: Collection[str]) -> str:
    """The head that a tensor without a place belongs to; "" if its numbers might matter.

    What stands beside the stacks cannot change them. But where the model's own class writes, it may
    change what is written.
    """
    family, config = described.family, described.config
    classes = described.hf_config.get("architectures") or ()
    writes = config.output != "nothing" and any(map(_WRITERS.search, classes))
    if family.words or (writes and not name.startswith(family.heads)):
        return ""
    parts = name.split(".")
    if parts[0] in {its.partition(".")[0] for its in kept if not its.startswith(family.heads)}:
        return ""
    beginnings = [".".join(parts[:n]) for n in range(1, len(parts))]
    return next((it for it in beginnings if not any(r.startswith(f"{it}.") for r in read)), name)


def _has_no_place(described: Description, names: Sequence[str]) -> str:
    model = described.family.title
    if described.family.words:
        return tr(
            "The files hold {names}, which {model} does not have: leave it out of the state dict, "
            "or say in {file} what it is.",
            names=_listed(names),
            model=model,
            file=CONFIG,
        )
    return tr(
        "The files hold {names}, which {model} does not have, so its numbers would be others than "
        "here: merge what was added to the model into its weights, or leave it out.",
        names=_listed(names),
        model=model,
    )


def require_shapes(
    wanted: Mapping[str, TensorSource], shapes: Mapping[str, Shape], tensors: Mapping[str, Stored]
) -> None:
    """Every tensor of the files must have the shape that config.json says."""
    wrong: dict[str, str] = {}
    for ours, taken in wanted.items():
        expected = {name: _shape_in_files(taken, shapes[ours]) for name in taken.names}
        if (added := taken.plus_first_of) is not None:
            rows = max((1, *tensors[added].shape[:1]))  # as many as it likes
            expected[added] = (rows, *shapes[ours][1:])
        wrong |= {
            name: str(shape)
            for name, shape in expected.items()
            if name in tensors and tensors[name].shape != shape
        }
    _require_no_wrong(wrong, tensors)


def require_table(stored: Stored, d_model: int) -> int:
    """The rows of a table of positions, which may have one more dimension of 1."""
    *rows, width = stored.shape or (0,)
    n = math.prod(rows)
    if not 1 <= len(rows) <= 2 or max(rows) != n or not n or width != d_model:
        _require_no_wrong({stored.name: f"(…, {d_model})"}, {stored.name: stored})
    return n


def _require_no_wrong(wrong: Mapping[str, str], tensors: Mapping[str, Stored]) -> None:
    if wrong:
        names = [
            tr(
                "{name} is {given} and must be {wanted}",
                name=tensors[name].name,
                given=str(tensors[name].shape),
                wanted=shape,
            )
            for name, shape in wrong.items()
        ]
        raise PretrainedError(
            tr("The shapes do not fit {file}: {names}.", file=CONFIG, names=_listed(names))
        )


def _read_by(taken: TensorSource) -> tuple[str, ...]:
    """The names of all tensors of the files that are read for one of the engine's."""
    return taken.names if taken.plus_first_of is None else (*taken.names, taken.plus_first_of)


def _shape_in_files(taken: TensorSource, shape: Shape) -> Shape:
    """The shape of each tensor of the files that together make one of the engine's."""
    if taken.transposed:
        shape = shape[::-1]
    rows, *rest = shape
    if taken.flat:
        return (1, *shape)
    return (rows // len(taken.names) + taken.skip, *rest)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(name[:160] for name in names[:_SHOWN])
    if (more := len(names) - _SHOWN) <= 0:
        return shown
    return tr_n("{names} and {n:,} more", "{names} and {n:,} more", more, names=shown)
