"""From a page to the pages about what it names (decision 18, retrieval.md §3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_fabric import Fabric, Settings
from memory_fabric.model.query import Mode, Scope
from memory_fabric.model.record import Conversation, Document, Said
from memory_fabric.model.result import Candidate
from memory_fabric.search.bridge import BELOW_BEST, LENT, NAMED, SECOND, bridge

FILM = Document("film", "A film of 1931, directed by Rosa Quint and shown at the harbour.", "Lanterns")
DIRECTOR = Document("director", "She made nine pictures. Her mother came from Tallow Bay.", "Rosa Quint")
TOWN = Document("town", "A town with a lighthouse and two thousand people.", "Tallow Bay")
OTHERS = tuple(
    Document(f"x{number}", f"A {thing} that was made in {1900 + number}.", f"The {thing} of {number}")
    for number, thing in enumerate(("boat", "song", "bridge", "mill", "clock", "play", "road", "garden"))
)
QUESTION = "Where did the director of Lanterns come from?"


@pytest.fixture
def fabric(tmp_path: Path) -> Iterator[Fabric]:
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none")) as opened:
        opened.add([FILM, DIRECTOR, TOWN, *OTHERS])
        yield opened


def found(fabric: Fabric, question: str, mode: Mode = Mode.AUTO, scope: Scope = Scope()) -> list[str | None]:
    return [each.candidate.memory.origin.record for each in fabric.search(question, scope, mode=mode).results]


def bridged(
    fabric: Fabric, question: str, *, relevance: float = 0.5, pages: tuple[str, ...] = ("film",)
) -> dict[str, float]:
    """Record → relevance after the bridge, from some pages alone."""
    memories = {memory.origin.record: memory for memory in fabric.store.recent(Scope(), 99)}
    given = [Candidate(memories[page], relevance, {"text": relevance}) for page in pages]
    lifted = bridge(given, fabric.parsed(question), fabric.store, fabric.store)
    return {str(each.memory.origin.record): each.relevance for each in lifted}


def test_a_page_two_steps_away_belongs_into_the_answer(fabric: Fabric) -> None:
    assert set(found(fabric, QUESTION)[:2]) == {"film", "director"}
    assert "town" in found(fabric, QUESTION)
    assert "director" not in found(fabric, QUESTION, Mode.TEXT)[:1]


def test_what_is_lent_by_hand(fabric: Fabric) -> None:
    """The name stands beside "directed", a word of the question by its first five letters: half again."""
    after = bridged(fabric, "which director was it?")
    assert after["film"] == 0.5
    assert after["director"] == pytest.approx(LENT * 0.5 * 1.5)
    assert after["town"] == pytest.approx(LENT * SECOND * after["director"])


def test_without_such_a_word_it_is_the_plain_share(fabric: Fabric) -> None:
    assert bridged(fabric, "who was it?")["director"] == pytest.approx(LENT * 0.5)


def test_the_page_about_what_is_asked_is_lifted(fabric: Fabric) -> None:
    after = bridged(fabric, "who made Tallow Bay's lighthouse?", relevance=0.1)
    assert after["town"] >= NAMED


def test_lending_carries_no_page_past_the_best_one(fabric: Fabric) -> None:
    """Two words beside the name, and an own share: 0.5 + 0.6 · 0.5 · 2 would be 1.1 (decision 18: order stays)."""
    after = bridged(fabric, "which film was shown, which one directed by whom?", pages=("film", "director"))
    assert after["director"] == pytest.approx(0.5)
    after = bridged(fabric, "when was it shown, and directed by whom?")
    assert after["director"] == pytest.approx(BELOW_BEST * 0.5)
    assert LENT * (1 + 0.5 * 2) > BELOW_BEST


def test_the_page_that_answers_stays_first(fabric: Fabric) -> None:
    """Words of the question stand beside the name in it, and the page about that name answers nothing."""
    assert found(fabric, "Which film was directed in 1931 and shown at the harbour?")[0] == "film"


def test_nothing_falls_and_nothing_exceeds_one(fabric: Fabric) -> None:
    for relevance in (0.0, 0.3, 1.0):
        after = bridged(fabric, "the director of Lanterns", relevance=relevance, pages=("film", "director", "x1"))
        assert after["film"] >= relevance
        assert after["x1"] == relevance
        assert max(after.values()) <= 1.0


def test_a_name_that_several_pages_have_lends_each_less(fabric: Fabric) -> None:
    fabric.add([Document("singer", "A singer.", "Rosa Quint (singer)")])
    after = bridged(fabric, "who was it?")
    assert after["director"] == after["singer"] == pytest.approx(LENT * 0.5 / 2**0.5)


def test_the_longest_name_counts(fabric: Fabric) -> None:
    fabric.add([Document("rosa", "A given name.", "Rosa"), Document("trip", "They sailed with Rosa Quint.", "A trip")])
    assert "rosa" not in bridged(fabric, "who was it?", pages=("trip",))


def test_a_page_out_of_scope_is_not_brought_in(tmp_path: Path) -> None:
    """C-148: another project's page stays there."""
    for name in ("shop", "other"):
        (tmp_path / name / ".git").mkdir(parents=True)
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none")) as fabric:
        fabric.add([FILM, *OTHERS], project=str(tmp_path / "shop"))
        fabric.add([DIRECTOR], project=str(tmp_path / "other"))
        here = next(project.id for project in fabric.store.projects() if project.name == "shop")
        assert "director" in found(fabric, QUESTION)
        assert "director" not in found(fabric, QUESTION, scope=Scope(projects=(here,)))


def test_conversations_are_not_bridged(fabric: Fabric) -> None:
    """Where nothing is about an entity, links do harm (retrieval.md §0, point 6)."""
    fabric.add([Conversation("c", (Said("user", "Rosa Quint said so", "t1"),))])
    assert bridged(fabric, "who was it?", pages=("t1",)) == {"t1": 0.5}


@pytest.mark.parametrize("question", ["", "?", "'s", "\ud83d", "A" * 5000, "of the Of The 's"])
def test_no_question_breaks_it(fabric: Fabric, question: str) -> None:
    assert bridged(fabric, question)["film"] >= 0.5
