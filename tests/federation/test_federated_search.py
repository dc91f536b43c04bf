"""One question, several memories: fair places, independent witnesses, and answers when one of them is down."""

from __future__ import annotations

import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from tests.federation.conftest import AGES
from tests.search.builders import NOW, Shelf, memory

from memory_fabric import lexicon as lexicons
from memory_fabric.clock import Deadline
from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import SourceError, SourceUnavailable
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.memory import Memory, MemoryId, ProjectId
from memory_fabric.model.query import Mode, Query, Scope
from memory_fabric.model.result import Answer, Found, Hit, Result
from memory_fabric.ports import OutsideSource, Probe, Source
from memory_fabric.search import traverse
from memory_fabric.search.dispatch import Workers
from memory_fabric.search.pipeline import Search, Tuning
from memory_fabric.search.witness import marked
from memory_fabric.sources.foreign import foreign_memory, in_scope
from memory_fabric.sources.graph import GraphSource
from memory_fabric.sources.outside_vectors import Outside as OutsideVectors
from memory_fabric.sources.recent import RecentSource
from memory_fabric.sources.text import TextSource
from memory_fabric.sources.vector import VectorSource
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.text import text_hash

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

HERE = Scope(projects=(ProjectId("a"),))
EVERYDAY = (
    "how should the settings page remember which tab was open",
    "the build server ran out of disk again, clean it up",
    "please rename the button on the invoice form",
    "add a dark theme for the reports",
    "why does the import of customers stop half way",
    "write a short text for the release",
)
RETRIES = "The payment gateway retries three declined cards with exponential backoff"


@dataclass
class Elsewhere:
    """A memory kept elsewhere, in this process: hands in what it was given, whatever is asked."""

    name: str
    texts: Mapping[str, str] = field(default_factory=dict)
    entities: tuple[str, ...] = ()
    raw: float = 0.8
    deadline: float = AGES
    error: Exception | None = None
    gate: threading.Event | None = None
    required: bool = False
    asked: int = 0

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:  # noqa: ARG002
        self.asked += 1
        if self.gate is not None:
            assert self.gate.wait(AGES)
        if self.error is not None:
            raise self.error
        made = [self.memory(record) for record in self.texts]
        return Found(self.name, tuple(Hit(each, self.raw) for each in made if in_scope(each, query.scope))[:limit])

    def memory(self, record: str) -> Memory:
        return foreign_memory("mcp", self.name, record, self.texts[record], lambda value: value, entities=self.entities,
                              metadata={"observations": [self.texts[record]]})  # fmt: skip

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:  # noqa: ARG002
        return {}

    def probe(self, deadline: Deadline) -> Probe:  # noqa: ARG002
        return Probe(self.name)

    def close(self) -> None:
        pass


class Pushed:
    """What we pushed: the one question that the search has for an outbox."""

    def __init__(self, texts: Mapping[str, MemoryId | None]) -> None:
        self.texts = {text_hash(text): id_ for text, id_ in texts.items()}

    def pushed(self, target: str, text_hashes: Sequence[str]) -> dict[str, MemoryId | None]:
        return {each: self.texts[each] for each in text_hashes if each in self.texts} if target == "notes" else {}


class Desk:
    """A store, memories elsewhere, and how to ask them all."""

    def __init__(self, store: SqliteStore, lexicon: Lexicon) -> None:
        self.store = store
        self.lexicon = lexicon
        self.embedder = HashedEmbedder()
        self.tuning = Tuning(deadline=AGES)
        self.outbox: Pushed | None = None

    def sources(self) -> list[Source]:
        return [
            TextSource(self.store, self.store, 0.2),
            GraphSource(self.store, self.store, traverse.walk),
            RecentSource(self.store),
            VectorSource(self.store, self.store, self.store, self.embedder),
        ]

    def fill(self, shelf: Shelf, *, embed: bool = True) -> None:
        for place, text in enumerate(EVERYDAY):
            shelf.say(f"plain{place}", text, "done", session="everyday", days=5.0 + place)
        shelf.save(self.store)
        if embed:
            backfill(self.store, self.embedder)

    def ask(
        self, text: str, *outside: OutsideSource, mode: Mode = Mode.AUTO, scope: Scope = HERE, limit: int = 10
    ) -> Answer:
        seams = (self.sources(), self.store, self.store, self.lexicon, Workers(), self.tuning, outside)
        search = Search(*seams, self.outbox)  # type: ignore[arg-type]
        return search(text, scope, NOW, mode=mode, limit=limit)


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return lexicons.load()


