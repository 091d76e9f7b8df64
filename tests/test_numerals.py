"""Numbers as people of six languages type them: read rightly, or asked about."""

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.languages import LANGUAGES, numeral, speaking
from explorer.numerals import NumberError, read_number, read_whole
from explorer.runtime.shares import NUMBER_LENGTH

COMMA = ("de", "es", "fr")  # the languages that write a comma before the decimals
POINT = ("en", "ko", "zh")


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("0,25", 0.25),
        ("0.25", 0.25),
        ("0,01", 0.01),
        ("0,250", 0.25),  # no group of thousands begins with 0
        (",5", 0.5),
        (".5", 0.5),
        ("5.", 5.0),
        ("1,5", 1.5),
        ("12,3456", 12.3456),
        ("-1,5", -1.5),
        ("−1,5", -1.5),
        ("–1.5", -1.5),
        ("－１．５", -1.5),
        ("０，２５", 0.25),
        ("0。25", 0.25),
        ("٠٫٢٥", 0.25),
        ("1e-3", 0.001),
        ("1,5E3", 1500.0),
        ("3,2·10^−5", 3.2e-5),
        ("3.2 × 10⁻⁵", 3.2e-5),
        ("  7 ", 7.0),
        ("+7", 7.0),
        ("1234", 1234.0),
        ("1.234,5", 1234.5),
        ("1,234.5", 1234.5),
        ("1,234,567", 1234567.0),
        ("1.234.567", 1234567.0),
        ("1 234,5", 1234.5),
        ("1\u202f234,5", 1234.5),
        ("1\u00a0234\u00a0567", 1234567.0),
        ("1'234.5", 1234.5),
        ("1’234’567", 1234567.0),
    ],
)
def test_numbers_with_one_reading_are_read_in_every_language(typed: str, number: float) -> None:
    for language in LANGUAGES:
        with speaking(language):
            assert read_number(typed) == pytest.approx(number, abs=0), language


@pytest.mark.parametrize(
    ("languages", "typed", "number", "other"),
    [(COMMA, "1,234", 1.234, "1.234"), (POINT, "1.234", 1.234, "1,234")],
)
def test_numbers_with_two_readings_are_refused(
    languages: tuple[str, ...], typed: str, number: float, other: str
) -> None:
    for language in languages:
        with speaking(language):
            assert read_number(typed) == number
            with pytest.raises(NumberError) as asked:
                read_number(other)
            assert "1234" in str(asked.value)
            assert typed in str(asked.value)  # both ways out have one reading
            assert read_number("1234") == 1234


@pytest.mark.parametrize("language", POINT)
def test_an_arabic_decimal_sign_is_none_between_thousands(language: str) -> None:
    with speaking(language):
        assert read_number("١٫٢٣٤") == 1.234


@pytest.mark.parametrize(
    "typed",
    ["", " ", "-", ".", ",", "x", "0,2,5", "1.2.3", "1,23,456", "12 34", "0 250", "1e999", "nan",
     "inf", "0x1", "1e", "1.234,5.6", "1,,5", "½", "5²", "1¹0", "5 %", "1_000",
     "1" * (NUMBER_LENGTH + 1)],
)  # fmt: skip
def test_texts_that_are_no_number_are_explained(typed: str) -> None:
    for language in LANGUAGES:
        with speaking(language):
            with pytest.raises(NumberError, match=r"0[.,]25"):
                read_number(typed)
            with pytest.raises(NumberError, match="12"):
                read_whole(typed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_whole_number_may_have_signs_between_its_thousands(language: str) -> None:
    with speaking(language):
        assert read_whole("12") == 12
        assert read_whole("１２") == 12
        assert read_whole("-3") == -3
        assert read_whole("1 000") == 1000
        assert read_whole("2e3") == 2000
        assert read_whole(numeral(20_000, ",")) == 20_000
        for typed in ("1.5", "1,5", "0,000", "1e-3"):
            with pytest.raises(NumberError):
                read_whole(typed)
        # One has the language's decimal sign: whoever types it may mean 1 or 1000.
        other, own = ("1.000", "1,000") if language in COMMA else ("1,000", "1.000")
        assert read_whole(other) == 1000
        with pytest.raises(NumberError):
            read_whole(own)


@given(st.sampled_from(sorted(LANGUAGES)), st.floats(-1e5, 1e5), st.integers(4, 9))
def test_numbers_of_the_language_are_read(language: str, number: float, digits: int) -> None:
    with speaking(language):
        shown = numeral(number, f",.{digits}f")
        assert read_number(shown) == float(f"{number:.{digits}f}")
        assert read_number(shown.replace("-", "−")) == float(f"{number:.{digits}f}")


@given(st.text(max_size=60), st.sampled_from(sorted(LANGUAGES)))
def test_any_text_is_a_number_or_has_a_sentence(typed: str, language: str) -> None:
    with speaking(language):
        for read in (read_number, read_whole):
            with suppress(NumberError):
                assert math.isfinite(read(typed))
