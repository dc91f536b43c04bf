"""The Claude Code plugin: what Claude Code's published schemas ask of it, and that all it calls is there.

Facts: formats.md §2 (hooks); the plugin and marketplace references of Claude Code and their JSON schemas (manifest:
``name`` is required, ``author`` is an object with a ``name``; components lie at the plugin's root, the manifest alone
in ``.claude-plugin``; a marketplace has ``name``, ``owner.name`` and ``plugins`` with ``name`` and ``source``).
"""

from __future__ import annotations

import json
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.docs.conftest import Reader
from tests.docs.test_commands_page import complaint, complaints

from memory_fabric import __version__
from memory_fabric.doors.cli import program as whole_program
from memory_fabric.doors.hooks.event import EVENTS
from memory_fabric.doors.install.program import HOOKS, SERVER, Program
from memory_fabric.doors.install.survey import PLUGIN
from memory_fabric.doors.mcp.tool import ToolSet
from memory_fabric.doors.mcp.tools import tools_of

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "plugin"
SKILLS = sorted((FOLDER / "skills").iterdir())
KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

MANIFEST_KEYS = {"name", "version", "description", "author", "homepage", "repository", "license", "keywords"}
HANDLER_KEYS = {"type", "command", "args", "timeout", "statusMessage", "async"}
SKILL_KEYS = {
    "name",
    "description",
    "argument-hint",
    "allowed-tools",
    "disable-model-invocation",
    "user-invocable",
    "model",
}


def read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


def front_matter(skill: Path) -> tuple[dict[str, str], str]:
    """The keys of a skill and its body; every value is one line, so no YAML is needed to read it."""
    text = (skill / "SKILL.md").read_text(encoding="utf-8")
    match = re.fullmatch(r"---\n(.*?)\n---\n(.*)", text, re.DOTALL)
    assert match, f"{skill.name} has no front matter"
    lines = [line.partition(": ") for line in match[1].split("\n")]
    assert all(colon for _, colon, _ in lines)
    return {key: value for key, _, value in lines}, match[2]


@pytest.fixture(params=SKILLS, ids=lambda path: path.name)
def skill(request: pytest.FixtureRequest) -> Path:
    path = request.param
    assert isinstance(path, Path)
    return path


def test_the_manifest_has_what_is_required_and_nothing_unknown() -> None:
    manifest = read_json(FOLDER / ".claude-plugin" / "plugin.json")
    assert set(manifest) <= MANIFEST_KEYS
    assert manifest["name"] == PLUGIN
    assert KEBAB.fullmatch(manifest["name"])
    assert manifest["version"] == __version__
    assert manifest["author"]["name"]
    assert manifest["license"] == tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["license"]
    assert all(isinstance(word, str) for word in manifest["keywords"])


def test_components_lie_at_the_root_and_the_manifest_alone_in_its_folder() -> None:
    assert [path.name for path in (FOLDER / ".claude-plugin").iterdir()] == ["plugin.json"]
    assert {path.name for path in FOLDER.iterdir()} == {".claude-plugin", ".mcp.json", "hooks", "skills"}


def test_the_marketplace_leads_to_the_plugin() -> None:
    """So that it can be installed from the repository."""
    market = read_json(ROOT / ".claude-plugin" / "marketplace.json")
    assert KEBAB.fullmatch(market["name"])
    assert market["owner"]["name"]
    (entry,) = market["plugins"]
    assert entry["source"].startswith("./")
    manifest = read_json(ROOT / entry["source"] / ".claude-plugin" / "plugin.json")
    assert entry["name"] == manifest["name"]
    assert "version" not in entry, "the manifest's counts; two would drift apart"


def test_the_hooks_are_those_that_install_writes() -> None:
    """formats.md §2: events, matchers, seconds; the program is found on the path, as the plugin cannot know where."""
    found = read_json(FOLDER / "hooks" / "hooks.json")
    assert set(found) == {"description", "hooks"}
    ours = Program("memory-fabric", platform="linux")
    assert found["hooks"] == {event: [ours.hook(event)] for event in HOOKS}
    for groups in found["hooks"].values():
        for handler in groups[0]["hooks"]:
            assert set(handler) <= HANDLER_KEYS
            assert handler["type"] == "command"
            assert 0 < handler["timeout"] <= 60


