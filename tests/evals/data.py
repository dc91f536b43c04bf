"""What tests of the suites of conversations share."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from memory_fabric.app import Fabric
from memory_fabric.evals.suite import Corpus, Data
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.model.record import Conversation
from memory_fabric.settings import Settings


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
