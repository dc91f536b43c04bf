"""Edges that tool calls show."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_fabric.ingest.extract.structural import MAX_SUBJECT, Structural
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import RelationOrigin
from memory_fabric.model.memory import Memory, Project, ProjectId
from memory_fabric.model.transcript import Exchange, ToolCall, ToolKind
from memory_fabric.model.vocabulary import Kind
from memory_fabric.ports import Extraction

Watch = Callable[..., Extraction]


@pytest.fixture
def watch(
    words: Lexicon, project: Project, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> Watch:
    def run(*tools: ToolCall, home: Project | None = project, cwd: str | None = "/work/shopfront") -> Extraction:
        return Structural(words).extract(remember(""), exchange(*tools, cwd=cwd), home)

    return run


def file(path: str, line: int | None = None, name: str = "Edit") -> ToolCall:
    return ToolCall(ToolKind.FILE, name, path, line)


def command(text: str, line: int | None = None, ok: bool | None = None) -> ToolCall:
    return ToolCall(ToolKind.COMMAND, "Bash", text, line, ok)


def edges(extraction: Extraction) -> list[tuple[str, str, str]]:
    return [(r.subject, r.predicate or "", r.object) for r in extraction.relations]


def test_a_file_is_part_of_its_project(watch: Watch) -> None:
    """F-EDGE-2, F-EDGE-5, F-EDGE-6: named by basename, identified by path, with the line as evidence."""
    extraction = watch(file("/work/shopfront/src/cart.py", 7))
    assert edges(extraction) == [("artifact:p1/src/cart.py", "part_of", "project:p1")]
    artifact = extraction.entities[0]
    assert (artifact.name, artifact.aliases, artifact.label) == ("cart.py", ("src/cart.py",), "file")
    relation = extraction.relations[0]
    assert (relation.line, relation.origin, relation.evidence) == (7, RelationOrigin.OBSERVED, "m1")
    assert relation.valid_from is not None


def test_files_of_one_name_stay_apart(watch: Watch) -> None:
    """F-EDGE-5: basename fusion joined different files."""
    extraction = watch(file("/work/shopfront/a/cart.py"), file("/work/shopfront/b/cart.py"))
    assert len([e for e in extraction.entities if e.name == "cart.py"]) == 2


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/work/shopfront/README.md", "shopfront/README.md"),
        ("/work/shopfront/docs/readme.md", "shopfront/readme.md"),
        ("/work/shopfront/src/__init__.py", "shopfront/__init__.py"),
        ("/work/shopfront/src/readme_parser.py", "readme_parser.py"),
    ],
)
def test_general_names_carry_the_project(watch: Watch, path: str, name: str) -> None:
    """F-EDGE-5."""
    assert watch(file(path)).entities[0].name == name


@pytest.mark.parametrize(
    ("path", "cwd", "root", "identity"),
    [
        ("src/a.py", "/work/shopfront", "/work/shopfront", "artifact:p1/src/a.py"),
        ("a.py", "/work/shopfront/src", "/work/shopfront", "artifact:p1/src/a.py"),
        ("../a.py", "/work/shopfront/src", "/work/shopfront", "artifact:p1/a.py"),
        ("/work/tree-2/src/a.py", "/work/tree-2", "/work/shopfront", "artifact:p1/src/a.py"),
        ("/work/shopfront/.worktrees/3/src/a.py", "/work/shopfront", "/work/shopfront", "artifact:p1/src/a.py"),
        ("src/a.py", "/work/shopfront/.claude/worktrees/x", "/work/shopfront", "artifact:p1/src/a.py"),
        ("C:\\shop\\src\\a.py", "C:\\shop", "C:\\shop", "artifact:p1/src/a.py"),
        ("/etc/hosts", "/work/shopfront", "/work/shopfront", "artifact:/etc/hosts"),
        ("/work/shopfront-two/a.py", "/work/shopfront", "/work/shopfront", "artifact:/work/shopfront-two/a.py"),
    ],
)
def test_paths_lead_to_the_project_however_they_are_written(
    watch: Watch, path: str, cwd: str, root: str, identity: str
) -> None:
    """A worktree's file is the project's file; what lies outside is no part of it."""
    extraction = watch(file(path), cwd=cwd, home=Project(ProjectId("p1"), "shopfront", root))
    assert extraction.entities[0].id == identity
    assert bool(extraction.relations) == identity.startswith("artifact:p1/")


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/work/shopfront/node_modules/x/i.js", "foreign file"),
        ("/work/shopfront/.git/config", "foreign file"),
        ("", "no file"),
        ("https://a.example/x.py", "no file"),
        ("/work/shopfront/src/", "no file"),
    ],
)
def test_files_that_are_nobodys_work_are_counted(watch: Watch, path: str, reason: str) -> None:
    extraction = watch(file(path))
    assert extraction.entities == ()
    assert extraction.dropped == {reason: 1}


def test_listing_a_folder_touches_no_file(watch: Watch) -> None:
    assert watch(file("/work/shopfront/src", name="LS")) == Extraction(dropped={})


def test_a_project_uses_its_commands(watch: Watch) -> None:
    """F-EDGE-2, F-EDGE-4: project → tool, through aliases, navigation words left out."""
    extraction = watch(command("cd x && sudo psql -c 'select 1' | head && frobnicate --all", 3))
    assert edges(extraction) == [
        ("project:p1", "uses", "technology:postgresql"),
        ("project:p1", "uses", "technology:frobnicate"),
    ]
    postgres = extraction.entities[0]
    assert (postgres.name, postgres.kind, postgres.aliases) == ("PostgreSQL", Kind.TECHNOLOGY, ("psql",))
    assert {relation.line for relation in extraction.relations} == {3}


def test_a_module_counts_only_when_it_is_known(watch: Watch) -> None:
    extraction = watch(command("python -m json.tool x.json; python3 -m mypy src"))
    assert [e.id for e in extraction.entities if e.kind is Kind.TECHNOLOGY] == ["technology:python", "technology:mypy"]


def test_a_project_uses_its_mcp_servers(watch: Watch) -> None:
    """F-EDGE-2."""
    extraction = watch(ToolCall(ToolKind.MCP, "mcp__tickets__create", "tickets", 2))
    assert edges(extraction) == [("project:p1", "uses", "technology:tickets")]
    assert extraction.entities[0].label == "mcp server"


def test_a_test_run_evaluates_the_project(watch: Watch) -> None:
    """F-EDGE-6."""
    assert edges(watch(command("python -m pytest -q && go test ./...", 4))) == [
        ("project:p1", "uses", "technology:python"),
        ("project:p1", "uses", "technology:pytest"),
        ("technology:pytest", "evaluates", "project:p1"),
        ("project:p1", "uses", "technology:go"),
        ("technology:go test", "evaluates", "project:p1"),
    ]


def test_a_commit_is_part_of_the_project(watch: Watch) -> None:
    """F-EDGE-6."""
    extraction = watch(ToolCall(ToolKind.COMMIT, "Bash", "Fix rounding of totals in the cart", 9))
    assert edges(extraction) == [
        ("artifact:p1/commit/fix rounding of totals in the cart", "part_of", "project:p1"),
    ]
    assert extraction.entities[0].label == "commit"


@pytest.mark.parametrize("length", [MAX_SUBJECT - 1, MAX_SUBJECT, MAX_SUBJECT + 1])
def test_a_long_subject_is_cut(watch: Watch, length: int) -> None:
    name = watch(ToolCall(ToolKind.COMMIT, "Bash", "x" * length)).entities[0].name
    assert len(name) == min(length, MAX_SUBJECT)
    assert name.endswith("…") == (length > MAX_SUBJECT)


@pytest.mark.parametrize(("ok", "problems"), [(False, 1), (True, 0), (None, 0)])
def test_a_failed_build_is_a_problem(watch: Watch, ok: bool | None, problems: int) -> None:
    """F-EDGE-6."""
    extraction = watch(command("go build ./...", 5, ok))
    found = [entity for entity in extraction.entities if entity.kind is Kind.PROBLEM]
    assert [(e.id, e.name) for e in found] == [("problem:p1/go build failed", "go build failed")][:problems]


@pytest.mark.parametrize(
    ("text", "reason"),
    [("go build && npm ci", "unclear failure"), ("git log nothing", "failure not kept"), ("ls x", "failure not kept")],
)
def test_a_failure_that_says_little_is_counted(watch: Watch, text: str, reason: str) -> None:
    extraction = watch(command(text, 5, ok=False))
    assert [e for e in extraction.entities if e.kind is Kind.PROBLEM] == []
    assert extraction.dropped == {reason: 1}


def test_an_agent_call_mentions_the_agent(watch: Watch) -> None:
    extraction = watch(ToolCall(ToolKind.AGENT, "Task", "security-auditor: check the login"))
    assert [e.id for e in extraction.entities] == ["person:security auditor"]
    assert watch(ToolCall(ToolKind.AGENT, "Task", "general-purpose: look around")).entities == ()


def test_searches_and_addresses_make_no_edge(watch: Watch) -> None:
    extraction = watch(
        ToolCall(ToolKind.SEARCH, "Grep", "TODO"), ToolCall(ToolKind.URL, "WebFetch", "https://a.example")
    )
    assert extraction.entities == ()


def test_without_a_project_nothing_is_related(watch: Watch) -> None:
    extraction = watch(command("git pull"), home=None)
    assert extraction.relations == ()
    assert [mention.entity for mention in extraction.mentions] == ["technology:git"]
    assert extraction.dropped == {"no project": 1}


@pytest.mark.parametrize("count", [1, 10, 100])
def test_edges_grow_in_line_with_the_calls(watch: Watch, count: int) -> None:
    """F-EDGE-7."""
    calls = [file(f"/work/shopfront/src/f{n}x.py") for n in range(count)] + [command("git pull")] * count
    assert len(watch(*calls).relations) == count + 1
