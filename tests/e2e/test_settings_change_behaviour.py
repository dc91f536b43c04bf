"""Every documented key is read by code: each changes what the whole product does (features.md §18)."""

from __future__ import annotations

import json
import threading
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.e2e.conftest import RULE, OpenFabric
from tests.embed import tiny_onnx
from tests.embed.server import serving

from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.model.query import Mode, Scope
from memory_fabric.model.result import Result
from memory_fabric.settings import STORE_FILE, Settings

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.ports import Vectors

TESTED = {
    "home": "test_the_home_holds_the_store",
    "dedup_threshold": "test_the_dedup_threshold_decides_what_folds",
    "boost_factor": "test_the_boost_factor_lifts_what_stands_elsewhere",
    "max_results": "test_a_source_hands_in_as_many_hits_as_allowed",
    "weight_recency": "test_the_weights_are_those_of_the_factors",
    "weight_relevance": "test_the_weights_are_those_of_the_factors",
    "weight_authority": "test_the_weights_are_those_of_the_factors",
    "ranking": "test_the_ranking_is_a_mean_or_a_sum",
    "recency_curve": "test_the_recency_curve_decides_what_age_costs",
    "recency_half_life": "test_the_half_life_decides_how_fast",
    "recency_floor": "test_the_floor_decides_how_far",
    "chunk_characters": "test_the_size_of_parts_decides_how_many_there_are",
    "tool_calls": "test_tool_calls_are_kept_or_ignored",
    "tool_weight": "test_the_tool_weight_lets_touched_files_be_found",
    "deadline": "test_the_deadline_decides_how_long_a_source_is_waited_for",
    "embedder": "test_the_embedder_decides_whether_there_are_vectors",
    "embedding_folder": "test_the_folder_decides_which_model_embeds",
    **dict.fromkeys(
        ("embedding_url", "embedding_model", "embedding_key_env", "embedding_query_prefix", "embedding_passage_prefix"),
        "test_the_server_is_asked_as_the_settings_say",
    ),
    "lexicon": "test_the_users_lexicon_is_recognised",
}


def test_every_key_has_a_test_of_its_own() -> None:
    assert TESTED.keys() == {item.name for item in fields(Settings)}
    assert all(name in globals() for name in TESTED.values())


def results(fabric: Fabric, question: str, mode: Mode = Mode.TEXT, limit: int = 10) -> tuple[Result, ...]:
    return fabric.search(question, Scope(), mode=mode, limit=limit).results


def named(fabric: Fabric, question: str, words: str) -> Result:
    """The result that holds these words."""
    return next(each for each in results(fabric, question) if words in each.candidate.memory.text)


def factor(result: Result, name: str) -> float:
    return next(each.value for each in result.factors if each.name == name)


def test_the_home_holds_the_store(open_fabric: OpenFabric, tmp_path: Path) -> None:
    open_fabric(home=tmp_path / "elsewhere")
    assert (tmp_path / "elsewhere" / STORE_FILE).is_file()


def test_the_dedup_threshold_decides_what_folds(open_fabric: OpenFabric) -> None:
    """F-DEDUP-1, C-146: one word in seventeen differs."""
    folded = results(open_fabric(dedup_threshold=0.5), RULE)[0]
    assert len(folded.candidate.absorbed) == 1
    apart = results(open_fabric(dedup_threshold=1.0), RULE)
    assert sum("staging database" in each.candidate.memory.text for each in apart) == 2


def test_the_boost_factor_lifts_what_stands_elsewhere(open_fabric: OpenFabric) -> None:
    """F-XREF-1."""
    question, words = "Does Redis need a password", "password"
    plain = named(open_fabric(boost_factor=1.0), question, words).candidate
    lifted = named(open_fabric(boost_factor=1.1), question, words).candidate
    assert "Redis" in plain.linked
    assert lifted.relevance == pytest.approx(min(1.0, plain.relevance * 1.1))
    assert lifted.relevance > plain.relevance


