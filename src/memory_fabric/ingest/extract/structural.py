"""Edges that tool calls show: they happened, so they cannot be invented (F-EDGE-1 to F-EDGE-7)."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath, PurePosixPath, PureWindowsPath

from memory_fabric.ingest.extract.commands import programs
from memory_fabric.ingest.extract.naming import entity_id, project_entity_id, refusal, scoped_id
from memory_fabric.ingest.extract.runs import module_of, runner_of, worth_failing
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import Memory, Project
from memory_fabric.model.transcript import Exchange, ToolCall, ToolKind
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Extraction
from memory_fabric.text import entity_key

MAX_SUBJECT = 80
"""Characters of a commit's subject that become its name (F-EXTR-8)."""

_FOREIGN = frozenset(["node_modules", ".git", ".venv", "venv", "__pycache__", "site-packages"])
"""Folders whose files are nobody's work."""

_LISTERS = frozenset(["ls", "list_directory", "read_many_files"])
"""File tools that name folders."""

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Structural:
    """The extractor of observed edges.

    file ``part_of`` project · project ``uses`` program and MCP server · test runner ``evaluates`` project · commit and
    failed build or test ``part_of`` project.  One edge a thing and exchange: their number is linear in the calls.
    Each carries the line of its first call.
    """

    name = "structural"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:
        """The edges of the exchange's tool calls; without a project entities and mentions only."""
        found = _Found(memory, exchange, project, self._lexicon)
        for call in exchange.tools:
            found.read(call)
        return found.extraction()


@dataclass(slots=True)
class _Found:
    memory: Memory
    exchange: Exchange
    project: Project | None
    lexicon: Lexicon
    entities: dict[EntityId, Entity] = field(default_factory=dict)
    relations: dict[tuple[EntityId, Predicate, EntityId], Relation] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)

    def read(self, call: ToolCall) -> None:
        match call.kind:
            case ToolKind.FILE:
                self._file(call)
            case ToolKind.COMMAND:
                self._command(call)
            case ToolKind.MCP:
                self._used(call, call.target, "mcp server")
            case ToolKind.COMMIT:
                self._commit(call)
            case ToolKind.AGENT:
                agent = call.target.partition(":")[0].strip()
                if self.lexicon.is_agent(agent):
                    self._add(Entity(entity_id(Kind.PERSON, agent), agent, Kind.PERSON, label="agent"))
            case _:
                pass

    def _add(self, entity: Entity) -> bool:
        reason = refusal(entity.name, self.lexicon)
        if reason is not None:
            self.dropped[reason] += 1
            return False
        self.entities.setdefault(entity.id, entity)
        return True

    def _relate(self, call: ToolCall, subject: EntityId, predicate: Predicate, target: EntityId) -> None:
        if self.project is None:
            self.dropped["no project"] += 1
            return
        home = project_entity_id(self.project)
        self.entities.setdefault(home, Entity(home, self.project.name, Kind.PROJECT, label="project"))
        relation = Relation(
            subject=subject, predicate=predicate, object=target, label=predicate.value, origin=RelationOrigin.OBSERVED,
            project=self.project.id, valid_from=self.exchange.at, evidence=self.memory.id, line=call.line,
        )  # fmt: skip
        self.relations.setdefault((subject, predicate, target), relation)

    def _home(self) -> EntityId:
        return project_entity_id(self.project) if self.project is not None else EntityId("")

    def _file(self, call: ToolCall) -> None:
        if call.name.casefold() in _LISTERS:
            return
        if not call.target or "\n" in call.target or "://" in call.target or call.target.endswith(("/", "\\")):
            self.dropped["no file"] += 1
            return
        path, relative = _place(call.target, self.exchange.cwd, self.project)
        if _FOREIGN.intersection(path.parts):
            self.dropped["foreign file"] += 1
            return
        general = path.name.casefold() in self.lexicon.general_files
        name = f"{self.project.name}/{path.name}" if general and self.project is not None else path.name
        where = relative or path.as_posix()
        identity = scoped_id(Kind.ARTIFACT, self.project if relative else None, where)
        if self._add(Entity(identity, name, Kind.ARTIFACT, (where,) if where != name else (), "file")) and relative:
            self._relate(call, identity, Predicate.PART_OF, self._home())

    def _used(self, call: ToolCall, name: str, label: str) -> None:
        term = self.lexicon.term(name)
        if term is not None and term.kind is Kind.TECHNOLOGY:
            spelled = (name,) if name != term.display else ()
            entity = Entity(
                entity_id(Kind.TECHNOLOGY, term.canonical), term.display, Kind.TECHNOLOGY, spelled, term.label
            )
        else:
            entity = Entity(entity_id(Kind.TECHNOLOGY, name), name, Kind.TECHNOLOGY, label=label)
        if self._add(entity):
            self._relate(call, self._home(), Predicate.USES, entity.id)

    def _command(self, call: ToolCall) -> None:
        for found in programs(call.target, self.lexicon):
            program = module_of(found)
            self._used(call, found.name, "command")
            if program != found and self.lexicon.term(program.name) is not None:
                self._used(call, program.name, "command")
            runner = runner_of(program)
            if runner is not None:
                term = self.lexicon.term(runner)
                name = term.canonical if term else runner
                judge = Entity(
                    entity_id(Kind.TECHNOLOGY, name),
                    term.display if term else runner,
                    Kind.TECHNOLOGY,
                    label="test runner",
                )
                if self._add(judge):
                    self._relate(call, judge.id, Predicate.EVALUATES, self._home())
        if call.ok is False:
            self._failure(call)

    def _failure(self, call: ToolCall) -> None:
        """A failed build or test is a problem when the command ran one such program: of several it is unclear which."""
        failed = {name for found in programs(call.target, self.lexicon) if (name := worth_failing(module_of(found)))}
        if len(failed) != 1:
            self.dropped["unclear failure" if failed else "failure not kept"] += 1
            return
        name = f"{failed.pop()} failed"
        identity = scoped_id(Kind.PROBLEM, self.project, entity_key(name))
        if self._add(Entity(identity, name, Kind.PROBLEM, label="failed command")):
            self._relate(call, identity, Predicate.PART_OF, self._home())

    def _commit(self, call: ToolCall) -> None:
        subject = " ".join(call.target.split())
        if call.ok is False or not subject:
            self.dropped["failed commit"] += 1
            return
        name = subject if len(subject) <= MAX_SUBJECT else subject[: MAX_SUBJECT - 1].rstrip() + "…"
        identity = scoped_id(Kind.ARTIFACT, self.project, f"commit/{entity_key(name)}")
        # a subject is a sentence: the limit of six words is for names of things
        self.entities.setdefault(identity, Entity(identity, name, Kind.ARTIFACT, label="commit"))
        self._relate(call, identity, Predicate.PART_OF, self._home())

    def extraction(self) -> Extraction:
        return Extraction(
            entities=tuple(self.entities.values()),
            relations=tuple(self.relations.values()),
            mentions=tuple(Mention(self.memory.id, entity) for entity in self.entities),
            dropped=dict(self.dropped),
        )


