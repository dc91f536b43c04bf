"""Forgetting on purpose: what would go, what goes, and that it stays away (F-PRIV-7, decision 11)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.curate.conftest import OpenFabric
from tests.ingest.world import S1, S2, exchange, lines

from memory_fabric.app import Fabric
from memory_fabric.curate.remember import PART
from memory_fabric.errors import UsageError
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Mode, Scope


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """Two sessions; the word Xylographer stands in one exchange of each."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    first = [
        *exchange(0, "We decided to use Redis for the Xylographer", "Redis it is", cwd="/w/shop"),
        *exchange(1, "Clean up the reader", "Cleaned up", cwd="/w/shop"),
    ]
    second = exchange(2, "What about the XYLOGRAPHER?", "It is 100% done", cwd="/w/other", sessionId=S2)
    (folder / f"{S1}.jsonl").write_bytes(lines(first))
    (folder / f"{S2}.jsonl").write_bytes(lines(second))
    return folder


@pytest.fixture
def read(fabric: Fabric, transcripts: Path) -> Fabric:
    fabric.ingest([transcripts])
    return fabric


def texts(memories: tuple[Memory, ...]) -> list[str]:
    return [memory.text.splitlines()[0] for memory in memories]


def test_a_text_goes_from_every_index_and_stays_away(read: Fabric, transcripts: Path) -> None:
    """F-PRIV-7, C-059: text, graph, statements, dump; through a re-ingest of the same files, and of their copies."""
    assert read.search("Redis", mode=Mode.GRAPH).results
    assert read.history()
    gone = read.forget(text="xylographer")
    assert gone.count == len(gone.memories) == 2
    assert read.search("Xylographer", mode=Mode.TEXT).results == ()
    assert read.search("Redis", mode=Mode.GRAPH).results == ()
    assert "ylographer" not in "".join(map(repr, read.export())).lower()
    assert read.history() == []
    assert read.store.count() == 1
    again = read.ingest([transcripts])
    (transcripts / f"{S1}.jsonl").rename(transcripts / "55555555-5555-4555-8555-555555555555.jsonl")
    moved = read.ingest([transcripts])
    assert read.store.count() == 1
    assert again.memories["added"] == moved.memories["added"] == 0
    assert moved.memories["forgotten"] == 1
    assert read.store.check() == []


def test_a_source_that_disappears_and_comes_back_changes_nothing(read: Fabric, transcripts: Path) -> None:
    """C-131: nothing is lost with the file, and what was forgotten does not return with it."""
    read.forget(text="xylographer")
    file = transcripts / f"{S1}.jsonl"
    kept = file.read_bytes()
    file.unlink()
    read.ingest([transcripts])
    assert read.store.count() == 1
    file.write_bytes(kept)
    read.ingest([transcripts])
    assert read.store.count() == 1


def test_a_preview_removes_nothing(read: Fabric) -> None:
    before = list(read.export())
    shown = read.forget(text="xylographer", dry_run=True)
    assert (shown.count, len(shown.memories)) == (0, 2)
    assert list(read.export()) == before


def test_a_text_is_looked_for_in_scope(read: Fabric) -> None:
    """C-148."""
    scope, _ = read.scope(project="shop")
    assert texts(read.forget(text="xylographer", scope=scope).memories) == [
        "USER: We decided to use Redis for the Xylographer"
    ]
    assert read.store.count() == 2


@pytest.mark.parametrize(("text", "found"), [("100% done", 1), ("100%", 1), ("1%", 0), ("_", 0), ("%", 1)])
def test_signs_mean_themselves(read: Fabric, text: str, found: int) -> None:
    """C-115."""
    assert len(read.forget(text=text, dry_run=True).memories) == found


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_text_would_be_everything_and_is_refused(read: Fabric, text: str) -> None:
    with pytest.raises(UsageError, match="every memory would go"):
        read.forget(text=text)
    assert read.store.count() == 3


