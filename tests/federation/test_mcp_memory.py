"""An MCP memory server as a source: what it is asked, what becomes of its answers, and what may go wrong with it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.federation.conftest import AGES, GATEWAY, GRAPH, REDIS, USES, MakePeer, Outside, ask, asked, names

from memory_fabric.clock import Deadline
from memory_fabric.errors import DeadlinePassed, SourceUnavailable
from memory_fabric.model.memory import MemoryKind, ProjectId
from memory_fabric.model.query import Window

SECRET = "ghp_" + "a" * 36


def until(true: Callable[[], bool]) -> bool:
    """Whether it comes true within a minute."""
    deadline = Deadline.after(AGES)
    while not true() and not deadline.passed:
        time.sleep(0.01)
    return true()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


# ── what it answers ──────────────────────────────────────────────────────────────────────────────────────────────


def test_two_words_find_what_the_whole_string_does_not(peer: MakePeer, outside: Outside) -> None:
    """The official server's search is one substring: it is asked for each word, and the answers are merged."""
    served = peer()
    found = ask(outside(served.command), "backoff of the cache")
    assert sorted(names(found)) == ["Redis", "payment gateway"]
    queries = [call["arguments"]["query"] for call in served.calls]
    assert queries[0] == "backoff of the cache"
    assert {"backoff", "cach"} < set(queries)


def test_a_node_becomes_a_memory(peer: MakePeer, outside: Outside) -> None:
    """F-NORM-1 to F-NORM-3, F-NORM-6: its observations, its relations, an id that stays, no invented time."""
    found = ask(outside(peer().command), "what does the payment gateway do")
    (hit,) = found.hits
    memory = hit.memory
    assert memory.id == "mcp:notes:payment gateway"
    assert memory.text == "payment gateway. It retries with backoff"
    assert memory.entities == ("payment gateway", "Redis")
    assert memory.metadata == {
        "entityType": "service",
        "relations": [USES],
        "observations": ["It retries with backoff"],
    }
    assert (memory.kind, memory.project, memory.at) == (MemoryKind.NOTE, None, None)
    assert (memory.origin.source, memory.origin.outside, memory.origin.record) == ("notes", "notes", "payment gateway")


def test_all_hits_of_one_outside_memory_are_one_witness(peer: MakePeer, outside: Outside) -> None:
    """D-5."""
    found = ask(outside(peer().command), "cache backoff")
    assert len(found.hits) == 2
    assert len({(hit.memory.origin.source, hit.memory.origin.session) for hit in found.hits}) == 1


@pytest.mark.parametrize(
    ("text", "hints", "raw"),
    [
        ("how is redis used", (), 1.0),
        ("how is REDIS used?", (), 1.0),
        ("which cache", (), 0.8),
        ("which cache", ("Redis",), 1.0),
        ("redistribute the cache", (), 0.8),
    ],
)
def test_a_named_node_is_a_whole_match_and_others_a_partial_one(
    peer: MakePeer, outside: Outside, text: str, hints: tuple[str, ...], raw: float
) -> None:
    """F-NORM-3: 1.0 exact name, 0.8 partial; F-NORM-5: whatever else is found."""
    found = ask(outside(peer().command), asked(text, *hints))
    assert {hit.memory.origin.record: hit.raw for hit in found.hits}["Redis"] == raw
    assert found.ceiling == 1.0


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_the_limit_keeps_what_holds_most_of_the_question(peer: MakePeer, outside: Outside, limit: int) -> None:
    """F-SRC-6."""
    nodes = [
        {"name": "one", "entityType": "x", "observations": ["the ledger"]},
        {"name": "two", "entityType": "x", "observations": ["the ledger closes monthly"]},
        {"name": "three", "entityType": "x", "observations": ["the ledger closes"]},
    ]
    source = outside(peer(graph={"entities": nodes, "relations": []}).command)
    assert names(ask(source, "ledger closes monthly", limit)) == ["two", "three", "one"][:limit]


def test_an_empty_question_is_not_asked(peer: MakePeer, outside: Outside) -> None:
    """F-ERR-4."""
    served = peer()
    assert ask(outside(served.command), "").hits == ()
    assert served.calls == []


