"""Foreign clients drive our server: the official Python client and the npm inspector, over stdio and HTTP.

The same functions are ``scripts/drive_mcp.py``, which calls everything over every way.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import anyio
import pytest
from scripts.drive_mcp import main
from tests.mcp.driving.calls import MEMORY, NODES, TOOLS, Try, briefly
from tests.mcp.driving.checks import Report, complaint, drive_all, strict
from tests.mcp.driving.clients import Outcome
from tests.mcp.driving.servers import INSPECTOR, missing

needs_inspector = pytest.mark.skipif(missing(INSPECTOR) is not None, reason=str(missing(INSPECTOR)))
LISTED = 2 + len(TOOLS)
"""Checks before the first call: the list, the resource, and each tool's schemas."""


@pytest.mark.sockets
@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_the_official_python_client(transport: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every tool, good and bad input, by the handshake and by what came after (F-MCP-1 to F-MCP-12, C-076, C-079)."""
    code = main(["--client", "python", "--transport", transport])
    lines = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("FAIL")] == []
    assert code == 0
    assert lines[-1] == f"{2 * (LISTED + len(MEMORY) + len(NODES))} checks, 0 failed"


@needs_inspector
@pytest.mark.sockets
def test_the_npm_inspector() -> None:
    """Every tool; a call is a process, and over stdio two: good and bad input over HTTP, good input over stdio."""
    reports: list[Report] = []

    async def way(transport: str, *scripts: tuple[Try, ...]) -> None:
        reports.append(await drive_all(lambda _: None, ("inspector",), (transport,), scripts))

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(way, "http", briefly(MEMORY), briefly(NODES))
            group.start_soon(way, "stdio", briefly(MEMORY, bad=False), briefly(NODES, bad=False))

    anyio.run(both)
    assert [failure for report in reports for failure in report.failures] == []
    assert sum(report.checks for report in reports) == 2 * LISTED + len(briefly((*MEMORY, *NODES))) + len(TOOLS)


def test_every_tool_is_called_with_good_and_with_bad_input() -> None:
    takes_anything = {"read_graph"}
    good = {each.tool for each in (*MEMORY, *NODES) if each.good}
    bad = {each.tool for each in (*MEMORY, *NODES) if not each.good}
    assert good == TOOLS
    assert bad - {"no_such_tool"} >= TOOLS - takes_anything
    assert len(TOOLS) == 14
    brief = briefly((*MEMORY, *NODES))
    assert {each.tool for each in brief if each.good} == TOOLS
    assert {each.tool for each in brief if not each.good} == bad
    assert len(briefly(brief, bad=False)) == len(TOOLS)


# ── a wrong answer would be found ────────────────────────────────────────────────────────────────────────────────

SCHEMA = {
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
    "required": ["items"],
}
GOOD = Try("tool", {}, lambda it: bool(it["items"]))
BAD = Try("tool", {}, blamed="items")


def answered(data: dict[str, Any], *texts: str) -> Outcome:
    return Outcome(data, texts or (json.dumps(data),))


def test_a_right_answer_is_right() -> None:
    assert complaint(GOOD, answered({"items": [{"n": 1}]}), SCHEMA) is None
    assert complaint(GOOD, answered({"items": [{"n": 1}]}, '[{"n": 1}]', "a note"), SCHEMA) is None
    assert complaint(BAD, Outcome(None, (), "items: is missing"), SCHEMA) is None


@pytest.mark.parametrize(
    ("tried", "outcome"),
    [
        (GOOD, answered({"items": []})),
        (GOOD, answered({})),
        (GOOD, answered({"items": [{"n": "1"}]})),
        (GOOD, answered({"items": [{"n": 1, "type": "leaked"}]})),
        (GOOD, answered({"items": [{"n": 1}], "more": 1})),
        (GOOD, answered({"items": [{"n": 1}]}, "another thing")),
        (GOOD, replace(answered({"items": [{"n": 1}]}), texts=())),
        (GOOD, Outcome(None, ("[]",))),
        (GOOD, Outcome(None, (), "an error")),
        (BAD, answered({"items": []})),
        (BAD, Outcome(None, (), "something is wrong")),
        (BAD, Outcome(None, (), "items: Traceback (most recent call last)")),
    ],
)
def test_a_wrong_answer_is_found(tried: Try, outcome: Outcome) -> None:
    assert complaint(tried, outcome, SCHEMA)


def test_a_key_too_many_is_found_at_any_depth_even_where_the_schema_is_open() -> None:
    assert strict({"items": [{"n": 1}]}, SCHEMA) is None
    assert "leaked" in str(strict({"items": [{"leaked": 1}]}, SCHEMA))
