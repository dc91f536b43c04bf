"""``mem0``: what mem0 keeps, read and written (F-MEM0-6, F-MEM0-7).

Every command prints one JSON object: ``{"success": true, …}`` on stdout, or ``{"error", "type"}`` on stderr with exit
code 1, as the scripts did that these commands replace.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memory_fabric.doors.cli.desk import Desk, Home
from memory_fabric.doors.cli.mem0_call import (
    Call,
    Counter,
    Json,
    answer,
    change_of,
    object_of,
    record,
    rows_of,
    statuses,
    who_of,
)

SECONDS = 60.0
"""For one command, all its requests together."""

mem0 = typer.Typer(rich_markup_mode=None)

UserIds = Annotated[list[str] | None, typer.Option("--user-id", metavar="ID", help="Whose; may be repeated.")]
AgentIds = Annotated[list[str] | None, typer.Option("--agent-id", metavar="ID", help="Which agent's.")]
MemoryArgument = Annotated[str, typer.Argument(metavar="ID", help="The memory's id, with or without mem0: before it.")]
HopCount = Annotated[int, typer.Option("--depth", metavar="N", min=1, max=4, help="Steps to follow.")]
RelationType = Annotated[
    str | None, typer.Option("--relation-type", metavar="TYPE", help="Only relations of this type.")
]


@mem0.callback(invoke_without_command=True)
def _mem0(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    *,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="NAME", help="A configured mem0.  [default: the first, else its cloud]"),
    ] = None,
    api_key: Annotated[str | None, typer.Option("--api-key", help="Key of mem0's cloud.")] = None,
    org_id: Annotated[str | None, typer.Option("--org-id", metavar="ID", help="Organisation.")] = None,
    project_id: Annotated[str | None, typer.Option("--project-id", metavar="ID", help="Project at mem0.")] = None,
    seconds: Annotated[float, typer.Option("--timeout", metavar="SECONDS", min=0.1, max=600.0)] = SECONDS,
    home: Home = None,
) -> None:
    """Read and write what mem0 keeps; the key comes from MEM0_API_KEY, a .env file here, or ~/.mem0.env."""
    context.obj = Counter(Desk.of(context, home, True), source, api_key, org_id, project_id, seconds)
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@mem0.command("add")
def add(
    context: typer.Context,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to keep, in its own words.")],
    *,
    user_id: Annotated[str, typer.Option("--user-id", metavar="ID", help="Under whom.")],
    agent_id: Annotated[str | None, typer.Option("--agent-id", metavar="ID", help="And under which agent.")] = None,
    metadata: Annotated[str, typer.Option("--metadata", metavar="JSON", help="An object to keep with it.")] = "{}",
) -> int:
    """Keep a text, without secrets and as it is."""

    def work(call: Call) -> Json:
        kept = call.memory.add(text, user_id, object_of(metadata, "--metadata"), call.deadline, agent=agent_id)
        return {"memory_id": kept, "result": call.memory.get(kept, call.deadline)}

    return answer(context, work)


@mem0.command("search")
def search(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="What to look for.")],
    *,
    user_id: UserIds = None,
    agent_id: AgentIds = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=100)] = 10,
    filters: Annotated[str, typer.Option("--filters", metavar="JSON", help="An object that must hold as well.")] = "{}",
    enable_graph: Annotated[bool, typer.Option("--enable-graph", help="Ask for relations too.")] = False,
) -> int:
    """Look for memories."""

    def work(call: Call) -> Json:
        wanted = object_of(filters, "--filters")
        return call.memory.search(
            query,
            call.deadline,
            who=who_of(user_id, agent_id),
            limit=limit,
            graph=enable_graph,
            filters=[wanted] if wanted else [],
        )

    return answer(context, work)


@mem0.command("list")
def list_(
    context: typer.Context,
    *,
    user_id: UserIds = None,
    agent_id: AgentIds = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=1000)] = 100,
) -> int:
    """List memories."""

    def work(call: Call) -> Json:
        found = call.memory.listed(call.deadline, who=who_of(user_id, agent_id), limit=limit)
        return {"count": len(found), "memories": found}

    return answer(context, work)


@mem0.command("get")
def get(context: typer.Context, memory: MemoryArgument) -> int:
    """Show one memory."""
    return answer(context, lambda call: {"memory": call.memory.get(record(memory), call.deadline)})


@mem0.command("history")
def history(context: typer.Context, memory: MemoryArgument) -> int:
    """Show what became of one memory, oldest first."""
    return answer(context, lambda call: {"history": call.memory.history(record(memory), call.deadline)})


@mem0.command("update")
def update(
    context: typer.Context,
    memory: MemoryArgument,
    *,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Its new text.")] = None,
    metadata: Annotated[str | None, typer.Option("--metadata", metavar="JSON", help="Its new metadata.")] = None,
) -> int:
    """Change one memory."""

    def work(call: Call) -> Json:
        extra = None if metadata is None else object_of(metadata, "--metadata")
        return {"memory": call.memory.update(change_of(record(memory), text, extra), call.deadline)}

    return answer(context, work)


@mem0.command("delete")
def delete(context: typer.Context, memory: MemoryArgument) -> int:
    """Forget one memory."""

    def work(call: Call) -> Json:
        there = call.memory.delete(record(memory), call.deadline)
        return {"deleted": there, "message": "deleted" if there else "it was not there"}

    return answer(context, work)


@mem0.command("batch-update")
def batch_update(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSON list of {memory_id, text, metadata}.")],
) -> int:
    """Change up to 1000 memories; says of each what became of it."""

    def work(call: Call) -> Json:
        rows = rows_of(file)
        changes = [change_of(record(str(row.get("memory_id"))), row.get("text"), row.get("metadata")) for row in rows]
        return statuses(call.memory.batch_update(changes, call.deadline))

    return answer(context, work)


@mem0.command("batch-delete")
def batch_delete(
    context: typer.Context, memories: Annotated[list[str], typer.Argument(metavar="ID…", help="Their ids.")]
) -> int:
    """Forget up to 1000 memories; says of each what became of it."""
    return answer(context, lambda call: statuses(call.memory.batch_delete(list(map(record, memories)), call.deadline)))


@mem0.command("related")
def related(
    context: typer.Context, memory: MemoryArgument, *, depth: HopCount = 1, relation_type: RelationType = None
) -> int:
    """Show the memories around one."""

    def work(call: Call) -> Json:
        from memory_fabric.doors.memory_graph import related_memories_json
        from memory_fabric.search.memory_walk import related_memories

        links = call.source.links(call.deadline)
        found = related_memories(links.memory(memory), links, depth, relation_type)
        return related_memories_json(memory, found, depth, relation_type)

    return answer(context, work)


@mem0.command("traverse")
def traverse(
    context: typer.Context, memory: MemoryArgument, *, depth: HopCount = 2, relation_type: RelationType = None
) -> int:
    """Show the ways from one memory."""

    def work(call: Call) -> Json:
        from memory_fabric.doors.memory_graph import memory_paths_json
        from memory_fabric.search.memory_walk import memory_paths

        links = call.source.links(call.deadline)
        return memory_paths_json(memory_paths(links.memory(memory), links, depth, relation_type))

    return answer(context, work)


@mem0.command("export")
def export(
    context: typer.Context,
    *,
    user_id: UserIds = None,
    schema: Annotated[
        Path | None, typer.Option("--schema", metavar="FILE", help="Have the cloud write them by this JSON schema.")
    ] = None,
) -> int:
    """Export memories, of each user apart; with a schema the cloud prepares it, and `get-export` fetches it."""

    def work(call: Call) -> Json:
        if schema is not None:
            who = who_of(user_id, None) or call.memory.who
            made = call.cloud("exports").create_export(
                object_of(schema.read_text("utf-8"), str(schema)), who, call.deadline
            )
            return {"export_id": made}
        return call.memory.export(user_id or call.memory.who.users, call.deadline)

    return answer(context, work)


@mem0.command("get-export")
def get_export(
    context: typer.Context, export_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the export.")]
) -> int:
    """Fetch what `export --schema` prepared."""

    def work(call: Call) -> Json:
        from memory_fabric.ingest.redact import redact_value

        return {"data": redact_value(call.cloud("exports").get_export(export_id, call.deadline))}

    return answer(context, work)


@mem0.command("users")
def users(context: typer.Context) -> int:
    """Show whom mem0 keeps memories of, with how many."""
    return answer(context, lambda call: {"users": call.memory.users(call.deadline)})


@mem0.command("events")
def events(context: typer.Context) -> int:
    """Show what the cloud does later, newest first."""
    return answer(context, lambda call: {"events": call.cloud("events").events(call.deadline)})


@mem0.command("summary")
def summary(context: typer.Context, *, user_id: UserIds = None) -> int:
    """Show what the cloud says of somebody's memories as a whole."""

    def work(call: Call) -> Json:
        who = who_of(user_id, None) or call.memory.who
        return {"summary": call.cloud("summary").summary(who, call.deadline)}

    return answer(context, work)


