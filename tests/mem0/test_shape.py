"""What mem0 gives, as memories of ours: scope ids, scores, times, relations."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.mem0.conftest import names

from memory_fabric.errors import SourceUnavailable
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.memory import MemoryKind, ProjectId
from memory_fabric.model.memory_graph import MemoryRelation
from memory_fabric.model.query import Scope, Window
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.sources.mem0.shape import (
    LONGEST_USER,
    ScoreScale,
    Users,
    as_graph,
    items_of,
    memory_of,
    record_of,
    relations_of,
    slug,
    touches,
    user_id,
    visible,
)

SHOP, BLOG = (ProjectId("p1"), "My Shop"), (ProjectId("p2"), "blog")
AWS = "AKIAZ7QK3WJ5XR2MVT4P"


def made(**fields: Any) -> Any:
    item = {"id": "m1", "memory": "We page with cursors", "created_at": "2026-01-15T10:00:00Z", **fields}
    found = memory_of("work", item, redact_value, names)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "label"),
    [("My Shop", "my-shop"), ("a__b..c", "a-b-c"), ("-x-", "x"), ("ÄÖ", "default-project"), ("", "default-project")],
)
def test_a_project_has_a_label(name: str, label: str) -> None:
    """F-SRC-9."""
    assert slug(name) == label
    assert slug(name, "ACME Inc.") == f"acme-inc-{label}"


def test_the_user_ids_of_a_project_and_everybodys() -> None:
    """F-SRC-7, F-SRC-8: the first is the seeds' ``{project}-decisions``."""
    assert Users().of([SHOP]) == {
        **dict.fromkeys(
            [f"my-shop-{kind}" for kind in ("decisions", "patterns", "continuity", "agents", "best-practices")], ("p1",)
        ),
        "orchestkit-global-best-practices": (),
        "orchestkit-global-decisions": (),
    }
    assert next(iter(Users().of([SHOP]))) == "my-shop-decisions"
    assert "acme-global-decisions" in Users(prefix="acme").of([])


def test_an_entry_may_name_its_own_user_ids() -> None:
    users = Users.configured("{project}-decisions, Alice@Example.org")
    assert list(users.of([SHOP, BLOG])) == ["my-shop-decisions", "blog-decisions", "Alice@Example.org"]
    assert users.for_writing("My Shop") == "my-shop-decisions"
    assert users.for_writing(None) == "Alice@Example.org"
    assert Users.configured(None) == Users.configured(" , ") == Users()
    assert (Users().for_writing("My Shop"), Users().for_writing(None)) == (
        "my-shop-decisions",
        "orchestkit-global-decisions",
    )


@given(st.text())
def test_what_is_put_together_is_always_a_user_id(name: str) -> None:
    """F-SRC-8: at most 200 characters of ``[a-z0-9_-]``."""
    for made_of in (user_id(name), *Users(("{project}-decisions",)).of([(ProjectId("p"), name)])):
        assert len(made_of) <= LONGEST_USER
        assert set(made_of) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-")


@pytest.mark.parametrize(("length", "kept"), [(199, 199), (200, 200), (201, 200)])
def test_a_user_id_has_at_most_200_characters(length: int, kept: int) -> None:
    assert len(user_id("a" * length)) == kept


@pytest.mark.parametrize(
    ("scores", "scaled"),
    [
        ([0.5, 1.0], [0.5, 1.0]),
        ([87, 1], [0.87, 0.01]),
        ([100.0], [1.0]),
        ([None, "x", -1], [0.0, 0.0, 0.0]),
        ([1.0000002, 0.5], [1.0, 0.5]),
        ([1.5, 0.5], [1.0, 0.5]),
        ([1.51, 0.5], [0.0151, 0.005]),
        ([float("inf"), float("nan"), True, 0.5], [0.0, 0.0, 0.0, 0.5]),
    ],
)
def test_the_scale_of_scores_is_seen(scores: list[Any], scaled: list[float]) -> None:
    """F-NORM-4: the seeds always divided by 100."""
    assert ScoreScale().scaled([{"score": score} for score in scores]) == pytest.approx(scaled)


def test_a_server_keeps_its_scale() -> None:
    """F-NORM-5: what a score means does not depend on the other hits."""
    scale = ScoreScale()
    scale.scaled([{"score": 64}])
    assert scale.scaled([{"score": 0.9}]) == pytest.approx([0.009])


def test_a_hit_is_a_note_of_that_source() -> None:
    """F-NORM-1, F-NORM-2, F-NORM-4."""
    found = made(memory="PostgreSQL over MongoDB", user_id="my-shop-decisions", metadata={"category": "database"})
    assert found.id == "mem0:work:m1"
    assert (found.kind, found.at) == (MemoryKind.NOTE, datetime(2026, 1, 15, 10, tzinfo=UTC))
    assert (found.origin.outside, found.origin.record) == ("work", "m1")
    assert found.entities == ("PostgreSQL", "MongoDB")
    assert found.metadata == {"user_id": "my-shop-decisions", "category": "database"}


