"""mem0 as a memory that is read and written: everything redacted on the way in and on the way out (F-MEM0-4, F-MEM0-7).

Results are JSON objects in the shapes of F-MEM0-2 and F-MEM0-7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from memory_fabric.clock import Deadline, utcnow
from memory_fabric.errors import SourceError, UsageError
from memory_fabric.model.memory_graph import MemoryRelation
from memory_fabric.sources.foreign import Redact
from memory_fabric.sources.mem0.backend import MOST_BATCH, Backend, Change, Status, Who
from memory_fabric.sources.mem0.http import NotThere
from memory_fabric.sources.mem0.shape import FABRIC_KEY, MOST_HITS, Item, memory_of, metadata_of, touches

Json = dict[str, Any]

LONGEST_LIST = 1000
"""Memories of one list or export."""


@dataclass(frozen=True, slots=True)
class Mem0Memory:
    """One mem0, by what it is called here."""

    name: str
    backend: Backend
    redact: Redact
    who: Who = field(default=Who())
    """Asked where a function names nobody."""

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────

    def search(
        self,
        question: str,
        deadline: Deadline,
        *,
        who: Who | None = None,
        limit: int = 10,
        graph: bool = False,
        filters: Sequence[Mapping[str, Any]] = (),
    ) -> Json:
        """The best memories with what relates them (F-MEM0-2).

        ``graph_enabled`` says whether the server gave relations at all: where it keeps none, ``relations`` is empty.

        Raises:
            UsageError: an empty question, a limit outside 1 to 100, nobody to ask for.
        """
        if not question.strip():
            raise UsageError("there is nothing to look for", "give a question")
        if not 1 <= limit <= MOST_HITS:
            raise UsageError(f"limit {limit} is out of range", f"it must lie in 1 to {MOST_HITS}")
        asked = graph and self.backend.has_graph
        found = self.backend.search(
            str(self.redact(question)), self._whose(who), limit, deadline, graph=asked, filters=filters
        )
        relations = found.relations or ()
        items = [self._clean(item) | {"related_via": self._via(item, relations)} for item in found.items[:limit]]
        return {
            "count": len(items),
            "results": items,
            "relations": [asdict(each) for each in self._cleaned(relations)],
            "graph_enabled": found.relations is not None,
            "relationship_summary": summary_of(relations),
        }

    def listed(self, deadline: Deadline, *, who: Who | None = None, limit: int = 100) -> list[Item]:
        """Memories without a question."""
        return [self._clean(item) for item in self.backend.listed(self._whose(who), limit, deadline)]

    def get(self, record: str, deadline: Deadline) -> Item:
        """One memory.

        Raises:
            NotThere: there is none of that id.
        """
        return self._clean(self.backend.get(record, deadline))

    def history(self, record: str, deadline: Deadline) -> list[Item]:
        """The audit trail of one memory, oldest first."""
        return [self._clean(item) for item in self.backend.history(record, deadline)]

    def users(self, deadline: Deadline) -> list[Item]:
        """Whom it keeps memories of."""
        return [self._clean(item) for item in self.backend.users(deadline)]

    def export(self, users: Sequence[str], deadline: Deadline) -> Json:
        """All memories of each of these users, and how it went with each (F-ERR-14)."""
        found: dict[str, Json] = {}
        for user in users:
            try:
                items = self.listed(deadline, who=Who((user,)), limit=LONGEST_LIST)
                found[user] = {"status": "ok", "count": len(items), "data": items}
            except SourceError as error:
                found[user] = {"status": "failed", "count": 0, "reason": error.message}
        failed = sum(each["status"] == "failed" for each in found.values())
        total = sum(each["count"] for each in found.values())
        return {"exported_at": utcnow().isoformat(), "count": total, "failed": failed, "users": found}

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def add(
        self,
        text: str,
        user: str,
        metadata: Mapping[str, Any],
        deadline: Deadline,
        *,
        agent: str | None = None,
        at: datetime | None = None,
    ) -> str:
        """Keep a text as it is; its id once it is kept.

        With ``FABRIC_KEY`` in its metadata it is kept once: a second call changes what is there, or leaves it alone.

        Raises:
            UsageError: an empty text.
        """
        clean, extra = str(self.redact(text)).strip(), dict(self.redact(dict(metadata)))
        if not clean:
            raise UsageError("there is nothing to keep", "give a text")
        key = extra.get(FABRIC_KEY)
        there = self.backend.named(str(key), user, deadline) if key else None
        if there is None:
            return self.backend.add(clean, user, extra, deadline, agent=agent, at=at)
        record = str(there["id"])
        same = str(there.get("memory") or there.get("text") or "") == clean
        if not same or not extra.items() <= metadata_of(there).items():
            self.backend.update(Change(record, None if same else clean, {**metadata_of(there), **extra}), deadline)
        return record

    def update(self, change: Change, deadline: Deadline) -> Item:
        """Change one memory; what it is now.

        Raises:
            UsageError: neither a text nor metadata.
        """
        return self._clean(self.backend.update(self._checked(change), deadline))

    def delete(self, record: str, deadline: Deadline) -> bool:
        """Forget one memory; whether it was there."""
        try:
            self.backend.delete(record, deadline)
        except NotThere:
            return False
        return True

    def batch_update(self, changes: Sequence[Change], deadline: Deadline) -> list[Status]:
        """Change at most 1000 memories; what became of each, in order.

        Raises:
            UsageError: none, more than 1000, or one without a change.
        """
        _counted(len(changes))
        return self.backend.batch_update([self._checked(change) for change in changes], deadline)

    def batch_delete(self, records: Sequence[str], deadline: Deadline) -> list[Status]:
        """Forget at most 1000 memories; what became of each, in order.

        Raises:
            UsageError: none, or more than 1000.
        """
        _counted(len(records))
        return self.backend.batch_delete(list(records), deadline)

    def rename_metadata(self, old: str, new: str, deadline: Deadline, *, dry_run: bool = False) -> list[Status]:
        """Give a metadata key another name in every memory that has it (``migrate-metadata``)."""
        changes = []
        for item in self.listed(deadline, limit=LONGEST_LIST):
            extra = metadata_of(item)
            if old in extra and new not in extra:
                extra[new] = extra.pop(old)
                changes.append(Change(str(item["id"]), metadata=extra))
        if dry_run or not changes:
            return [Status(change.id, False, "dry run") for change in changes]
        return self.backend.batch_update(changes, deadline)

    def close(self) -> None:
        """Release what is open."""
        self.backend.close()

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _whose(self, who: Who | None) -> Who:
        chosen = self.who if who is None or who.nobody else who
        if chosen.nobody:
            raise UsageError(f"{self.name}: nobody is named to look for", "give --user-id or --agent-id")
        return chosen

    def _clean(self, item: Item) -> Json:
        return dict(self.redact(dict(item)))

    def _cleaned(self, relations: Sequence[MemoryRelation]) -> list[MemoryRelation]:
        return [
            MemoryRelation(
                str(self.redact(each.type)),
                str(self.redact(each.source_id)),
                str(self.redact(each.target_id)),
                each.strength,
                str(self.redact(each.description)),
            )
            for each in relations
        ]

    def _via(self, item: Item, relations: Sequence[MemoryRelation]) -> list[Json]:
        memory = memory_of(self.name, item, self.redact, lambda _: ())
        if memory is None:
            return []
        near = [each for each in relations if touches(memory, each.source_id) or touches(memory, each.target_id)]
        return [asdict(each) for each in self._cleaned(near)]

    def _checked(self, change: Change) -> Change:
        if not (change.text or "").strip() and change.metadata is None:
            raise UsageError(f"{change.id}: there is nothing to change", "give a text or metadata")
        text = None if change.text is None else str(self.redact(change.text))
        extra = None if change.metadata is None else dict(self.redact(dict(change.metadata)))
        return Change(change.id, text, extra)


def summary_of(relations: Sequence[MemoryRelation]) -> Json:
    """How many relations of which type (F-TRAV-5)."""
    counts = Counter(relation.type for relation in relations)
    return {"total_relations": len(relations), "relation_types": dict(sorted(counts.items()))}


def complaints(items: Sequence[Item]) -> list[Json]:
    """What is wrong with memories as they are kept: no text, no owner, no time, ids that lead nowhere."""
    known = {str(item.get("id")) for item in items}
    found: list[Json] = []
    for item in items:
        wrong = [name for name, fine in _checks(item, known).items() if not fine]
        if wrong:
            found.append({"id": item.get("id"), "wrong": wrong})
    return found


def _checks(item: Item, known: set[str]) -> dict[str, bool]:
    linked = item.get("linked_memory_ids")
    return {
        "no text": bool(str(item.get("memory") or item.get("text") or "").strip()),
        "no owner": any(item.get(name) for name in ("user_id", "agent_id", "app_id", "run_id")),
        "no time": bool(item.get("created_at") or metadata_of(item).get("stored_at")),
        "metadata is no object": item.get("metadata") is None or isinstance(item.get("metadata"), Mapping),
        "dangling link": not isinstance(linked, list) or all(str(each) in known for each in linked),
    }


def _counted(many: int) -> None:
    if not 1 <= many <= MOST_BATCH:
        raise UsageError(f"a batch holds 1 to {MOST_BATCH} memories, not {many}", "send several")
