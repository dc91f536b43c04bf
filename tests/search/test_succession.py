"""What replaced a thing later is found with it (decisions 9 and 18)."""

from __future__ import annotations

import pytest
from tests.search.builders import Shelf, candidate, question

from memory_fabric.model.memory import ProjectId
from memory_fabric.model.query import Scope
from memory_fabric.model.result import Candidate
from memory_fabric.search.succession import NEAR, succession
from memory_fabric.store.sqlite import SqliteStore

ASKED = question("which cache", scope=Scope(projects=(ProjectId("a"),)))


def follow(store: SqliteStore, *names: str, **relevances: float) -> dict[str, Candidate]:
    them = [candidate(memory, relevances.get(str(memory.id), 0.5)) for memory in store.get(list(names))]  # type: ignore[arg-type]
    return {str(each.memory.id): each for each in succession(them, ASKED, store, store)}


def fill(store: SqliteStore, *, said: float = 5.0, project: str = "a") -> None:
    """Redis 30 days ago; so many days ago Valkey replaced it."""
    shelf = Shelf()
    shelf.say("old", "which cache?", "We use Redis.", mentions=("Redis",), days=30, session="s1")
    shelf.say("other", "which queue?", "Kafka.", mentions=("Kafka",), days=20, session="s2")
    new = shelf.say(
        "new", "next", "Valkey it is.", mentions=("Redis", "Valkey"), days=said, session="s3", project=project
    )
    shelf.fact("Valkey", "replaces", "Redis", evidence=new, days=said, project=project)
    shelf.save(store)


def test_the_replacement_joins_what_led_to_it(store: SqliteStore) -> None:
    fill(store)
    found = follow(store, "old", "other", old=0.8)
    assert list(found) == ["old", "other", "new"]
    assert found["new"].relevance == pytest.approx(0.8 * NEAR)
    assert [relation.label for relation in found["new"].relations] == ["replaces"]
    assert (found["old"].relevance, found["other"].relevance) == (0.8, 0.5)


@pytest.mark.parametrize(("own", "after"), [(0.1, 0.8 * NEAR), (0.79, 0.79), (0.9, 0.9)])
def test_what_was_found_anyway_is_only_lifted(store: SqliteStore, own: float, after: float) -> None:
    fill(store)
    assert follow(store, "old", "new", old=0.8, new=own)["new"].relevance == pytest.approx(after)


def test_only_what_came_later_replaces(store: SqliteStore) -> None:
    fill(store, said=40.0)
    assert list(follow(store, "old", "other")) == ["old", "other"]


def test_what_was_not_replaced_leads_nowhere(store: SqliteStore) -> None:
    fill(store)
    assert list(follow(store, "other")) == ["other"]
    assert follow(store) == {}


def test_other_projects_replace_nothing_here(store: SqliteStore) -> None:
    """C-148."""
    fill(store, project="b")
    assert list(follow(store, "old")) == ["old"]
