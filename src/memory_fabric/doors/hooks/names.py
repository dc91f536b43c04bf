"""Names of files for sessions: the session's own id where that is a safe name, as every client's is."""

from __future__ import annotations

import re

_SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{7,63}")


def file_name(session: str) -> str:
    """A name that no other session has, of letters, digits and hyphens."""
    if _SAFE.fullmatch(session) and not session.startswith("x-"):
        return session
    import hashlib

    return "x-" + hashlib.sha256(session.encode("utf-8", "replace")).hexdigest()[:24]
