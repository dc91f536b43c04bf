"""A memory of a few invented sessions, opened with any settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.formats.claude_records import call
from tests.ingest.world import S1, S2, exchange, lines, uid

from memory_fabric.app import Fabric
from memory_fabric.settings import Settings

OpenFabric = Callable[..., Fabric]

RULE = "Always run the migration tests against the staging database before a release goes out to customers"
RESTATED = "Always run the migration tests against the staging database before a release goes out to users"
OLD = "2024-02-03T10:00:00.000Z"


def sessions() -> dict[str, list[dict[str, Any]]]:
    """File → records: a rule said twice, an old decision, and an edit."""
    names = ("quokka_parser", "wallaby_index", "numbat_cache", "bilby_router")
    edits = [
        call(uid(90 + n), f"t{n}", "Edit", {"file_path": f"/w/app/src/{name}.py"}, second=61 + 30 * n)
        for n, name in enumerate(names)
    ]
    return {
        f"{S1}.jsonl": [
            *exchange(0, RULE, "Noted"),
            *exchange(1, "Cache the sessions in Redis", "Redis it is", timestamp=OLD),
            *exchange(2, "Clean up the reader", "Cleaned up"),
            edits[0],
            *(
                record
                for n, edit in enumerate(edits[1:], 3)
                for record in (*exchange(n, f"Tidy part {n}", "Tidied"), edit)
            ),
        ],
        f"{S2}.jsonl": [
            *exchange(10, RESTATED, "Noted", sessionId=S2),
            *exchange(
                11, "Does Redis need a password?", "Yes, Redis needs one. " + "More words follow. " * 40, sessionId=S2
            ),
            *exchange(12, "We use Frobnicator with Redis", "Fine", sessionId=S2),
        ],
    }


@pytest.fixture
def open_fabric(tmp_path: Path) -> Iterator[OpenFabric]:
    """Opens a memory of those sessions with some settings; without vectors unless an embedder is named."""
    opened: list[Fabric] = []
    folder = tmp_path / "transcripts"
    folder.mkdir()
    for name, records in sessions().items():
        (folder / name).write_bytes(lines(records))

    def open_one(**chosen: Any) -> Fabric:
        home = tmp_path / f"home{len(opened)}"
        fabric = Fabric.open(Settings(**{"home": home, "embedder": "none", **chosen}))
        opened.append(fabric)
        fabric.ingest([folder])
        return fabric

    yield open_one
    for fabric in opened:
        fabric.close()