def test_a_source_hands_in_as_many_hits_as_allowed(open_fabric: OpenFabric) -> None:
    """F-SRC-6."""
    few = open_fabric(max_results=1).search("Redis", Scope(), mode=Mode.TEXT, limit=1)
    many = open_fabric(max_results=20).search("Redis", Scope(), mode=Mode.TEXT, limit=1)
    assert few.counts["text"] == 1
    assert many.counts["text"] > 1


def test_the_weights_are_those_of_the_factors(open_fabric: OpenFabric) -> None:
    """F-RANK-7: normalised to sum 1."""
    fabric = open_fabric(weight_recency=1.0, weight_relevance=2.0, weight_authority=1.0)
    weights = {each.name: each.weight for each in results(fabric, "Redis")[0].factors}
    assert weights == {"recency": 0.25, "relevance": 0.5, "authority": 0.25}


def test_weights_change_the_order(open_fabric: OpenFabric) -> None:
    """F-RANK-1: relevance alone puts the old answer first, recency alone the new one."""
    exact = open_fabric(weight_recency=0.0, weight_authority=0.0)
    fresh = open_fabric(weight_recency=10.0, weight_relevance=0.01, weight_authority=0.0)

    def order(fabric: Fabric) -> list[str]:
        texts = [each.candidate.memory.text for each in results(fabric, "Redis")]
        return [word for text in texts for word in ("Cache", "password") if word in text]

    assert order(exact) == ["Cache", "password"]
    assert order(fresh) == ["password", "Cache"]


def test_the_ranking_is_a_mean_or_a_sum(open_fabric: OpenFabric) -> None:
    """F-RANK-6."""
    mean = named(open_fabric(ranking="geometric"), "sessions in Redis", "Cache")
    summed = named(open_fabric(ranking="sum"), "sessions in Redis", "Cache")
    assert (mean.summed, summed.summed) == (False, True)
    assert summed.raw_score == pytest.approx(sum(each.value * each.weight for each in summed.factors))


def test_the_recency_curve_decides_what_age_costs(open_fabric: OpenFabric) -> None:
    """F-RANK-2: ``max(0.1, 1 - days/30)`` for compatibility."""
    soft = named(open_fabric(), "sessions in Redis", "Cache")
    linear = named(open_fabric(recency_curve="linear"), "sessions in Redis", "Cache")
    assert factor(soft, "recency") >= 0.5
    assert factor(linear, "recency") == pytest.approx(0.1)


def test_the_half_life_decides_how_fast(open_fabric: OpenFabric) -> None:
    slow = named(open_fabric(recency_half_life=36_500.0), "sessions in Redis", "Cache")
    fast = named(open_fabric(recency_half_life=0.1), "sessions in Redis", "Cache")
    assert factor(slow, "recency") > 0.9
    assert factor(fast, "recency") == pytest.approx(0.5)


def test_the_floor_decides_how_far(open_fabric: OpenFabric) -> None:
    fabric = open_fabric(recency_half_life=0.1, recency_floor=0.25)
    assert factor(named(fabric, "sessions in Redis", "Cache"), "recency") == pytest.approx(0.25)


def test_the_size_of_parts_decides_how_many_there_are(open_fabric: OpenFabric) -> None:
    """F-ING-4."""
    assert open_fabric(chunk_characters=200).store.count() > open_fabric().store.count() == 9


def test_tool_calls_are_kept_or_ignored(open_fabric: OpenFabric) -> None:
    def targets(fabric: Fabric) -> list[object]:
        return [memory.metadata["tools"] for memory in fabric.store.recent(Scope(), 99) if "tools" in memory.metadata]

    kept, ignored = open_fabric(tool_calls="keep"), open_fabric(tool_calls="ignore")
    assert len(targets(kept)) == 4
    assert targets(ignored) == []
    assert kept.census().relations.get("implements", 0) >= ignored.census().relations.get("implements", 0)


