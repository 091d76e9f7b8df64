"""What trained weights answer, in place of a typed target: the decoder reads its own words."""

from dataclasses import replace

import streamlit as st
from jaxtyping import Int
from streamlit.delta_generator import DeltaGenerator
from torch import Tensor

from explorer.decoding import LIMIT, answers
from explorer.figures.labels import elide
from explorer.runtime.cache import ByteCache
from explorer.runtime.memory import estimate
from explorer.tasks.grammar import Words
from explorer.tasks.tasks import Memorise, Task, words_of
from explorer.text import EOS_ID, MAX_TOKENS, PAD_ID, UNK_ID
from explorer.ui.markdown import literal
from explorer.ui.reading import Key, LoadedModel, with_model
from explorer.ui.settings import Settings


def answered(settings: Settings, fields: list[DeltaGenerator]) -> Settings:
    """The settings with the model's own answers for targets, which are shown in `fields`."""
    task = settings.weights.task
    assert task is not None
    nothing: tuple[Words, ...] = ((),) * len(settings.sources)
    batch = replace(settings, answers=nothing).batch()
    written = _written(settings, batch.src)
    empty = (batch.src == PAD_ID).all(dim=1).tolist()
    found: list[Words] = []
    for row, field in enumerate(fields):
        ids = written[row] if row < len(written) and not empty[row] else ()
        words = tuple(batch.tgt_vocab.decode(i for i in ids if i != EOS_ID))
        verdict = ""  # for rows beyond what is read, or still to be filled
        if ids:
            found.append(words)
            source = words_of(task, settings.sources[row])
            unknown = [word for word, i in zip(source, batch.src[row], strict=False) if i == UNK_ID]
            verdict = _verdict(task, source, words, EOS_ID in ids, unknown)
        elif row < len(settings.sources):
            found.append(())
        key = f"answer{row + 1}"
        st.session_state[key] = " ".join(words)
        field.text_input(f"Answer {row + 1}{verdict}", key=key, disabled=True)
    return replace(settings, answers=tuple(found))


def most_words(task: Task | None, longest_source: int) -> int:
    """After how many words an answer is cut off."""
    if task is None:
        return LIMIT
    learnt = task.longest if isinstance(task, Memorise) else 0
    return min(MAX_TOKENS - 1, max(longest_source, learnt) + 8)


@st.cache_resource(show_spinner=False)
def _kept() -> ByteCache[list[tuple[int, ...]]]:
    return ByteCache(2**20, keep_oversized=False)


def _written(settings: Settings, src: Int[Tensor, "batch src"]) -> list[tuple[int, ...]]:
    """Word by word the most probable answer to every source, as ids."""
    limit = most_words(settings.weights.task, src.shape[1])
    need = estimate(settings.config, len(src), src.shape[1], limit)

    def compute(loaded: LoadedModel, model_key: Key) -> list[tuple[int, ...]]:
        device = next(loaded.model.parameters()).device
        key = (model_key, src.shape, src.numpy().tobytes())
        size = 16 * len(src) * limit
        return _kept().get(key, size, lambda: answers(loaded.model, src.to(device), limit=limit))

    return with_model(settings, need, compute)


def _verdict(task: Task, source: Words, words: Words, ended: bool, unknown: list[str]) -> str:
    if not ended:
        return " is cut off"
    if unknown:  # the model was never given a chance
        one = literal(elide(unknown[0], 10))
        return f": {one} is UNK" if len(unknown) == 1 else ": words are UNK"
    right = task.answer(source)
    return "" if right is None else " is right" if right == words else " is wrong"
