"""The code of a room, to be read out and typed; and the secret of whoever may lead it."""

import hashlib
import hmac
import secrets
from typing import Final, TypeGuard

# Crockford's alphabet: no I, L, O or U. Eight of them are 40 bits; `runtime.shares` says how long
# somebody who tries codes looks for a room.
ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
LENGTH: Final = 8
_MISREAD: Final = str.maketrans({"I": "1", "L": "1", "O": "0", "-": "", " ": "", "–": ""})


def new_code() -> str:
    """A code that nobody can guess."""
    return "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))


def read_code(typed: str) -> str | None:
    """The code that somebody typed, whatever its case and dashes; None if it is no code."""
    code = typed[:40].strip().upper().translate(_MISREAD)
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else None


def spoken(code: str) -> str:
    """A code in two halves, as it is shown."""
    return f"{code[:4]}-{code[4:]}"


def new_secret() -> str:
    """A secret of 144 bits."""
    return secrets.token_urlsafe(18)


def new_name() -> str:
    """A random name for a window or a browser, which says nothing about its person."""
    return secrets.token_hex(8)


def is_name(said: object) -> TypeGuard[str]:
    """Whether a browser has sent a name as `new_name` makes them."""
    return isinstance(said, str) and len(said) == 16 and set(said) <= set("0123456789abcdef")


def lock_of(secret: str) -> str:
    """What is kept of a secret: it opens nothing."""
    return hashlib.sha256(secret.encode()).hexdigest()


def pass_of(lock: str) -> str:
    """What a browser keeps to show that it has been in the room with this lock."""
    return hashlib.sha256(f"pass {lock}".encode()).hexdigest()[:32]


def is_pass(shown: str, lock: str) -> bool:
    """Whether only somebody who has been in the room with this lock can show this."""
    return hmac.compare_digest(shown.encode(), pass_of(lock).encode())


def name_of(person: str, code: str) -> str:
    """A person's name in a room: the same for all their windows, and another in each room."""
    return hashlib.sha256(f"{person} {code}".encode()).hexdigest()[:16]


def opens(secret: str, lock: str) -> bool:
    """Whether this is the secret of that lock."""
    return bool(secret) and hmac.compare_digest(lock_of(secret[:100]), lock)
