"""Decoding word by word against full forwards, and shares worked by hand."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from explorer.decoding import answers, beam, greedy, narrow, sample, write
from explorer.names import USUAL_IDS, Manner, SpecialIds
from explorer.rules import Reading
from explorer.transformer import Transformer
from tests.properties.strategies import seeds
from tests.tiny_model import SRC, VOCAB, WORDS, few, forward, tiny


class TestGreedy:
    @few
    @given(seeds)
    def test_every_word_is_the_most_probable_after_those_before(self, seed: int) -> None:
        model = tiny(seed, pad_bos_bias=2.0)
        read: tuple[int, ...] = (USUAL_IDS.bos,)
        for step in greedy(model, SRC, limit=5):
            logits = forward(model, SRC, read)
            assert step.read == read
            assert step.chosen == max(WORDS, key=lambda word: float(logits[word]))
            torch.testing.assert_close(step.probabilities, logits.softmax(dim=-1))
            torch.testing.assert_close(step.trace.logits[0, -1], logits)
            assert step.candidates[:2].tolist() == [0.0, 0.0]
            assert step.ended == (step.chosen == USUAL_IDS.eos)
            read += (step.chosen,)
        assert read[-1] == USUAL_IDS.eos or len(read) == 6
        assert USUAL_IDS.eos not in read[:-1]

    @few
    @given(seeds)
    def test_a_whole_answer_has_the_probability_of_each_word(self, seed: int) -> None:
        model = tiny(seed, pad_bos_bias=2.0)
        (whole,) = write(model, SRC, limit=5)
        steps = list(greedy(model, SRC, limit=5))
        assert whole.ids == tuple(step.chosen for step in steps)
        for sure, step in zip(whole.probabilities, steps, strict=True):
            assert sure == pytest.approx(float(step.probabilities[step.chosen]), rel=1e-4)

    @few
    @given(seeds, st.data())
    def test_a_draft_and_kept_keys_change_nothing(self, seed: int, data: st.DataObject) -> None:
        model = tiny(seed, eos_bias=1.0, pad_bos_bias=2.0)
        begin = data.draw(st.sampled_from([(), (USUAL_IDS.bos, WORDS[0])]))
        for limit in (1, 3, 6):
            (plain,) = write(model, SRC, limit=limit, begin=begin)
            near = st.permutations(plain.ids) | st.just([*plain.ids[1:], *plain.ids])
            draft = data.draw(st.lists(st.integers(0, VOCAB - 1), max_size=8) | near)
            cached = data.draw(st.booleans())
            (found,) = write(model, SRC, limit=limit, draft=draft, begin=begin, cached=cached)
            assert found.ids == plain.ids
            assert found.probabilities == pytest.approx(plain.probabilities, rel=1e-4)

    def test_with_kept_keys_each_word_is_read_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        model = tiny(eos_bias=-100.0)
        read: list[int] = []
        layer = model.decoder[0]
        forward = layer.forward

        def noted(x: Tensor, *more: Any) -> Any:
            read.append(x.shape[1])
            return forward(x, *more)

        monkeypatch.setattr(layer, "forward", noted)
        src = torch.cat([SRC, SRC.flip(1)])
        kept = write(model, src, limit=5, cached=True)
        assert read == [1, 1, 1, 1, 1]
        read.clear()
        for one, other in zip(kept, write(model, src, limit=5), strict=True):
            assert one.ids == other.ids
            assert one.probabilities == pytest.approx(other.probabilities, rel=1e-4)
        assert read == [1, 2, 3, 4, 5]

    def test_a_draft_saves_runs_also_after_a_wrong_word(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model, limit = tiny(39, eos_bias=-100.0, vocab=60), 6
        (answer,) = write(model, SRC, limit=limit)
        assert len(set(answer.ids)) == limit  # so each word has one place
        runs: Any = []
        decode = model.decode
        monkeypatch.setattr(model, "decode", lambda *a, **k: runs.append(a) or decode(*a, **k))

        def n_runs(*draft: int) -> int:
            runs.clear()
            assert write(model, SRC, limit=limit, draft=draft)[0].ids == answer.ids
            return len(runs)

        first, second, *others = answer.ids
        other = next(word for word in range(3, 60) if word not in answer.ids)
        assert n_runs(*answer.ids) == 1
        assert n_runs(first, other, *others) == 2  # another word
        assert n_runs(second, *others) == 3  # one is missing
        assert n_runs(other, first, second, *others) == 2  # one too many

    @pytest.mark.parametrize("seed", range(8))
    def test_a_draft_changes_nothing_where_pad_is_a_token_like_any_other(self, seed: int) -> None:
        model = tiny(seed).with_settings(pad_by_id=False)
        specials = SpecialIds(pad=0, bos=0, eos=2, unk=3, unwritten=())
        plain = write(model, SRC, specials=specials, limit=6)
        found = write(model, SRC, specials=specials, limit=6, draft=(0, 4, 5, 3), cached=True)
        assert [answer.ids for answer in found] == [answer.ids for answer in plain]

    def test_the_limit_stops_what_does_not_end(self) -> None:
        model = tiny(eos_bias=-100.0)
        steps = list(greedy(model, SRC, limit=4))
        assert len(steps) == 4
        assert not steps[-1].ended
        assert [len(answer) for answer in answers(model, SRC, limit=4)] == [4]
        assert len(list(greedy(model, SRC))) == 32

    @few
    @given(seeds, st.floats(-2.0, 4.0))
    def test_a_batch_is_answered_as_each_of_its_sentences(self, seed: int, eos: float) -> None:
        model = tiny(seed, eos_bias=eos, pad_bos_bias=2.0)
        sources = [(4, 5, 3, 4), (5,), (3, 4), (5, 5, 4)]
        padded = torch.tensor([[*ids, *[USUAL_IDS.pad] * (4 - len(ids))] for ids in sources])
        each = [
            tuple(step.chosen for step in greedy(model, torch.tensor([ids]), limit=6))
            for ids in sources
        ]
        assert answers(model, padded, limit=6) == each

    def test_nearly_equal_words_are_told_apart(self) -> None:
        """Their probabilities are the same 32-bit number, their logits are not."""
        model = tiny().float()
        with torch.no_grad():
            model.to_logits.weight.zero_()
            model.to_logits.bias[:] = torch.tensor([9.0, 9, 0, -5, 1e-9, 0])
        assert [step.chosen for step in greedy(model, SRC, limit=2)] == [4, 4]
        assert answers(model, SRC, limit=2) == [(4, 4)]
        assert searched(model) == drawn(model) == [4, 4]

    @pytest.mark.parametrize("logits", [[0.0] * 200, [0.0, 0, 1, 2, *[2] * 150], [7.0] * 40])
    def test_of_equal_words_the_lowest_id_is_chosen(self, logits: list[float]) -> None:
        """As `torch.argmax` has it, by which `generate` of transformers chooses."""
        model = tiny(vocab=len(logits)).float()
        with torch.no_grad():
            model.to_logits.weight.zero_()
            model.to_logits.bias[:] = torch.tensor(logits)
        first = 2 + int(torch.tensor(logits[2:]).argmax())
        expected = [first] if first == USUAL_IDS.eos else [first, first]
        assert [step.chosen for step in greedy(model, SRC, limit=2)] == expected
        assert answers(model, SRC, limit=2) == [tuple(expected)]
        assert searched(model) == drawn(model) == expected


def searched(model: Transformer) -> list[int]:
    """Two words by a beam of width 1."""
    return [node.token for step in beam(model, SRC, width=1, limit=2) for node in step]


def drawn(model: Transformer) -> list[int]:
    """Two words drawn from the likeliest one."""
    return [step.chosen for step in sample(model, SRC, seeded(0), top_k=1, limit=2)]


class TestGivenWords:
    @few
    @given(seeds, st.lists(st.sampled_from(WORDS[1:]), max_size=4))
    def test_the_words_are_those_given_with_their_probabilities(
        self, seed: int, answer: list[int]
    ) -> None:
        model, given_words = tiny(seed), [*answer, USUAL_IDS.eos]
        steps = list(greedy(model, SRC, instead=[*enumerate(given_words)]))
        assert [step.chosen for step in steps] == given_words
        for at, step in enumerate(steps):
            logits = forward(model, SRC, (USUAL_IDS.bos, *given_words[:at]))
            torch.testing.assert_close(step.probabilities, logits.softmax(dim=-1))


def shares(**how: Any) -> list[float]:
    """Of words that have 0.5, 0.25, 0.15 and 0.1, in another order, beside loud PAD and BOS."""
    logits = torch.tensor([0.15, 0.5, 0.1, 0.25], dtype=torch.float64).log() + 3
    return narrow(torch.cat([torch.tensor([50.0, 60.0]), logits]), **how).tolist()


class TestNarrow:
    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({}, [0.15, 0.5, 0.1, 0.25]),
            ({"temperature": 0.5}, [0.0225 / 0.345, 0.25 / 0.345, 0.01 / 0.345, 0.0625 / 0.345]),
            ({"top_k": 1}, [0, 1, 0, 0]),
            ({"top_k": 2}, [0, 2 / 3, 0, 1 / 3]),
            ({"top_k": 99}, [0.15, 0.5, 0.1, 0.25]),
            ({"top_k": None, "top_p": 0.01}, [0, 1, 0, 0]),
            ({"top_p": 0.45}, [0, 1, 0, 0]),
            ({"top_p": 0.55}, [0, 2 / 3, 0, 1 / 3]),
            ({"top_p": 0.8}, [0.15 / 0.9, 0.5 / 0.9, 0, 0.25 / 0.9]),
            ({"top_p": 0.95}, [0.15, 0.5, 0.1, 0.25]),
            ({"top_k": 3, "top_p": 0.55}, [0, 2 / 3, 0, 1 / 3]),
            ({"top_k": 2, "top_p": 0.8}, [0, 2 / 3, 0, 1 / 3]),
            # 0.725, 0.181, 0.065, 0.029: the temperature comes first
            ({"temperature": 0.5, "top_p": 0.7}, [0, 1, 0, 0]),
        ],
    )
    def test_by_hand(self, settings: dict[str, float], expected: list[float]) -> None:
        assert shares(**settings) == pytest.approx([0, 0, *expected])

    def test_next_to_no_temperature_leaves_the_likeliest_words(self) -> None:
        cold = narrow(torch.tensor([0.0, 0, 7, 7, 1]), temperature=1e-38)
        assert cold.tolist() == [0, 0, 0.5, 0.5, 0]

    def test_by_default_no_word_is_left_out_however_unlikely(self) -> None:
        kept = narrow(torch.tensor([0.0, 0, 40, 0, -5, 20]))
        assert (kept[2:] > 0).all()
        assert float(kept[3]) == pytest.approx(math.exp(-40), rel=1e-3)

    @given(
        st.lists(st.floats(-30, 30), min_size=1, max_size=12),
        st.floats(0.05, 10),
        st.none() | st.integers(1, 14),
        st.floats(0.01, 1),
    )
    def test_the_likeliest_words_are_kept_in_their_proportions(
        self, logits: list[float], temperature: float, top_k: int | None, top_p: float
    ) -> None:
        given_logits = torch.tensor([99.0, 99.0, *logits], dtype=torch.float64)
        kept = narrow(given_logits, temperature=temperature, top_k=top_k, top_p=top_p)
        assert kept[:2].tolist() == [0.0, 0.0]
        assert float(kept.sum()) == pytest.approx(1)
        all_words = (given_logits[2:] / temperature).softmax(dim=0)
        chosen = kept[2:] > 0
        share = float(all_words[chosen].sum())
        torch.testing.assert_close(kept[2:][chosen], all_words[chosen] / share)
        if not chosen.all():
            assert all_words[chosen].min() >= all_words[~chosen].max()
        if top_k is not None:
            assert int(chosen.sum()) <= top_k
        if top_k is None or int(chosen.sum()) < top_k:
            assert share >= top_p - 1e-9  # no word too few
        assert share - float(all_words[chosen].min()) <= top_p + 1e-9  # and none too many

    @pytest.mark.parametrize(
        "settings",
        [{"temperature": 0.0}, {"temperature": -1.0}, {"top_k": 0}, {"top_p": 0.0},
         {"top_p": 1.1}, {"top_p": math.nan}],
    )  # fmt: skip
    def test_settings_that_leave_nothing_are_refused(self, settings: dict[str, float]) -> None:
        with pytest.raises(ValueError, match=r"temperature must be above 0, top_k at least 1"):
            shares(**settings)


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


class TestSample:
    def test_a_seed_gives_the_same_words_and_other_seeds_give_others(self) -> None:
        model = tiny(eos_bias=-3.0)

        def sampled(seed: int) -> tuple[int, ...]:
            torch.rand(2)  # somebody else draws in between
            steps = sample(model, SRC, seeded(seed), temperature=8.0, limit=8)
            return tuple(step.chosen for step in steps)

        assert [sampled(seed) for seed in range(6)] == [sampled(seed) for seed in range(6)]
        assert len({sampled(seed) for seed in range(6)}) > 3

    def test_words_come_as_often_as_their_shares(self) -> None:
        model, generator, drawn = tiny(pad_bos_bias=3.0), seeded(0), 250
        counts = [0] * VOCAB
        options: dict[str, Any] = {"temperature": 5.0, "top_k": 3}
        for _ in range(drawn):
            (step,) = sample(model, SRC, generator, **options, limit=1)
            counts[step.chosen] += 1
        expected = narrow(forward(model, SRC, (USUAL_IDS.bos,)), **options)
        torch.testing.assert_close(step.candidates, expected)
        assert int((expected > 0.05).sum()) == 3
        chi_square = sum(
            (count - drawn * share) ** 2 / (drawn * share)
            for count, share in zip(counts, expected.tolist(), strict=True)
            if share
        )
        assert chi_square < 13.8  # by chance in one of 1000
        assert [count for count, share in zip(counts, expected, strict=True) if not share] == [
            0
        ] * 3

    def test_pad_and_bos_of_a_model_are_never_drawn(self) -> None:
        model, ids = tiny(3), SpecialIds(pad=4, bos=0, eos=3, unk=1)
        with torch.no_grad():
            model.to_logits.bias[[ids.pad, ids.bos]] = 50.0
        for seed in range(5):
            for step in sample(model, SRC, seeded(seed), specials=ids, limit=5):
                assert step.chosen not in (ids.pad, ids.bos)

    def test_after_a_word_the_next_is_drawn_given_that_word(self) -> None:
        model = tiny(eos_bias=-3.0)
        for step in sample(model, SRC, seeded(1), temperature=2.0, limit=6):
            expected = narrow(forward(model, SRC, step.read), temperature=2.0)
            torch.testing.assert_close(step.candidates, expected)


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
