"""What tests of suites share; and the evaluation data itself, where it lies on this machine.

``MEMORY_FABRIC_EVAL_DATA`` names the folder that holds a folder a set, unpacked.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from memory_fabric.app import Fabric
from memory_fabric.evals.suite import Corpus, Data
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.model.record import Conversation
from memory_fabric.settings import Settings

ROOT = os.environ.get("MEMORY_FABRIC_EVAL_DATA")
"""Read before any test begins: tests run without variables of this name."""


def real(*places: str) -> Path:
    """The first of these folders of the evaluation data; skips the test without it."""
    found = next((path for place in places if ROOT and (path := Path(ROOT) / place).is_dir()), None)
    if found is None:
        pytest.skip("MEMORY_FABRIC_EVAL_DATA names no folder with this set, unpacked")
    return found


def counted(data: Data) -> Counter[str]:
    """Category → questions, and ``all``."""
    questions = [question for corpus in data.corpora for question in corpus.questions]
    return Counter(name for question in questions for name in (*question.categories, "all"))


def held(corpus: Corpus, tmp_path: Path) -> set[str]:
    """The items of everything that a memory holds once the corpus is in it."""
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none")) as fabric:
        fabric.add(corpus.records)
        return set(corpus.ranking(fabric.store.recent(Scope(), fabric.store.count())))


def memory_of(record: Conversation) -> Memory:
    """A memory of it, as ``Fabric.add`` names its origin."""
    origin = Origin("conversation", SessionId(f"conversation:{record.id}"), record="1")
    return Memory(MemoryId(record.id), "text", MemoryKind.EXCHANGE, None, None, origin)
