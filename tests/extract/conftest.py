"""One lexicon for all, and short ways to a memory and an exchange."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import pytest

from memory_fabric import lexicon
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, Project, ProjectId, SessionId
from memory_fabric.model.transcript import Exchange, ToolCall

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)

MakeMemory = Callable[[str], Memory]
MakeExchange = Callable[..., Exchange]


@pytest.fixture(scope="session")
def words() -> Lexicon:
    return lexicon.load()


@pytest.fixture
def project() -> Project:
    return Project(ProjectId("p1"), "shopfront", "/work/shopfront")


@pytest.fixture
def remember() -> MakeMemory:
    def make(text: str) -> Memory:
        origin = Origin("claude_code", SessionId("s1"))
        return Memory(MemoryId("m1"), text, MemoryKind.EXCHANGE, ProjectId("p1"), AT, origin)

    return make


@pytest.fixture
def exchange() -> MakeExchange:
    def make(*tools: ToolCall, cwd: str | None = "/work/shopfront", derived: bool = False) -> Exchange:
        calls: Sequence[ToolCall] = tools
        return Exchange(SessionId("s1"), "r1", "", "", derived=derived, at=AT, tools=tuple(calls), cwd=cwd)

    return make
