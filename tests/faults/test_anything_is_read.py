"""Any text in any field becomes a batch that can be drawn and read, at every level.

`EXAMPLES=10000 pytest tests/faults/test_any*` tries that many inputs rather than a few.
"""

from html import unescape
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from explorer.choices.parameters import MAX_ROWS
from explorer.choices.settings import Settings
from explorer.config import ModelConfig
from explorer.drawing.labels import disambiguated, elide, label_room, tick_labels
from explorer.languages import without_isolates
from explorer.names import PAD
from explorer.tasks.tasks import TASKS
from explorer.text import MAX_PAIRS, MAX_TOKENS
from explorer.tokenizer import IdTokenizer, TextTokenizer
from explorer.vocabulary import VOCAB_SIZE
from explorer.weights.catalogue import UNTRAINED, Shipped, learnt, request, tokenizer
from tests.faults.nasty import anything, thorough

how = st.fixed_dictionaries(
    {
        "level": st.sampled_from(["words", "characters", "ids"]),
        "pad_id": st.integers(0, VOCAB_SIZE - 1),
        "side": st.sampled_from(["left", "right"]),
        "length": st.none() | st.integers(1, MAX_TOKENS),
        "row": st.integers(0, MAX_ROWS - 1),
    }
)


SMALL = ModelConfig(
    d_model=8,
    n_heads=2,
    n_encoder_layers=1,
    n_decoder_layers=1,
    d_ff=32,
    src_vocab_size=VOCAB_SIZE,
    tgt_vocab_size=VOCAB_SIZE,
)


def settings_of(
    pairs: list[tuple[str, str]], trained: str | None, *, level: Any, pad_id: int, **how: Any
) -> Settings:
    """Settings with this in the fields; trained weights read the words that they have learnt."""
    sources, targets = zip(*pairs, strict=True)
    source = UNTRAINED if trained is None else Shipped(trained)
    reads = IdTokenizer(pad_id) if level == "ids" else TextTokenizer(level)
    return Settings(
        sources=sources,
        targets=targets,
        tokenizer=reads if trained is None else tokenizer(source),
        **how,
        hide_pad=False,
        request=request(source, SMALL),
        learnt=learnt(source),
        dropout_seed=None,
        theme="light",
    )


@thorough(40, 0.1)
@given(
    st.lists(st.tuples(anything, anything), min_size=1, max_size=4),
    st.sampled_from([1, 1, 1, MAX_ROWS // 4]),
    st.sampled_from([None, *TASKS]),
    how,
)
def test_any_text_can_be_read_and_labelled(
    pairs: list[tuple[str, str]], times: int, trained: str | None, how: dict[str, Any]
) -> None:
    settings = settings_of(pairs * times, trained, **how)
    batch = settings.batch()
    config = settings.config
    count = min(len(settings.sources), MAX_PAIRS)
    for ids, labels, size, most in (
        (batch.src, batch.src_labels, config.src_vocab_size, MAX_TOKENS),
        (batch.tgt, batch.tgt_labels, config.tgt_vocab_size, MAX_TOKENS + 2),
    ):
        assert len(ids) == len(labels) == count
        assert 1 <= ids.shape[1] <= most
        assert ids.ge(0).all()
        assert ids.lt(size).all()
        for words in labels:
            assert len(words) == ids.shape[1]
            check_labels(words)
    for note in batch.notes:
        assert len(note.encode()) < 600, note


def check_labels(words: tuple[str, ...]) -> None:
    """Check that labels can be sent, are no markup, and differ for different words."""
    ticks = tick_labels(words)
    labels = disambiguated(words)
    for word, tick, label in zip(words, ticks, labels, strict=True):
        tick.encode()
        if word != PAD:
            assert "<" not in tick
            assert ">" not in tick
            assert unescape(tick) == label
            assert without_isolates(label).endswith(without_isolates(elide(word)))
    several = [label for label in labels if label != PAD]
    if all(len(word) <= 18 for word in words):
        assert len(set(several)) == len(several)
    assert 0 < label_room(ticks) < 1000