@pytest.fixture
def desk(store: SqliteStore, lexicon: Lexicon) -> Desk:
    return Desk(store, lexicon)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def ids(answer: Answer) -> list[str]:
    return [str(result.candidate.memory.id) for result in answer.results]


def result(answer: Answer, id_: str) -> Result:
    return next(each for each in answer.results if each.candidate.memory.id == id_)


# ── fair places ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.HYBRID])
@pytest.mark.parametrize("embed", [True, False])
def test_what_answers_best_comes_first_wherever_it_is_kept(desk: Desk, mode: Mode, embed: bool) -> None:
    shelf = Shelf()
    shelf.say("vague", "the gateway page needs a headline", "I changed the headline.", session="s2")
    desk.fill(shelf, embed=embed)
    notes = Elsewhere("notes", {"gateway": RETRIES, "noise": "The gateway of the park closes at dusk"})
    answer = desk.ask("how does the payment gateway retry declined cards", notes, mode=mode)
    assert ids(answer)[0] == "mcp:notes:gateway"
    assert {"text", "notes"} <= set(result(answer, "mcp:notes:gateway").candidate.found_by)
    assert ("vector" in result(answer, "mcp:notes:gateway").candidate.found_by) is embed


def test_what_does_not_answer_is_not_shown_wherever_it_is_kept(desk: Desk) -> None:
    """F-ERR-11: the bar holds for what an outside memory thinks a match, too."""
    desk.fill(Shelf())
    notes = Elsewhere("notes", {"dusk": "The park closes at dusk", "tea": "Tea is served at four"}, raw=1.0)
    answer = desk.ask("how does the payment gateway retry declined cards", notes)
    assert answer.results == ()
    assert not answer.degraded


def talk(shelf: Shelf, sessions: int) -> None:
    """Conversations in words as frequent as words are: a few everywhere, most of them rare."""
    drawn = random.Random(7)
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("nta", "rol", "shi", "kem", "vud", "mas")]
    words += "payment gateway retry declined cards exponential backoff".split()
    often = [1 / (place + 1) for place in range(len(words))]
    for session in range(sessions):
        for part in range(4):
            said, answered = (" ".join(drawn.choices(words, often, k=length)) for length in (12, 40))
            shelf.say(f"talk{session}-{part}", said, answered, session=f"talk{session}")


@pytest.mark.parametrize("sessions", [20, 60])
@pytest.mark.parametrize("embed", [True, False])
def test_a_memory_counts_nearly_the_same_here_and_there(desk: Desk, embed: bool, sessions: int) -> None:
    """The scales are ours: the same words get nearly the shares, by text and vector, that a note of our own gets."""
    shelf = Shelf()
    shelf.put(memory("own", RETRIES, session="note:own"))
    talk(shelf, sessions)
    desk.fill(shelf, embed=embed)
    question = "how does the payment gateway retry declined cards"
    own = result(desk.ask(question), "own").candidate.found_by
    notes = Elsewhere("notes", {"x": RETRIES.replace("three", "four")})
    there = result(desk.ask(question, notes), "mcp:notes:x").candidate.found_by
    assert there["text"] == pytest.approx(own["text"], rel=0.1)
    if embed:
        assert there["vector"] == pytest.approx(own["vector"], rel=0.1)


def test_an_outside_memory_that_finds_nothing_changes_no_order_and_hardly_a_score(desk: Desk) -> None:
    shelf = Shelf()
    for place, days in enumerate((1, 40, 300)):
        shelf.say(f"m{place}", "how does the payment gateway retry", RETRIES + " again" * place, session=f"s{place}",
                  days=float(days))  # fmt: skip
    desk.fill(shelf)
    question = "payment gateway retry backoff"
    alone, beside = desk.ask(question), desk.ask(question, Elsewhere("notes"))
    assert ids(alone) == ids(beside)
    for one, other in zip(alone.results, beside.results, strict=True):
        assert other.score == pytest.approx(one.score, rel=0.02)


