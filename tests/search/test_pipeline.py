"""From a question to an explained answer, end to end on a real store (design §2, §4)."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

import pytest
from tests.search.builders import NOW, Shelf, ago, memory

from memory_fabric.clock import Deadline
from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import SourceError, SourceUnavailable
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.memory import Memory, MemoryId, ProjectId
from memory_fabric.model.query import Mode, Query, Scope
from memory_fabric.model.result import Answer, Found, Hit
from memory_fabric.ports import Source
from memory_fabric.search import traverse
from memory_fabric.search.dispatch import Workers
from memory_fabric.search.pipeline import Search, Tuning
from memory_fabric.sources.graph import GraphSource
from memory_fabric.sources.recent import RecentSource
from memory_fabric.sources.text import TextSource
from memory_fabric.sources.time import TimeSource
from memory_fabric.sources.vector import VectorSource
from memory_fabric.store.sqlite import SqliteStore

HERE = Scope(projects=(ProjectId("a"),))
PLAIN = (
    "how should the settings page remember which tab was open",
    "the build server ran out of disk again, clean it up",
    "please rename the button on the invoice form",
    "add a dark theme for the reports",
    "why does the import of customers stop half way",
    "write a short text for the release",
)


class Desk:
    """A store, and how to ask it."""

    def __init__(self, store: SqliteStore, lexicon: Lexicon) -> None:
        self.store = store
        self.lexicon = lexicon
        self.embedder = HashedEmbedder()
        self.tuning = Tuning(deadline=60.0)

    def sources(self) -> list[Source]:
        return [
            TextSource(self.store, self.store, 0.2),
            GraphSource(self.store, self.store, traverse.walk),
            RecentSource(self.store),
            TimeSource(self.store),
            VectorSource(self.store, self.store, self.store, self.embedder),
        ]

    def fill(self, shelf: Shelf, *, plain: bool = True, embed: bool = True) -> None:
        """Save it, among everyday talk of its own session."""
        if plain:
            for place, text in enumerate(PLAIN):
                shelf.say(f"plain{place}", text, "done", session="everyday", days=5.0 + place)
        shelf.save(self.store)
        if embed:
            backfill(self.store, self.embedder)

    def ask(
        self,
        text: str,
        *,
        mode: Mode = Mode.AUTO,
        scope: Scope = HERE,
        limit: int = 10,
        sources: Sequence[Source] | None = None,
        around: datetime | None = None,
    ) -> Answer:
        chosen = self.sources() if sources is None else sources
        search = Search(chosen, self.store, self.store, self.lexicon, Workers(), self.tuning)
        return search(text, scope, NOW, mode=mode, limit=limit, around=around)


@pytest.fixture
def desk(store: SqliteStore, lexicon: Lexicon) -> Desk:
    return Desk(store, lexicon)


def ids(answer: Answer) -> list[str]:
    return [str(result.candidate.memory.id) for result in answer.results]


# ── acceptance ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.HYBRID, Mode.GRAPH])
def test_facts_two_hops_apart_come_in_one_answer(desk: Desk, mode: Mode) -> None:
    """F-TRAV-6: the acceptance of the seeds; both facts, with their relations."""
    shelf = Shelf()
    said = shelf.say(
        "said", "who knows about lists?", "The database-engineer recommends cursor-pagination for long lists.",
        mentions=("database-engineer", "cursor-pagination"), session="s1", days=20,
    )  # fmt: skip
    used = shelf.say(
        "used", "and the old screens?", "There we fall back to the offset-based approach where pages are numbered.",
        mentions=("cursor-pagination", "offset-based approach"), session="s2", days=10,
    )  # fmt: skip
    shelf.fact("database-engineer", "recommends", "cursor-pagination", evidence=said, days=20)
    shelf.fact("cursor-pagination", "uses", "offset-based approach", evidence=used, days=10)
    desk.fill(shelf)
    answer = desk.ask("What did database-engineer recommend about pagination?", mode=mode)
    shown = {
        (relation.subject, relation.label, relation.object)
        for result in answer.results
        for relation in result.candidate.relations
    }
    assert {"said", "used"} <= set(ids(answer))
    assert ("database engineer", "recommends", "cursor pagination") in shown
    assert ("cursor pagination", "uses", "offset based approach") in shown
    assert ids(answer)[0] == "said"
    assert answer.outages == ()


@pytest.mark.parametrize("embed", [True, False])
def test_an_exact_old_answer_beats_a_vague_new_one(desk: Desk, embed: bool) -> None:
    """C-135: exact match 400 days old, vague match of today; the old one first."""
    shelf = Shelf()
    shelf.say("old", "which retry policy does the payment gateway use?",
              "The payment gateway uses a retry policy of exponential backoff.", session="s1", days=400)  # fmt: skip
    shelf.say("new", "the policy page needs a headline", "I changed the headline.", session="s2", days=0)
    desk.fill(shelf, embed=embed)
    answer = desk.ask("retry policy of the payment gateway")
    assert ids(answer)[0] == "old"


def test_what_was_said_then_comes_first_when_the_question_names_the_time(desk: Desk) -> None:
    """C-139: asked in September about March."""
    shelf = Shelf()
    shelf.say("march", "where does the queue live?", "We decided to keep the queue in memory.", session="s1", days=180)
    shelf.say("today", "and the queue?", "We decided to move the queue to disk.", session="s2", days=0)
    desk.fill(shelf)
    assert ids(desk.ask("what did we decide about the queue in March 2026"))[:2] == ["march", "today"]
    assert ids(desk.ask("what did we decide about the queue"))[:2] == ["today", "march"]


def test_a_question_about_a_time_shows_what_happened_then(desk: Desk) -> None:
    """F-PARSE-8, F-ERR-4."""
    shelf = Shelf()
    shelf.say("then", "rename the column", "done", session="s1", days=1.2)
    shelf.say("now", "rename the table", "done", session="s1", days=0.1)
    desk.fill(shelf)
    assert ids(desk.ask("yesterday")) == ["then"]


def test_of_two_equal_answers_the_one_near_the_instant_comes_first(desk: Desk) -> None:
    """retrieval.md §9, point 6; without an instant the newer one does."""
    shelf = Shelf()
    shelf.say("then", "rename the columns of the ledger", "Two of them.", session="s1", days=30.1)
    shelf.say("later", "rename the columns of the ledger", "Six of them.", session="s2", days=2)
    desk.fill(shelf)
    assert ids(desk.ask("rename ledger columns"))[:2] == ["later", "then"]
    assert ids(desk.ask("rename ledger columns", around=ago(30)))[:2] == ["then", "later"]


def test_the_work_that_led_up_to_the_instant_comes_before_what_followed(desk: Desk) -> None:
    shelf = Shelf()
    shelf.say("before", "rename the columns of the ledger", "Two of them.", session="s1", days=30 + 1 / 24)
    shelf.say("after", "rename the columns of the ledger", "Six of them.", session="s2", days=30 - 1 / 24)
    desk.fill(shelf)
    assert ids(desk.ask("rename ledger columns", around=ago(30)))[:2] == ["before", "after"]


def test_what_was_said_then_is_found_without_a_word_of_the_question(desk: Desk) -> None:
    """It is near, not sure (F-ERR-11), and says how it was found."""
    shelf = Shelf()
    shelf.say("then", "tidy up the parser", "Done.", session="s1", days=30.01)
    desk.fill(shelf, embed=False)
    answer = desk.ask("zyzzyva quux", mode=Mode.TEXT, around=ago(30))
    assert ids(answer) == ["then"]
    assert not answer.sure
    assert set(answer.results[0].candidate.found_by) == {"text", "time"}
    assert desk.ask("zyzzyva quux", mode=Mode.TEXT).results == ()


@pytest.mark.parametrize("days", [3.0, 30.0, 300.0])
def test_a_wrong_instant_does_not_drown_an_exact_answer(desk: Desk, days: float) -> None:
    """A preference, never a filter: thirty memories lie nearer and say nothing about it."""
    shelf = Shelf()
    reply = "The payment gateway uses a retry policy of exponential backoff."
    shelf.say("exact", "which retry policy does the payment gateway use?", reply, session="s1", days=100 + days)
    for place in range(30):
        shelf.say(f"near{place:02}", "move the button", "moved", session=f"n{place}", days=100 + place / 24)
    desk.fill(shelf)
    answer = desk.ask("retry policy of the payment gateway", around=ago(100))
    assert "exact" in ids(answer)[:5]
    assert answer.sure


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("text", ["", "what was I working on?"])
def test_without_a_topic_the_nearest_are_shown_in_every_mode(desk: Desk, mode: Mode, text: str) -> None:
    """ "What was I doing around 3 March, 14:00?" (F-PARSE-7)."""
    shelf = Shelf()
    for days in (1, 29, 30.02, 30.5, 40):
        shelf.say(f"d{days}", f"step {days}", "done", days=days)
    desk.fill(shelf, plain=False)
    answer = desk.ask(text, mode=mode, around=ago(30), limit=2)
    assert ids(answer) == ["d30.02", "d30.5"]
    assert answer.mix == {"time": 1.0}


@pytest.mark.parametrize("mode", list(Mode))
def test_the_instant_counts_in_every_mode_and_only_where_it_is_given(desk: Desk, mode: Mode) -> None:
    desk.fill(Shelf())
    asked = "dark theme for the reports"
    assert "time" in desk.ask(asked, mode=mode, around=NOW).mix
    assert "time" not in desk.ask(asked, mode=mode).mix


@pytest.mark.parametrize("mode", list(Mode))
def test_an_empty_question_shows_what_is_recent_in_every_mode(desk: Desk, mode: Mode) -> None:
    """F-PARSE-7, F-ERR-4."""
    shelf = Shelf()
    shelf.say("b", "older", days=2)
    shelf.say("a", "newer", days=1)
    desk.fill(shelf, plain=False)
    answer = desk.ask("", mode=mode)
    assert ids(answer) == ["a", "b"]
    assert answer.counts == {"recent": 2}
    assert answer.mix == {"recent": 1.0}


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        (Mode.AUTO, {"text", "vector", "graph"}),
        (Mode.HYBRID, {"text", "vector", "graph"}),
        (Mode.VECTOR, {"vector"}),
        (Mode.GRAPH, {"graph"}),
        (Mode.TEXT, {"text"}),
    ],
)
def test_a_mode_asks_its_sources(desk: Desk, mode: Mode, names: set[str]) -> None:
    """F-ROUTE-1."""
    desk.fill(Shelf())
    answer = desk.ask("dark theme for the reports", mode=mode)
    assert set(answer.counts) == set(answer.mix) == names
    assert sum(answer.mix.values()) == pytest.approx(1.0)


def test_nothing_relevant_gives_nothing(desk: Desk) -> None:
    """F-ERR-11: no hits is an answer, not an error."""
    desk.fill(Shelf())
    answer = desk.ask("quantum chromodynamics lattice gauge")
    assert answer.results == ()
    assert not answer.degraded


@pytest.mark.parametrize(
    "text", ["TODO: fix", "src/main.py", '"open', "C++ (", "NOT", "*", "\ud800", "%", "'; DROP TABLE memories"]
)
def test_no_question_upsets_the_search(desk: Desk, text: str) -> None:
    """F-PARSE-10, C-051 to C-053."""
    desk.fill(Shelf())
    desk.ask(text)
    assert desk.store.count() == len(PLAIN)


# ── scope ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def two_projects(desk: Desk) -> Desk:
    shelf = Shelf()
    for name in ("a", "b"):
        it = shelf.say(f"of-{name}", "which cache do we use", f"We use Redis for the {name}secret cache.",
                       mentions=("Redis",), session=f"s-{name}", project=name)  # fmt: skip
        shelf.fact("Redis", "uses", f"{name}secret", evidence=it, project=name)
    desk.fill(shelf, plain=False)
    return desk


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("text", ["which cache do we use: Redis?", ""])
def test_the_other_projects_word_is_never_shown(two_projects: Desk, mode: Mode, text: str) -> None:
    """C-148, in every mode."""
    answer = two_projects.ask(text, mode=mode)
    assert ids(answer) == ["of-a"]
    assert "bsecret" not in repr(answer.results)


def test_the_question_may_ask_all_projects(two_projects: Desk) -> None:
    """F-PARSE-9."""
    assert set(ids(two_projects.ask("which cache do we use: Redis? @global"))) == {"of-a", "of-b"}


def test_no_project_finds_nothing(two_projects: Desk) -> None:
    assert ids(two_projects.ask("Redis cache", scope=Scope(projects=()))) == []


# ── counts ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Told:
    """A source that answers what it was told."""

    required = False

    def __init__(self, name: str, *memories: Memory, error: Exception | None = None) -> None:
        self.name = name
        self.memories = memories
        self.error = error
        self.limit = 0

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:  # noqa: ARG002
        if self.error is not None:
            raise self.error
        self.limit = limit
        return Found(self.name, tuple(Hit(each, 1.0) for each in self.memories[:limit]))

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:  # noqa: ARG002
        return {}


def test_the_arithmetic_of_the_seeds_example(desk: Desk) -> None:
    """F-RES-3: 5 and 4 hits, one merged: 8."""
    names = "amber birch cedar dahlia elder fennel ginger hazel".split()
    text = [memory(f"t{place}", names[place]) for place in range(5)]
    graph = [memory(f"g{place}", names[place + 4], session="s2") for place in range(4)]
    answer = desk.ask("anything", sources=[Told("text", *text), Told("graph", *graph)], limit=20)
    assert answer.counts == {"text": 5, "graph": 4}
    assert answer.merged == 1
    assert answer.total == 8 == len(answer.results)
    (merged,) = [result for result in answer.results if result.candidate.absorbed]
    assert merged.candidate.cross_validated


@pytest.mark.parametrize(("there", "handed"), [(19, 19), (20, 20), (21, 20)])
def test_a_source_hands_in_at_most_twenty(desk: Desk, there: int, handed: int) -> None:
    """F-SRC-6."""
    shelf = Shelf()
    for place in range(there):
        shelf.say(f"m{place}", "the ledger", f"balance {'x' * place}", session=f"s{place}")
    desk.fill(shelf, plain=False)
    for mode, name in ((Mode.TEXT, "text"), (Mode.VECTOR, "vector")):
        assert desk.ask("ledger balance", mode=mode).counts == {name: handed}
    assert desk.ask("").counts == {"recent": handed}


@pytest.mark.parametrize(("per_source", "limit", "asked"), [(20, 10, 20), (20, 20, 20), (20, 21, 21), (5, 3, 5)])
def test_sources_are_asked_for_what_is_to_be_shown(desk: Desk, per_source: int, limit: int, asked: int) -> None:
    """F-SRC-6: ``MEMORY_FABRIC_MAX_RESULTS``; asking for more is the user's word."""
    desk.tuning = replace(desk.tuning, per_source=per_source)
    told = Told("text", memory("m"))
    desk.ask("anything", sources=[told], limit=limit)
    assert told.limit == asked


