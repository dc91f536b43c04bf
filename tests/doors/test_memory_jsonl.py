"""The official memory server's file, both ways (formats.md §10 and §11, F-MCP-14, F-REC-1)."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_fabric import Fabric, Settings
from memory_fabric.doors.memory_jsonl import FORMAT, export_lines, import_memory_file, take_in
from memory_fabric.doors.memory_records import BadLine, MemoryFile, decoded, lines_of, read
from memory_fabric.errors import UsageError
from memory_fabric.model.nodes import Link, Node
from memory_fabric.text import clean, entity_key

BUILD = '{"type":"entity","name":"build","entityType":"topic","observations":["uses pnpm"]}'
RUNS = '{"type":"relation","from":"build","to":"ci","relationType":"runs_in"}'
SECRET = "ghp_" + "a" * 36


@pytest.fixture
def fabric(tmp_path: Path) -> Iterator[Fabric]:
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none")) as opened:
        yield opened


def exported(fabric: Fabric) -> list[str]:
    return list(export_lines(fabric, Counter(), Counter()))


def nodes(file: MemoryFile) -> list[Node]:
    return list(file.nodes.values())


def links(file: MemoryFile) -> list[Link]:
    return list(file.links.values())


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("text", ["", "  \n\n", "[]", "{}", "[{}]", "{}\n{}", '{"entities": [], "relations": []}'])
def test_a_file_with_nothing_in_it_is_no_fault(fabric: Fabric, tmp_path: Path, text: str) -> None:
    """C-046."""
    (tmp_path / "memory.jsonl").write_text(text, encoding="utf-8")
    report = import_memory_file(fabric, tmp_path / "memory.jsonl")
    assert (report.entities, report.relations, report.bad) == (0, 0, ())
    assert read(text).empty


@pytest.mark.parametrize(
    "text",
    [
        f"{BUILD}\n{RUNS}",
        f"{BUILD}\n{RUNS}\n",
        f"{BUILD}\r\n{RUNS}\r\n",
        f"\ufeff{BUILD}\n\n{RUNS}\n",
        f"{RUNS}\n{BUILD}\n",
        f"{BUILD}{RUNS}\n",
        f"{BUILD} ,{RUNS}",
        f"[{BUILD},{RUNS}]",
        f"[\n  {BUILD},\n  {RUNS}\n]\n",
        f"[{BUILD}]\n[{RUNS}]\n",
        f'{{"entities": [{BUILD}], "relations": [{RUNS}]}}',
    ],
    ids="plain newline crlf bom turned one-line comma array indented arrays graph".split(),
)
def test_every_form_in_the_wild_says_the_same(text: str) -> None:
    """C-046: an array, several objects on a line, a graph as ``read_graph`` returns it."""
    file = read(decoded(text.encode()))
    assert nodes(file) == [Node("build", "topic", ("uses pnpm",))]
    assert links(file) == [Link("build", "runs_in", "ci")]
    assert file.bad == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_that_editors_write_are_read(encoding: str) -> None:
    assert nodes(read(decoded(BUILD.replace("pnpm", "消費税").encode(encoding))))[0].observations == ("uses 消費税",)


def test_one_object_alone_is_a_file() -> None:
    """C-046."""
    assert nodes(read(BUILD)) == [Node("build", "topic", ("uses pnpm",))]
    assert links(read(RUNS)) == [Link("build", "runs_in", "ci")]


@pytest.mark.parametrize(
    ("line", "node"),
    [
        ('{"name":"a","entityType":"t"}', Node("a", "t")),
        ('{"name":"a","entity_type":"t","observations":"one"}', Node("a", "t", ("one",))),
        ('{"name":"a","type":"person","observation":"one"}', Node("a", "person", ("one",))),
        ('{"type":"entity","entityName":"a"}', Node("a", "unknown")),
        ('{"type":"entity","name":" a ","entityType":null,"observations":null}', Node("a", "unknown")),
        ('{"type":"entity","name":"a","entityType":"t","observations":[{"content":"one"},{"text":"two"},3]}',
         Node("a", "t", ("one", "two", "3"))),
        ('{"type":"entity","name":"a","entityType":"t","observations":["x","x",""],"id":7,"createdAt":"now"}',
         Node("a", "t", ("x",))),
        ('{"type":"entity","name":42,"entityType":"t"}', Node("42", "t")),
        ('{"type":"entity","name":"a\\ud83d","entityType":"t\\u0000"}', Node("a\ufffd", "t")),
    ],
)  # fmt: skip
def test_legacy_and_foreign_keys_are_understood(line: str, node: Node) -> None:
    assert node in nodes(read(line))


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"relation","source":"a","target":"b","relation_type":"r"}',
        '{"from":"a","to":"b","relation":"r"}',
        '{"subject":"a","predicate":"r","object":"b","weight":0.5}',
        '{"type":"relation","from":"a ","to":" b","relationType":"r","extra":{}}',
    ],
)
def test_legacy_and_foreign_relations_are_understood(line: str) -> None:
    assert links(read(line)) == [Link("a", "r", "b")]


def test_each_bad_line_is_named_by_number_and_never_by_what_stands_in_it() -> None:
    text = "\n".join(
        [
            BUILD,
            '{"type":"entity","na',
            RUNS + '{"type":"relation","fr',
            "",
            "[1]",
            '"hunter2"',
            '{"type":"entity","observations":["hunter2"]}',
            '{"type":"relation","from":"a","relationType":"r"}',
            '{"type":"relation","from":"a","to":"b"}',
            '{"type":"dream"}',
            '{"type":"entity","name":"ok","entityType":"t","observations":[["hunter2"],"kept"]}',
            "[" * 100_000,
            '{"type":"entity","name":"last","entityType":"t","observations":[]}',
        ]
    )
    file = read(text)
    assert file.bad == [
        BadLine(2, "not JSON"),
        BadLine(3, "not JSON"),
        BadLine(5, "not an object"),
        BadLine(6, "not an object"),
        BadLine(7, "an entity without a name"),
        BadLine(8, "a relation without its ends"),
        BadLine(9, "a relation without its type"),
        BadLine(10, "neither an entity nor a relation"),
        BadLine(11, "an observation that is no text"),
        BadLine(12, "not JSON"),
    ]
    assert [node.name for node in nodes(file)] == ["build", "ok", "last"]
    assert file.nodes["ok"].observations == ("kept",)
    assert len(links(file)) == 1


def test_of_one_array_the_entry_is_numbered() -> None:
    assert read(f"[{BUILD}, 7, {RUNS}, null]").bad == [BadLine(2, "not an object"), BadLine(4, "not an object")]


def test_bytes_that_are_no_text_cost_only_themselves() -> None:
    file = read(decoded(BUILD.encode() + b"\n\xff\xfe{\n" + RUNS.encode().replace(b"runs", b"ru\xffns")))
    assert file.bad == [BadLine(2, "not JSON")]
    assert links(file) == [Link("build", "ru\ufffdns_in", "ci")]


def test_names_that_differ_in_case_are_one_and_the_first_is_kept() -> None:
    """C-047, C-050: inside one file too."""
    file = read('{"name":"API Port","entityType":"a","observations":["1"]}\n'
                '{"name":"api-port","entityType":"b","observations":["1","2"]}\n'
                '{"from":"api port","to":"x","relation":"r"}\n{"from":"API PORT","to":"X","relation":"r"}')  # fmt: skip
    assert nodes(file) == [Node("API Port", "a", ("1", "2"))]
    assert links(file) == [Link("api port", "r", "x")]


@given(st.text(alphabet='{}[]",:\\ \n\r\0abtypeentiyrelaofmn1é\ud83d\u2028', max_size=200))
def test_no_text_makes_reading_fail(text: str) -> None:
    file = read(text)
    lines = max(text.count("\n") + 1, text.count(",") + 1)
    assert all(1 <= bad.number <= lines and bad.reason for bad in file.bad)


# ── taking in ────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_taking_in_twice_changes_nothing(fabric: Fabric, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(f"{BUILD}\n{RUNS}\nbroken\n", encoding="utf-8")
    first = import_memory_file(fabric, file)
    assert (first.entities, first.relations, first.known, first.already) == (1, 1, 0, False)
    assert first.unresolved == ("ci",)
    assert first.bad == (BadLine(3, "not JSON"),)
    before = list(fabric.export())
    assert import_memory_file(fabric, file).already
    again = import_memory_file(fabric, file, again=True)
    assert (again.entities, again.observations, again.relations, again.known) == (0, 0, 0, 2)
    assert list(fabric.export()) == before


def test_a_file_that_changed_is_taken_in_again_and_gives_what_is_new(fabric: Fabric, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(BUILD, encoding="utf-8")
    import_memory_file(fabric, file)
    more = BUILD.replace('"uses pnpm"', '"uses pnpm","is slow"').replace('"build"', '"BUILD"')
    file.write_text(f"{more}\n{RUNS}", encoding="utf-8")
    report = import_memory_file(fabric, file)
    assert (report.entities, report.observations, report.relations, report.known) == (0, 1, 1, 1)
    assert fabric.knowledge.open_nodes(["build"]).nodes == (Node("build", "topic", ("uses pnpm", "is slow")),)


def test_what_was_deleted_stays_away_while_the_file_is_the_same(fabric: Fabric, tmp_path: Path) -> None:
    """A server that starts anew does not bring back what its user deleted."""
    file = tmp_path / "memory.jsonl"
    file.write_text(BUILD, encoding="utf-8")
    import_memory_file(fabric, file)
    fabric.knowledge.delete_nodes(["build"])
    import_memory_file(fabric, file)
    assert fabric.knowledge.list_nodes() == []
    import_memory_file(fabric, file, again=True)
    assert [node.name for node in fabric.knowledge.list_nodes()] == ["build"]


def test_a_file_that_was_taken_in_stands_in_the_ledger(fabric: Fabric, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(f"{BUILD}\nbroken\n", encoding="utf-8")
    import_memory_file(fabric, file)
    entry = fabric.store.entry(str(file.resolve()))
    assert entry is not None
    assert (entry.format, dict(entry.used), dict(entry.skipped)) == (
        FORMAT,
        {"entity": 1, "relation": 0},
        {"broken json": 1},
    )
    assert any("1 broken lines left out" in check.detail for check in fabric.doctor())


def test_a_file_that_cannot_be_read_is_a_mistake(fabric: Fabric, tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(UsageError, match="cannot be read"):
            import_memory_file(fabric, path)


def test_secrets_are_taken_out_and_counted(fabric: Fabric, tmp_path: Path) -> None:
    """C-110."""
    file = tmp_path / "memory.jsonl"
    file.write_text(BUILD.replace("uses pnpm", f"token {SECRET}").replace('"build"', f'"{SECRET}"'), encoding="utf-8")
    report = import_memory_file(fabric, file)
    assert sum(report.redacted.values()) == 2
    assert SECRET not in "".join(map(repr, fabric.export()))
    stored = b"".join(path.read_bytes() for path in (tmp_path / "home").glob("memory.db*"))
    assert SECRET.encode() not in stored


def test_more_than_a_page_is_taken_in_and_written_whole(fabric: Fabric, tmp_path: Path) -> None:
    many = MemoryFile()
    for number in range(1_201):
        many.add_node(Node(f"thing {number}", "t", (f"is number {number}",)))
        many.add_link(Link(f"thing {number}", "next", f"thing {number + 1}"))
    report = take_in(fabric, many, "many")
    assert (report.entities, report.relations) == (1_201, 1_201)
    lines = exported(fabric)
    assert len(lines) == 2_402
    assert lines == list(lines_of(many.nodes.values(), many.links.values(), Counter()))


def test_what_was_taken_in_is_found_by_search(fabric: Fabric, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(BUILD, encoding="utf-8")
    import_memory_file(fabric, file)
    assert "uses pnpm" in fabric.search("pnpm").results[0].candidate.memory.text


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_lines_have_exactly_the_declared_keys_entities_first(fabric: Fabric) -> None:
    """C-076: no key of ours, no key of the file that came in."""
    take_in(fabric, read(RUNS.replace("}", ',"id":1}') + BUILD.replace("}", ',"custom_id":"x"}')), "x")
    assert exported(fabric) == [BUILD, RUNS]


def test_notes_and_what_was_read_are_written_too(fabric: Fabric, tmp_path: Path) -> None:
    fabric.remember("database-engineer uses pgvector for RAG applications", everywhere=True)
    rows = [json.loads(line) for line in exported(fabric)]
    assert [row["type"] for row in rows] == ["entity"] * 3 + ["relation"] * 2
    assert {tuple(row) for row in rows} == {
        ("type", "name", "entityType", "observations"),
        ("type", "from", "to", "relationType"),
    }
    assert {"from": "pgvector", "relationType": "used_for", "to": "RAG", "type": "relation"} in rows


def test_things_that_share_a_name_are_written_as_one_and_relations_lead_to_it() -> None:
    """The official server knows an entity by its exact name alone."""
    things = [Node("Go", "technology", ("compiles",)), Node("go", "concept", ("compiles", "moves"))]
    ends = [Link("go", "uses", "x"), Link("Go", "uses", "x"), Link("x", "part_of", "GO")]
    counts: Counter[str] = Counter()
    assert [json.loads(line) for line in lines_of(things, ends, counts)] == [
        {"type": "entity", "name": "Go", "entityType": "technology", "observations": ["compiles", "moves"]},
        {"type": "relation", "from": "Go", "to": "x", "relationType": "uses"},
        {"type": "relation", "from": "x", "to": "Go", "relationType": "part_of"},
    ]
    assert counts == {"entity": 1, "relation": 2}


# ── both ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

WORDS = st.text(min_size=1, max_size=12).map(clean).map(str.strip).filter(entity_key)
NODES = st.builds(Node, WORDS, WORDS, st.lists(WORDS, max_size=3, unique=True).map(tuple))
LINKS = st.builds(Link, WORDS, WORDS, WORDS)


@settings(max_examples=60)
@given(st.lists(NODES, max_size=5), st.lists(LINKS, max_size=5), st.data())
def test_a_graph_survives_a_round_trip_through_ourselves(
    entities: list[Node], relations: list[Link], data: st.DataObject
) -> None:
    """Formats.md §11: what was written is read as it was, and written again the same."""
    if entities:
        ends = st.sampled_from([node.name for node in entities])
        relations = [*relations, *data.draw(st.lists(st.builds(Link, ends, WORDS, ends), max_size=3))]
    given_file = MemoryFile()
    for node in entities:
        given_file.add_node(node)
    for link in relations:
        given_file.add_link(link)
    with tempfile.TemporaryDirectory() as folder:
        written = through(given_file, Path(folder) / "one")
        again = through(read("\n".join([*written, ""])), Path(folder) / "two")
    assert again == written
    back = read("\n".join(written))
    assert back.bad == []
    assert back.nodes == given_file.nodes
    assert set(back.links) == set(given_file.links)


def through(file: MemoryFile, home: Path) -> list[str]:
    """What a new memory writes after taking this in."""
    with Fabric.open(Settings(home=home, embedder="none")) as fabric:
        take_in(fabric, file, "file")
        assert fabric.store.check() == []
        return exported(fabric)