def test_every_hook_command_is_a_command_of_ours_and_its_event_is_answered() -> None:
    program: Any = whole_program()
    for event, groups in read_json(FOLDER / "hooks" / "hooks.json")["hooks"].items():
        first, *words = shlex.split(groups[0]["hooks"][0]["command"])
        assert first == "memory-fabric"
        assert complaint(words, program) is None
        assert words == ["hook", event]
        assert event in EVENTS


def test_the_server_is_the_one_that_install_writes() -> None:
    """F-MCP-17."""
    servers = read_json(FOLDER / ".mcp.json")["mcpServers"]
    assert servers == {SERVER: {"command": "memory-fabric", "args": ["mcp"]}}
    assert complaint(servers[SERVER]["args"], whole_program()) is None


def test_the_seeds_commands_are_all_there() -> None:
    assert [path.name for path in SKILLS] == ["memory", "memory-fabric", "remember"]
    _, body = front_matter(FOLDER / "skills" / "memory")
    headings = re.findall(r"^## (.+)$", body, re.MULTILINE)
    assert headings == ["search", "load", "history", "viz", "status", "sync"]


def test_a_skill_says_what_it_is_and_when_to_use_it(skill: Path) -> None:
    keys, body = front_matter(skill)
    assert set(keys) <= SKILL_KEYS
    assert keys["name"] == skill.name
    assert KEBAB.fullmatch(keys["name"])
    assert len(keys["name"]) <= 64
    assert len(keys["description"]) <= 1024
    assert "Use " in keys["description"]
    assert not re.search(r": |[<>#]", keys["description"]), "YAML would read that otherwise"
    assert body.count("\n") < 500
    asks = "$ARGUMENTS" in body
    assert asks is (keys.get("user-invocable") != "false")
    assert asks is ("argument-hint" in keys)


def test_every_command_line_of_a_skill_is_valid(skill: Path) -> None:
    _, body = front_matter(skill)
    unindented = re.sub(r"^   ", "", body, flags=re.MULTILINE)
    # The text for standard input is no command.
    without_texts = re.sub(r" <<'TEXT'\n.*?\nTEXT$", "", unindented, flags=re.MULTILINE | re.DOTALL)
    program: Any = whole_program()
    assert complaints(without_texts, Reader(), program) == []
    spans = re.findall(r"`(memory-fabric [^`]+)`", body)
    wrong = [(span, found) for span in spans if (found := complaint(shlex.split(span)[1:], program))]
    assert not wrong
    blocks = sum("memory-fabric" in text for _, text in Reader().blocks(without_texts))
    assert blocks or spans, "a skill without a command tells nothing"


def test_what_a_skill_may_run_without_asking_only_reads_or_keeps(skill: Path) -> None:
    keys, _ = front_matter(skill)
    allowed = re.findall(r"Bash\(memory-fabric ([^)]+):\*\)", keys.get("allowed-tools", ""))
    assert ", ".join(f"Bash(memory-fabric {words}:*)" for words in allowed) == keys.get("allowed-tools", "")
    program: Any = whole_program()
    assert [words for words in allowed if complaint(words.split(), program)] == []
    assert not {"forget", "sync", "export", "import", "install", "uninstall", "ingest"} & set(allowed)


def test_every_tool_that_a_skill_names_is_offered() -> None:
    tools = tools_of(ToolSet.ALL)
    _, body = front_matter(FOLDER / "skills" / "memory-fabric")
    named = set(re.findall(r"`([a-z]+_[a-z_]+)`", body))
    assert named
    assert named <= set(tools)


def test_a_wrong_command_in_a_skill_would_be_found() -> None:
    assert complaints("```bash\nmemory-fabric viz\n```\n", Reader(), whole_program()) == [
        "viz: no command viz",
    ]
