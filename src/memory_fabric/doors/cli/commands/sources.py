"""``sources``: the memories kept elsewhere that are asked with ours."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home
from memory_fabric.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memory_fabric.sources.configured import Configured
    from memory_fabric.sources.trial import Trial

sources = typer.Typer(rich_markup_mode=None)

QUESTION = "decisions and problems"
"""What ``test`` asks when nothing is given."""

SERVICE = "memory-fabric"
"""Service of the OS keyring that the hints name."""


class Type(StrEnum):
    """What kinds of memory there are."""

    MCP = "mcp"
    MEM0 = "mem0"
    MEM0_LIBRARY = "mem0_library"


@sources.callback(invoke_without_command=True)
def _sources(context: typer.Context) -> None:
    """Ask memories kept elsewhere as well: any MCP memory server, mem0."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@sources.command("list")
def list_(context: typer.Context, *, home: Home = None, as_json: AsJson = False) -> int:
    """Show which are configured.  Nothing is connected.  Exit code 1 when there is none."""
    from memory_fabric.ingest.redact import redact, redact_value
    from memory_fabric.sources.configured import as_json as entry_json
    from memory_fabric.sources.configured import config_path, read

    desk = Desk.of(context, home, as_json)
    entries = read(desk.settings.home)
    path = str(config_path(desk.settings.home))
    desk.data({"file": path, "sources": [redact_value(entry_json(entry)) for entry in entries]})
    desk.say(*(redact(line).text for entry in entries for line in _entry_lines(entry, desk)))
    if not entries:
        desk.remark(f"no source is configured in {path}")
    return DONE if entries else NOTHING