def test_its_own_word_settles_what_is_otherwise_equal(desk: Desk) -> None:
    """Small on purpose: named there beats found there, and no more."""
    desk.fill(Shelf())
    one = Elsewhere("one", {"x": "declined cards are retried by the gateway on Mondays"}, raw=0.8)
    two = Elsewhere("two", {"y": "declined cards are retried by the gateway on Fridays"}, raw=1.0)
    for order in ((one, two), (two, one)):
        assert ids(desk.ask("how are declined cards retried", *order)) == ["mcp:two:y", "mcp:one:x"]


def test_in_graph_mode_what_names_the_thing_is_shown(desk: Desk) -> None:
    shelf = Shelf()
    said = shelf.say("said", "why redis", "Redis uses lua scripts.", mentions=("Redis", "lua"), session="s1")
    shelf.fact("Redis", "uses", "lua", evidence=said)
    desk.fill(shelf)
    notes = Elsewhere("notes", {"redis": "Redis. It listens on 6379"}, entities=("Redis",))
    answer = desk.ask("Redis", notes, mode=Mode.GRAPH)
    assert set(ids(answer)) == {"said", "mcp:notes:redis"}
    assert set(result(answer, "mcp:notes:redis").candidate.found_by) == {"graph", "notes"}


@pytest.mark.parametrize(
    ("mode", "asked"), [(Mode.AUTO, 1), (Mode.HYBRID, 1), (Mode.GRAPH, 1), (Mode.TEXT, 0), (Mode.VECTOR, 0)]
)
def test_modes_that_mix_ask_outside_memories(desk: Desk, mode: Mode, asked: int) -> None:
    desk.fill(Shelf())
    notes = Elsewhere("notes", {"x": RETRIES})
    answer = desk.ask("declined cards", notes, mode=mode)
    assert notes.asked == asked
    assert ("notes" in answer.mix) is bool(asked)


def test_an_empty_question_asks_only_for_recent_memories(desk: Desk) -> None:
    """F-ERR-4."""
    desk.fill(Shelf())
    notes = Elsewhere("notes", {"x": RETRIES})
    answer = desk.ask("", notes)
    assert notes.asked == 0
    assert set(answer.counts) == {"recent"}


def test_no_project_finds_nothing_elsewhere_either(desk: Desk) -> None:
    """C-152."""
    desk.fill(Shelf())
    assert ids(desk.ask("declined cards", Elsewhere("notes", {"x": RETRIES}), scope=Scope(projects=()))) == []


# ── witnesses ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def known(desk: Desk) -> Desk:
    """Our own memory says it, too."""
    shelf = Shelf()
    shelf.put(memory("own", RETRIES, session="s1"))
    desk.fill(shelf)
    return desk


QUESTION = "how does the payment gateway retry declined cards"


def test_the_same_word_elsewhere_is_a_second_witness(known: Desk) -> None:
    """F-DEDUP-3, D-5: it folds, cross-validates, and nothing of it is lost (F-RES-3)."""
    answer = known.ask(QUESTION, Elsewhere("notes", {"x": RETRIES + "."}))
    (only,) = answer.results
    together = {only.candidate.memory.id, *(each.id for each in only.candidate.absorbed)}
    assert together == {"own", "mcp:notes:x"}
    assert only.candidate.cross_validated
    assert only.candidate.authority == 1.3
    assert answer.counts["notes"] == 1
    assert answer.merged == 1
    assert answer.total == 1


def test_what_we_pushed_there_ourselves_is_no_witness(known: Desk) -> None:
    """Decision 3: it comes back in the name of the memory that it was made of."""
    known.outbox = Pushed({RETRIES: MemoryId("own")})
    (only,) = known.ask(QUESTION, Elsewhere("notes", {"x": RETRIES})).results
    assert not only.candidate.cross_validated
    assert only.candidate.authority < 1.3
    echo = next(each for each in (only.candidate.memory, *only.candidate.absorbed) if each.origin.outside)
    assert (echo.origin.source, echo.origin.session) == ("claude_code", "s1")
    assert echo.origin.echo


