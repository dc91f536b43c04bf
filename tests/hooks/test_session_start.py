"""SessionStart: what a new session should know, within a budget (F-HOOK-1, F-HOOK-10, F-CMD-9)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.hooks.conftest import OTHERS, QUESTION

from memory_fabric import Fabric, Settings
from memory_fabric.doors.hooks.event import Event
from memory_fabric.doors.hooks.prompt import recall
from memory_fabric.doors.hooks.said import Said
from memory_fabric.doors.hooks.session_start import BUDGET, open_session

Transcript = Callable[..., Path]

DECIDED = (
    (
        "We decided to use PostgreSQL over MongoDB because orders need transactions.",
        "Understood: PostgreSQL it is, because orders need transactions.",
    ),
    ("I prefer pytest over unittest in every package.", "Noted."),
    ("The nightly export still fails with a timeout error in the billing job.", "I have not found the cause yet."),
)


@pytest.fixture
def decided(home: Path, transcript: Transcript) -> Path:
    with Fabric.open(Settings.load()) as fabric:
        fabric.ingest([transcript(*DECIDED, session="session-decided"), transcript(*OTHERS, session="session-other")])
    return home


def started(home: Path, project: Path, source: str = "startup", session: str = "session-now", path: str = "") -> Said:
    return open_session(home, Event("SessionStart", session, path, str(project), source=source))


def told(said: Said) -> str:
    return str(json.loads(said.output)["hookSpecificOutput"]["additionalContext"])


def test_decisions_problems_preferences_and_recent_work_are_told(decided: Path, project: Path) -> None:
    said = started(decided, project)
    text = told(said)
    assert said.outcome == "said"
    assert "## Decisions\n- 2026-05-0" in text
    assert "PostgreSQL" in text
    assert "## Preferences" in text
    assert "## Recent work" in text
    assert len(said.output) <= 4 * BUDGET + 600


def test_another_project_is_told_nothing(decided: Path, tmp_path: Path) -> None:
    """C-148."""
    (tmp_path / "other" / ".git").mkdir(parents=True)
    for place in (tmp_path / "other", tmp_path / "nowhere", Path("/")):
        said = started(decided, place, session=str(place))
        assert (said.output, said.reason) == ("", "nothing to tell")


def test_the_same_start_told_twice_speaks_once(decided: Path, project: Path) -> None:
    assert started(decided, project).output
    assert started(decided, project).reason == "shown before"


def test_a_session_that_goes_on_is_told_only_what_is_new(decided: Path, project: Path, transcript: Transcript) -> None:
    """F-HOOK-6."""
    first = told(started(decided, project))
    assert started(decided, project, "resume").reason == "shown before"
    with Fabric.open(Settings.load()) as fabric:
        new = "We decided to use Valkey over Redis because of its licence."
        fabric.ingest([transcript((new, "Valkey then."), session="session-new", day="2026-06")])
    again = told(started(decided, project, "resume"))
    assert "Valkey" in again
    assert "PostgreSQL" not in again
    assert "PostgreSQL" in first


def test_what_the_start_told_is_not_recalled_again(remembering: Path, decided: Path, project: Path) -> None:
    """F-HOOK-6: but a title is not the content of its session."""
    started(decided, project)
    prompt = "Should orders need transactions in PostgreSQL over MongoDB?"
    event = Event("UserPromptSubmit", "session-now", "", str(project), prompt)
    assert recall(decided, event).reason in {"shown before", "nothing relevant"}
    other = Event("UserPromptSubmit", "session-now", "", str(project), QUESTION)
    assert recall(remembering, other).outcome == "said"


@pytest.mark.parametrize(
    ("tokens", "sections"),
    [
        (79_999, {"Decisions", "Preferences", "Open problems", "Recent work"}),
        (80_000, {"Decisions", "Preferences", "Open problems", "Recent work"}),
        (140_000, {"Decisions", "Preferences", "Open problems"}),
        (180_000, set()),
    ],
)
def test_the_fuller_the_context_the_less_is_told(
    decided: Path, project: Path, tmp_path: Path, tokens: int, sections: set[str]
) -> None:
    """F-CMD-9: from 40 %, 70 % and 90 % of 200,000 tokens on."""
    path = tmp_path / "now.jsonl"
    path.write_text(json.dumps({"message": {"usage": {"input_tokens": tokens}}}))
    said = started(decided, project, "resume", path=str(path))
    found = {line[3:] for line in told(said).splitlines() if line.startswith("## ")} if said.output else set()
    assert found <= sections
    assert bool(found) == bool(sections)
    assert ("Recent work" in found) == ("Recent work" in sections)


def test_a_context_that_was_just_emptied_is_not_full(decided: Path, project: Path, tmp_path: Path) -> None:
    """The transcript still tells what it held before."""
    path = tmp_path / "now.jsonl"
    path.write_text(json.dumps({"message": {"usage": {"input_tokens": 199_000}}}))
    assert started(decided, project, "compact", path=str(path)).output