@pytest.mark.parametrize(
    ("scope", "there"),
    [
        ({}, True),
        ({"projects": (ProjectId("a"),)}, True),
        ({"projects": ()}, False),
        ({"kinds": ("note",)}, True),
        ({"kinds": ("exchange",)}, False),
        ({"kinds": ("decision",)}, False),
        ({"categories": ("database",)}, False),
        ({"window": Window(since=datetime(2026, 1, 1, tzinfo=UTC))}, False),
        ({"window": Window(before=datetime(2026, 1, 1, tzinfo=UTC))}, False),
    ],
)
def test_it_is_in_scope_like_an_undated_note_of_every_project(
    peer: MakePeer, outside: Outside, scope: dict[str, object], there: bool
) -> None:
    """C-152: hard limits hold; no project finds nothing."""
    assert bool(ask(outside(peer().command), asked("redis", **scope)).hits) is there


def test_secrets_are_redacted_on_the_way_in(peer: MakePeer, outside: Outside) -> None:
    """F-PRIV-1, C-110: in text, names, relations."""
    node = {"name": f"key {SECRET}", "entityType": SECRET, "observations": [f"deploy with {SECRET}"]}
    graph = {"entities": [node], "relations": [{"from": node["name"], "to": SECRET, "relationType": "uses"}]}
    found = ask(outside(peer(graph=graph).command), "deploy")
    assert len(found.hits) == 1
    assert SECRET not in repr(found)
    assert "[redacted:github-token]" in found.hits[0].memory.text


def test_broken_characters_are_repaired(peer: MakePeer, outside: Outside) -> None:
    """formats.md §0 rule 4."""
    node = {"name": "odd", "entityType": "x", "observations": ["cache \ud83d and \x00 nul"]}
    (hit,) = ask(outside(peer(graph={"entities": [node]}).command), "cache").hits
    assert hit.memory.text.encode("utf-8")
    assert "\0" not in hit.memory.text


def test_what_is_no_node_is_passed_over(peer: MakePeer, outside: Outside) -> None:
    odd = [None, 7, "cache", {"name": 3}, {"name": " "}, {"entityType": "cache"}, {"name": "cache", "observations": 5},
           {"name": "objects", "observations": [{"content": "cache of objects"}, None, 4]}]  # fmt: skip
    found = ask(
        outside(peer(graph={"entities": [*odd, REDIS], "relations": [{"from": 1}, None, {}, USES]}).command),
        "cache",
    )
    assert sorted(names(found)) == ["Redis", "cache", "objects"]


def test_a_very_large_node_keeps_what_was_asked_for(peer: MakePeer, outside: Outside) -> None:
    """What is left out is counted."""
    observations = [f"remark {place} " + "filler " * 40 for place in range(60)]
    observations[57] = "the ledger closes monthly"
    node = {"name": "hub", "entityType": "x", "observations": observations}
    relations = [{"from": "hub", "to": f"n{place}", "relationType": "uses"} for place in range(60)]
    (hit,) = ask(outside(peer(graph={"entities": [node], "relations": relations}).command), "ledger").hits
    shown = hit.memory.metadata["observations"]
    assert isinstance(shown, list)
    assert "the ledger closes monthly" in hit.memory.text
    assert len(hit.memory.text) < 7000
    assert hit.memory.metadata["observations_left_out"] == 60 - len(shown) > 0
    assert hit.memory.metadata["relations_left_out"] == 10


# ── servers of other kinds ───────────────────────────────────────────────────────────────────────────────────────


def test_structured_content_is_read(peer: MakePeer, outside: Outside) -> None:
    assert names(ask(outside(peer("structured").command), "cache")) == ["Redis"]


def test_a_server_without_a_search_is_read_whole(peer: MakePeer, outside: Outside) -> None:
    served = peer("no-search")
    found = ask(outside(served.command), "cache")
    assert names(found)[0] == "Redis"
    assert [call["name"] for call in served.calls] == ["read_graph"]


def test_a_search_that_gives_names_alone_is_completed(peer: MakePeer, outside: Outside) -> None:
    served = peer("names-only")
    (hit,) = ask(outside(served.command), "cache").hits
    assert hit.memory.text == "Redis. We use it as a cache. It listens on 6379"
    assert served.calls[-1] == {"name": "open_nodes", "arguments": {"names": ["Redis"]}}


def test_a_server_that_is_no_memory_is_an_outage(peer: MakePeer, outside: Outside) -> None:
    source = outside(peer("no-memory").command)
    for tried in (lambda: ask(source, "cache"), lambda: source.probe(Deadline.after(AGES))):
        with pytest.raises(SourceUnavailable, match="notes: peer 7 has neither") as caught:
            tried()
        assert "roll_dice" in caught.value.hint


