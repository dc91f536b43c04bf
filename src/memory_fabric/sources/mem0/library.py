"""The mem0 library in this process: offline, our embedder, its store in a folder of ours (F-MEM0-1).

Importing mem0 costs about 1.7 s and 110 MB, so it is imported by the first question.  It would report every call to its
makers and fetch notices from the net; both are off before it is imported (C-118).  Its store takes one process at a
time: it is opened for each call and released, and whoever comes second waits inside its deadline.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_fabric.clock import Deadline
from memory_fabric.errors import ConfigError, DeadlinePassed, SourceUnavailable
from memory_fabric.ports import Embedder
from memory_fabric.sources.mem0.backend import Change, Status, Who
from memory_fabric.sources.mem0.http import NotThere, Refused
from memory_fabric.sources.mem0.shape import FABRIC_KEY, MOST_HITS, Item, Matches, items_of

FOLDER = "mem0"
"""Below the data folder."""

RETRY = 0.05
"""Seconds between two looks whether another process has released the store."""

QUIET = {"MEM0_TELEMETRY": "False", "ANONYMIZED_TELEMETRY": "False"}
"""What keeps mem0 from calling home; read by it while it is imported."""

FEW_OWNERS = 8
"""As many are searched without asking first whether they have memories."""

EVERYTHING = 1_000_000

_importing = threading.Lock()


class LibraryMem0:
    """See ``backend.Backend``.  ``config``: mem0's own configuration in place of ours."""

    has_graph = False
    """The library dropped its graph stores in 2026 (mem0#4805)."""

    def __init__(
        self,
        name: str,
        folder: Path,
        embedder: Embedder | None,
        config: Path | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = name
        self._folder = folder
        self._embedder = embedder
        self._config = config
        self._pause = pause
        self._lock = threading.Lock()

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────

    def product(self, deadline: Deadline) -> str:
        """Name and version of the library; opens its store once."""
        import importlib.metadata

        with self._memory(deadline):
            return f"mem0ai {importlib.metadata.version('mem0ai')}"

    def search(
        self,
        question: str,
        who: Who,
        limit: int,
        deadline: Deadline,
        *,
        graph: bool = False,  # noqa: ARG002 - it has none
        filters: Sequence[Mapping[str, Any]] = (),
    ) -> Matches:
        """See ``Backend``.  The library takes one owner a question: each is asked, the best of all are kept."""
        most = max(1, min(limit, MOST_HITS))
        found: dict[str, Item] = {}
        with self._memory(deadline) as memory:
            for owner in self._living(memory, _owners(who)):
                if deadline.passed:
                    raise DeadlinePassed(f"{self.name}: did not answer in time", "raise the source's `deadline`")
                wanted = {**owner, **_together(filters)}
                for item in items_of(memory.search(question, filters=wanted, top_k=most, threshold=0.0)):
                    found.setdefault(str(item["id"]), item)
        best = sorted(found.values(), key=lambda item: (-float(item.get("score") or 0.0), str(item["id"])))
        return Matches(tuple(best[:most]))

    def listed(
        self, who: Who, limit: int, deadline: Deadline, *, filters: Sequence[Mapping[str, Any]] = ()
    ) -> list[Item]:
        """See ``Backend``."""
        found: dict[str, Item] = {}
        with self._memory(deadline) as memory:
            for owner in _owners(who):
                wanted = {**owner, **_together(filters)}
                found |= {str(item["id"]): item for item in items_of(memory.get_all(filters=wanted, top_k=limit))}
        return list(found.values())[:limit]

    def get(self, record: str, deadline: Deadline) -> Item:
        """See ``Backend``."""
        with self._memory(deadline) as memory:
            return self._one(memory, record)

    def history(self, record: str, deadline: Deadline) -> list[Item]:
        """See ``Backend``; also of memories that are deleted."""
        with self._memory(deadline) as memory:
            found: list[Item] = memory.history(record)
        if not found:
            raise self._unknown(record)
        return found

    def users(self, deadline: Deadline) -> list[Item]:
        """See ``Backend``."""
        with self._memory(deadline) as memory:
            counts = _held(memory)
        return [{"type": kind, "name": name, "total_memories": many} for (kind, name), many in sorted(counts.items())]

    def named(self, key: str, user: str, deadline: Deadline) -> Item | None:
        """See ``Backend``."""
        found = self.listed(Who((user,)), 10, deadline, filters=({"metadata": {FABRIC_KEY: key}},))
        return found[0] if found else None

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def add(
        self,
        text: str,
        user: str,
        metadata: Mapping[str, Any],
        deadline: Deadline,
        *,
        agent: str | None = None,
        at: datetime | None = None,
    ) -> str:
        """See ``Backend``."""
        kept = {**metadata, **({"created_at": at.astimezone(UTC).isoformat()} if at else {})}
        with self._memory(deadline) as memory:
            answer = memory.add(text, user_id=user, agent_id=agent, metadata=kept, infer=False)
        return str(items_of(answer)[0]["id"])

    def update(self, change: Change, deadline: Deadline) -> Item:
        """See ``Backend``."""
        with self._memory(deadline) as memory:
            return self._changed(memory, change)

    def delete(self, record: str, deadline: Deadline) -> None:
        """See ``Backend``."""
        with self._memory(deadline) as memory:
            self._deleted(memory, record)

    def batch_update(self, changes: Sequence[Change], deadline: Deadline) -> list[Status]:
        """See ``Backend``."""
        with self._memory(deadline) as memory:
            return [_status(change.id, lambda each=change: self._changed(memory, each)) for change in changes]  # type: ignore[misc]

    def batch_delete(self, records: Sequence[str], deadline: Deadline) -> list[Status]:
        """See ``Backend``."""
        with self._memory(deadline) as memory:
            return [_status(record, lambda each=record: self._deleted(memory, each)) for record in records]  # type: ignore[misc]

    def close(self) -> None:
        """See ``Backend``: nothing stays open."""

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _living(self, memory: Any, owners: list[dict[str, str]]) -> list[dict[str, str]]:
        """Of many owners those that have memories: each costs a search."""
        if len(owners) <= FEW_OWNERS:
            return owners
        there = {(f"{kind}_id", name) for kind, name in _held(memory)}
        return [owner for owner in owners if there.issuperset(owner.items())]

    def _one(self, memory: Any, record: str) -> Item:
        found: Item | None = memory.get(record)
        if found is None:
            raise self._unknown(record)
        return found

    def _changed(self, memory: Any, change: Change) -> Item:
        self._one(memory, change.id)
        extra = None if change.metadata is None else dict(change.metadata)
        memory.update(change.id, text=change.text, metadata=extra)
        return self._one(memory, change.id)

    def _deleted(self, memory: Any, record: str) -> None:
        self._one(memory, record)
        memory.delete(record)

    def _unknown(self, record: str) -> NotThere:
        return NotThere(
            f"{self.name}: there is nothing of the id {record!r}", "`memory-fabric mem0 list` shows what is"
        )

    @contextmanager
    def _memory(self, deadline: Deadline) -> Iterator[Any]:
        """The library's memory, open and ours alone.

        Raises:
            SourceUnavailable: it is not installed, or failed.
            DeadlinePassed: somebody else holds it.
        """
        library = imported(self._folder)
        if not self._lock.acquire(timeout=max(0.01, deadline.remaining)):
            raise DeadlinePassed(f"{self.name}: is busy with another question", "raise the source's `deadline`")
        try:
            with self._alone(deadline), _open(library.Memory, self._settings()) as memory:
                yield memory
        except _failures() as error:
            raise SourceUnavailable(f"{self.name}: mem0's library failed: {_one_line(error)}", _HINT) from error
        finally:
            self._lock.release()

    @contextmanager
    def _alone(self, deadline: Deadline) -> Iterator[None]:
        """Keep other processes of ours out: the store itself would turn them away at once."""
        import portalocker

        with (self._folder / "lock").open("a") as file:
            while True:
                try:
                    portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
                    break
                except portalocker.LockException as error:
                    if deadline.remaining <= RETRY:
                        raise DeadlinePassed(
                            f"{self.name}: another process has mem0's store open", "try again"
                        ) from error
                    self._pause(RETRY)
            try:
                yield
            finally:
                portalocker.unlock(file)

    def _settings(self) -> Any:
        """mem0's configuration: the user's own, or everything local with our embedder."""
        from mem0.configs.base import MemoryConfig

        if self._config is not None:
            return MemoryConfig(**_own_config(self._config))
        embedder = self._embedder
        if embedder is None:
            raise SourceUnavailable(f"{self.name}: mem0's library needs an embedder", "set `embedder` to minilm")
        from mem0.embeddings.configs import EmbedderConfig
        from mem0.llms.configs import LlmConfig
        from mem0.utils.factory import EmbedderFactory, LlmFactory

        EmbedderFactory.provider_to_class.setdefault("memory_fabric", f"{_PARTS}.OurEmbedding")
        if "memory_fabric" not in LlmFactory.get_supported_providers():
            LlmFactory.register_provider("memory_fabric", f"{_PARTS}.NoLanguageModel")
        ours = {"model": embedder, "embedding_dims": embedder.dimension}
        space = "".join(sign if sign.isalnum() else "_" for sign in embedder.space)
        return MemoryConfig(
            # Made without their checks, which know mem0's own providers only.
            embedder=EmbedderConfig.model_construct(provider="memory_fabric", config=ours),
            llm=LlmConfig.model_construct(provider="memory_fabric", config={}),
            vector_store={
                "provider": "qdrant",
                "config": {
                    "path": str(self._folder / "qdrant"),
                    "collection_name": f"memories_{space}",
                    "embedding_model_dims": embedder.dimension,
                    "on_disk": True,
                },
            },
            history_db_path=str(self._folder / "history.db"),
        )


_PARTS = "memory_fabric.sources.mem0.parts"
_HINT = "see `memory-fabric doctor`; its files are in the folder `mem0` of the data folder"


def imported(folder: Path) -> Any:
    """The library, with its reports to its makers switched off and its own folder inside ours.

    Raises:
        SourceUnavailable: it is not installed, or somebody imported it before with the reports on.
    """
    with _importing:
        folder.mkdir(0o700, parents=True, exist_ok=True)
        before = {name: os.environ.get(name) for name in (*QUIET, "MEM0_DIR")}
        os.environ.update(QUIET, MEM0_DIR=str(folder))
        try:
            from mem0.memory import telemetry

            import mem0
        except ImportError as error:
            raise SourceUnavailable(
                "mem0's library is not installed", "pip install 'memory-fabric[mem0]', or use mem0's cloud"
            ) from error
        finally:
            for name, value in before.items():
                if value is None:
                    os.environ.pop(name, None)
                else:
                    os.environ[name] = value
    if telemetry.MEM0_TELEMETRY:
        raise SourceUnavailable("mem0 was imported with its telemetry on", "set MEM0_TELEMETRY=False before that")
    logger = logging.getLogger("mem0")
    if logger.level == logging.NOTSET:
        # It warns of every optional package that is not installed, on the terminal of whoever searches.
        logger.setLevel(logging.ERROR)
    return mem0


@contextmanager
def _open(make: Callable[[Any], Any], settings: Any) -> Iterator[Any]:
    memory = make(settings)
    try:
        yield memory
    finally:
        memory.close()
        closing = getattr(getattr(memory.vector_store, "client", None), "close", None)
        if closing is not None:
            closing()


def _failures() -> tuple[type[Exception], ...]:
    """What mem0 and the parts that its configuration names let through; only of those that it has imported."""
    known = {"mem0.exceptions": "MemoryError", "openai": "OpenAIError", "httpx": "HTTPError",
             "qdrant_client.http.exceptions": "ApiException"}  # fmt: skip
    found = [getattr(sys.modules[module], name) for module, name in known.items() if module in sys.modules]
    return (*found, OSError, RuntimeError, ValueError, ImportError, sqlite3.Error)


def _own_config(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.expanduser().read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read: {_one_line(error)}", "mend mem0's configuration") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{path}: is no JSON object", "mend mem0's configuration")
    return found


def _owners(who: Who) -> list[dict[str, str]]:
    return [{"user_id": user} for user in who.users] + [{"agent_id": agent} for agent in who.agents]


def _held(memory: Any) -> Counter[tuple[str, str]]:
    """Kind and name of each owner, with how many memories it has."""
    rows = memory.vector_store.list(filters=None, top_k=EVERYTHING)
    counts: Counter[tuple[str, str]] = Counter()
    for row in rows[0] if rows and isinstance(rows[0], list) else rows:
        for kind in ("user", "agent", "run"):
            if name := (row.payload or {}).get(f"{kind}_id"):
                counts[kind, str(name)] += 1
    return counts


def _together(filters: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The platform's filters as the library's: metadata stands beside the other fields there."""
    flat: dict[str, Any] = {}
    for each in filters:
        for name, value in each.items():
            flat |= dict(value) if name == "metadata" and isinstance(value, Mapping) else {name: value}
    return flat


def _status(record: str, work: Callable[[], object]) -> Status:
    try:
        work()
    except (NotThere, Refused) as error:
        return Status(record, False, error.message)
    return Status(record, True)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
