"""``Fabric``: what the doors, and programs, call.  No logic of its own.

What only some questions need is imported there: asking must start quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from memory_fabric import clock
from memory_fabric.app.elsewhere import Elsewhere
from memory_fabric.model.memory import Memory, MemoryId, StatementKind
from memory_fabric.model.query import Mode, Scope
from memory_fabric.settings import Settings, environment
from memory_fabric.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from memory_fabric.curate.forget import Forgotten
    from memory_fabric.curate.health import Check
    from memory_fabric.curate.note import Outcome, Remembered
    from memory_fabric.embed.backfill import Backfilled
    from memory_fabric.ingest.discover import Place
    from memory_fabric.ingest.pipeline import Progress
    from memory_fabric.ingest.report import IngestReport
    from memory_fabric.model.query import Query
    from memory_fabric.model.record import Conversation, Document
    from memory_fabric.model.result import Answer
    from memory_fabric.ports import Census, Embedder, OutsideSource
    from memory_fabric.search.context import Context
    from memory_fabric.search.history import HistoryItem
    from memory_fabric.search.related import Connections, Related

CALIBRATION_SAMPLE = 400
"""Memories whose first sentences serve as questions when a space is calibrated."""

BUSY_TIMEOUT = 5.0
"""Seconds that a write waits for another process."""


class Fabric(Elsewhere):
    """One memory, opened.

    ::

        with Fabric.open() as fabric:
            fabric.ingest()
            answer = fabric.search("why did we leave Redis?")
    """

    @classmethod
    def open(
        cls,
        settings: Settings | None = None,
        *,
        read_only: bool = False,
        busy_timeout: float = BUSY_TIMEOUT,
        upgrade: bool = True,
        embedder: Embedder | None = None,
    ) -> Self:
        """Open the store of these settings (default: ``Settings.load()``), making it if it is not there.

        ``busy_timeout``: seconds that a write waits for another process.  ``upgrade=False`` refuses to read a store of
        an older release, where bringing it up to date would take too long.  ``embedder`` takes the place of the one
        that the settings name.

        Raises:
            ConfigError: the settings are not usable.
            StoreError: the store cannot be opened.
        """
        chosen = settings or Settings.load()
        store = SqliteStore.open(chosen.store, read_only=read_only, busy_timeout=busy_timeout, upgrade=upgrade)
        fabric = cls(chosen, store)
        if embedder is not None:
            fabric.embedder = embedder
        return fabric

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the store, and end the connections to outside memories that were asked."""
        self._leave()
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

    def add(self, items: Iterable[Conversation | Document], *, project: str | None = None) -> IngestReport:
        """Keep conversations and documents that no harness wrote.  See ``ingest.records.take``.

        They belong to ``project`` (a directory: its repository, else itself), or to none.
        """
        from memory_fabric.ingest.extract import extractors
        from memory_fabric.ingest.pipeline import Seams
        from memory_fabric.ingest.project import Projects
        from memory_fabric.ingest.records import take

        home = Projects(self.store.projects()).identify(project) if project else None
        seams = Seams(self.store, (), extractors(self.lexicon), self.settings.chunk_characters)
        return take(items, seams, home)

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
        from memory_fabric.search.scope import choose_projects

        known = self.store.projects()
        chosen, note = choose_projects(known, project, Projects(known).identify(cwd), every)
        return replace(limits, projects=chosen), note

    def search(  # noqa: PLR0913 - what may be said of a question
        self,
        question: str,
        scope: Scope = Scope(),
        *,
        mode: Mode = Mode.AUTO,
        limit: int = 10,
        outside: bool | Sequence[OutsideSource] = True,
        redacted: bool = True,
        around: datetime | None = None,
    ) -> Answer:
        """The best answers in scope, each with its reasons.  See ``search.pipeline.Search``.

        ``outside=False`` asks no memory that is kept elsewhere: hooks have no time for it.  Some of them: these alone.
        ``redacted=False`` leaves it to the caller to clean what is shown (``outgoing.clean_memory``).
        ``around``, an aware instant that the question is about (a commit's, a ticket's), lifts what lies near it; it
        leaves nothing out, as the window of ``scope`` does.
        """
        others = (self.outside if outside else ()) if isinstance(outside, bool) else outside
        asked = replace(self._search, outside=others) if others else self._search
        answer = asked(question, scope, clock.utcnow(), mode=mode, limit=limit, around=around)
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

    def export(self) -> Iterator[dict[str, object]]:
        """Everything but vectors, as JSON objects that ``restore`` takes."""
        return self.store.dump()

    def restore(self, rows: Iterable[Mapping[str, object]]) -> dict[str, int]:
        """Take what ``export`` gave; what is there stays."""
        return self.store.restore(rows)

    def parsed(self, question: str, scope: Scope = Scope()) -> Query:
        """The question as the search reads it."""
        from memory_fabric.search.parse import parse

        return parse(question, self.lexicon, self.store.find, scope, clock.utcnow())
