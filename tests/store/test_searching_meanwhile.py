"""Who searches is not held up by who writes or embeds: in another process, and in another thread (F-VEC-7)."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.model.query import Scope
from memory_fabric.ports import Batch
from memory_fabric.store.sqlite import SqliteStore

WORKER = Path(__file__).with_name("worker.py")
MEMORIES = 400

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the worker uses resource limits of POSIX")


@pytest.fixture
def filled(path: Path, batch: Callable[..., Batch]) -> Path:
    with SqliteStore.open(path) as store:
        store.save(batch(*(f"m{number:03}" for number in range(MEMORIES)), text="a walrus in the garden"))
    return path


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), *map(str, arguments)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def found(store: SqliteStore, embedder: HashedEmbedder) -> int:
    """Searches text and vectors; how many memories the vectors find."""
    assert len(store.match(["walrus"], Scope(), 5)) == 5
    return len(store.nearest(embedder.space, embedder.embed_query("the walrus"), Scope(), MEMORIES))


def test_an_open_write_transaction_of_another_process_holds_up_no_reader(filled: Path) -> None:
    """C-126: without any patience, so that waiting for a lock would be an error."""
    writer = start("hold", filled)
    assert writer.stdout is not None
    assert writer.stdout.readline() == "held\n"
    try:
        for read_only in (True, False):
            with SqliteStore.open(filled, busy_timeout=0.0, read_only=read_only) as store:
                assert found(store, HashedEmbedder()) == 0
                assert store.count() == MEMORIES, "what is not committed is not seen"
        assert writer.poll() is None, "it still holds its transaction"
    finally:
        _, errors = writer.communicate("go\n", timeout=60)
    assert writer.returncode == 0, errors
    with SqliteStore.open(filled) as store:
        assert store.count() == MEMORIES + 50


def test_searches_are_answered_while_another_process_embeds(filled: Path) -> None:
    embedder = HashedEmbedder()
    with SqliteStore.open(filled, busy_timeout=0.0, read_only=True) as store:
        worker = start("embed", filled, 4)
        assert worker.stdout is not None
        counts = [(int(line), found(store, embedder)) for line in worker.stdout]
        _, errors = worker.communicate(timeout=60)
        assert worker.returncode == 0, errors
        assert found(store, embedder) == MEMORIES
    assert len(counts) == MEMORIES / 4
    assert all(done <= seen for done, seen in counts), "what is committed is found at once"
    assert [seen for _, seen in counts] == sorted(seen for _, seen in counts)


def test_searches_are_answered_while_a_thread_embeds(filled: Path) -> None:
    """Between two commits of the same store, each of which waits for an answered search."""
    embedder, counts = HashedEmbedder(), []
    asked, answered = threading.Semaphore(0), threading.Semaphore(0)

    def progress(_: int) -> None:
        asked.release()
        assert answered.acquire(timeout=60)

    with SqliteStore.open(filled, busy_timeout=0.0) as store:
        thread = threading.Thread(target=backfill, args=(store, embedder), kwargs={"batch": 40, "progress": progress})
        thread.start()
        for _ in range(MEMORIES // 40):
            assert asked.acquire(timeout=60)
            counts.append(found(store, embedder))
            answered.release()
        thread.join(60)
        assert not thread.is_alive()
    assert counts == list(range(40, MEMORIES + 1, 40))
