"""mem0's library in this process: offline, quiet, one store for several processes (F-MEM0-1, C-118)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.mem0.conftest import LONG, SEAMS

from memory_fabric.clock import Deadline
from memory_fabric.embed import open_embedder
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import ConfigError, DeadlinePassed, EmbedderUnavailable, SourceUnavailable
from memory_fabric.sources.mem0.backend import Who
from memory_fabric.sources.mem0.library import LibraryMem0
from memory_fabric.sources.mem0.source import Mem0Source

SHOP = Who(("shop-decisions",))

OFFLINE = """
import json, os, socket, sys
asked = []
def refuse(self, address):
    asked.append(repr(address))
    raise OSError("no net here")
socket.socket.connect = refuse
socket.socket.connect_ex = refuse
def resolve(*names, **more):
    asked.append(repr(names))
    raise OSError("no names here")
socket.getaddrinfo = resolve

from pathlib import Path
from memory_fabric.clock import Deadline
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.sources.mem0.backend import Change, Who
from memory_fabric.sources.mem0.library import LibraryMem0

before = dict(os.environ)
library = LibraryMem0("mem0", Path(sys.argv[1]), HashedEmbedder())
loaded = "mem0" in sys.modules
long = Deadline.after(60.0)
record = library.add("We decided on Redis in 2024, see 3 days ago", "u", {}, long)
library.update(Change(record, "We decided on Valkey"), long)
found = library.search("which store did we choose last week", Who(("u",)), 5, long)
library.history(record, long)
library.delete(record, long)
print(json.dumps({
    "asked": asked, "loaded": loaded, "found": len(found.items), "same": before == dict(os.environ),
    "threads": [thread.name for thread in __import__("threading").enumerate()],
}))
"""


def run(script: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A Python of its own, with nothing of what this one has imported."""
    return subprocess.run(
        [sys.executable, "-c", script, *words],
        capture_output=True, text=True, timeout=120, check=False, env={**os.environ, **variables},
    )  # fmt: skip


@dataclass(frozen=True)
class Alone:
    """How the library behaved in a process of its own."""

    folder: Path
    user: Path
    said: Any
    err: str


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Alone:
    """One process that uses everything, by a user who has mem0's telemetry switched on."""
    base = tmp_path_factory.mktemp("alone")
    (base / "user").mkdir()
    ended = run(OFFLINE, str(base / "data" / "mem0"), MEM0_TELEMETRY="True", HOME=str(base / "user"))
    assert ended.returncode == 0, ended.stderr
    return Alone(base / "data" / "mem0", base / "user", json.loads(ended.stdout), ended.stderr)


def test_it_never_asks_the_net(alone: Alone) -> None:
    """C-118: neither telemetry nor notices."""
    assert (alone.said["asked"], alone.said["found"]) == ([], 1)
    assert alone.said["threads"] == ["MainThread"]


def test_it_leaves_the_process_as_it_was(alone: Alone) -> None:
    """The variables that keep it quiet are taken back; nothing is printed; it is imported when it is asked."""
    assert alone.said["same"] is True
    assert alone.said["loaded"] is False
    assert alone.err == ""


def test_its_files_are_in_our_folder_and_nowhere_else(alone: Alone) -> None:
    assert not list(alone.user.iterdir())
    assert {path.name for path in alone.folder.iterdir()} >= {"qdrant", "history.db", "config.json"}
    assert alone.folder.stat().st_mode & 0o077 == 0


def test_configuring_mem0_costs_a_search_no_heavy_import(tmp_path: Path) -> None:
    """What is asked over the net or in the library is imported by the first question."""
    script = """
import sys
from pathlib import Path
from memory_fabric.sources.configured import Mem0Cloud, Mem0Library
from memory_fabric.sources.mem0.source import Seams, open_cloud, open_library
from memory_fabric.sources.mem0.keys import Keys
seams = Seams(lambda value: value, lambda text: (), lambda: ())
open_cloud(Mem0Cloud(name="mem0"), Keys("k"), seams)
open_library(Mem0Library(name="local"), Path(sys.argv[1]), None, seams)
heavy = {"httpx", "mem0", "pydantic", "numpy", "qdrant_client", "openai", "grpc", "onnxruntime", "typer"}
print(sorted(heavy & set(sys.modules)))
"""
    assert run(script, str(tmp_path)).stdout == "[]\n"