@sources.command("add")
def add(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call it.")],
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[-- COMMAND ARG ...]", help="Program that is an MCP server on stdin and stdout."),
    ] = None,
    *,
    kind: Annotated[Type, typer.Option("--type", help="What it is.")] = Type.MCP,
    url: Annotated[str | None, typer.Option("--url", metavar="URL", help="MCP server over HTTP.")] = None,
    env: Annotated[
        list[str] | None,
        typer.Option("--env", metavar="NAME", help="Variable that the program may see.  May be repeated."),
    ] = None,
    token_env: Annotated[
        str | None, typer.Option("--token-env", metavar="NAME", help="Variable that holds its secret.")
    ] = None,
    keyring: Annotated[
        str | None, typer.Option("--keyring", metavar="SERVICE", help="OS keyring service that holds its secret.")
    ] = None,
    deadline: Annotated[
        float, typer.Option("--deadline", metavar="SECONDS", min=0.05, max=600.0, help="How long to wait for it.")
    ] = 3.0,
    push: Annotated[bool, typer.Option("--push", help="Let `sync` write there.")] = False,
    disabled: Annotated[bool, typer.Option("--disabled", help="Do not ask it yet.")] = False,
    host: Annotated[str | None, typer.Option("--host", metavar="URL", help="mem0: another server.")] = None,
    org: Annotated[str | None, typer.Option("--org", metavar="ID", help="mem0: organisation.")] = None,
    project: Annotated[str | None, typer.Option("--mem0-project", metavar="ID", help="mem0: project there.")] = None,
    user_id: Annotated[str | None, typer.Option("--user-id", metavar="ID", help="mem0: whose memories.")] = None,
    agent_id: Annotated[str | None, typer.Option("--agent-id", metavar="ID", help="mem0: which agent's.")] = None,
    app_id: Annotated[str | None, typer.Option("--app-id", metavar="ID", help="mem0: which app's.")] = None,
    graph: Annotated[bool, typer.Option("--graph", help="mem0: relations too.")] = False,
    config: Annotated[
        str | None, typer.Option("--config", metavar="FILE", help="mem0 library: its own configuration.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Add one: a program, an address, or mem0.  No secret is kept: name the variable or keyring that holds it."""
    from memory_fabric.sources.configured import add as add_entry
    from memory_fabric.sources.configured import as_json as entry_json
    from memory_fabric.sources.configured import config_path

    desk = Desk.of(context, home, as_json)
    given: dict[str, Any] = {
        "name": name,
        "deadline": deadline,
        "push": push,
        "enabled": not disabled,
        "token_env": token_env,
        "keyring": keyring,
        "command": tuple(command or ()),
        "env": tuple(env or ()),
        "url": url,
        "host": host,
        "org": org,
        "project": project,
        "user_id": user_id,
        "agent_id": agent_id,
        "app_id": app_id,
        "graph": graph,
        "config": config,
    }
    _refuse_secrets(name, given)
    entry = _entry(kind, given)
    add_entry(desk.settings.home, entry)
    path = str(config_path(desk.settings.home))
    desk.data({"file": path, "added": entry_json(entry)})
    desk.say(f"Added {entry.name} to {path}.", f"  → try it: memory-fabric sources test {entry.name}")
    return DONE


@sources.command("remove")
def remove(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which one.")],
    *,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Ask one no more.  What it holds is not touched."""
    from memory_fabric.sources.configured import as_json as entry_json
    from memory_fabric.sources.configured import remove as remove_entry

    desk = Desk.of(context, home, as_json)
    gone = remove_entry(desk.settings.home, name)
    desk.data({"removed": entry_json(gone)})
    desk.say(f"Removed {gone.name}.  What it holds was not touched.")
    return DONE


@sources.command("test")
def try_(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Which one.")],
    question: Annotated[list[str] | None, typer.Argument(metavar="QUESTION", help="What to ask it.")] = None,
    *,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Ask one a question, and show what came and how long it took.  Exit code 3 when it cannot be asked."""
    from memory_fabric.sources.configured import named, read
    from memory_fabric.sources.trial import trial

    desk = Desk.of(context, home, as_json)
    entry = named(read(desk.settings.home), name)
    asked = " ".join(question or ()) or QUESTION
    with desk.read() if desk.settings.store.exists() else desk.open() as fabric:
        found = trial(entry, fabric.parsed(asked), fabric.surroundings)
    desk.data(_trial_json(entry, asked, found))
    desk.say(*_trial_lines(entry, asked, found, desk))
    if found.connecting > entry.deadline:
        desk.remark(
            f"{name} took {found.connecting:.1f} s to start: the first question after a start will not wait so long"
            f" (its deadline is {entry.deadline:g} s)"
        )
    return DONE


def _entry(kind: Type, given: dict[str, Any]) -> Configured:
    """The entry of these options.

    Raises:
        UsageError: an option that means nothing for this type, or a value that cannot be meant.
    """
    from memory_fabric.sources.configured import FIELDS, made

    known = FIELDS[kind.value]
    for option, value in given.items():
        if option not in known and value not in (None, (), False):
            raise UsageError(f"--{option.replace('_', '-')} means nothing for type {kind.value}", "leave it out")
    return made(kind.value, {option: given[option] for option in given if option in known})


def _refuse_secrets(name: str, given: dict[str, Any]) -> None:
    """No value may look like a secret: the file is no place for one (C-110).

    Raises:
        UsageError: one does; it is not repeated.
    """
    from memory_fabric.ingest.redact import redact

    for option, value in given.items():
        texts = (value,) if isinstance(value, str) else (*value, " ".join(value)) if isinstance(value, tuple) else ()
        kinds = {kind for text in texts for kind in redact(text).counts}
        if kinds:
            raise UsageError(
                f"source {name}: what is given as {option.replace('_', ' ')} looks like a secret ({min(kinds)})",
                "put it into a variable and name that (--token-env NAME, or --env NAME for a program), "
                f"or into the OS keyring (keyring set {SERVICE} {name}) and give --keyring {SERVICE}",
            )


def _entry_lines(entry: Configured, desk: Desk) -> Iterator[str]:
    from memory_fabric.sources.configured import McpServer, Mem0Cloud, kind_of

    if isinstance(entry, McpServer):
        reach = entry.url or " ".join(entry.command)
    else:
        reach = entry.host if isinstance(entry, Mem0Cloud) else entry.config or "in the data folder"
    states = [f"{entry.deadline:g} s", *["pushed to"] * entry.push, *["not asked"] * (not entry.enabled)]
    yield f"{desk.paint.bold(entry.name)}  {kind_of(entry)}  {reach}  ({', '.join(states)})"


def _trial_json(entry: Configured, asked: str, found: Trial) -> dict[str, Any]:
    from memory_fabric.doors.results import memory_json, rounded

    return {
        "name": entry.name,
        "product": found.probe.product,
        "tools": list(found.probe.tools),
        "question": asked,
        "deadline": entry.deadline,
        "seconds": {"connect": rounded(found.connecting), "ask": rounded(found.asking)},
        "hits": [{**memory_json(hit.memory), "raw": rounded(hit.raw)} for hit in found.found.hits],
    }


def _trial_lines(entry: Configured, asked: str, found: Trial, desk: Desk) -> Iterator[str]:
    from memory_fabric.doors.cli.lines import count, one_line, rows

    yield desk.paint.bold(f"{entry.name}: {one_line(found.probe.product, desk.width)}")
    hits = found.found.hits
    yield from rows(
        [
            ("connected", f"in {found.connecting:.2f} s"),
            ("answered", f"in {found.asking:.2f} s: {count(len(hits), 'hit')} for “{asked}”"),
            ("tools", ", ".join(found.probe.tools)),
        ],
        desk.width,
    )
    for hit in hits[:SHOWN]:
        yield f"  {hit.raw:.2f}  {one_line(hit.memory.text, desk.width - 8)}"
    if len(hits) > SHOWN:
        yield f"  and {len(hits) - SHOWN} more"


SHOWN = 5
"""Hits that ``test`` shows."""
