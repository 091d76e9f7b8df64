"""The code of a room, which people read out and type, and the secret for leading the room."""

import hashlib
import hmac
import re
import secrets
import unicodedata
from typing import Final, TypeGuard

# Crockford's alphabet: no I, L, O or U. Eight characters are 40 bits; `runtime.shares` says how
# long it takes to guess a code.
ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH: Final = 8
LINK: Final = 2_000  # characters of what is typed, or pasted, in place of a code
_MISREAD: Final = str.maketrans({"I": "1", "L": "1", "O": "0"})


def new_code() -> str:
    """A code that nobody can guess."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(typed: str) -> str | None:
    """Read a code as people bring it; None if it is not a code.

    In any case, with or without dashes, in the wide letters of a Chinese or Korean keyboard, or as
    the link into the room.
    """
    text = unicodedata.normalize("NFKC", typed[:LINK])
    if (link := re.search(r"[?&]room=([^&#]*)", text)) is not None:
        text = link[1]
    code = re.sub(r"[\s\W_]+", "", text).upper().translate(_MISREAD)
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else None


def readable(code: str) -> str:
    """A code in two halves, as it is shown."""
    return f"{code[:4]}-{code[4:]}"


def new_secret() -> str:
    """A secret of 144 bits."""
    return secrets.token_urlsafe(18)


def new_name() -> str:
    """A random name for a window or a browser, which reveals nothing about its person."""
    return secrets.token_hex(8)


def is_name(name: object) -> TypeGuard[str]:
    """Whether this has the form of `new_name`."""
    return isinstance(name, str) and len(name) == 16 and set(name) <= set("0123456789abcdef")


def lock_of(secret: str) -> str:
    """The hash of a secret, for the store: nobody can lead a room with it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def pass_of(lock: str) -> str:
    """The proof, kept by a browser, that it has been in the room with this lock."""
    return hashlib.sha256(f"pass {lock}".encode()).hexdigest()[:32]


def is_pass(shown: str, lock: str) -> bool:
    """Whether this is the pass of the room with this lock."""
    return hmac.compare_digest(shown.encode(), pass_of(lock).encode())


def name_of(person: str, code: str) -> str:
    """A person's name in a room: the same in all their windows, different in each room."""
    return hashlib.sha256(f"{person} {code}".encode()).hexdigest()[:16]


def opens(secret: str, lock: str) -> bool:
    """Whether this is the secret of that lock."""
    return bool(secret) and hmac.compare_digest(lock_of(secret[:100]), lock)
