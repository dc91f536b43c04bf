"""In the place of the official memory server: its file, once (F-MCP-14)."""

from __future__ import annotations

import json
from pathlib import Path

from tests.mcp.strict import check
from tests.mcp.talking import Client, connected

ENTITY = {"type": "entity", "name": "build", "entityType": "topic", "observations": ["uses pnpm"], "custom_id": 7}
RELATION = {"type": "relation", "from": "build", "to": "ci", "relationType": "runs_in", "weight": 3}


def written(path: Path, *lines: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines), encoding="utf-8")
    return path


def names(client: Client) -> list[str]:
    return [each["name"] for each in client.data("read_graph")["entities"]]


def test_its_file_is_there_before_the_first_answer_without_its_extra_keys(home: Path, tmp_path: Path) -> None:
    """F-MCP-14, C-076: strict validation passes though the file has keys of its own."""
    file = written(tmp_path / "official.jsonl", ENTITY, RELATION)
    with connected(home, MEMORY_FILE_PATH=str(file)) as client:
        result = client.call("search_nodes", {"query": "pnpm"})
    check("search_nodes", result.structured_content)
    assert result.structured_content == {
        "entities": [{"name": "build", "entityType": "topic", "observations": ["uses pnpm"]}],
        "relations": [{"from": "build", "to": "ci", "relationType": "runs_in"}],
    }
    assert len(result.content) == 1
    assert json.loads(file.read_text().splitlines()[0]) == ENTITY, "the file itself is not touched"


def test_a_relative_path_is_one_in_the_data_folder(home: Path) -> None:
    """F-MCP-14."""
    written(home / "memory.jsonl", ENTITY)
    with connected(home, MEMORY_FILE_PATH="memory.jsonl") as client:
        assert names(client) == ["build"]


def test_it_is_taken_in_once(home: Path, tmp_path: Path) -> None:
    """F-MCP-14: what is deleted afterwards stays deleted; a changed file is a new one."""
    file = written(tmp_path / "official.jsonl", ENTITY)
    with connected(home, MEMORY_FILE_PATH=str(file)) as client:
        client.data("delete_entities", {"entityNames": ["build"]})
    with connected(home, MEMORY_FILE_PATH=str(file)) as client:
        assert names(client) == []
    written(file, ENTITY, {**ENTITY, "name": "deploy"})
    with connected(home, MEMORY_FILE_PATH=str(file)) as client:
        assert "deploy" in names(client)


def test_broken_lines_are_told_once_and_the_rest_is_taken(home: Path, tmp_path: Path) -> None:
    """F-MCP-15, C-042: one line of damage."""
    file = written(tmp_path / "official.jsonl", ENTITY, '{"type":"entity","na', {**ENTITY, "name": "deploy"})
    with connected(home, MEMORY_FILE_PATH=str(file)) as client:
        first = client.call("read_graph")
        (note,) = [part.text for part in first.content[1:]]
        assert "cannot be read: 2" in note
        assert len(first.structured_content["entities"]) == 2
        assert client.notes("read_graph") == []
    assert "cannot be read: 2" in (home / "mcp.log").read_text(encoding="utf-8")


def test_no_file_yet_is_nothing_to_say(home: Path, tmp_path: Path) -> None:
    with connected(home, MEMORY_FILE_PATH=str(tmp_path / "none.jsonl")) as client:
        result = client.call("read_graph")
    assert (result.structured_content, len(result.content)) == ({"entities": [], "relations": []}, 1)


def test_a_file_that_cannot_be_read_is_told_and_the_memory_serves(home: Path, tmp_path: Path) -> None:
    with connected(home, MEMORY_FILE_PATH=str(tmp_path)) as client:
        result = client.call("read_graph")
    assert not result.is_error
    assert "MEMORY_FILE_PATH" in result.content[1].text
