"""The transcripts that ship for the demo: whole, in the layouts of their tools, invented, and small."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import memory_fabric
from memory_fabric.ingest.discover import discover, usual_places
from memory_fabric.ingest.redact import redact

SAMPLE = Path(memory_fabric.__file__).parent / "sample"
HOME = SAMPLE / "home"
CLAUDE = HOME / ".claude" / "projects"
FILES = sorted(HOME.rglob("*.jsonl"))
PROJECTS = {"/home/dev/payments-api", "/home/dev/web-shop", "/home/dev/tidylog"}
MOST_BYTES = 250_000
SPAN = (datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC))


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]


def of_format(folder: str) -> list[Path]:
    return [path for path in FILES if path.relative_to(HOME).parts[0] == folder]


def claude_sessions() -> list[Path]:
    return [path for path in of_format(".claude") if path.parent.parent == CLAUDE]


def claude_rows() -> Iterator[dict[str, Any]]:
    for path in of_format(".claude"):
        yield from rows(path)


def session_of(path: Path) -> str:
    first = rows(path)[0]
    return str(
        first["payload"]["id"] if "payload" in first else next(r["sessionId"] for r in rows(path) if "sessionId" in r)
    )


def instants(value: object) -> Iterator[datetime]:
    if isinstance(value, dict):
        for key, item in value.items():
            if key in {"timestamp", "startTime", "lastUpdated"}:
                yield datetime.fromisoformat(str(item))
            else:
                yield from instants(item)
    elif isinstance(value, list):
        for item in value:
            yield from instants(item)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem[:24])
def test_every_line_is_one_json_object_and_the_last_one_ends(path: Path) -> None:
    data = path.read_bytes()
    assert data.endswith(b"\n")
    assert b"\r" not in data
    assert rows(path)
    assert all(isinstance(row, dict) for row in rows(path))


def test_the_sample_is_small_enough_to_ship() -> None:
    assert sum(path.stat().st_size for path in SAMPLE.rglob("*") if path.is_file()) < MOST_BYTES


def test_there_are_fourteen_sessions_of_three_tools_in_three_projects() -> None:
    counts = {folder: len(of_format(folder)) for folder in (".codex", ".gemini")}
    assert len(claude_sessions()) == 12
    assert counts == {".codex": 2, ".gemini": 1}
    assert len({session_of(path) for path in FILES}) == 15  # one of them a resumed copy
    named = {row["cwd"] for row in claude_rows() if "cwd" in row}
    assert named == PROJECTS
    assert not any(Path(project).exists() for project in PROJECTS)


def test_a_claude_session_lies_below_the_folder_that_its_working_directory_gives() -> None:
    """formats.md §1.1: every other character of the path becomes a dash; the file is named by the session."""
    for path in claude_sessions():
        uuid.UUID(path.stem)
        assert session_of(path) == path.stem
        folders = {re.sub(r"[^a-zA-Z0-9]", "-", row["cwd"]) for row in rows(path) if "cwd" in row}
        assert folders == {path.parent.name}


def test_a_codex_rollout_is_filed_by_its_day_and_named_by_its_session() -> None:
    """formats.md §3.1."""
    for path in of_format(".codex"):
        meta = rows(path)[0]
        assert meta["type"] == "session_meta"
        day = datetime.fromisoformat(meta["timestamp"])
        assert path.parent == HOME / ".codex" / "sessions" / f"{day:%Y/%m/%d}"
        assert path.name == f"rollout-{day:%Y-%m-%dT%H-%M-%S}-{meta['payload']['id']}.jsonl"


def test_the_gemini_chat_names_its_project() -> None:
    """formats.md §4: a slug beside ``.project_root``, and the hash of the path in the first line."""
    (path,) = of_format(".gemini")
    root = (path.parents[1] / ".project_root").read_text(encoding="utf-8")
    first = rows(path)[0]
    assert root in PROJECTS
    assert first["projectHash"] == hashlib.sha256(root.encode()).hexdigest()
    assert path.stem.endswith(first["sessionId"][:8])


def test_discovery_finds_every_transcript_in_the_usual_places() -> None:
    places = [place.root for place in usual_places({}, HOME) if place.exists]
    found = set(discover(places, []))
    assert found == {path.resolve() for path in FILES}


def test_the_claude_chain_is_whole() -> None:
    """formats.md §1.5: every parent is in its file, except that a resumed copy and a compaction begin anew."""
    for path in of_format(".claude"):
        records = [row for row in rows(path) if "uuid" in row]
        known = {row["uuid"] for row in records}
        assert len(known) == len(records)
        assert all(row["parentUuid"] is None or row["parentUuid"] in known for row in records)


def test_the_sample_shows_what_real_transcripts_hold() -> None:
    records = list(claude_rows())
    kinds = Counter(row["type"] for row in records)
    assert kinds["progress"] >= 15
    assert sum(row.get("isApiErrorMessage", False) for row in records) == 2
    assert sum(row.get("isCompactSummary", False) for row in records) == 1
    assert sum(row.get("subtype") == "compact_boundary" for row in records) == 1
    assert sum("<system-reminder>" in json.dumps(row) for row in records) == 1
    assert {"ai-title", "custom-title", "summary", "mode", "permission-mode", "file-history-snapshot"} <= kinds.keys()


def test_the_sample_uses_the_tools_that_agents_use() -> None:
    tools = {
        block["name"]
        for row in claude_rows()
        for block in row.get("message", {}).get("content", [])
        if isinstance(block, dict) and block["type"] == "tool_use"
    }
    assert tools == {"Bash", "Edit", "Grep", "Read", "Task", "WebSearch", "Write", "mcp__tracker__create_issue"}


def test_some_reply_is_split_over_lines_that_share_a_message_id() -> None:
    """formats.md §1.3."""
    ids = Counter(row["message"]["id"] for row in claude_rows() if row["type"] == "assistant")
    assert max(ids.values()) > 1


def test_one_session_is_a_resumed_copy_of_another() -> None:
    """formats.md §1.5, C-016: same uuids under a new session id, and something new at the end."""
    held = {path: {row["uuid"] for row in rows(path) if "uuid" in row} for path in claude_sessions()}
    copies = [
        (a, b) for a in held for b in held if a != b and len(held[a] & held[b]) > 1 and len(held[a]) < len(held[b])
    ]
    ((original, copy),) = copies
    assert held[original] < held[copy]
    assert min(instants(rows(original))) < next(instants(rows(copy)))


def test_one_prompt_was_rewound() -> None:
    """formats.md §1.5: two prompts of one parent."""
    prompts = Counter(
        (row["sessionId"], row["parentUuid"])
        for path in claude_sessions()
        for row in rows(path)
        if row["type"] == "user" and not row.get("isMeta") and isinstance(row["message"]["content"], str)
    )
    assert [count for count in prompts.values() if count > 1] == [2]


def test_the_subagent_is_linked_to_the_call_that_started_it() -> None:
    """formats.md §1.6."""
    (meta,) = CLAUDE.rglob("*.meta.json")
    link = json.loads(meta.read_text(encoding="utf-8"))
    inside = rows(meta.with_name(meta.name.replace(".meta.json", ".jsonl")))
    trunk = rows(meta.parents[1].with_suffix(".jsonl"))
    assert link["agentType"] == "database-engineer"
    assert f'"id": "{link["toolUseId"]}"' in json.dumps(trunk)
    assert all(row["isSidechain"] and row["sessionId"] == meta.parents[1].name for row in inside)


def test_exactly_one_secret_is_typed_and_the_redactor_takes_it() -> None:
    lines = [line for path in FILES for line in path.read_text(encoding="utf-8").split("\n") if "sk-ant-" in line]
    (line,) = lines
    message = json.loads(line)["message"]
    assert message["role"] == "user"
    assert redact(message["content"]).counts == {"anthropic-key": 1}
    key = "sk-ant-api03-" + "A" * 40
    assert line.count(key) == 1


def test_everything_happened_between_march_and_october_and_in_order() -> None:
    for path in FILES:
        times = list(instants(rows(path)))
        assert times
        assert SPAN[0] <= min(times) <= max(times) < SPAN[1]


def test_each_question_names_a_session_that_holds_the_expected_words() -> None:
    questions = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))["questions"]
    text = {session_of(path): path.read_text(encoding="utf-8") for path in FILES if "subagents" not in path.parts}
    assert [q["kind"] for q in questions] == ["single_hop", "changed_decision", "multi_hop", "bug", "japanese"]
    for question in questions:
        assert set(question) == {"kind", "question", "session", "expect"}
        assert all(word in text[question["session"]] for word in question["expect"]), question["question"]
    assert len({question["session"] for question in questions}) == 5


def test_nothing_in_the_sample_looks_like_an_address_of_a_person() -> None:
    for path in FILES:
        assert not re.search(r"[\w.]+@[\w-]+\.[a-z]{2,}", path.read_text(encoding="utf-8")), path.name
