"""The special ids and what they are called."""

from explorer.names import SpecialIds


def test_every_special_id_has_its_name() -> None:
    assert SpecialIds().names() == {0: "PAD", 1: "BOS", 2: "EOS", 3: "UNK"}
    assert SpecialIds(pad=7, bos=5, eos=6, unk=4).names() == {
        7: "PAD", 5: "BOS", 6: "EOS", 4: "UNK"
    }  # fmt: skip