@pytest.mark.parametrize("made_of", [None, MemoryId("forgotten"), MemoryId("plain0")])
def test_nor_is_what_we_pushed_of_a_memory_that_is_gone_or_another(known: Desk, made_of: MemoryId | None) -> None:
    known.outbox = Pushed({RETRIES: made_of})
    (only,) = known.ask(QUESTION, Elsewhere("notes", {"x": RETRIES})).results
    assert only.candidate.absorbed
    assert not only.candidate.cross_validated


def test_what_was_forgotten_here_does_not_come_back_from_there(known: Desk) -> None:
    """Decision 11, F-PRIV-7: and the answer says that it still lies there."""
    known.outbox = Pushed({RETRIES: MemoryId("own")})
    assert known.store.forget([MemoryId("own")], "asked", NOW) == 1
    answer = known.ask(QUESTION, Elsewhere("notes", {"x": RETRIES}))
    assert answer.results == ()
    assert answer.notes == ("notes: 1 left out that you have forgotten; it still lies there",)
    others = known.ask(QUESTION, Elsewhere("others", {"x": RETRIES}))
    assert len(others.results) == 1, "what somebody else wrote there is not ours to forget"
    assert others.notes == ()


def test_of_a_node_only_the_forgotten_observation_is_left_out(known: Desk) -> None:
    said = Hit(
        foreign_memory(
            "mcp",
            "notes",
            "gateway",
            f"gateway. {RETRIES}. It is slow",
            lambda value: value,
            metadata={"observations": [RETRIES, "It is slow"]},
        ),
        1.0,
    )
    known.store.forget([MemoryId("own")], "asked", NOW)
    (found,), notes = marked([Found("notes", (said,))], Pushed({RETRIES: MemoryId("own")}), known.store)  # type: ignore[arg-type]
    assert [hit.memory.text for hit in found.hits] == ["gateway. It is slow"]
    assert notes == []


def test_what_was_pushed_to_another_memory_still_is(known: Desk) -> None:
    known.outbox = Pushed({RETRIES: MemoryId("own")})
    (only,) = known.ask(QUESTION, Elsewhere("others", {"x": RETRIES})).results
    assert only.candidate.cross_validated


def test_two_hits_of_one_outside_memory_are_one_witness(desk: Desk) -> None:
    """D-5."""
    desk.fill(Shelf())
    (only,) = desk.ask(QUESTION, Elsewhere("notes", {"x": RETRIES, "y": RETRIES + "."})).results
    assert len(only.candidate.absorbed) == 1
    assert not only.candidate.cross_validated


def test_two_outside_memories_are_two_witnesses(desk: Desk) -> None:
    desk.fill(Shelf())
    (only,) = desk.ask(QUESTION, Elsewhere("one", {"x": RETRIES}), Elsewhere("two", {"y": RETRIES})).results
    assert only.candidate.cross_validated


# ── what stands elsewhere ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def linked(desk: Desk) -> Desk:
    shelf = Shelf()
    shelf.say("own", "where is kafka", "Kafka runs in Lyon with three brokers.", mentions=("Kafka",), session="s1")
    desk.fill(shelf)
    return desk


LYON = "Kafka keeps events for nine days"


def test_an_entity_that_an_outside_memory_names_too_lifts_both(linked: Desk) -> None:
    """F-XREF-1, decision 5: another session or source."""
    assert linked.ask("kafka brokers").results[0].candidate.linked == ()
    answer = linked.ask("kafka brokers events", Elsewhere("notes", {"Kafka": LYON}, entities=("Kafka",)))
    assert result(answer, "own").candidate.linked == ("Kafka",)
    assert result(answer, "mcp:notes:Kafka").candidate.linked == ("Kafka",)


def test_its_own_echo_lifts_nothing(linked: Desk) -> None:
    """F-XREF-2: it is not elsewhere."""
    linked.outbox = Pushed({LYON: MemoryId("own")})
    answer = linked.ask("kafka brokers events", Elsewhere("notes", {"Kafka": LYON}, entities=("Kafka",)))
    assert result(answer, "own").candidate.linked == ()
    assert result(answer, "mcp:notes:Kafka").candidate.linked == ()