def test_imported_by_somebody_with_telemetry_on_it_is_not_used(tmp_path: Path) -> None:
    script = """
import os, socket, sys
def refuse(self, address):
    raise OSError("no net here")
socket.socket.connect = refuse
os.environ["MEM0_TELEMETRY"] = "True"
import mem0
from pathlib import Path
from memory_fabric.errors import SourceUnavailable
from memory_fabric.sources.mem0.library import imported
try:
    imported(Path(sys.argv[1]))
except SourceUnavailable as error:
    print(error.message, "/", error.hint)
os._exit(0)
"""
    ended = run(script.replace("os._exit(0)", "sys.stdout.flush(); os._exit(0)"), str(tmp_path), MEM0_DIR=str(tmp_path))
    assert ended.stdout == "mem0 was imported with its telemetry on / set MEM0_TELEMETRY=False before that\n"


def test_without_the_package_it_says_how_to_get_it(tmp_path: Path) -> None:
    script = """
import sys
sys.modules["mem0"] = None
from pathlib import Path
from memory_fabric.errors import SourceUnavailable
from memory_fabric.sources.mem0.library import imported
try:
    imported(Path(sys.argv[1]))
except SourceUnavailable as error:
    print(error.message, "/", error.hint)
"""
    assert run(script, str(tmp_path)).stdout == (
        "mem0's library is not installed / pip install 'memory-fabric[mem0]', or use mem0's cloud\n"
    )


def test_what_is_kept_is_there_the_next_time(tmp_path: Path) -> None:
    first = LibraryMem0("mem0", tmp_path / "mem0", HashedEmbedder())
    record = first.add("We page with cursors", "shop-decisions", {"category": "pagination"}, LONG)
    second = LibraryMem0("mem0", tmp_path / "mem0", HashedEmbedder())
    assert second.get(record, LONG)["memory"] == "We page with cursors"
    assert [item["id"] for item in second.search("cursors", SHOP, 5, LONG).items] == [record]


def test_our_own_model_embeds_for_it(tmp_path: Path) -> None:
    """With meaning, not words: neither text shares one with the question."""
    library = LibraryMem0("mem0", tmp_path / "mem0", open_embedder("minilm"))
    for text in ("The team picked PostgreSQL as its database", "Lunch is served at noon in the canteen"):
        library.add(text, "shop-decisions", {}, LONG)
    items = library.search("where do we store records?", SHOP, 2, LONG).items
    assert [item["memory"].split()[0] for item in items] == ["The", "Lunch"]
    assert items[0]["score"] > items[1]["score"]


def test_two_embedders_keep_their_memories_apart(tmp_path: Path) -> None:
    """F-VEC-2: vectors of two spaces are never compared."""

    class Other(HashedEmbedder):
        @property
        def space(self) -> str:
            return "another/space@2"

    LibraryMem0("mem0", tmp_path / "mem0", HashedEmbedder()).add("We page", "shop-decisions", {}, LONG)
    assert LibraryMem0("mem0", tmp_path / "mem0", Other()).listed(SHOP, 10, LONG) == []


def test_several_threads_may_ask_at_once(library: LibraryMem0) -> None:
    library.add("Decision zero", "shop-decisions", {}, LONG)
    failures: list[Exception] = []

    def work(number: int) -> None:
        try:
            library.add(f"Decision {number}", "shop-decisions", {}, LONG)
            library.search("decision", SHOP, 5, LONG)
        except SourceUnavailable as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert len(library.listed(SHOP, 100, LONG)) == 6


