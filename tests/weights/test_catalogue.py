"""Where a model comes from, and the request that names it."""

import pytest

from explorer.config import ModelConfig
from explorer.tasks.tasks import QUOTES
from explorer.tokenizer import TextTokenizer
from explorer.weights import trained_here
from explorer.weights.catalogue import (
    UNTRAINED,
    ModelRequest,
    Shipped,
    TrainedHere,
    WeightsGoneError,
    checkpoint,
    learnt,
    request,
    tokenizer,
)

SMALL = ModelConfig(d_model=8, n_heads=2, d_ff=8)


def test_untrained_weights_have_the_shape_that_is_asked_for() -> None:
    wanted = request(UNTRAINED, SMALL, seed=4, device="cpu")
    assert wanted == ModelRequest(source=UNTRAINED, config=SMALL, seed=4, device="cpu")
    assert checkpoint(UNTRAINED) is None
    assert learnt(UNTRAINED) is None
    assert tokenizer(UNTRAINED) == TextTokenizer()
    with pytest.raises(ValueError, match="untrained weights need a config"):
        request(UNTRAINED)


def test_trained_weights_have_a_shape_of_their_own() -> None:
    wanted = request(Shipped("reverse"), SMALL, seed=4)
    found = checkpoint(Shipped("reverse"))
    assert found is not None
    assert wanted.config == found.model.config != SMALL
    assert wanted.seed == 0  # nothing is drawn: one request, whatever the seed
    assert request(Shipped("reverse"), dropout=0.3).config.dropout == 0.3


def test_a_name_that_is_not_shipped_is_no_file_name() -> None:
    for name in ("../weights/reverse", "nothing", ""):
        with pytest.raises(ValueError, match="name must be one of translator, reverse"):
            checkpoint(Shipped(name))


def test_weights_that_are_gone() -> None:
    found = checkpoint(Shipped("quotes"))
    assert found is not None
    token = trained_here.keep(found)
    assert checkpoint(TrainedHere(token)) is found
    trained_here.drop(token)
    for ask in (checkpoint, learnt, tokenizer, request):
        with pytest.raises(WeightsGoneError, match="were removed from memory"):
            ask(TrainedHere(token))


def test_how_long_an_answer_may_get() -> None:
    def limit(name: str, longest: int) -> int:
        facts = learnt(Shipped(name))
        assert facts is not None
        return facts.answer_limit(longest)

    assert limit("reverse", 5) == 13
    assert limit("quotes", 2) == QUOTES.longest + 8
    assert limit("translator", 10) == 25
    for name in ("reverse", "translator"):
        assert limit(name, 1000) == 127