def test_no_more_results_than_asked_for(desk: Desk) -> None:
    them = [memory(f"m{place}", word) for place, word in enumerate("amber birch cedar dahlia".split())]
    assert ids(desk.ask("anything", sources=[Told("text", *them)], limit=2)) == ["m0", "m1"]
    assert ids(desk.ask("anything", sources=[Told("text", *them)], limit=0)) == []


# ── outages ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_without_vectors_text_and_graph_answer_and_say_so(desk: Desk) -> None:
    """F-VEC-5, F-SRC-5, C-066."""
    desk.fill(Shelf(), embed=False)
    answer = desk.ask("dark theme for the reports")
    assert ids(answer)[0] == "plain3"
    assert answer.degraded
    (outage,) = answer.outages
    assert outage.source == "vector"
    assert "ingest" in outage.remedy


def test_vectors_of_another_model_are_ignored_and_text_works(desk: Desk) -> None:
    """C-066: open with one model, reopen with another."""
    desk.fill(Shelf())
    desk.embedder = HashedEmbedder(384)
    answer = desk.ask("dark theme for the reports")
    assert ids(answer)[0] == "plain3"
    assert [outage.source for outage in answer.outages] == ["vector"]
    assert set(answer.results[0].candidate.found_by) == {"text"}


def test_a_failing_optional_source_degrades_the_answer(desk: Desk) -> None:
    """F-ERR-1, F-SRC-2."""
    desk.fill(Shelf())
    gone = Told("vector", error=SourceUnavailable("vector: gone", "bring it back"))
    answer = desk.ask("dark theme for the reports", sources=[*desk.sources()[:2], gone])
    assert ids(answer)[0] == "plain3"
    assert answer.degraded
    assert answer.outages[0].reason == "vector: gone"


