"""What must be known of a whole Claude Code file before its records can be told apart (formats.md §1.5).

A first, quick pass over the records' ids.  It answers: which turns did the user rewind away from, which sidechain
messages are copies of the trunk's, which titles belong to this file, which removed prompts were said after all.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise

from memory_fabric.ingest.formats.claude_records import Record, blocks_of, decode_record
from memory_fabric.ingest.formats.claude_text import spoken
from memory_fabric.ingest.lines import Line


@dataclass(frozen=True, slots=True)
class Chain:
    """The answers, for one file from where reading starts: what stands before is not known."""

    abandoned: frozenset[str] = frozenset()
    """Record uuids on branches that the user rewound away from."""
    trunk_messages: frozenset[str] = frozenset()
    """``message.id`` of replies outside sidechains: a sidechain line with one of them is a copy (C-015)."""
    leaves: frozenset[str] = frozenset()
    """Of the records that ``summary`` lines name, those that are in this file."""
    session: str | None = None
    """The first session id in the file: records before it without one belong to that session."""
    said: frozenset[bytes] = frozenset()
    """Fingerprints of removed queue prompts that appear as a prompt or a queued command too (C-010)."""


@dataclass(slots=True)
class _Node:
    parent: str | None
    place: int
    """Order in the file."""
    speech: bool
    """A prompt, a reply or a tool result; False for what only links (system, progress, attachments, injected text)."""
    prompt: bool


@dataclass(slots=True)
class _Survey:
    nodes: dict[str, _Node] = field(default_factory=dict)
    copies: dict[tuple[object, ...], str] = field(default_factory=dict)
    trunk: set[str] = field(default_factory=set)
    sidechain: set[str] = field(default_factory=set)
    named_leaves: set[str] = field(default_factory=set)
    spoken: set[bytes] = field(default_factory=set)
    removed: set[bytes] = field(default_factory=set)
    session: str | None = None

    def take(self, record: Record, place: int) -> None:
        """Note one record."""
        prompt = ""
        self.session = self.session or record.session_id
        if record.type == "user":
            prompt = _prompt_of(record)
        elif record.type == "assistant" and record.message is not None and record.message.id:
            (self.sidechain if record.is_sidechain else self.trunk).add(record.message.id)
        elif record.type == "attachment" and (command := queued_command(record)):
            self.spoken.add(fingerprint(command))
        elif record.type == "queue-operation" and record.operation == "remove":
            self.removed.add(fingerprint(spoken(blocks_of(record.content)).text))
        elif record.type == "summary" and record.leaf_uuid:
            self.named_leaves.add(record.leaf_uuid)
        if prompt:
            self.spoken.add(fingerprint(prompt))
        if record.uuid and record.uuid not in self.nodes:
            self._link(record, prompt, place)

    def _link(self, record: Record, prompt: str, place: int) -> None:
        uuid = str(record.uuid)
        copy = replay_key(record, prompt) if prompt else None
        if copy is not None:
            if copy in self.copies:
                self.nodes[uuid] = _Node(self.copies[copy], place, speech=False, prompt=False)
                return
            self.copies[copy] = uuid
        speech = record.type == "assistant" or bool(prompt) or (record.type == "user" and _has_results(record))
        parent = record.parent_uuid if record.parent_uuid != uuid else None
        self.nodes[uuid] = _Node(parent, place, speech, prompt=bool(prompt) and not record.is_sidechain)

    def chain(self) -> Chain:
        """The answers."""
        return Chain(
            abandoned=_abandoned(self.nodes),
            trunk_messages=frozenset(self.trunk & self.sidechain),
            leaves=frozenset(leaf for leaf in self.named_leaves if leaf in self.nodes),
            session=self.session,
            said=frozenset(self.removed & self.spoken),
        )


def survey(lines: Iterable[Line]) -> Chain:
    """Read all lines once for their links; lines that cannot be read are left to the second pass to report."""
    found = _Survey()
    for line in lines:
        try:
            record = decode_record(line.raw)
        except ValueError:
            continue
        if record is not None:
            found.take(record, line.number)
    return found.chain()


def queued_command(record: Record) -> str:
    """The user's words in a ``queued_command`` attachment, or ""."""
    attached = record.attachment
    if attached is None or attached.type != "queued_command":
        return ""
    return spoken(blocks_of(attached.prompt)).text


def replay_key(record: Record, content: object) -> tuple[object, ...] | None:
    """Equal for a record and its replay after compaction: other uuid, same parent, time and content (formats.md §1.5).

    None where parent or time is missing: such records are never taken for a replay.
    """
    if not record.parent_uuid or record.timestamp is None:
        return None
    return (record.type, record.parent_uuid, record.timestamp, content)


def fingerprint(text: str) -> bytes:
    """Stands for a text in sets."""
    return blake2b(text.encode("utf-8", "replace"), digest_size=16).digest()


def _has_results(record: Record) -> bool:
    return record.message is not None and any(b.type == "tool_result" for b in blocks_of(record.message.content))


def _prompt_of(record: Record) -> str:
    if record.is_meta or record.is_compact_summary or record.message is None:
        return ""
    return spoken(blocks_of(record.message.content)).text


def _abandoned(nodes: dict[str, _Node]) -> frozenset[str]:
    """Records below a prompt in whose place the user later put another one.

    Two prompts that continue the same record are a rewind, if the earlier one was followed up at all and nothing more
    was added below it once the later one had begun; in every other case both count.  Roots are never compared:
    compaction makes many (C-019).
    """
    rivals: dict[str, list[str]] = defaultdict(list)
    for uuid, node in nodes.items():
        if node.prompt and (point := _continued(nodes, node)):
            rivals[point].append(uuid)
    forks = [prompts for prompts in rivals.values() if len(prompts) > 1]
    if not forks:
        return frozenset()
    children: dict[str, list[str]] = defaultdict(list)
    for uuid, node in nodes.items():
        if node.parent is not None:
            children[node.parent].append(uuid)
    abandoned: set[str] = set()
    for prompts in forks:
        for earlier, later in pairwise(prompts):
            below = _descendants(earlier, children)
            followed = len(below) > 1
            if followed and later not in below and max(nodes[uuid].place for uuid in below) < nodes[later].place:
                abandoned |= below
    return frozenset(abandoned)


def _continued(nodes: dict[str, _Node], node: _Node) -> str | None:
    """The prompt, reply or tool result that a prompt continues, over records that only link; None at a root."""
    seen: set[str] = set()
    uuid = node.parent
    while uuid is not None and uuid not in seen:
        seen.add(uuid)
        parent = nodes.get(uuid)
        if parent is None:
            return None
        if parent.speech:
            return uuid
        uuid = parent.parent
    return None


def _descendants(uuid: str, children: dict[str, list[str]]) -> set[str]:
    below: set[str] = set()
    waiting = [uuid]
    while waiting:
        current = waiting.pop()
        if current not in below:
            below.add(current)
            waiting.extend(children.get(current, ()))
    return below
