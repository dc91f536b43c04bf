"""What must hold of every answer, whoever asks."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from tests.mcp.driving.calls import MEMORY, NODES, TOOLS, Json, Try
from tests.mcp.driving.clients import Outcome, Peer, inspector_peer, python_peer
from tests.mcp.driving.servers import serving

CLIENTS, TRANSPORTS = ("python", "inspector"), ("stdio", "http")
ERAS = {"python": ("legacy", "auto"), "inspector": ("",)}
"""Ways in which a client opens: the handshake of 2025, and the self-contained requests of 2026."""


@dataclass
class Report:
    """Lines as they come, and the failures among them."""

    say: Callable[[str], None]
    checks: int = 0
    failures: list[str] = field(default_factory=list)

    def check(self, what: str, complaint: str | None) -> None:
        """One line."""
        self.checks += 1
        if complaint:
            self.failures.append(f"{what}: {complaint}")
        self.say(f"FAIL {what}: {complaint}" if complaint else f"ok   {what}")


async def drive(peer: Peer, who: str, report: Report, scripts: Sequence[Sequence[Try]] = (MEMORY, NODES)) -> None:
    """List the tools, check their schemas, then make every call in order, on a store that is empty."""
    tools = {tool["name"]: tool for tool in await peer.tools()}
    report.check(f"{who} tools/list", None if set(tools) == TOOLS else f"differs by {sorted(set(tools) ^ TOOLS)}")
    for name, tool in tools.items():
        report.check(f"{who} {name} schemas", _schema_complaint(tool))
    read = json.loads(await peer.resource("memory://knowledge-graph"))
    report.check(f"{who} memory://knowledge-graph", None if set(read) >= {"entities", "relations"} else str(read))

    async def follow(script: Sequence[Try]) -> None:
        known = {"$id": ""}
        for each in script:
            outcome = await peer.call(each.tool, _filled(each.arguments, known))
            if each.tool == "add_memory" and outcome.data:
                known["$id"] = outcome.data["chunk_id"]
            report.check(f"{who} {each}", complaint(each, outcome, tools.get(each.tool, {}).get("outputSchema")))

    async with anyio.create_task_group() as group:
        for script in scripts:
            group.start_soon(follow, script)


def complaint(tried: Try, outcome: Outcome, schema: Json | None) -> str | None:
    """What is wrong with how a call ended, or None."""
    if tried.good is None:
        if outcome.error is None:
            return f"was taken: {outcome.data}"
        named = tried.blamed.lower() in outcome.error.lower()
        traced = "Traceback" in outcome.error or "pydantic" in outcome.error
        return None if named and not traced else f"the error does not name {tried.blamed!r} alone: {outcome.error}"
    if outcome.error is not None or outcome.data is None or schema is None:
        return outcome.error or "no structured content"
    return strict(outcome.data, schema) or _text_complaint(outcome) or _unlike(tried, outcome.data)


def strict(data: Json, schema: Json) -> str | None:
    """The first fault of a structured result against its schema; keys beyond it are faults as well (C-076)."""
    from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

    faults = sorted(Draft202012Validator(_closed(schema)).iter_errors(data), key=str)
    return f"{faults[0].json_path}: {faults[0].message}" if faults else None


def _closed(schema: Any) -> Any:
    """A schema in which objects that name their properties have no others, where it does not say so itself."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: _closed(value) for key, value in schema.items()}
    return {"additionalProperties": False, **inner} if "properties" in inner else inner


def _text_complaint(outcome: Outcome) -> str | None:
    """The first text is the structured content, the one value in it, or its message (F-MCP-4 to F-MCP-12)."""
    if not outcome.texts or outcome.data is None:
        return "no text beside the structured content"
    try:
        told = json.loads(outcome.texts[0])
    except ValueError:
        told = outcome.texts[0]
    same = told == outcome.data or told in outcome.data.values()
    return None if same else f"the text is another thing than the structured content: {outcome.texts[0][:80]}"


def _unlike(tried: Try, data: Json) -> str | None:
    assert tried.good is not None
    return None if tried.good(data) else f"not what was expected: {json.dumps(data, ensure_ascii=False)[:200]}"


def _schema_complaint(tool: Json) -> str | None:
    """Both schemas are sound JSON schemas of objects; the hints are there (C-077)."""
    from jsonschema import Draft202012Validator, SchemaError

    for part in ("inputSchema", "outputSchema"):
        try:
            Draft202012Validator.check_schema(tool[part])
        except (KeyError, SchemaError) as error:
            return f"{part}: {error}"
        if tool[part].get("type") != "object":
            return f"{part} is no object"
    if tool.get("annotations", {}).get("openWorldHint") is not False:
        return "openWorldHint is not false"
    return None


def _filled(value: Any, known: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(each, known) for key, each in value.items()}
    if isinstance(value, list):
        return [_filled(each, known) for each in value]
    return known.get(value, value) if isinstance(value, str) else value


async def drive_all(
    say: Callable[[str], None],
    clients: Sequence[str] = CLIENTS,
    transports: Sequence[str] = TRANSPORTS,
    scripts: Sequence[Sequence[Try]] = (MEMORY, NODES),
) -> Report:
    """Every client over every transport, each on an empty memory of its own."""
    report = Report(say)
    ways = [(client, era) for client in clients for era in ERAS[client]]

    async def way(client: str, era: str, transport: str, folder: Path) -> None:
        who = " ".join(filter(None, (client, era, transport)))
        home = folder / who.replace(" ", "-")
        with serving(home) if transport == "http" else nullcontext(home) as target:
            if client == "inspector":
                await drive(inspector_peer(target, folder), who, report, scripts)
                return
            async with python_peer(target, era) as peer:
                await drive(peer, who, report, scripts)

    with tempfile.TemporaryDirectory(prefix="drive-mcp-") as folder:
        async with anyio.create_task_group() as group:
            for client, era in ways:
                for transport in transports:
                    group.start_soon(way, client, era, transport, Path(folder))
    return report
