"""Sentences as the models of tasks read them."""

from explorer.tasks.tasks import NUMBERS, REVERSE
from explorer.tasks.tokenizer import TaskTokenizer
from explorer.text import Answer


def test_an_answer_has_only_existing_ids() -> None:
    """It takes no slot of its own, and an id without a word is shown as its number."""
    batch = TaskTokenizer(REVERSE).batch(["c a"], [Answer((5, 4, 40))])
    assert batch.tgt.tolist() == [[1, 5, 4, 40, 2]]
    assert batch.tgt_labels == (("BOS", "a", "c", "#40", "EOS"),)
    assert batch.notes == ()


def test_words_are_split_into_the_pieces_of_the_task() -> None:
    tokenizer = TaskTokenizer(NUMBERS)
    assert tokenizer.split("einundzwanzig") == ("ein", "und", "zwanzig")
    batch = tokenizer.batch(["einundzwanzig", "xyz"], ["twenty one", "nonsense"])
    assert batch.src_labels[0] == ("ein", "und", "zwanzig")
    assert batch.src_labels[1][0] == "UNK: xyz"
    assert len(batch.notes) == 2
