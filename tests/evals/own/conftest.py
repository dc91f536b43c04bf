"""A small memory of invented sessions: each works on a file of its own and on one that all share, and commits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.formats.claude_records import call, result
from tests.ingest.world import exchange, lines, uid

from memory_fabric.app import Fabric
from memory_fabric.settings import Settings

SUBJECTS = (
    "Parse dates with the strict reader", "Throttle the upload queue for guests", "Draw the legend below the chart",
    "Sort invoices by their due day", "Hide archived carts from search", "Count visitors without any cookies",
    "Warn about weak door codes", "Fold duplicate rows of parcels",
)  # fmt: skip
"""Of the commits, one a session; no word of them is said in the session's text."""

TOPICS = (
    "timetable rounding", "bandwidth fairness", "diagram captions", "ledger ordering", "basket clutter",
    "privacy metrics", "keypad strength", "shipment merging",
)  # fmt: skip

POOL = "folder hook branch review error delete update start candle marble violet hide".split()
"""Words of the prompts: each session says eight of them, and each word stands in most sessions."""

ANSWERED = "I changed {file} and shared.py, and the error is gone now because {topic} works again. {more}"


def session_of(number: int) -> str:
    """A session's id."""
    return f"{number:08d}-0000-4000-8000-000000000000"


def records(number: int) -> list[dict[str, object]]:
    """A session: two exchanges with edits, then a commit whose message says what nobody said."""
    session, topic, base = session_of(number), TOPICS[number], 100 * number
    told = ANSWERED.format(file=f"part{number}.py", topic=topic, more=f"The {topic} tests pass. " * 40)
    words = (
        " ".join(POOL[(number + 3 * step) % len(POOL)] for step in (0, 1, 2, 3))
        + " "
        + " ".join(POOL[(number + 5 * step + 1) % len(POOL)] for step in (0, 1, 2, 3))
    )
    asked = exchange(base, f"Please see to {topic}.", told, sessionId=session)
    more = exchange(base + 1, f"Now the {words} of {topic}.", told, sessionId=session)
    touched = [
        call(uid(90_000 + base + place), f"t{base + place}", "Edit", {"file_path": f"/w/app/{name}"}, uid(2 * base + 3),
             second=60 * number + 40 + place, sessionId=session)
        for place, name in enumerate((f"part{number}.py", "shared.py"))
    ]  # fmt: skip
    command = {"command": f"git commit -m '{SUBJECTS[number]}' && gh pr create --title '{SUBJECTS[number]}'"}
    commit = call(uid(95_000 + base), f"g{base}", "Bash", command, uid(2 * base + 3), second=50, sessionId=session)
    done = result(uid(96_000 + base), f"g{base}", "ok", uid(95_000 + base), second=51, sessionId=session)
    return [*asked, *more, *touched, commit, done]


def fill(fabric: Fabric, folder: Path) -> None:
    """Write the transcripts into a folder and read them."""
    folder.mkdir()
    for number in range(len(SUBJECTS)):
        (folder / f"{session_of(number)}.jsonl").write_bytes(lines(records(number)))
    fabric.ingest([folder])
    fabric.embed()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Fabric]:
    """The memory, open, with vectors of the hashing embedder."""
    with Fabric.open(Settings(home=tmp_path / "own", embedder="hashed")) as fabric:
        fill(fabric, tmp_path / "transcripts")
        yield fabric