def test_stored_at_dates_what_has_no_creation_time() -> None:
    """F-NORM-4."""
    assert made(created_at=None, metadata={"stored_at": "2026-02-01T00:00:00+02:00"}).at == datetime(
        2026, 1, 31, 22, tzinfo=UTC
    )
    assert made(created_at="soon").at is None
    assert made(created_at="2026-01-15T10:00:00Z", metadata={"stored_at": "2020-01-01"}).at.year == 2026


def test_a_secret_that_mem0_holds_does_not_come_out() -> None:
    """F-MEM0-4, C-112 (mem0#6817): neither in the text nor beside it."""
    found = made(memory=f"the key is {AWS}", metadata={"note": f"also {AWS}"})
    assert AWS not in repr(found)
    assert "[redacted:" in found.text


@pytest.mark.parametrize("item", [{"id": "m1"}, {"memory": "text"}, {"id": "m1", "memory": "  "}, {}])
def test_what_has_no_id_or_no_text_is_no_memory(item: dict[str, Any]) -> None:
    assert memory_of("work", item, redact_value, names) is None


@pytest.mark.parametrize("answer", [[{"id": "1"}], {"results": [{"id": "1"}]}, {"memories": [{"id": "1"}]}])
def test_answers_of_all_versions_are_read(answer: Any) -> None:
    assert items_of(answer) == [{"id": "1"}]


@pytest.mark.parametrize("answer", [None, {}, {"results": None}, ["x"], "x", 1])
def test_another_shape_is_refused(answer: Any) -> None:
    with pytest.raises(SourceUnavailable):
        items_of(answer)


def test_relations_of_both_shapes_are_read() -> None:
    """F-MEM0-2."""
    rows = [
        {"type": "recommends", "source_id": "a", "target_id": "b", "strength": 0.9, "description": "d"},
        {"relationship": "uses", "source": "shop", "target": "redis", "score": 87, "source_type": "project"},
        {"relation": "x", "source": "a", "destination": "b"},
        {"source": "no label", "target": "b"}, "nonsense",
    ]  # fmt: skip
    assert relations_of({"results": [], "relations": rows}) == (
        MemoryRelation("recommends", "a", "b", 0.9, "d"),
        MemoryRelation("uses", "shop", "redis", 1.0),
        MemoryRelation("x", "a", "b"),
    )
    assert relations_of({"results": [], "relations": []}) == ()
    assert relations_of({"results": []}) is None
    assert relations_of([]) is None


def test_a_relation_touches_the_memory_that_it_names() -> None:
    found = made(memory="The database-engineer recommends Cursor pagination.")
    for end in ("m1", "mem0:work:m1", "cursor pagination", "cursor_pagination", "Database Engineer"):
        assert touches(found, end), end
    for end in ("m2", "curs", "pagination cursor", "", "offset"):
        assert not touches(found, end), end


def test_a_relation_becomes_one_of_the_graph() -> None:
    """F-VOC-5: canonical direction, the label as given."""
    found = as_graph(MemoryRelation("used_for", "pgvector", "RAG Search"), made())
    assert (found.subject, found.predicate, found.object, found.label) == (
        "rag search", Predicate.USES, "pgvector", "used_for",
    )  # fmt: skip
    assert found.evidence == "mem0:work:m1"
    assert as_graph(MemoryRelation("likes", "a", "b"), made()).predicate is None


def test_what_is_marked_as_another_projects_is_not_seen() -> None:
    """C-147, C-148: two projects of one name share a user id."""
    mine, other, plain = (
        made(metadata={"project_id": "p1"}), made(metadata={"project_id": "p2"}), made(),
    )  # fmt: skip
    scope = Scope(projects=(ProjectId("p1"),))
    assert [visible(each, scope) for each in (mine, other, plain)] == [True, False, True]
    assert all(visible(each, Scope()) for each in (mine, other, plain))
    assert not visible(plain, Scope(projects=()))


def test_times_are_hard_limits() -> None:
    window = Window(since=datetime(2026, 1, 15, 10, tzinfo=UTC), before=datetime(2026, 1, 16, tzinfo=UTC))
    at = {"2026-01-15T09:59:59Z": False, "2026-01-15T10:00:00Z": True, "2026-01-16T00:00:00Z": False, None: False}
    for when, seen in at.items():
        assert visible(made(created_at=when), Scope(window=window)) is seen, when


@pytest.mark.parametrize("name", ["mem0:work:abc", "mem0:abc", "abc", " abc "])
def test_an_id_is_known_in_every_spelling(name: str) -> None:
    assert record_of(name) == "abc"
