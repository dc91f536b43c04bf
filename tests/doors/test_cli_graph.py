"""``related``, ``paths``, ``load`` and ``history`` from end to end, on the packaged sample."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.doors.conftest import Call

ENGINEER = "database-engineer"


def test_what_an_agent_recommended_is_found_in_two_steps(call: Call, remembering: Path) -> None:
    """F-TRAV-6: the seeds' acceptance, by the graph alone."""
    ended = call("related", ENGINEER, "--all")
    assert ended.code == 0
    assert f"{ENGINEER} —recommends→ cursor-pagination" in ended.out
    assert "cursor-pagination —chose_over→ offset-pagination" in ended.out
    assert "1 step away" in ended.out
    assert ".jsonl:" in ended.out


def test_one_step_shows_less_than_two(call: Call, remembering: Path) -> None:
    near = call("related", ENGINEER, "--all", "--depth", "1", "--json").data
    far = call("related", ENGINEER, "--all", "--depth", "2", "--json").data
    assert {each["hops"] for each in near["related"]} == {1}
    assert {each["hops"] for each in far["related"]} == {1, 2}


def test_relations_can_be_chosen_by_label(call: Call, remembering: Path) -> None:
    """F-TRAV-1."""
    data = call("related", ENGINEER, "--all", "--relation", "recommends", "--json").data
    assert {each["predicate"] for each in data["connections"]} == {"recommends"}


def test_a_memory_may_be_asked_for_by_its_id(call: Call, remembering: Path) -> None:
    """F-TRAV-2."""
    found = call("search", f"What did {ENGINEER} recommend about pagination?", "--all", "--json").data["results"]
    ended = call("related", found[0]["id"], "--all", "--json")
    assert ended.code == 0
    assert ended.data["connections"]


def test_an_unknown_name_is_told_with_what_resembles_it(call: Call, remembering: Path) -> None:
    ended = call("related", "curser-pagination", "--all")
    assert ended.code == 2
    assert "nothing is known of 'curser-pagination'" in ended.err
    assert "cursor-pagination" in ended.err


def test_a_thing_without_relations_of_that_label_is_no_error(call: Call, remembering: Path) -> None:
    ended = call("related", ENGINEER, "--all", "--relation", "part_of")
    assert ended.code == 1
    assert "No relations of" in ended.err
    assert "error" not in ended.err


def test_a_way_between_two_things_is_shown_with_its_sources(call: Call, remembering: Path) -> None:
    """F-TRAV-3."""
    ended = call("paths", ENGINEER, "offset-pagination", "--all")
    assert ended.code == 0
    assert f" 1. {ENGINEER} · cursor-pagination · offset-pagination" in ended.out
    data = call("paths", ENGINEER, "offset-pagination", "--all", "--json").data
    assert data["path_count"] == len(data["paths"]) >= 1
    assert data["paths"][0]["depth"] == 2


def test_no_way_within_the_steps_is_no_error(call: Call, remembering: Path) -> None:
    ended = call("paths", ENGINEER, "offset-pagination", "--all", "--depth", "1")
    assert ended.code == 1
    assert "--depth 4" in ended.err


def test_several_things_of_one_name_are_all_shown(call: Call, tmp_path: Path) -> None:
    """F-ERR-12: each with the relations that tell them apart."""
    from memory_fabric import Fabric, Settings
    from memory_fabric.model.graph import Entity, EntityId, Relation, RelationOrigin
    from memory_fabric.model.vocabulary import Kind, Predicate
    from memory_fabric.ports import Batch

    first = Entity(EntityId("technology:mercury"), "Mercury", Kind.TECHNOLOGY)
    second = Entity(EntityId("project:p_9"), "Mercury", Kind.PROJECT)
    other = Entity(EntityId("technology:go"), "Go", Kind.TECHNOLOGY)
    uses = Relation(second.id, Predicate.USES, other.id, "uses", RelationOrigin.STATED)
    with Fabric.open(Settings(home=tmp_path / "memory", embedder="none")) as fabric:
        fabric.store.save(Batch(entities=(first, second, other), relations=(uses,)))
    ended = call("related", "mercury", "--all")
    assert "Mercury  technology" in ended.out
    assert "Mercury  project" in ended.out
    assert "Mercury —uses→ Go" in ended.out
    assert len(call("related", "mercury", "--all", "--json").data["seeds"]) == 2


def test_a_new_session_is_told_what_it_should_know(call: Call, remembering: Path) -> None:
    """F-CMD-9."""
    ended = call("load", "--project", "payments-api")
    assert ended.code == 0
    assert ended.out.startswith("## Decisions\n- 2026-")
    data = call("load", "--project", "payments-api", "--json").data
    assert data["text"] + "\n" == ended.out
    assert data["tokens"] <= 2000


def test_the_budget_is_kept_and_what_it_left_out_is_said(call: Call, remembering: Path) -> None:
    ended = call("load", "--all", "--budget", "100")
    assert len(ended.out) <= 4 * 100
    assert "did not fit into 100 tokens" in ended.err


def test_decisions_are_listed_newest_first_with_what_replaced_them(call: Call, remembering: Path) -> None:
    """F-CMD-11, decision 9."""
    ended = call("history", "--project", "payments-api")
    assert ended.code == 0
    days = [line[:10] for line in ended.out.splitlines() if line.startswith("2026-")]
    assert days == sorted(days, reverse=True)
    assert "→ superseded by PostgreSQL on 2026-07-02" in ended.out


def test_history_can_be_narrowed(call: Call, remembering: Path) -> None:
    every = call("history", "--all", "--json").data
    assert every["count"] == len(every["items"]) > 3
    some = call("history", "--all", "--category", "pagination", "--json").data["items"]
    assert some
    assert {each["category"] for each in some} == {"pagination"}
    late = call("history", "--all", "--since", "2026-08", "--json").data["items"]
    assert min(each["date"] for each in late) >= "2026-08"
    assert {each["kind"] for each in call("history", "--all", "--kind", "preference", "--json").data["items"]} == {
        "preference"
    }


def test_history_can_be_drawn(call: Call, remembering: Path) -> None:
    ended = call("history", "--all", "--mermaid")
    first, *events = ended.out.splitlines()
    assert first == "timeline"
    assert events == sorted(events, key=lambda line: line[:14])
    assert all(line.startswith("    2026-") and " : " in line for line in events)


@pytest.mark.parametrize("words", [["history", "--kind", "decision"], ["load"]])
def test_nothing_in_the_time_asked_about_is_no_error(call: Call, remembering: Path, words: list[str]) -> None:
    ended = call(*words, "--all", "--since", "2030")
    assert (ended.code, ended.out) == (1, "")
    assert "--all" in ended.err


def test_a_fact_that_was_replaced_is_shown_when_it_is_asked_for(call: Call, remembering: Path) -> None:
    """Decision 9: filtered at read time, never deleted."""
    asked = ["related", "payments-api", "--all", "--depth", "1", "--relation", "uses"]
    redis = "payments-api —uses→ Redis (until 2026-07-02)"
    assert redis not in call(*asked).out
    assert redis in call(*asked, "--superseded").out
    assert redis in call(*asked, "--as-of", "2026-06").out
    assert redis not in call(*asked, "--as-of", "2026-04").out