def _place(target: str, cwd: str | None, project: Project | None) -> tuple[PurePath, str | None]:
    """The path made absolute where that is possible, and its project-relative form with ``/``, or None outside.

    A worktree lies elsewhere than the project's root: there the working folder stands for the root.
    """
    windows = bool(
        _WINDOWS.match(target) or _WINDOWS.match(cwd or "") or _WINDOWS.match(project.root if project else "")
    )
    flavour: type[PurePath] = PureWindowsPath if windows else PurePosixPath
    path = flavour(target)
    if not path.is_absolute() and not target.startswith("~") and (cwd or project):
        path = flavour(cwd or (project.root if project else ""), path)
    path = _normal(path)
    if project is None:
        return path, None
    root = flavour(project.root)
    bases = [root]
    if cwd and not flavour(cwd).is_relative_to(root) and not root.is_relative_to(flavour(cwd)):
        bases.append(flavour(cwd))
    for base in bases:
        if len(base.parts) > 1 and path.is_relative_to(base) and path != base:
            return path, _INSIDE_WORKTREE.sub("", path.relative_to(base).as_posix()) or None
    return path, None


_INSIDE_WORKTREE = re.compile(r"^\.(?:claude/)?worktrees/[^/]+/")
"""Where tools put work trees inside a repository: a file there is the main tree's file (decision 10, C-150)."""


def _normal(path: PurePath) -> PurePath:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts and parts[-1] not in {"..", path.anchor}:
            parts.pop()
        elif part != ".":
            parts.append(part)
    return type(path)(*parts)
