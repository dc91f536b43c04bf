"""What Claude Code tells a hook (formats.md §2.1), read leniently: whatever is unreadable counts as not told."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EVENTS = ("SessionStart", "UserPromptSubmit", "PreCompact", "Stop", "SubagentStop", "SessionEnd")
"""What we answer or act upon; every other event is passed over."""

MOST_FIELD = 8_000
"""Characters of a field that are read: longest prompt that is searched (``search.parse.MAX_CHARACTERS``)."""

_BY_KEY = {name.casefold(): name for name in EVENTS}
_DRIVE_PATH = re.compile(r'(?<=")[A-Za-z]:\\(?!\\)[^"\n]*(?=")')
_LONE_BACKSLASH = re.compile(r"\\\\|\\(?!\\)")
_NO_ESCAPE = re.compile(r'\\(\\|["/bfnrt]|u[0-9A-Fa-f]{4})|\\')


@dataclass(frozen=True, slots=True)
class Event:
    """One call.  Texts that were not told are empty."""

    name: str
    session: str
    transcript: str
    """Path of the session's transcript, which may be wrong or missing (formats.md §2.1)."""
    cwd: str
    prompt: str = ""
    source: str = ""
    """Of a SessionStart: ``startup``, ``resume``, ``clear``, ``compact``, ``fork``."""
    agent: str = ""
    agent_transcript: str = ""


def event_named(word: str) -> str:
    """The event that a word spells (``Stop``, ``stop``, ``session-start``), or the word as it is."""
    return _BY_KEY.get(re.sub(r"[\s_-]", "", word).casefold(), word)


def read_event(told: bytes, word: str, environment: Mapping[str, str]) -> Event:
    """The event of a call: what stdin held, over the name in the command, over the environment (C-091).

    Never raises on any input.
    """
    fields = parse(told)

    def text(*keys: str) -> str:
        for key in keys:
            value = fields.get(key)
            if isinstance(value, str) and value:
                return _whole(value[:MOST_FIELD])
        return ""

    return Event(
        name=event_named(text("hook_event_name") or word),
        session=text("session_id") or environment.get("CLAUDE_CODE_SESSION_ID", ""),
        transcript=text("transcript_path"),
        cwd=text("cwd") or environment.get("CLAUDE_PROJECT_DIR", "") or _here(),
        prompt=text("prompt", "user_prompt"),
        source=text("source"),
        agent=text("agent_id"),
        agent_transcript=text("agent_transcript_path"),
    )


def parse(told: bytes) -> Mapping[str, Any]:
    """The object in these bytes; empty for everything else (C-089).

    Control characters in strings are taken as they are (C-092).  Where that fails, single backslashes that no JSON
    escape explains are taken as backslashes: Windows paths reach hooks so (formats.md §2.1).
    """
    text = told.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if not text.startswith("{"):
        return {}
    found = _loads(text)
    if found is None and "\\" in text:
        found = _loads(_NO_ESCAPE.sub(_escaped, _DRIVE_PATH.sub(_doubled, text)))
    return found if isinstance(found, dict) else {}


def _loads(text: str) -> Any:
    try:
        return json.loads(text, strict=False, parse_constant=lambda _: None)
    except (ValueError, RecursionError):  # not JSON, or nested beyond reason
        return None


def _doubled(path: re.Match[str]) -> str:
    return _LONE_BACKSLASH.sub(r"\\\\", path.group())


def _escaped(found: re.Match[str]) -> str:
    return found.group() if found.group(1) else "\\\\"


def _whole(text: str) -> str:
    """Without lone surrogates and NUL, which neither SQLite nor UTF-8 take (formats.md §0 rule 4)."""
    return text.replace("\0", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - Path.cwd() is the same with an import more
    except OSError:  # deleted under us (formats.md §2.2)
        return ""
