"""The composition root: ``Settings`` become a wired ``Fabric``.  No logic of its own.

What only some questions need is imported there: asking must start quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memory_fabric import clock, lexicon
from memory_fabric.errors import UsageError
from memory_fabric.model.memory import Memory, MemoryId, StatementKind
from memory_fabric.model.query import Mode, Query, Scope
from memory_fabric.model.result import Answer
from memory_fabric.search import traverse
from memory_fabric.search.dispatch import Workers
from memory_fabric.search.factors.recency import Curve
from memory_fabric.search.parse import parse
from memory_fabric.search.pipeline import Search, Tuning
from memory_fabric.search.rank import Ranking
from memory_fabric.search.scope import choose_projects
from memory_fabric.settings import Settings, environment
from memory_fabric.sources.graph import GraphSource
from memory_fabric.sources.recent import RecentSource
from memory_fabric.sources.text import TextSource
from memory_fabric.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from memory_fabric.curate.forget import Forgotten
    from memory_fabric.curate.health import Check
    from memory_fabric.curate.knowledge import Knowledge
    from memory_fabric.curate.note import Means, Outcome, Remembered
    from memory_fabric.curate.sync import Synced
    from memory_fabric.embed.backfill import Backfilled
    from memory_fabric.ingest.discover import Place
    from memory_fabric.ingest.pipeline import Progress
    from memory_fabric.ingest.report import IngestReport
    from memory_fabric.model.memory_graph import MemoryPath, RelatedMemory
    from memory_fabric.ports import Census, Embedder, OutsideSource, Source
    from memory_fabric.search.context import Context
    from memory_fabric.search.history import HistoryItem
    from memory_fabric.search.memory_walk import Neighbours
    from memory_fabric.search.related import Connections, Related
    from memory_fabric.sources.mem0 import Mem0Source
    from memory_fabric.sources.mem0_keys import Keys
    from memory_fabric.sources.outside import Surroundings

PATIENCE = 30.0
"""Seconds for a walk among memories that mem0 keeps, which asks several times."""

CALIBRATION_SAMPLE = 400
"""Memories whose first sentences serve as questions when a space is calibrated."""

BUSY_TIMEOUT = 5.0
"""Seconds that a write waits for another process."""


class Fabric:
    """One memory, opened.

    ::

        with Fabric.open() as fabric:
            fabric.ingest()
            answer = fabric.search("why did we leave Redis?")
    """

    def __init__(self, settings: Settings, store: SqliteStore) -> None:
        self.settings = settings
        self.store = store
        self._asked: list[OutsideSource] = []

    @classmethod
    def open(
        cls, settings: Settings | None = None, *, read_only: bool = False, busy_timeout: float = BUSY_TIMEOUT
    ) -> Self:
        """Open the store of these settings (default: ``Settings.load()``), making it if it is not there.

        ``busy_timeout``: seconds that a write waits for another process.

        Raises:
            ConfigError: the settings are not usable.
            StoreError: the store cannot be opened.
        """
        chosen = settings or Settings.load()
        return cls(chosen, SqliteStore.open(chosen.store, read_only=read_only, busy_timeout=busy_timeout))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the store, and end the connections to outside memories that were asked."""
        for source in (*self.__dict__.get("outside", ()), *self._asked):
            source.close()
        self.store.close()

    # ── filling ──────────────────────────────────────────────────────────────────────────────────────────────────

    def places(self) -> tuple[Place, ...]:
        """Where the known harnesses keep their transcripts on this machine."""
        from memory_fabric.ingest.discover import usual_places

        return usual_places(environment(), Path.home())

    def ingest(
        self,
        paths: Iterable[Path] | None = None,
        *,
        format: str | None = None,  # noqa: A002
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Read transcripts: those given, or all in the usual places.  See ``ingest.pipeline.ingest``."""
        from memory_fabric.ingest.extract import extractors
        from memory_fabric.ingest.formats import format_named, formats
        from memory_fabric.ingest.pipeline import Seams, ingest

        chosen = [place.root for place in self.places() if place.exists] if paths is None else list(paths)
        keep_tools = self.settings.tool_calls == "keep"
        seams = Seams(self.store, formats(), extractors(self.lexicon), self.settings.chunk_characters, keep_tools)
        only = format_named(format) if format else None
        return ingest(chosen, seams, only=only, dry_run=dry_run, progress=progress)

    def remember(  # noqa: PLR0913 - what may be said of a note
        self,
        text: str,
        *,
        category: str | None = None,
        outcome: Outcome | str | None = None,
        lesson: str | None = None,
        agent: str | None = None,
        project: str | None = None,
        everywhere: bool = False,
        cwd: str | None = None,
        source: str = "note",
        confirmed: bool = False,
    ) -> Remembered:
        """Keep somebody's own words, find what they name, and say what became of it.  See ``curate.remember.remember``.

        The note belongs to ``project`` (name, id or root; default: that of ``cwd``, by default the current directory),
        or with ``everywhere`` to all.  It is embedded at once; where that fails it is kept, gets its vectors with the
        next ``embed``, and ``notes`` says so (F-VEC-7).

        Raises:
            UsageError: empty, or nothing but a secret; an unknown category, outcome or project.
            StoreError: the store failed; nothing was written.
        """
        from memory_fabric.curate.note import Wish, outcome_named
        from memory_fabric.curate.remember import remember
        from memory_fabric.ingest.project import Projects
        from memory_fabric.search.scope import choose_home

        known = self.store.projects()
        current = Projects(known).identify(cwd or str(Path.cwd()))
        home = None if everywhere else choose_home(known, project, current)
        wish = Wish(text, category, outcome_named(outcome), lesson, agent, home, source)
        return remember(wish, self._remembering, clock.utcnow(), confirmed=confirmed)

    def forget(
        self,
        ids: Sequence[str] | None = None,
        *,
        text: str | None = None,
        session: str | None = None,
        scope: Scope = Scope(),
        dry_run: bool = False,
    ) -> Forgotten:
        """Forget memories by id, those in scope that hold a text, or those of a session; see ``curate.forget``.

        They go from every index, and no re-ingest brings them back.  ``dry_run`` only says what would go.

        Raises:
            UsageError: not exactly one of the three was given, or an empty text.
            StoreError: the store failed; nothing was removed.
        """
        from memory_fabric.curate.forget import Asked, choose, forget
        from memory_fabric.outgoing import clean_memory

        chosen = choose(Asked(None if ids is None else tuple(ids), text, session), self.store, scope)
        gone = chosen if dry_run else forget(chosen, self.store, clock.utcnow(), text)
        return replace(gone, memories=tuple(map(clean_memory, gone.memories)))

    def embed(
        self, *, progress: Callable[[int], None] | None = None, stop: Callable[[], bool] | None = None
    ) -> Backfilled | None:
        """Embed what has no vectors yet, then calibrate the space; None when embedding is switched off.

        Raises:
            EmbedderUnavailable: the model is missing or damaged; nothing is lost, text and graph search go on.
        """
        from memory_fabric.embed.backfill import backfill
        from memory_fabric.embed.calibrate import calibrate, questions_of

        embedder = self.embedder
        if embedder is None:
            return None
        done = backfill(self.store, embedder, progress=progress, stop=stop)
        if done.memories or self.store.background(embedder.space) is None:
            calibrate(self.store, embedder, questions_of(self.store.recent(Scope(), CALIBRATION_SAMPLE)))
        return done

    def pending(self) -> int:
        """Memories without vectors of the chosen embedder; 0 when embedding is switched off."""
        if self.embedder is None:
            return 0
        return self.store.count() - self.store.coverage().get(self.embedder.space, 0)

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────

    def scope(
        self, limits: Scope = Scope(), *, project: str | None = None, every: bool = False, cwd: str | None = None
    ) -> tuple[Scope, str | None]:
        """These limits, in the projects that a question may see, and a sentence where their choice needs one.

        Raises:
            UsageError: the project is not known.
        """
        from memory_fabric.ingest.project import Projects

        known = self.store.projects()
        chosen, note = choose_projects(known, project, Projects(known).identify(cwd), every)
        return replace(limits, projects=chosen), note

    def search(
        self,
        question: str,
        scope: Scope = Scope(),
        *,
        mode: Mode = Mode.AUTO,
        limit: int = 10,
        outside: bool | Sequence[OutsideSource] = True,
        redacted: bool = True,
    ) -> Answer:
        """The best answers in scope, each with its reasons.  See ``search.pipeline.Search``.

        ``outside=False`` asks no memory that is kept elsewhere: hooks have no time for it.  Some of them: these alone.
        ``redacted=False`` leaves it to the caller to clean what is shown (``outgoing.clean_memory``).
        """
        others = (self.outside if outside else ()) if isinstance(outside, bool) else outside
        asked = replace(self._search, outside=others) if others else self._search
        answer = asked(question, scope, clock.utcnow(), mode=mode, limit=limit)
        if not redacted:
            return answer
        from memory_fabric.outgoing import clean_answer

        return clean_answer(answer)

    def related(
        self, name: str, scope: Scope = Scope(), *, depth: int = 2, label: str | None = None, limit: int = 40
    ) -> Related:
        """What is related to an entity or a memory.  See ``search.related.related``."""
        from memory_fabric.outgoing import clean_memory
        from memory_fabric.search.related import related

        found = related(self.store, name, scope, depth, label, limit)
        return replace(found, memories=tuple(map(clean_memory, found.memories)))

    def paths(
        self, start: str, goal: str, scope: Scope = Scope(), *, depth: int = 2, label: str | None = None
    ) -> Connections:
        """How two entities are connected.  See ``search.related.connections``."""
        from memory_fabric.search.related import connections

        return connections(self.store, start, goal, scope, depth, label)

    def related_memories(
        self, name: str, scope: Scope = Scope(), *, depth: int = 1, label: str | None = None
    ) -> list[RelatedMemory]:
        """The memories around one of ours or one that mem0 keeps.  See ``search.memory_walk.related_memories``.

        Raises:
            UsageError: no memory has that id.
            SourceError: mem0 keeps it and cannot be asked.
        """
        from memory_fabric.outgoing import clean_memory
        from memory_fabric.search.memory_walk import related_memories

        start, links = self._memory_and_links(name, scope)
        found = related_memories(start, links, depth, label)
        return [replace(each, memory=clean_memory(each.memory)) for each in found]

    def memory_paths(
        self, name: str, goal: str | None = None, scope: Scope = Scope(), *, depth: int = 2, label: str | None = None
    ) -> list[MemoryPath]:
        """The ways from one memory to another, or to whatever is near.  See ``search.memory_walk.memory_paths``.

        Raises:
            UsageError: no memory has that id.
            SourceError: mem0 keeps it and cannot be asked.
        """
        from memory_fabric.outgoing import clean_memory
        from memory_fabric.search.memory_walk import memory_paths

        start, links = self._memory_and_links(name, scope)
        end = self._memory_and_links(goal, scope)[0].id if goal is not None else None
        return [
            replace(path, steps=tuple(replace(step, memory=clean_memory(step.memory)) for step in path.steps))
            for path in memory_paths(start, links, depth, label, end)
        ]

    def load(self, scope: Scope = Scope(), *, budget: int = 2000) -> Context:
        """What a new session should know, within a budget of tokens."""
        from memory_fabric.outgoing import clean_context
        from memory_fabric.search.context import load

        return clean_context(load(self.store, scope, budget))

    def history(
        self,
        scope: Scope = Scope(),
        *,
        kinds: Sequence[StatementKind] = (StatementKind.DECISION,),
        limit: int = 50,
    ) -> list[HistoryItem]:
        """Decisions over time, newest first, each with what superseded it."""
        from memory_fabric.outgoing import clean_history
        from memory_fabric.search.history import history

        return clean_history(history(self.store, scope, kinds, limit))

    # ── tending ──────────────────────────────────────────────────────────────────────────────────────────────────

    def get(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Memories by id."""
        from memory_fabric.outgoing import clean_memory

        return list(map(clean_memory, self.store.get(ids)))

    def census(self) -> Census:
        """Counts of everything."""
        return self.store.census()

    def doctor(self) -> Iterator[Check]:
        """Whether everything is well."""
        from memory_fabric.curate.health import examine

        return examine(self.store, lambda: self.embedder)

    def sync(
        self,
        *,
        only: Sequence[MemoryId] | None = None,
        targets: Sequence[str] | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> Synced:
        """Push what is new to the memories elsewhere that are set to take it.  See ``curate.sync.sync``.

        ``targets`` names them, whatever their entries say; ``only`` pushes what these memories say; ``force`` sends
        again what was sent; ``dry_run`` counts what would go, writes nothing and asks nobody.

        Raises:
            UsageError: there is no such target, or none that is to be pushed to.
            ConfigError: their configuration is not usable.
            StoreError: our own store failed.  A target that fails is an outage in what is returned.
        """
        from memory_fabric.curate.sync import preview, sync
        from memory_fabric.ingest.redact import redact_value
        from memory_fabric.sources import configured
        from memory_fabric.sources.targets import chosen, keeps_graph, open_target

        entries = chosen(configured.read(self.settings.home), targets)
        if dry_run:
            plan = {entry.name: keeps_graph(entry) for entry in entries}
            return preview(self.store, plan, redact_value, only=only, force=force)
        opened = [open_target(entry, self.surroundings) for entry in entries]
        try:
            return sync(self.store, opened, redact_value, clock.utcnow, only=only, force=force)
        finally:
            for target in opened:
                target.close()

    def export(self) -> Iterator[dict[str, object]]:
        """Everything but vectors, as JSON objects that ``restore`` takes."""
        return self.store.dump()

    def restore(self, rows: Iterable[Mapping[str, object]]) -> dict[str, int]:
        """Take what ``export`` gave; what is there stays."""
        return self.store.restore(rows)

    # ── wiring ───────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def lexicon(self) -> lexicon.Lexicon:
        """The word lists, with the user's on top."""
        return lexicon.load(Path(self.settings.lexicon).expanduser() if self.settings.lexicon else None)

    @cached_property
    def knowledge(self) -> Knowledge:
        """The graph as clients of the official memory server read and write it."""
        from memory_fabric.curate.knowledge import Knowledge
        from memory_fabric.ingest.redact import redact

        return Knowledge(self.store, lambda text: redact(text).text)

    @cached_property
    def _remembering(self) -> Means:
        from memory_fabric.curate.note import Around, Means
        from memory_fabric.embed.backfill import embed_now
        from memory_fabric.ingest.extract import extractors
        from memory_fabric.ingest.note import extract_note
        from memory_fabric.ingest.redact import redact
        from memory_fabric.search.similar import neighbours

        found = extractors(self.lexicon)
        return Means(
            store=self.store,
            lexicon=self.lexicon,
            redact=redact,
            extract=lambda memory, project: extract_note(found, self.lexicon, memory, project),
            look_around=lambda memory: Around(*neighbours(self.store, self.store, memory)),
            embed=lambda memories: embed_now(self.store, self.embedder, memories),
        )

    @cached_property
    def embedder(self) -> Embedder | None:
        """The chosen embedder, its model not loaded yet; None when switched off."""
        from memory_fabric.embed import open_embedder

        return None if self.settings.embedder == "none" else open_embedder(self.settings.embedder)

    @cached_property
    def _search(self) -> Search:
        settings = self.settings
        sources: list[Source] = [
            TextSource(self.store, self.store, settings.tool_weight),
            GraphSource(self.store, self.store, traverse.walk),
            RecentSource(self.store),
        ]
        if self.embedder is not None:
            from memory_fabric.sources.vector import VectorSource

            sources.append(VectorSource(self.store, self.store, self.embedder))
        curve = Curve(settings.recency_curve, settings.recency_half_life, settings.recency_floor)
        ranking = Ranking(
            settings.weight_recency,
            settings.weight_relevance,
            settings.weight_authority,
            curve,
            settings.ranking == "sum",
        )
        tuning = Tuning(
            per_source=settings.max_results,
            similar=settings.dedup_threshold,
            boost=settings.boost_factor,
            ranking=ranking,
            deadline=settings.deadline,
        )
        return Search(tuple(sources), self.store, self.store, self.lexicon, Workers(), tuning, outbox=self.store)

    @cached_property
    def outside(self) -> tuple[OutsideSource, ...]:
        """The configured memories that are kept elsewhere; none is connected before it is asked.

        Raises:
            ConfigError: their file cannot be read.
        """
        if not self.settings.sources.exists():
            return ()
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.outside import open_outside

        return open_outside(read(self.settings.home), self.surroundings)

    def mem0(self, name: str | None = None, keys: Keys | None = None) -> Mem0Source:
        """mem0: that of this name, else the first configured one, else its platform with the key that is found.

        Raises:
            UsageError: that name is none of a mem0.
            SourceUnavailable: there is no key.
        """
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.mem0_asked import open_mem0
        from memory_fabric.sources.mem0_keys import Keys

        opened = open_mem0(read(self.settings.home), self.surroundings, name, keys or Keys())
        self._asked.append(opened)
        return opened

    def with_mem0(self, *, graph: bool = False) -> tuple[OutsideSource, ...]:
        """The outside memories, and mem0 also where it is not configured (F-ERR-3)."""
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.mem0_asked import with_mem0

        found = with_mem0(self.outside, read(self.settings.home), self.surroundings, graph=graph)
        self._asked.extend(found)
        return found

    def _memory_and_links(self, name: str, scope: Scope) -> tuple[Memory, Neighbours]:
        from memory_fabric.search.memory_links import links_in
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.mem0_asked import open_keeper
        from memory_fabric.sources.mem0_shape import is_mem0_id

        if not is_mem0_id(name):
            found = self.store.get([MemoryId(name.rpartition(":")[2])])
            if not found:
                raise UsageError(f"no memory has the id {name!r}", "`memory-fabric search` shows ids with --json")
            return found[0], links_in(self.store, scope)
        keeper = open_keeper(read(self.settings.home), self.surroundings, name)
        self._asked.append(keeper)
        links = keeper.links(clock.Deadline.after(max(PATIENCE, keeper.deadline)))
        return links.memory(name), links

    def parsed(self, question: str, scope: Scope = Scope()) -> Query:
        """The question as the search reads it."""
        return parse(question, self.lexicon, self.store.find, scope, clock.utcnow())

    @property
    def surroundings(self) -> Surroundings:
        """What an outside memory may use of ours."""
        from memory_fabric.ingest.redact import redact_value
        from memory_fabric.sources.outside import Surroundings

        here = Path.cwd()
        roots = [folder for folder in (here, *here.parents) if (folder / ".git").exists()]
        return Surroundings(
            home=self.settings.home,
            environment=environment(),
            folders=(here, *roots[:1]),
            user=Path.home(),
            redact=redact_value,
            names=lambda text: [spotted.canonical for spotted in self.lexicon.spot(text)],
            projects=self.store.projects,
            embedder=lambda: self.embedder,
        )
