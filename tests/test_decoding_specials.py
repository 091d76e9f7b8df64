"""Special ids belong to a model: the same model with other ids gives the same words."""

import torch
from hypothesis import given
from torch import Tensor

from explorer.config import ModelConfig
from explorer.decoding import answers, beam, best, greedy, root, sample, words, write
from explorer.names import USUAL_IDS, Manner, SpecialIds
from explorer.rules import Reading
from explorer.transformer import Transformer
from tests.properties.strategies import seeds
from tests.tiny_model import SRC, VOCAB, few, tiny

# What was PAD, BOS, EOS, UNK and two words is now 4, 0, 3, 1, 5 and 2.
NEW_ID = (4, 0, 3, 1, 5, 2)
OTHER = SpecialIds(pad=4, bos=0, eos=3, unk=1)


def renumbered(model: Transformer) -> Transformer:
    """The same model, its target ids called something else."""
    config = ModelConfig(
        d_model=8, n_heads=2, n_encoder_layers=1, n_decoder_layers=1, d_ff=8,
        src_vocab_size=VOCAB, tgt_vocab_size=VOCAB, tgt_pad_id=OTHER.pad,
    )  # fmt: skip
    weights = {name: value.clone() for name, value in model.state_dict().items()}
    for name in ("tgt_embedding.token.weight", "to_logits.weight", "to_logits.bias"):
        weights[name][list(NEW_ID)] = model.state_dict()[name]
    return Transformer(config, weights=weights).double()


@few
@given(seeds)
def test_every_method_gives_the_same_words_with_other_ids(seed: int) -> None:
    model = tiny(seed, eos_bias=1.0)
    other = renumbered(model)

    def renumbered_ids(ids: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(NEW_ID[i] for i in ids)

    for ours, theirs in zip(
        greedy(model, SRC, limit=5), greedy(other, SRC, specials=OTHER, limit=5), strict=True
    ):
        assert theirs.read == renumbered_ids(ours.read)
        assert theirs.chosen == NEW_ID[ours.chosen]
        assert theirs.ended == ours.ended
    assert answers(other, SRC, specials=OTHER, limit=5) == [
        renumbered_ids(ids) for ids in answers(model, SRC, limit=5)
    ]
    found = []
    for which, specials in ((model, USUAL_IDS), (other, OTHER)):
        grown = [node for step in beam(which, SRC, width=2, specials=specials, limit=4)
                 for node in step]  # fmt: skip
        nodes = [root(specials), *grown]
        found.append(words(nodes, best(nodes)))
    assert found[1] == renumbered_ids(found[0])


def test_pad_and_bos_are_never_drawn() -> None:
    model = renumbered(tiny(3, pad_bos_bias=50.0))
    for seed in range(5):
        dice = torch.Generator().manual_seed(seed)
        for step in sample(model, SRC, dice, specials=OTHER, limit=5):
            assert step.chosen not in (OTHER.pad, OTHER.bos)


def test_rules_are_asked_once_before_every_word() -> None:
    read = list[int]()

    def rule(logits: Tensor, reading: Reading) -> Tensor:
        read.append(reading.length)
        return logits.index_fill(-1, torch.tensor(5), -torch.inf)

    ruled = SpecialIds(ends=(-1,), manner=Manner(rules=(rule,)))
    model = tiny(0)
    for steps in (
        greedy(model, SRC, limit=3, specials=ruled),
        greedy(model, SRC, limit=3, specials=ruled, instead=[(0, 3), (1, 4), (2, 3)]),
        sample(model, SRC, torch.Generator(), limit=3, specials=ruled),
        beam(model, SRC, width=2, limit=3, specials=ruled),
    ):
        read.clear()
        assert all(isinstance(step, list) or step.candidates[5] == 0.0 for step in steps)
        assert read == [1, 2, 3]


class TestTheFirstWord:
    """mBART's answers begin with the language: it is given, not chosen."""

    GIVEN = SpecialIds(pad=4, bos=0, eos=3, unk=1, first=2)

    def test_every_way_of_decoding_begins_with_it(self) -> None:
        model = tiny(0)
        greedy_words = [step.chosen for step in greedy(model, SRC, specials=self.GIVEN, limit=4)]
        assert greedy_words[0] == 2
        assert answers(model, SRC, specials=self.GIVEN, limit=4)[0] == tuple(greedy_words)
        dice = torch.Generator().manual_seed(1)
        drawn = next(sample(model, SRC, dice, specials=self.GIVEN))
        assert drawn.chosen == 2
        assert drawn.candidates[2] == 1.0
        grown, *_ = beam(model, SRC, width=3, specials=self.GIVEN, limit=2)
        assert [(node.token, node.log_probability) for node in grown] == [(2, 0.0)]

    def test_a_draft_changes_nothing(self) -> None:
        model = tiny(0)
        (usual,) = answers(model, SRC, specials=self.GIVEN, limit=5)
        for draft in (usual, (5, 5, 5), (2, 5, 5)):
            (found,) = write(model, SRC, specials=self.GIVEN, limit=5, draft=draft)
            assert found.ids == usual
