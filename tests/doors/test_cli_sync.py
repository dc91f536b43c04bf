"""``sync`` and the queue in ``status``, from end to end (F-CMD-10, F-CMD-13, C-154)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.doors.conftest import SAMPLE, Call

from memory_fabric import Fabric, Settings
from memory_fabric.ports import Parcel
from memory_fabric.sources.configured import McpServer, Mem0Cloud, write

OFFICIAL = Path(__file__).parents[1] / "peers/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
AT = datetime(2026, 6, 1, tzinfo=UTC)

needs_official = pytest.mark.skipif(
    shutil.which("node") is None or not OFFICIAL.exists(), reason="needs Node.js and tests/peers/node_modules"
)
DEAD = McpServer(name="dead", command=("no-such-program-anywhere",), push=True)
SILENT = Mem0Cloud(name="cloud", push=True)
"""Without a key in the environment."""

Queue = Callable[[int], None]


@pytest.fixture
def home(call: Call, tmp_path: Path) -> Path:
    """A memory of the sample."""
    assert call("ingest", SAMPLE).code == 0
    return tmp_path / "memory"


@pytest.fixture
def official(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> McpServer:
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "official.jsonl"))
    return McpServer(name="official", command=("node", str(OFFICIAL)), env=("MEMORY_FILE_PATH",), push=True)


@pytest.fixture
def queue(home: Path) -> Queue:
    def fill(number: int) -> None:
        with Fabric.open(Settings(home=home, embedder="none")) as fabric:
            fabric.store.enqueue([Parcel("work", f"k{place}", "memory", {}) for place in range(number)], AT)

    return fill


@needs_official
def test_a_sync_pushes_once(call: Call, home: Path, official: McpServer, tmp_path: Path) -> None:
    """F-CMD-10: what the dry run counted goes; a second run pushes nothing, a forced one everything."""
    write(home, [official])
    planned = call("sync", "--dry-run", "--json")
    assert planned.code == 0
    assert planned.data["dry_run"]
    assert not (tmp_path / "official.jsonl").exists()
    done = call("sync", "--json")
    assert done.code == 0
    (target,) = done.data["targets"]
    assert target["sent"] == planned.data["targets"][0]["sent"]
    assert target["sent"]["memory"] > 0
    rows = [json.loads(line) for line in (tmp_path / "official.jsonl").read_text(encoding="utf-8").splitlines()]
    assert sum(row.get("entityType") == "decision" for row in rows) == target["sent"]["memory"]
    again = call("sync")
    assert (again.code, again.out) == (0, "ok    official              has everything\n")
    assert call("sync", "--force", "--json").data["sent"] == done.data["sent"]
    assert call("status", "--json").data["queues"]["official"]["waiting"] == 0
    assert f"pushed      official {done.data['sent']}, last on 20" in call("status").out


def test_a_dry_run_writes_nothing_and_asks_nobody(call: Call, home: Path) -> None:
    write(home, [DEAD])
    before = {path: path.read_bytes() for path in sorted(home.iterdir())}
    planned = call("sync", "--dry-run")
    assert planned.code == 0
    assert planned.out.startswith("ok    dead                  would get ")
    assert {path: path.read_bytes() for path in before} == before
    assert call("status", "--json").data["queues"] == {}


def test_when_all_are_down_the_exit_code_is_3_and_everything_waits(call: Call, home: Path) -> None:
    """Each outage is named with what helps (F-MEM0-3: no key); no other memory does not mean no memory."""
    write(home, [DEAD, SILENT])
    ended = call("sync")
    assert ended.code == 3
    assert "dead did not take it: dead: no-such-program-anywhere is not there or cannot be run" in ended.err
    assert "cloud did not take it: cloud: no key for mem0" in ended.err
    assert "FAIL  dead                  got nothing; " in ended.out
    queues = call("status", "--json").data["queues"]
    assert queues["dead"]["waiting"] > queues["cloud"]["waiting"] > 0
    assert "no key for mem0" in queues["cloud"]["last_error"]


@needs_official
def test_when_some_are_down_the_others_get_theirs(call: Call, home: Path, official: McpServer) -> None:
    """C-154: counts, and exit code 1."""
    write(home, [DEAD, official])
    ended = call("sync", "--json")
    assert ended.code == 1
    dead, alive = ended.data["targets"]
    assert dead["outage"]["source"] == "dead"
    assert (alive["outage"], alive["waiting"], ended.data["complete"]) == (None, 0, False)
    assert ended.data["sent"] == sum(alive["sent"].values()) > 0


@pytest.mark.parametrize(
    "entries",
    [
        [],
        [McpServer(name="reading", command=("true",))],
        [McpServer(name="off", command=("true",), push=True, enabled=False)],
    ],
)
def test_nothing_leaves_without_opting_in(call: Call, home: Path, entries: list[McpServer]) -> None:
    """F-MEM0-4: exit code 2, and how to opt in."""
    write(home, entries)
    ended = call("sync")
    assert ended.code == 2
    assert "no other memory is set to be pushed to" in ended.err
    assert "--push" in ended.err


def test_a_target_that_somebody_names_is_asked_for(home: Path) -> None:
    """``remember --mem0``: that one note at once, whatever the entry says; the outage is told and nothing is lost."""
    write(home, [Mem0Cloud(name="cloud")])
    with Fabric.open(Settings(home=home, embedder="none")) as fabric:
        note = fabric.remember("never deploy on Fridays", everywhere=True)
        (done,) = fabric.sync(only=note.ids, targets=["cloud"]).targets
        assert done.outage is not None
        assert (done.queued, done.waiting) == (1, 1)
        assert fabric.search("deploy on Fridays", outside=False).results


def test_the_doctor_says_what_waits_since_when_and_why(call: Call, home: Path, queue: Queue) -> None:
    queue(3)
    write(home, [DEAD])
    call("sync")
    (found, other) = (each for each in call("doctor", "--json").data["checks"] if each["name"] == "pushing")
    assert found["verdict"] == other["verdict"] == "warn"
    assert found["detail"].startswith("dead: ")
    assert found["detail"].endswith("no-such-program-anywhere is not there or cannot be run")
    assert (other["detail"], other["remedy"]) == ("work: 3 wait since 2026-06-01", "run `memory-fabric sync`")


@pytest.mark.parametrize(("waiting", "health"), [(49, "healthy"), (50, "degraded"), (51, "degraded")])
def test_a_long_queue_degrades_the_state(call: Call, queue: Queue, waiting: int, health: str) -> None:
    """F-CMD-13: at the limit."""
    queue(waiting)
    data = call("status", "--json").data
    assert (data["health"], data["queues"]["work"]["waiting"]) == (health, waiting)
    assert (f"{waiting} things wait to be pushed to other memories" in data["reasons"]) is (health == "degraded")
    assert f"pushed      work 0, {waiting} waiting" in call("status").out
