"""Codes that are read out and typed, and secrets that open a lock."""

import pytest

from explorer.rooms import codes


def test_a_code_is_read_as_it_is_spoken_however_it_is_typed() -> None:
    code = codes.new_code()
    for typed in (codes.readable(code), code.lower(), f"  {code[:4]} {code[4:]} "):
        assert codes.read_code(typed) == code
    assert codes.read_code("oi1l-0000") == "01110000"
    assert codes.read_code("４Ｚ６０－２ｘｐｄ") == "4Z602XPD"  # a Chinese or Korean keyboard
    assert codes.read_code(f"{codes.readable(code)}.") == code
    link = "https://explorer.example.org/masks?src=a&room={}&pair=2"
    for shown in (codes.readable(code), code):
        assert codes.read_code(link.format(shown)) == code


@pytest.mark.parametrize(
    "typed", ["", "K7QM-2XP", "K7QM-2XPDX", "K7QM-2XPU", "<b>K7QM</b>", "ß" * 8]
)
def test_invalid_codes(typed: str) -> None:
    assert codes.read_code(typed) is None


def test_codes_have_the_entropy_that_they_promise() -> None:
    assert len(codes.ALPHABET) ** codes.LENGTH == 2**40
    assert len(set(codes.ALPHABET)) == 32
    assert len({codes.new_code() for _ in range(1000)}) == 1000


def test_only_its_secret_opens_a_lock() -> None:
    secret = codes.new_secret()
    lock = codes.lock_of(secret)
    assert secret not in lock
    assert codes.opens(secret, lock)
    for wrong in ("", lock, codes.new_secret(), secret + " ", secret[:-1]):
        assert not codes.opens(wrong, lock)


def test_only_random_names_are_names() -> None:
    assert codes.is_name(codes.new_name())
    for wrong in (None, 7, "", "Anna", "0" * 15, "0" * 17, "G" * 16):
        assert not codes.is_name(wrong)
