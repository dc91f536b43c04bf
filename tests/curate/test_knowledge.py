"""The nine operations with secrets taken out on the way in and on the way out (F-PRIV-1)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_fabric import Fabric, Settings
from memory_fabric.errors import UsageError
from memory_fabric.model.nodes import Link, Node, Observations

KEY = "sk-ant-api03-" + "A" * 40
SAFE = "[redacted:anthropic-key]"
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def fabric(tmp_path: Path) -> Iterator[Fabric]:
    with Fabric.open(Settings(home=tmp_path, embedder="none")) as opened:
        yield opened


def test_no_secret_is_stored_by_any_write(fabric: Fabric) -> None:
    """C-110: nodes, links and observations are a write path like any other."""
    fabric.knowledge.create_nodes([Node(f"api {KEY}", "service", (f"its key is {KEY}",)), Node("ci", "service")])
    fabric.knowledge.add_observations([Observations("ci", (f"uses {KEY}",))])
    fabric.knowledge.create_links([Link("ci", f"holds {KEY}", f"api {KEY}")])
    assert SAFE in fabric.knowledge.list_nodes()[0].name
    fabric.close()
    for file in Path(fabric.settings.home).iterdir():
        assert b"AAAAAAAA" not in file.read_bytes(), file.name


def test_no_secret_that_was_stored_before_is_shown(fabric: Fabric) -> None:
    """C-112."""
    fabric.store.create_nodes([Node("api", "service", (f"its key is {KEY}",))], NOW)
    shown = [
        fabric.knowledge.list_nodes()[0],
        fabric.knowledge.open_nodes(["api"]).nodes[0],
        fabric.knowledge.search_nodes("api").nodes[0],
    ]
    assert {node.observations for node in shown} == {(f"its key is {SAFE}",)}


def test_a_secret_may_be_deleted_by_what_was_shown_of_it(fabric: Fabric) -> None:
    fabric.knowledge.create_nodes([Node("api", "service", (f"its key is {KEY}",))])
    assert fabric.knowledge.delete_observations([Observations("api", (f"its key is {SAFE}",))]) == 1


@pytest.mark.parametrize("query", ["", "*", "  "])
def test_a_star_and_nothing_list_everything(fabric: Fabric, query: str) -> None:
    """F-MCP-11."""
    fabric.knowledge.create_nodes([Node("a", "x"), Node("b", "x")])
    fabric.knowledge.create_links([Link("a", "needs", "b")])
    found = fabric.knowledge.search_nodes(query)
    assert ([node.name for node in found.nodes], found.links) == (["a", "b"], (Link("a", "needs", "b"),))


@pytest.mark.parametrize("query", ["!!!", '"open', "a|b", "NEAR(", "x' OR 1=1 --", "\ud83d", "\0"])
def test_a_search_never_fails_on_any_text(fabric: Fabric, query: str) -> None:
    """C-051 to C-053, C-064, C-115."""
    fabric.knowledge.create_nodes([Node("walrus", "animal")])
    assert fabric.knowledge.search_nodes(query).nodes == ()


def test_half_an_emoji_is_repaired(fabric: Fabric) -> None:
    """C-006."""
    fabric.knowledge.create_nodes([Node("ship \ud83d", "x", ("\ud83d",))])
    assert fabric.knowledge.list_nodes()[0].observations == ("\ufffd",)


def test_an_unknown_entity_is_named(fabric: Fabric) -> None:
    with pytest.raises(UsageError, match="nobody"):
        fabric.knowledge.add_observations([Observations("nobody", ("x",))])