HOLD = """
import sys
from pathlib import Path
from memory_fabric.clock import Deadline
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.sources.mem0.library import LibraryMem0
with LibraryMem0("mem0", Path(sys.argv[1]), HashedEmbedder())._memory(Deadline.after(60.0)):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_while_another_process_has_it_open_it_is_waited_for_within_the_deadline(tmp_path: Path) -> None:
    folder = tmp_path / "mem0"
    LibraryMem0("mem0", folder, HashedEmbedder()).add("We page with cursors", "shop-decisions", {}, LONG)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DeadlinePassed, match="another process"):
            LibraryMem0("mem0", folder, HashedEmbedder()).listed(SHOP, 5, Deadline.after(0.3))
        released: list[float] = []

        def release(_: float) -> None:
            if not released:
                assert holder.stdin is not None
                holder.stdin.write("\n")
                holder.stdin.flush()
                holder.wait(60)
            released.append(_)

        waiting = LibraryMem0("mem0", folder, HashedEmbedder(), pause=release)
        assert len(waiting.listed(SHOP, 5, LONG)) == 1
        assert len(released) == 1


def test_a_damaged_store_is_an_outage_and_not_a_crash(tmp_path: Path) -> None:
    library = LibraryMem0("mem0", tmp_path / "mem0", HashedEmbedder())
    library.add("We page with cursors", "shop-decisions", {}, LONG)
    (tmp_path / "mem0" / "history.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(SourceUnavailable, match="mem0: mem0's library failed") as caught:
        library.listed(SHOP, 5, LONG)
    assert caught.value.hint


def test_without_an_embedder_it_cannot_be_asked(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailable, match="needs an embedder"):
        LibraryMem0("mem0", tmp_path / "mem0", None).listed(SHOP, 5, LONG)


def test_an_embedder_that_fails_says_so_itself(tmp_path: Path) -> None:
    class Broken(HashedEmbedder):
        def embed_query(self, text: str) -> Any:
            assert text
            raise EmbedderUnavailable("minilm: the model is damaged", "reinstall")

    with pytest.raises(EmbedderUnavailable, match="damaged"):
        LibraryMem0("mem0", tmp_path / "mem0", Broken()).search("x", SHOP, 5, LONG)


def test_mem0s_own_configuration_may_be_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is mem0's own affair then, and so is its failure: here a key of OpenAI's that is not there."""
    own = tmp_path / "own.json"
    store = {"provider": "qdrant", "config": {"path": str(tmp_path / "theirs")}}
    own.write_text(json.dumps({"vector_store": store}), "utf-8")
    monkeypatch.delenv("OPENAI_ADMIN_KEY", raising=False)
    with pytest.raises(SourceUnavailable, match="mem0's library failed: Missing credentials"):
        LibraryMem0("mem0", tmp_path / "mem0", None, own).listed(SHOP, 5, LONG)
    own.write_text(json.dumps({"vector_store": store, "llm": {"provider": "nonsense"}}), "utf-8")
    with pytest.raises(SourceUnavailable, match="mem0's library failed"):
        LibraryMem0("mem0", tmp_path / "mem0", None, own).listed(SHOP, 5, LONG)


@pytest.mark.parametrize("text", ["{", "[]", None])
def test_a_configuration_that_cannot_be_read_is_named(tmp_path: Path, text: str | None) -> None:
    own = tmp_path / "own.json"
    if text is not None:
        own.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=r"own\.json"):
        LibraryMem0("mem0", tmp_path / "mem0", None, own).listed(SHOP, 5, LONG)


def test_of_very_many_users_only_those_with_memories_are_searched(library: LibraryMem0) -> None:
    library.add("We page with cursors", "u-7", {}, LONG)
    found = library.search("cursors", Who(tuple(f"u-{number}" for number in range(2000))), 5, LONG)
    assert [item["user_id"] for item in found.items] == ["u-7"]


def test_it_is_a_source_like_any_other(library: LibraryMem0) -> None:
    from tests.search.builders import question

    library.add("redis sessions", "shop-decisions", {}, LONG)
    found = Mem0Source("local", library, SEAMS).find(question("redis sessions"), 5, LONG)
    assert [(hit.memory.text, hit.memory.origin.outside) for hit in found.hits] == [("redis sessions", "local")]
