"""Texts that nobody would type, and addresses that nobody would send, for Hypothesis."""

from typing import Any, Final

from hypothesis import strategies as st

from tests.properties.strategies import texts

# Each with "zq" in it, which the app itself never says.
MARKUP: Final = (
    "<bzq>",
    "<zq onload=alert(1)>",
    "<img src=zq onerror=alert(1)>",
    "<script>alert('zq')</script>",
    "<!--zq-->",
    "&zq;&lt;zq",
    "**zq**",
    "__zq__",
    "~~zq~~",
    "`zq`",
    "```zq",
    "# zq",
    "> zq",
    "- zq",
    "| zq | zq |",
    "[zq](javascript:alert)",
    "![zq](/zq.png)",
    "$zq$",
    "$$zq$$",
    "\\zq\\(zq\\)",
    ":red[zq]",
    ":red-background[zq]",
    ":material/zq:",
    ":zq:",
    ":small[zq]",
    "www.zq.com",
    "http://zq.com",
    "zq@zq.com",
    "<style>*{display:none}zq</style>",
)
ODD: Final = (
    "",
    " ",
    "\x00",
    "a\x00b",
    "\x1b[31mred",
    "\r\n\t\x0b\x0c\x85\u2028",
    "\u202eabc\u202c \u2066x",
    "a" + "\u0301" * 300,
    "👩‍👩‍👧‍👦👩🏽‍🔬🏴󠁧󠁢󠁥󠁮󠁧󠁿🇩🇪🇩",
    "\ufeff\ufffe\uffff\U0010ffff",
    "\u200b\u200d\u3164\xad",
    "\ufffd",
    "../../etc/passwd",
    "file:///etc/passwd",
    "{}{0}{settings.__class__}{{",
    "%s%n%(x)s%",
    "${jndi:ldap://x}",
    "{{7*7}}",
    "'; DROP TABLE models; --",
    "cos\nsystem\n(S'true'\ntR.",
    "gASVHgAAAAAAAACMBXBvc2l4lIwGc3lzdGVtlJOUjAR0cnVllIWUUpQu",
    "__import__('os').system('true')",
    "None",
    "null",
    "undefined",
    "NaN",
    "PAD BOS EOS UNK “PAD” #4 #999",
    "﷽ ৳ Ω ㍿ ǆ ŉ İı ß ſ",
    "1 2 3 4 999 1000 -1 1e3 ١٢٣ １２",
    "[1, 2], (3; 4)",
)
NUMBERS: Final = (
    "inf", "-inf", "nan", "1e999", "-1e999", "1e-999", "0x10", "1_000", "007", "+5", "-0", "0.",
    "1.", ".5", "1,5", "1 000", "٣", "４", "²", "½", "一", "1e3", "9" * 9, "9" * 10, "9" * 5000,
    "-" + "9" * 400, "2147483648", "9223372036854775808", "0", "1", "3", "8", "100", "-1", "1.5",
    "0.1", "true", "True", "false", "", " ", "1 ", "\n1", "1\x00",
)  # fmt: skip


class Long(str):
    """A text that is not printed when a test with it fails."""

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        printer.text(f"Long({self[:30]!r}… {len(self)} characters)")


def _long(piece: str, length: int) -> Long:
    return Long((piece * (length // len(piece) + 1))[:length])


_longs = st.builds(
    _long,
    st.sampled_from(["a", "a ", "é", "\u0301", "👩‍🔬", "<zq>", "爱", "1 ", "\u202e", "%", "zq "]),
    st.sampled_from([129, 1000, 20_000, 100_000]),
)
_pieces = st.sampled_from(MARKUP + ODD + NUMBERS) | texts
short = st.lists(_pieces, min_size=1, max_size=4).map(" ".join) | st.sampled_from(MARKUP)
anything = short | short | short | _longs


def names_and(values: st.SearchStrategy[str], known: tuple[str, ...]) -> st.SearchStrategy[Any]:
    """Parameters: mostly those that the app knows, with values it may not."""
    unknown = st.sampled_from(
        ["x", "__proto__", "embed", "src0", "src21", "tgt99", "SRC", "", "a[]"]
    )
    name = st.sampled_from(known) | st.sampled_from(known) | unknown
    return st.lists(st.tuples(name, values), max_size=7)