def test_it_says_what_it_is(peer: MakePeer, outside: Outside) -> None:
    probe = outside(peer().command).probe(Deadline.after(AGES))
    assert (probe.product, probe.tools) == ("peer 7", ("open_nodes", "read_graph", "search_nodes"))


# ── faults ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("command", ["/nowhere/at-all", "no-such-program-anywhere"])
def test_a_program_that_is_not_there_is_an_outage(outside: Outside, command: str) -> None:
    """F-ERR-1."""
    with pytest.raises(SourceUnavailable, match=f"notes: {command} is not there") as caught:
        ask(outside([command]), "cache")
    assert "sources.json" in caught.value.hint


def test_a_server_that_ends_at_once_says_why(peer: MakePeer, outside: Outside) -> None:
    """The last line of its error stream, redacted (C-110)."""
    with pytest.raises(SourceUnavailable, match=r"notes: .*out of memory: \[redacted:anthropic-key\]") as caught:
        ask(outside(peer("last-words").command), "cache")
    assert "\n" not in caught.value.message
    assert "AAAA" not in caught.value.message


@pytest.mark.parametrize("fault", ["never-starts", "hangs"])
def test_a_server_that_hangs_costs_its_deadline_and_no_more(peer: MakePeer, outside: Outside, fault: str) -> None:
    """F-SRC-5."""
    with pytest.raises(DeadlinePassed, match="notes: did not answer in time"):
        ask(outside(peer(fault).command), "cache", seconds=0.3)


def test_a_server_that_was_slow_once_is_asked_again(peer: MakePeer, outside: Outside) -> None:
    source = outside(peer("hangs-once").command)
    with pytest.raises(DeadlinePassed):
        ask(source, "cache", seconds=0.5)
    assert until(lambda: _answers(source))


def _answers(source: object) -> bool:
    try:
        return names(ask(source, "cache", seconds=5.0)) == ["Redis"]  # type: ignore[arg-type]
    except DeadlinePassed:
        return False


def test_a_server_that_leaves_three_questions_unanswered_is_started_anew(peer: MakePeer, outside: Outside) -> None:
    served = peer("hangs", "pid")
    source = outside(served.command)
    source.probe(Deadline.after(AGES))
    for _ in range(4):
        with pytest.raises(DeadlinePassed):
            ask(source, "cache", seconds=0.2)
    assert until(lambda: len(served.pids) == 2)
    assert until(lambda: not alive(served.pids[0]))


def test_garbage_on_stdout_is_passed_over(peer: MakePeer, outside: Outside, capfd: pytest.CaptureFixture[str]) -> None:
    """C-085: bad bytes too; and none of it reaches our own output."""
    assert names(ask(outside(peer("garbage").command), "cache")) == ["Redis"]
    assert capfd.readouterr() == ("", "")


def test_a_server_that_dies_in_the_middle_is_an_outage(peer: MakePeer, outside: Outside) -> None:
    with pytest.raises(SourceUnavailable, match="notes: "):
        ask(outside(peer("dies").command), "cache")


def test_a_server_that_died_meanwhile_is_started_anew(peer: MakePeer, outside: Outside) -> None:
    """Nobody notices: the question that finds it gone starts another."""
    served = peer("dies-once", "pid")
    source = outside(served.command)
    source.probe(Deadline.after(AGES))
    assert names(ask(source, "cache")) == ["Redis"]
    assert len(served.pids) == 2


def test_the_connection_is_kept_between_questions(peer: MakePeer, outside: Outside) -> None:
    served = peer("pid")
    source = outside(served.command)
    for _ in range(3):
        assert names(ask(source, "cache")) == ["Redis"]
    assert len(served.pids) == 1


@pytest.mark.parametrize(("fault", "said"), [("errors", "search_nodes failed: cannot read"), ("no-graph", "no graph")])
def test_an_answer_that_cannot_be_used_is_an_outage(peer: MakePeer, outside: Outside, fault: str, said: str) -> None:
    """Errors were swallowed into empty lists; what the server says is redacted."""
    with pytest.raises(SourceUnavailable, match=said) as caught:
        ask(outside(peer(fault).command), "cache")
    assert "aaaa" not in caught.value.message


