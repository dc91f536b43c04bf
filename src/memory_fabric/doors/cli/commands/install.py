"""``install`` and ``uninstall``: Memory Fabric in a client's own configuration, and out of it again."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home

if TYPE_CHECKING:
    from pathlib import Path

    from memory_fabric.doors.install.clients import Client
    from memory_fabric.doors.install.edit import Request
    from memory_fabric.doors.install.program import Program
    from memory_fabric.doors.install.surroundings import Surroundings

Clients = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[CLIENT]...",
        help="claude-code, codex, cursor, gemini-cli, opencode, vscode, claude-desktop.  [default: show what there is]",
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be changed, change nothing.")]
InProject = Annotated[bool, typer.Option("--project", help="The configuration of the current project, not the user's.")]


def install(  # noqa: PLR0913, PLR0917 - every argument is an option
    context: typer.Context,
    clients: Clients = None,
    project: InProject = False,
    dry_run: DryRun = False,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name of the server.  [default: memory]")
    ] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take the place of another server of that name until `uninstall`.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Make clients start Memory Fabric: their MCP server, and the hooks of Claude Code; then run it once.

    Everything that is there stays as it is, beside a backup.  Without a client, shows which are on this machine.
    Exit code 1 when a client could not be configured, or what was written does not run.
    """
    from memory_fabric.doors.install.edit import Request
    from memory_fabric.doors.install.program import find_program
    from memory_fabric.doors.install.surroundings import PROJECT, USER, Surroundings

    desk = Desk.of(context, home, as_json)
    here = Surroundings.here()
    if not clients:
        return _overview(desk, here)
    request = Request(find_program(sys.argv[0], _home_given(desk, here)), _server_name(name), replace)
    work = _Installing(desk, here, PROJECT if project else USER, dry_run)
    return work.every(clients, lambda client: work.install(client, request))


def uninstall(
    context: typer.Context,
    clients: Clients = None,
    project: InProject = False,
    dry_run: DryRun = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Take Memory Fabric out of clients: their files are then to the byte as they were.

    A file that was changed meanwhile keeps those changes.  Without a client, shows which are on this machine.
    """
    from memory_fabric.doors.install.surroundings import PROJECT, USER, Surroundings

    desk = Desk.of(context, home, as_json)
    here = Surroundings.here()
    if not clients:
        return _overview(desk, here)
    work = _Installing(desk, here, PROJECT if project else USER, dry_run)
    return work.every(clients, work.uninstall)


def _overview(desk: Desk, here: Surroundings) -> int:
    from memory_fabric.doors.cli.show.clients import overview_lines, state_json
    from memory_fabric.doors.install.survey import survey

    states = survey(here)
    desk.data({"clients": [state_json(state) for state in states]})
    desk.say(*overview_lines(states, desk.paint, desk.width))
    return DONE


def _home_given(desk: Desk, here: Surroundings) -> str | None:
    """The memory's folder if one was named: only then do clients have to be told."""
    named = desk.home is not None or bool(here.environment.get("MEMORY_FABRIC_HOME"))
    return str(desk.settings.home.absolute()) if named else None


def _journal_folder() -> Path:
    """The user's data folder, whichever memory is installed: `uninstall` need not be told which it was."""
    from memory_fabric.settings import home_of

    return home_of(environment={})


def _server_name(name: str | None) -> str | None:
    """A name that every client takes.

    Raises:
        UsageError: it is none.
    """
    import re

    from memory_fabric.errors import UsageError

    if name is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name):
        raise UsageError(f"{name!r} is no name for a server", "use letters, digits, '-' and '_', at most 64")
    return name


class _Installing:
    """One call of either command."""

    def __init__(self, desk: Desk, here: Surroundings, scope: str, dry_run: bool) -> None:
        self.desk = desk
        self.here = here
        self.scope = scope
        self.dry_run = dry_run

    def every(self, names: list[str], do: Any) -> int:
        """Do it for each client; with one client its error is that of the command, with more each has its own.

        Raises:
            UsageError: a client is not known; nothing was done.
        """
        from memory_fabric.doors.cli.show.clients import client_lines
        from memory_fabric.doors.install.clients import client_named
        from memory_fabric.errors import MemoryFabricError

        chosen = [client_named(name) for name in dict.fromkeys(names)]
        rows: list[dict[str, Any]] = []
        for client in chosen:
            try:
                row = do(client)
            except MemoryFabricError as error:
                if len(chosen) == 1:
                    raise
                failure = {"code": error.code, "message": error.message, "hint": error.hint}
                row = {"client": client.name, "ok": False, "error": failure}
            rows.append(row)
            self.desk.say(*client_lines(client.title, row, self.dry_run, self.desk.paint, self.desk.width))
        ok = all(row["ok"] for row in rows)
        self.desk.data({"ok": ok, "scope": self.scope, "dry_run": self.dry_run, "clients": rows})
        return DONE if ok else NOTHING

    def install(self, client: Client, request: Request) -> dict[str, Any]:
        """Write, then run what was written."""
        from memory_fabric.doors.cli.show.clients import done_json, trial_json
        from memory_fabric.doors.install.installer import install
        from memory_fabric.doors.install.journal import Journal
        from memory_fabric.doors.install.run import run_written
        from memory_fabric.doors.install.survey import refuse_beside_plugin

        refuse_beside_plugin(client, self.here)
        found = client.found(self.here)
        targets = client.files(self.here, self.scope)
        journal = Journal.load(_journal_folder())
        done = install(client, targets, request, journal, dry_run=self.dry_run)
        trials = [] if self.dry_run else run_written(targets, self.here.environment, self.desk.settings.home)
        return {
            "client": client.name,
            "found": found,
            "ok": all(trial.ok for trial in trials),
            "files": [done_json(each) for each in done],
            "trials": [trial_json(each) for each in trials],
            "notes": self._notes(client, targets, found, request.program),
        }

    def uninstall(self, client: Client) -> dict[str, Any]:
        """Take out, and say what became of each file."""
        from memory_fabric.doors.cli.show.clients import done_json
        from memory_fabric.doors.install.installer import uninstall
        from memory_fabric.doors.install.journal import Journal

        journal = Journal.load(_journal_folder())
        found = client.found(self.here)
        done = uninstall(client.files(self.here, self.scope), journal, dry_run=self.dry_run)
        return {"client": client.name, "found": found, "ok": True, "files": [done_json(each) for each in done]}

    def _notes(self, client: Client, targets: Any, found: bool, program: Program) -> list[str]:
        notes = []
        if program.is_passing:
            notes.append(f"{program.path} lies in a cache that may be emptied: better `uv tool install memory-fabric`")
        if not found:
            notes.append(f"{client.title} was not found on this machine; its configuration is there for when it comes")
        shared = [file.path for file in targets if file.shared]
        notes.extend(f"{path} names a program of this machine: think before you commit it" for path in shared)
        if not self.dry_run:
            notes.append(f"a running {client.title} takes it up when it starts again")
        return notes
