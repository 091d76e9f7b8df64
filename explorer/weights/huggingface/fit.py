"""Whether the tensors in a model's files are those that its config.json promises."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from explorer.weights.huggingface.description import Description
from explorer.weights.huggingface.families.family import TensorSource
from explorer.weights.huggingface.files import CONFIG, PretrainedError
from explorer.weights.huggingface.tensors import Shape, Tensors, plain

NUMBERS: Final = ("F32", "F16", "BF16", "F64")
_SHOWN: Final = 3  # names in a message
_WRITERS: Final = re.compile(
    r"(For(ConditionalGeneration|MaskedLM|CausalLM|PreTraining)|(LMHead|DoubleHeads|MT)Model)$"
)
# Whatever class they belong to, these say nothing of words.
_HEADS: Final = (
    "v_head.", "score.", "classifier.", "pre_classifier.", "classification_head.", "qa_outputs.",
    "multiple_choice_head.", "cls.seq_relationship.",
)  # fmt: skip
_ADDED: Final = re.compile(r"(^|[._])(prompt|prefix)")  # what a stack reads beside the text
_ADAPTER: Final = re.compile(r"\.(lora_|base_layer\.)|^base_model\.model\.")


def require_names(
    described: Description, wanted: Mapping[str, TensorSource], tensors: Tensors, prefix: str
) -> str:
    """Every tensor must be there, of numbers, and none in the stacks that has no place.

    Returns the heads beside the stacks, which are left out.
    """
    if added := [one.name for one in tensors.values() if _ADAPTER.search(one.name)]:
        raise PretrainedError(
            f"The files hold an adapter beside its model, in {_listed(added)}: merge both, with "
            "model.merge_and_unload(), and save the whole."
        )
    _require_all(described, wanted, tensors)
    read = {name for taken in wanted.values() for name in read_by(taken)}
    others = [
        f"{stored.name} as {stored.kind}"
        for name, stored in tensors.items()
        if name in read and stored.kind not in NUMBERS
    ]
    if others:
        raise PretrainedError(
            f"Numbers must be {', '.join(NUMBERS)}, and the files hold {_listed(others)}: save the "
            "model in one of these."
        )
    kept = read.union(*(names for ties in described.family.tied.values() for names in ties))
    unused = re.compile(described.family.unused)
    surplus = [
        name
        for name, stored in tensors.items()
        if name not in kept and stored.kind in NUMBERS and not unused.fullmatch(name)
    ]
    heads = _heads(described, wanted, tensors, prefix, surplus)
    if without_place := [tensors[name].name for name in surplus if name not in heads]:
        raise PretrainedError(
            f"The files hold {_listed(without_place)}, which {described.family.title} does not "
            "have and whose numbers may change its own: merge what was added to the model into its "
            "weights, or leave it out of the state dict."
        )
    return _listed(sorted({*heads.values()}))


def _require_all(
    described: Description, wanted: Mapping[str, TensorSource], tensors: Tensors
) -> None:
    needed = [name for taken in wanted.values() if not taken.or_zeros for name in read_by(taken)]
    missing = [name for name in needed if name not in tensors]
    if missing:
        first_of = {name: names[0] for names in described.ties for name in names}
        held = _listed([stored.name for stored in tensors.values()]) or "–"
        raise PretrainedError(
            f"The files do not hold {len(missing):,} of the {len(needed):,} tensors that "
            f"{described.family.title} needs, {first_of.get(missing[0], missing[0])[:160]} for "
            f"example; theirs have names such as {held}. Take {CONFIG} and the weights from one "
            "model, and save the whole of it."
        )


def _heads(
    described: Description,
    wanted: Mapping[str, TensorSource],
    tensors: Tensors,
    prefix: str,
    surplus: Sequence[str],
) -> dict[str, str]:
    """The heads that tensors without a place belong to; not of those whose numbers might matter.

    What stands beside the stacks cannot change them, unless they read it. But where the model's own
    class writes, it may change what is written.
    """
    config, classes = described.config, described.hf_config.get("architectures") or ()
    writes = config.output != "nothing" and any(map(_WRITERS.search, classes))
    read = {name: ours for ours, taken in wanted.items() for name in read_by(taken)}
    in_stacks = {
        name.partition(".")[0]
        for name, ours in read.items()
        if not ours.startswith(("to_logits", "masked_head"))
    }
    if config.output != "nothing":
        read |= {name: "" for names in described.ties for name in names}
    beside = {name.partition(".")[0] for name in read} - in_stacks
    beginnings = {start for name in read for start in _beginnings(name)}

    heads: dict[str, str] = {}
    for name in surplus if not described.family.words else ():
        short, inside = name.removeprefix(prefix), plain(tensors[name].name).startswith(prefix)
        first = short.partition(".")[0]
        matters = first in beside or (inside and first in in_stacks) or _ADDED.search(short)
        if short.startswith(_HEADS) or not (writes or matters):
            heads[name] = next((it for it in _beginnings(short) if it not in beginnings), short)
    return heads


def _beginnings(name: str) -> list[str]:
    parts = name.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts))]


def require_shapes(
    wanted: Mapping[str, TensorSource], shapes: Mapping[str, Shape], tensors: Tensors
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
    require_no_wrong(wrong, tensors)


def require_no_wrong(wrong: Mapping[str, str], tensors: Tensors) -> None:
    """No tensor may have a shape that config.json does not say."""
    if wrong:
        names = [
            f"{tensors[name].name} is {tensors[name].shape} and must be {shape}"
            for name, shape in wrong.items()
        ]
        raise PretrainedError(f"The shapes do not fit {CONFIG}: {_listed(names)}.")


def read_by(taken: TensorSource) -> tuple[str, ...]:
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
    return f"{shown} and {more:,} more"