# ── privacy and processes ────────────────────────────────────────────────────────────────────────────────────────


def test_a_server_sees_a_short_list_of_our_variables(peer: MakePeer, outside: Outside) -> None:
    """C-117: API keys and base URLs leaked to children; what it needs is named."""
    environment = {
        **os.environ,
        "ANTHROPIC_API_KEY": "x",
        "ANTHROPIC_BASE_URL": "x",
        "NOTES_FILE": "x",
        "NOTES_TOKEN": "x",
        "PYTHONPATH": "x",
    }
    source = outside(
        peer("shows-environment").command, environment, env=("NOTES_FILE", "UNSET"), token_env="NOTES_TOKEN"
    )
    (hit,) = ask(source, "environment").hits
    observations = hit.memory.metadata["observations"]
    assert isinstance(observations, list)
    seen = set(observations)
    assert {"PATH", "NOTES_FILE", "NOTES_TOKEN"} <= seen
    assert seen.isdisjoint({"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "PYTHONPATH", "UNSET"})


def test_a_secret_that_is_missing_is_an_outage_and_starts_nothing(peer: MakePeer, outside: Outside) -> None:
    served = peer("pid")
    with pytest.raises(SourceUnavailable, match="NOTES_TOKEN is not set"):
        ask(outside(served.command, {"PATH": os.environ["PATH"]}, token_env="NOTES_TOKEN"), "cache")
    assert not served.path.with_suffix(".pids").exists()


def test_nothing_is_started_before_the_first_question(peer: MakePeer, outside: Outside) -> None:
    """C-118."""
    served = peer("pid")
    outside(served.command)
    assert not served.path.with_suffix(".pids").exists()


@pytest.mark.skipif(os.name == "nt", reason="processes are looked at as POSIX has them")
@pytest.mark.parametrize("faults", [(), ("ignores-eof",), ("hangs",)])
def test_closing_ends_the_server(peer: MakePeer, outside: Outside, faults: tuple[str, ...]) -> None:
    """Also one that does not go by itself; and it may be asked again."""
    served = peer("pid", *faults)
    source = outside(served.command)
    source.probe(Deadline.after(AGES))
    source.close()
    assert not alive(served.pids[0])
    source.close()
    assert source.probe(Deadline.after(AGES)).product == "peer 7"
    assert len(served.pids) == 2


def test_closing_answers_who_still_waits(peer: MakePeer, outside: Outside) -> None:
    from concurrent.futures import ThreadPoolExecutor

    served = peer("hangs")
    source = outside(served.command)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, source, "cache")
        assert until(lambda: bool(served.calls))
        source.close()
        with pytest.raises(SourceUnavailable, match="notes: "):
            waiting.result(AGES)


@pytest.mark.skipif(os.name == "nt", reason="kill -9 is of POSIX")
def test_the_server_dies_with_us(peer: MakePeer, tmp_path: Path) -> None:
    """kill -9 leaves no orphan: its standard input closes."""
    served = peer("pid")
    script = tmp_path / "holder.py"
    script.write_text(
        "import os, sys, time\n"
        "from memory_fabric.clock import Deadline\n"
        "from memory_fabric.sources.configured import McpServer\n"
        "from memory_fabric.sources.mcp.memory import McpMemory\n"
        "source = McpMemory(McpServer(name='notes', command=tuple(sys.argv[1:])), os.environ, lambda value: value)\n"
        "source.probe(Deadline.after(60.0))\n"
        "print('up', flush=True)\n"
        "time.sleep(600)\n",
        encoding="utf-8",
    )
    with subprocess.Popen([sys.executable, str(script), *served.command], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "up\n"
        assert alive(served.pids[0])
        holder.kill()
        holder.wait()
        assert until(lambda: not alive(served.pids[0]))


def test_several_threads_share_one_connection(peer: MakePeer, outside: Outside) -> None:
    from concurrent.futures import ThreadPoolExecutor

    served = peer("pid")
    source = outside(served.command)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: names(ask(source, "cache")), range(24)))
    assert found == [["Redis"]] * 24
    assert len(served.pids) == 1


def test_the_shape_of_the_test_server(peer: MakePeer) -> None:
    """It stands for the official one: what is searched is one whole string."""
    assert {each["name"] for each in GRAPH["entities"]} == {REDIS["name"], GATEWAY["name"]}