@mem0.command("verify")
def verify(context: typer.Context) -> int:
    """Connect, and say which mem0 answers."""
    return answer(
        context, lambda call: {"source": call.source.name, "product": call.source.probe(call.deadline).product}
    )


@mem0.command("validate")
def validate(context: typer.Context, *, user_id: UserIds = None) -> int:
    """Look for memories without text, owner or time, and for links that lead nowhere."""

    def work(call: Call) -> Json:
        from memory_fabric.sources.mem0.memory import LONGEST_LIST, complaints

        found = call.memory.listed(call.deadline, who=who_of(user_id, None), limit=LONGEST_LIST)
        wrong = complaints(found)
        return {"checked": len(found), "wrong": len(wrong), "complaints": wrong}

    return answer(context, work)


@mem0.command("migrate-metadata")
def migrate_metadata(
    context: typer.Context,
    old_key: Annotated[str, typer.Argument(metavar="OLD", help="The key as it is.")],
    new_key: Annotated[str, typer.Argument(metavar="NEW", help="The key as it shall be.")],
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which.")] = False,
) -> int:
    """Give a metadata key another name wherever it stands."""
    return answer(
        context,
        lambda call: statuses(
            call.memory.rename_metadata(old_key, new_key, call.deadline, dry_run=dry_run), dry_run=dry_run
        ),
    )