def test_a_failing_graph_fails_the_search(desk: Desk) -> None:
    """F-ERR-2: the graph is required."""
    broken = Told("graph", error=SourceUnavailable("graph: gone"))
    broken.required = True
    with pytest.raises(SourceError, match="graph"):
        desk.ask("anything", sources=[Told("text", memory("m")), broken])


def test_a_bug_is_no_outage(desk: Desk) -> None:
    """Decision 13."""
    with pytest.raises(ValueError, match="a bug"):
        desk.ask("anything", sources=[Told("text", error=ValueError("a bug"))])


class Hanging(Told):
    """Never answers while the test runs."""

    def __init__(self, name: str, gate: threading.Event) -> None:
        super().__init__(name)
        self.gate = gate

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        self.gate.wait(60.0)
        return super().find(query, limit, deadline)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_a_source_that_hangs_does_not_hold_the_answer(desk: Desk, gate: threading.Event) -> None:
    """F-SRC-5."""
    desk.tuning = replace(desk.tuning, deadline=0.3)
    answer = desk.ask("anything", sources=[Told("text", memory("m")), Hanging("vector", gate)])
    assert ids(answer) == ["m"]
    assert [outage.source for outage in answer.outages] == ["vector"]


# ── explanation ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_score_is_computed_from_its_reasons(desk: Desk) -> None:
    """F-RANK-5, promise 4: in (0, 1], best first, ties by id."""
    desk.fill(Shelf())
    answer = desk.ask("the reports of customers and the settings page")
    keys = [(-result.score, result.candidate.memory.id) for result in answer.results]
    assert keys == sorted(keys)
    for result in answer.results:
        product = 1.0
        for factor in result.factors:
            assert 0 < factor.value <= 1
            product *= factor.value**factor.weight
        assert result.score == pytest.approx(product)


def test_asking_twice_gives_the_same_answer(desk: Desk) -> None:
    desk.fill(Shelf())
    first, second = (replace(desk.ask("reports of customers"), seconds={}) for _ in range(2))
    assert first == second