def test_another_entity_lifts_nothing(linked: Desk) -> None:
    answer = linked.ask("kafka brokers events", Elsewhere("notes", {"x": LYON}, entities=("Lyon",)))
    assert result(answer, "own").candidate.linked == ()


# ── outages ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_dead_outside_memory_is_named_and_the_rest_is_answered(known: Desk) -> None:
    """F-ERR-1, F-SRC-5."""
    gone = Elsewhere("notes", error=SourceUnavailable("notes: gone", "bring it back"))
    answer = known.ask(QUESTION, gone, Elsewhere("others", {"x": RETRIES}))
    assert ids(answer)
    assert answer.degraded
    assert [(each.source, each.reason, each.remedy) for each in answer.outages] == [
        ("notes", "notes: gone", "bring it back")
    ]
    assert "notes" not in answer.mix


def test_a_slow_one_costs_its_own_deadline_and_no_more(known: Desk, gate: threading.Event) -> None:
    """Per-source deadlines: the search's own is a minute here."""
    slow = Elsewhere("notes", {"x": RETRIES}, deadline=0.05, gate=gate)
    answer = known.ask(QUESTION, slow)
    assert ids(answer) == ["own"]
    assert [each.source for each in answer.outages] == ["notes"]
    assert "sources.json" in answer.outages[0].remedy


def test_a_bug_in_a_source_is_no_outage(known: Desk) -> None:
    """Decision 13."""
    with pytest.raises(ValueError, match="a bug"):
        known.ask(QUESTION, Elsewhere("notes", error=ValueError("a bug")))


def test_our_own_graph_stays_required(known: Desk, gate: threading.Event) -> None:
    """F-ERR-2: outside memories do not stand in for it."""
    known.tuning = replace(known.tuning, deadline=0.05)

    class Stuck(GraphSource):
        def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
            assert gate.wait(AGES)
            return super().find(query, limit, deadline)

    stuck = Stuck(known.store, known.store, traverse.walk)
    search = Search([stuck], known.store, known.store, known.lexicon, Workers(), known.tuning,
                    [Elsewhere("notes", {"x": RETRIES})])  # fmt: skip
    with pytest.raises(SourceError, match="graph"):
        search(QUESTION, HERE, NOW)


# ── vectors made on the way ──────────────────────────────────────────────────────────────────────────────────────


class Counting(HashedEmbedder):
    """Counts what it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        return super().embed(texts)


def notes_of(*texts: str) -> list[Memory]:
    source = Elsewhere("notes", {str(place): text for place, text in enumerate(texts)})
    return [source.memory(record) for record in source.texts]


@pytest.mark.parametrize(("room", "done"), [(2, 2), (3, 3), (4, 3)])
def test_a_question_has_so_many_windows_embedded_and_no_more(room: int, done: int) -> None:
    embedder = Counting()
    found = OutsideVectors(embedder, fresh=room).cosines(
        HashedEmbedder().embed_query("amber"), notes_of("amber", "birch", "oak")
    )
    assert len(found) == len(embedder.embedded) == done


def test_vectors_are_kept_for_the_next_question_those_used_last() -> None:
    embedder = Counting()
    vectors, asked = OutsideVectors(embedder, kept=2), HashedEmbedder().embed_query("amber")
    amber, birch, oak = notes_of("amber", "birch", "oak")
    vectors.cosines(asked, [amber, birch])
    vectors.cosines(asked, [amber])
    vectors.cosines(asked, [oak])
    assert embedder.embedded == ["amber", "birch", "oak"]
    vectors.cosines(asked, [amber])
    assert embedder.embedded == ["amber", "birch", "oak"]
    vectors.cosines(asked, [birch])
    assert embedder.embedded == ["amber", "birch", "oak", "birch"]


def test_the_best_window_counts() -> None:
    embedder = HashedEmbedder()
    asked = embedder.embed_query("amber birch")
    (one,) = notes_of("amber birch")
    assert OutsideVectors(embedder).cosines(asked, [one])[one.id] == pytest.approx(1.0, abs=1e-5)
    assert OutsideVectors(embedder).cosines(asked, []) == {}