def test_a_session_goes_as_a_whole(read: Fabric) -> None:
    gone = read.forget(session=S1)
    assert gone.count == 2
    assert [memory.origin.session for memory in gone.memories] == [S1, S1]
    assert read.store.count() == 1
    assert read.forget(session=S1).unknown == (S1,)


@pytest.mark.parametrize("prefix", ["", "text:", "graph:", "claude_code:", " "])
def test_an_id_may_be_given_as_search_prints_it(read: Fabric, prefix: str) -> None:
    memory = read.store.recent(Scope(), 1)[0]
    gone = read.forget([f"{prefix}{memory.id}"])
    assert (gone.count, gone.unknown) == (1, ())
    assert read.store.get([memory.id]) == []


def test_an_id_that_holds_a_colon_of_its_own_is_taken_as_it_is(fabric: Fabric) -> None:
    from tests.doors.making import memory

    from memory_fabric.ports import Batch, Record

    plain, colon = memory("x", text="plain", project=None), memory("text:x", text="colon", project=None)
    fabric.store.save(Batch(records=(Record(plain, 0), Record(colon, 1))))
    assert [each.text for each in fabric.forget(["text:x"]).memories] == ["colon"]
    assert [each.text for each in fabric.forget(["text:x"]).memories] == ["plain"]


def test_what_is_not_there_is_named_and_the_rest_goes(read: Fabric) -> None:
    memory = read.store.recent(Scope(), 1)[0]
    gone = read.forget(["m_nowhere", str(memory.id), "text:", "x' OR 1=1 --", str(memory.id)])
    assert gone.count == 1
    assert gone.unknown == ("m_nowhere", "text:", "x' OR 1=1 --")
    assert read.store.count() == 2
    assert read.forget([str(memory.id)]).unknown == (memory.id,)


def test_no_ids_are_nothing_and_no_wish_is_a_mistake(read: Fabric) -> None:
    assert read.forget([]).count == 0
    with pytest.raises(UsageError, match="say what to forget"):
        read.forget()
    with pytest.raises(UsageError, match="say what to forget"):
        read.forget(["m_1"], text="x")
    with pytest.raises(UsageError, match="say what to forget"):
        read.forget(session=S1, text="x")
    assert read.store.count() == 3


def test_half_a_note_is_none(fabric: Fabric) -> None:
    """F-ERR-7: a part stands for the whole note."""
    said = fabric.remember("The begin. " + "middle " * (PART // 3) + "the xylophone", everywhere=True)
    assert len(said.ids) == 3
    gone = fabric.forget(text="xylophone")
    assert [memory.id for memory in gone.memories] == list(said.ids)
    assert fabric.store.count() == 0


def test_a_forgotten_note_takes_its_observations_and_names_with_it(fabric: Fabric, shop: str) -> None:
    said = fabric.remember("Zebras use PostHog", cwd=shop)
    fabric.remember("Redis stays", cwd=shop)
    assert fabric.knowledge.open_nodes(["PostHog"]).nodes
    fabric.forget([str(said.memory.id)])
    assert fabric.knowledge.open_nodes(["PostHog"]).nodes == ()
    assert [node.name for node in fabric.knowledge.list_nodes()] == ["Redis"]


def test_vectors_go_too(open_fabric: OpenFabric, transcripts: Path) -> None:
    fabric = open_fabric(embedder="hashed")
    fabric.ingest([transcripts])
    fabric.embed()
    assert fabric.embedder is not None
    fabric.forget(text="xylographer")
    assert fabric.store.coverage() == {fabric.embedder.space: 1}


def test_what_is_shown_of_it_is_clean(fabric: Fabric) -> None:
    """C-110: a memory from before a rule existed is previewed without its secret."""
    from tests.doors.making import memory

    from memory_fabric.ports import Batch, Record

    secret = "ghp_" + "a" * 36
    fabric.store.save(Batch(records=(Record(memory("old", text=f"token {secret}", project=None), 0),)))
    assert secret not in fabric.forget(["old"], dry_run=True).memories[0].text
    assert fabric.forget(text=secret).count == 1
    assert fabric.store.get([MemoryId("old")]) == []