def test_the_tool_weight_lets_touched_files_be_found(open_fabric: OpenFabric) -> None:
    """Only the tool call names the file."""
    asked = "quokka_parser.py"

    def raw(fabric: Fabric) -> list[str]:
        answer = fabric.search(asked, Scope(), mode=Mode.TEXT)
        return [hit.candidate.memory.text for hit in answer.results]

    assert any("Clean up the reader" in text for text in raw(open_fabric(tool_weight=10.0)))
    assert not any("Clean up the reader" in text for text in raw(open_fabric(tool_weight=0.0)))


class Hanging(HashedEmbedder):
    """An embedder that does not answer a question until it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.released = threading.Event()

    def embed_query(self, text: str) -> Vectors:
        self.released.wait(20)
        return super().embed_query(text)


def test_the_deadline_decides_how_long_a_source_is_waited_for(open_fabric: OpenFabric) -> None:
    """F-SRC-4: an outage, and the others' answer."""
    fabric = open_fabric(embedder="hashed", deadline=0.3)
    fabric.embed()
    embedder = Hanging()
    fabric.embedder = embedder
    try:
        answer = fabric.search("Redis", Scope(), mode=Mode.HYBRID)
    finally:
        embedder.released.set()
    assert [outage.source for outage in answer.outages] == ["vector"]
    assert answer.degraded
    assert answer.results


def test_the_embedder_decides_whether_there_are_vectors(open_fabric: OpenFabric) -> None:
    without, hashed = open_fabric(embedder="none"), open_fabric(embedder="hashed")
    assert without.embed() is None
    done = hashed.embed()
    assert done is not None
    assert done.memories == 9
    assert hashed.store.coverage() == {"hashed-256-v1": 9}
    assert without.store.coverage() == {}
    assert "vector" in hashed.search("Redis", Scope(), mode=Mode.HYBRID).counts
    assert "vector" not in without.search("Redis", Scope(), mode=Mode.HYBRID).counts


def test_the_folder_decides_which_model_embeds(open_fabric: OpenFabric, tmp_path: Path) -> None:
    fabric = open_fabric(embedder="onnx", embedding_folder=str(tiny_onnx.write(tmp_path / "model")))
    assert fabric.embed() is not None
    assert list(fabric.store.coverage().values()) == [9]
    assert fabric.embedder is not None
    assert fabric.embedder.dimension == 3


@pytest.mark.sockets
def test_the_server_is_asked_as_the_settings_say(open_fabric: OpenFabric, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODELS_KEY", "invented-key")
    with serving() as server:
        fabric = open_fabric(
            embedder="openai_compatible",
            embedding_url=server.url,
            embedding_model="bge-m3",
            embedding_key_env="MODELS_KEY",
            embedding_query_prefix="question: ",
            embedding_passage_prefix="passage: ",
        )
        fabric.embed()
        fabric.search("Redis", Scope(), mode=Mode.VECTOR)
        assert {body["model"] for body in server.asked} == {"bge-m3"}
        assert {headers["authorization"] for headers in server.headers} == {"Bearer invented-key"}
        texts = server.texts()
    assert "question: Redis" in texts
    assert sum(text.startswith("passage: ") for text in texts) >= 9


def test_the_users_lexicon_is_recognised(open_fabric: OpenFabric, tmp_path: Path) -> None:
    """A name that only the user's word list holds."""
    words = tmp_path / "words.json"
    words.write_text(json.dumps({"technologies": {"frobnicator": {"display": "Frobnicator"}}}), encoding="utf-8")
    assert open_fabric().store.find(["frobnicator"]) == []
    found = open_fabric(lexicon=str(words)).store.find(["frobnicator"])
    assert [(entity.name, str(entity.kind)) for entity in found] == [("Frobnicator", "technology")]
