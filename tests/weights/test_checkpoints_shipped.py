"""The shipped weights: small, as right as they say, and readable."""

import pytest

from explorer.decoding import answers
from explorer.names import EOS
from explorer.tasks.tasks import TASKS, Task, is_held_out
from explorer.text import Batch
from explorer.training.trainer import accuracy, held_out
from explorer.weights.checkpoints import (
    SHIPPED,
    load,
    shipped,
)
from explorer.weights.translator import FILE

pytestmark = pytest.mark.slow

EACH_TASK = pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)


class TestShipped:
    """The weights in assets/."""

    def test_there_is_one_for_every_task_and_no_other(self) -> None:
        files = {path.name for path in SHIPPED.iterdir()} - {FILE.name}
        assert files == {f"{name}.safetensors" for name in TASKS}

    @EACH_TASK
    def test_it_loads_is_small_and_states_its_accuracy(self, task: Task) -> None:
        content = shipped(task.name)
        assert len(content) < 2 * 10**6
        found = load(content)
        assert found.task == task
        assert found.accuracy >= 0.99
        assert found.steps == found.training.steps
        assert found.accuracy == pytest.approx(accuracy(found.model, held_out(task, 250)), abs=0.01)

    @pytest.mark.parametrize(
        ("name", "source", "target"),
        [
            (
                "reverse",
                "it was the best of times it was the worst of times",
                "times of worst the was it times of best the was it",
            ),
            (
                "copy",
                "it was the best of times it was the worst of times",
                "it was the best of times it was the worst of times",
            ),
            (
                "sort",
                "to be or not to be that is the question",
                "be be is not or question that the to to",
            ),
            ("sort", "a rose is a rose is a rose", "a a a is is rose rose rose"),
            ("numbers", "siebenhundertdreiundfünfzig", "seven hundred fifty three"),
            ("numbers", "achthundert", "eight hundred"),
            ("numbers", "zweihundertsechzehn", "two hundred sixteen"),
            ("german", "Plötzlich sieht er sie", "suddenly he sees her"),
            ("german", "sie muss warten, bevor er singt", "she must wait before he sings"),
            (
                "german",
                "das Kind weint, weil der Hund das Brot nicht gefunden hat",
                "the child cries because the dog has not found the bread",
            ),
        ],
    )
    def test_the_right_answer_to_what_nobody_trained_on(
        self, name: str, source: str, target: str
    ) -> None:
        found = load(shipped(name))
        words = tuple(found.task.split(source))
        batch = Batch.from_words([words], [target.split()], *found.task.read([words], []))
        trained_as = found.task.vocabularies[0].decode(batch.src[0].tolist())
        assert is_held_out(tuple(trained_as))
        (answer,) = answers(found.model, batch.src)
        assert " ".join(batch.tgt_vocab.decode(answer)) == f"{target} {EOS}"

    def test_quotes_are_known_by_heart(self) -> None:
        found = load(shipped("quotes"))
        words = found.task.split("I'm gonna make him an offer")
        batch = Batch.from_words([words], [[]], *found.task.vocabularies)
        (answer,) = answers(found.model, batch.src)
        assert batch.tgt_vocab.decode(answer) == ["he", "can't", "refuse", EOS]
