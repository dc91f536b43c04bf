"""What a session had reached before its context was compacted (F-HOOK-21).

Made by the worker once the transcript is read up to there, put back at the session's next start.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.clock import utcnow
from memory_fabric.doors.hooks.log import folder_of
from memory_fabric.doors.hooks.names import file_name
from memory_fabric.private import put

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.doors.hooks.fence import Block
    from memory_fabric.model.memory import Memory

DECISIONS, FILES, BLOCKERS, STEPS = 5, 20, 3, 2
"""Items of each kind at most (F-HOOK-21: 5 decisions, 20 files)."""

LOOKED_AT = 500
"""Newest memories among which those of the session are looked for."""

LINE = 240

TITLES = {
    "keyDecisions": "Decided before compaction",
    "blockers": "Problems met before compaction",
    "nextSteps": "Last asked before compaction",
    "filesTouched": "Files changed before compaction",
}
"""Fields of a manifest in the order in which they are put back, and their headings."""


def save(home: Path, fabric: Fabric, session: str) -> bool:
    """Write the manifest of a session from what is stored of it; False where nothing is.

    Raises:
        OSError: it cannot be written.
    """
    from memory_fabric.model.memory import SessionId, StatementKind
    from memory_fabric.model.query import Scope

    known = fabric.store.sessions([SessionId(session)]).get(SessionId(session))
    if known is None:
        return False
    scope = Scope(projects=(known.project,) if known.project else None)
    own = [each for each in fabric.store.recent(scope, LOOKED_AT) if each.origin.session == session]

    def stated(kind: StatementKind, most: int) -> list[str]:
        rows = fabric.store.statements((kind,), scope, LOOKED_AT)
        return _lines(said.text for memory, said in rows if memory.origin.session == session)[:most]

    manifest: dict[str, Any] = {
        "sessionId": session,
        "compactedAt": utcnow().isoformat(timespec="seconds"),
        "keyDecisions": stated(StatementKind.DECISION, DECISIONS),
        "filesTouched": _files(own)[:FILES],
        "blockers": stated(StatementKind.PROBLEM, BLOCKERS),
        "nextSteps": _asked(own)[:STEPS],
    }
    if not any(manifest[name] for name in TITLES):
        return False
    put(_path(home, session), json.dumps(manifest))
    return True


def restored(home: Path, session: str) -> list[Block]:
    """The blocks of a session's manifest; none where there is no manifest."""
    from memory_fabric.doors.hooks.fence import Block, Item, without_orders

    manifest = _read(_path(home, session)) if session else {}
    day = str(manifest.get("compactedAt", ""))[:10]
    blocks = []
    for name, title in TITLES.items():
        lines = [line for line in manifest.get(name, ()) if isinstance(line, str) and line]
        if name == "filesTouched" and lines:
            lines = [", ".join(lines)]
        keyed = [(f"manifest {manifest.get('compactedAt')} {name} {number}", line) for number, line in enumerate(lines)]
        items = tuple(Item(key, f"[{day} · this session] {without_orders(line)}") for key, line in keyed)
        if items:
            blocks.append(Block(title, items))
    return blocks


def _read(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {k: v for k, v in found.items() if isinstance(v, str | list)} if isinstance(found, dict) else {}


def _path(home: Path, session: str) -> Path:
    return folder_of(home) / "compacted" / f"{file_name(session)}.json"


def _files(memories: Iterable[Memory]) -> list[str]:
    """Files that tools wrote, newest first."""
    found: dict[str, None] = {}
    for memory in memories:
        tools = memory.metadata.get("tools")
        for tool in tools if isinstance(tools, list | tuple) else ():
            if isinstance(tool, Mapping) and tool.get("kind") in {"edit", "write"} and tool.get("target"):
                found.setdefault(str(tool["target"]), None)
    return list(found)


def _asked(memories: Iterable[Memory]) -> list[str]:
    """What the user asked last, newest first."""
    from memory_fabric.model.memory import MemoryKind
    from memory_fabric.text import split_exchange

    asked = (split_exchange(each.text)[0] for each in memories if each.kind is MemoryKind.EXCHANGE)
    return _lines(prompt for prompt in asked if prompt)


def _lines(texts: Iterable[str]) -> list[str]:
    """Each text once, in one line, cut where it is long."""
    lines = (" ".join(text.split()) for text in texts)
    return list(dict.fromkeys(line if len(line) <= LINE else line[: LINE - 1] + "…" for line in lines if line))
