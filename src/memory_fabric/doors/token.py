"""The bearer token of one installation: whoever can read the owner's files may ask the resident server.

Standard library only: hooks read it too.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
from pathlib import Path

from memory_fabric.errors import StoreUnavailable
from memory_fabric.private import FILE_MODE

NAME = "token"
BYTES = 32
"""Of randomness: 256 bits, 43 characters."""

_FORM = re.compile(r"[A-Za-z0-9._~+/=-]{16,512}")
"""What may stand after ``Bearer`` (RFC 6750 §2.1), at a length that cannot be guessed."""

_REMEDY = "remove the file to get another"


def read_token(home: Path) -> str | None:
    """The token of the memory in this folder, or None where there is none yet.

    Raises:
        StoreUnavailable: the file cannot be read, or holds no token.
    """
    path = home / NAME
    try:
        token = path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise StoreUnavailable(
            f"{path}: the token cannot be read ({error})", "remove the file to get another"
        ) from error
    if not _FORM.fullmatch(token):
        raise StoreUnavailable(f"{path}: it holds no token", "remove the file to get another")
    return token


def make_token(home: Path) -> str:
    """The token of this memory, made where it is missing; its file is the owner's alone from the first moment.

    Of processes that make it at once, one wins and all return its token.

    Raises:
        StoreUnavailable: the file cannot be made or read, or holds no token.
    """
    path = home / NAME
    try:
        if not path.exists():
            _place(path, secrets.token_urlsafe(BYTES))
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            path.chmod(FILE_MODE)
    except OSError as error:
        raise StoreUnavailable(f"{path}: the token cannot be kept ({error})", "choose another --home") from error
    token = read_token(home)
    if token is None:
        raise StoreUnavailable(f"{path}: it was removed just now", "try again")
    return token


def _place(path: Path, token: str) -> None:
    """Put a whole file in place unless one is there: a hard link is refused where the name is taken."""
    unfinished = path.with_name(f".{NAME}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with open(descriptor, "w", encoding="ascii") as stream:  # noqa: PTH123 - made with its mode
            stream.write(token + "\n")
        path.hardlink_to(unfinished)
    except FileExistsError:
        return
    finally:
        unfinished.unlink()
