"""``search`` from end to end, on the packaged sample."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.doors.conftest import SAMPLE, Call, exchange

PORT = "Which port does the payments API listen on?"


def test_an_answer_has_its_passage_and_its_source_line(call: Call, remembering: Path) -> None:
    ended = call("search", PORT, "--all")
    assert ended.code == 0
    assert "8081" in ended.out
    assert re.match(r" 1\. 0\.\d\d  2026-\d\d-\d\d  payments-api", ended.out)
    source = re.search(r"source  (\S+):(\d+)-(\d+)", ended.out)
    assert source is not None
    assert Path(source[1]).is_relative_to(SAMPLE)
    assert ended.err == ""


def test_the_words_of_a_question_need_no_quotes(call: Call, remembering: Path) -> None:
    quoted = call("search", PORT, "--all", "--json").data
    assert call("search", *PORT.split(), "--all", "--json").data["results"] == quoted["results"]


def test_json_goes_to_standard_output_and_notes_to_standard_error(call: Call, remembering: Path) -> None:
    ended = call("search", PORT, "--json")
    assert ended.data["query"] == PORT
    assert "searched all projects" in ended.data["notes"][0]
    assert ended.err == f"note: {ended.data['notes'][0]}\n"


def test_every_identifier_is_given_with_its_source(call: Call, remembering: Path) -> None:
    """F-NORM-2, F-RES-1: sorted by score, ids of the form ``source:memory``."""
    data = call("search", PORT, "--all", "--json").data
    scores = [each["score"] for each in data["results"]]
    assert scores == sorted(scores, reverse=True)
    for each in data["results"]:
        assert each["id"].startswith(f"{each['source']}:m_")
        assert each["source"] in data["sources"]
    hits = sum(count for source, count in data["sources"].items() if source != "merged")
    assert len(data["results"]) == min(10, data["total_results"])
    assert data["total_results"] <= hits - data["sources"]["merged"] < hits


@pytest.mark.parametrize("question", [[], [""], ["  "]])
def test_without_a_question_the_newest_memories_are_shown(call: Call, remembering: Path, question: list[str]) -> None:
    """F-ERR-4, F-PARSE-7."""
    data = call("search", *question, "--all", "--json").data
    stamps = [each["timestamp"] for each in data["results"]]
    assert len(stamps) == 10
    assert stamps == sorted(stamps, reverse=True)
    assert set(data["sources"]) == {"recent", "merged"}


def test_nothing_relevant_says_so_with_suggestions(call: Call, remembering: Path) -> None:
    """F-ERR-11: exit code 1, and not a word that could be taken for an error."""
    ended = call("search", "zeppelin mooring masts", "--project", "web-shop", "--since", "2026-01")
    assert (ended.code, ended.out) == (1, "")
    assert "Nothing relevant found." in ended.err
    for suggestion in ("--all", "--since", "other words", "memory-fabric status"):
        assert suggestion in ended.err
    assert "error:" not in ended.err


def test_nothing_relevant_is_an_empty_list_for_programs(call: Call, remembering: Path) -> None:
    ended = call("search", "zeppelin mooring masts", "--all", "--json")
    assert ended.code == 1
    assert ended.data["results"] == []
    assert "error" not in ended.data


@pytest.mark.parametrize(
    "question", ["TODO: fix", "error:timeout", "time: 9am", '"', "a AND (b OR", "x*", "-", "NEAR("]
)
def test_signs_of_a_query_language_are_plain_text(call: Call, remembering: Path, question: str) -> None:
    """C-052: they neither fail nor are they swallowed."""
    ended = call("search", "--all", "--json", "--", question)
    assert ended.code in {0, 1}
    assert ended.data["query"] == question


def test_a_project_is_never_shown_anothers_memories(call: Call, remembering: Path) -> None:
    """C-148."""
    asked = ["search", "tests", "--mode", "text", "--limit", "50", "--json"]
    everything = call(*asked, "--all").data["results"]
    names = {each["project"] for each in everything}
    assert len(names) > 1
    one = call(*asked, "--project", "tidylog").data["results"]
    assert one
    assert len({each["project"] for each in one}) == 1


def test_an_unknown_project_is_named_with_those_that_are_known(call: Call, remembering: Path) -> None:
    """C-152."""
    ended = call("search", "x", "--project", "nowhere")
    assert ended.code == 2
    assert "project 'nowhere' is not known" in ended.err
    assert "payments-api, tidylog, web-shop" in ended.err


def test_times_narrow_the_answer(call: Call, remembering: Path) -> None:
    asked = ["search", "pagination", "--all", "--json", "--limit", "50"]
    every = {each["timestamp"][:7] for each in call(*asked).data["results"]}
    since = {each["timestamp"][:7] for each in call(*asked, "--since", "2026-04").data["results"]}
    before = {each["timestamp"][:7] for each in call(*asked, "--before", "2026-04").data["results"]}
    assert since
    assert before
    assert min(since) >= "2026-04" > max(before)
    assert since | before == every


def test_a_time_that_cannot_be_read_is_refused_with_the_forms(call: Call, remembering: Path) -> None:
    ended = call("search", "x", "--since", "soon", "--json")
    assert ended.code == 2
    assert "'soon'" in ended.data["error"]["message"]
    assert "3 weeks ago" in ended.data["error"]["hint"]


def test_kinds_narrow_the_answer(call: Call, remembering: Path) -> None:
    decided = call("search", "pagination", "--all", "--kind", "decision", "--json").data["results"]
    assert decided
    every = call("search", "pagination", "--all", "--limit", "50", "--json").data["results"]
    assert len(decided) < len(every)


def test_an_answer_explains_itself(call: Call, remembering: Path) -> None:
    """F-RANK-5."""
    ended = call("search", PORT, "--all", "--limit", "1", "--explain")
    found = re.search(r"score   (\S+) = recency (\S+)\^0.3 × relevance (\S+)\^0.5 × authority (\S+)\^0.2", ended.out)
    assert found is not None
    score, recency, relevance, authority = (float(each) for each in found.groups())
    assert score == pytest.approx(recency**0.3 * relevance**0.5 * authority**0.2, abs=2e-3)


def test_the_limit_is_kept(call: Call, remembering: Path) -> None:
    assert len(call("search", "tests", "--all", "--limit", "3", "--json").data["results"]) == 3


def test_an_empty_memory_says_how_to_fill_it(call: Call, transcript: object, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    call("ingest", tmp_path / "in")
    ended = call("search", "x")
    assert ended.code == 1
    assert "The memory is empty." in ended.err
    assert "memory-fabric ingest" in ended.err


def test_the_home_may_be_given_before_or_after_the_command(call: Call, sampled: Path) -> None:
    for words in (["--home", sampled, "search", PORT], ["search", PORT, "--home", sampled]):
        assert call(*words, "--all").code == 0


def test_the_project_of_the_current_directory_is_searched_by_default(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-SRC-12: the current project, without a note; others are asked for."""
    for name in ("shop", "bank"):
        (tmp_path / name / ".git" / "objects").mkdir(parents=True)
        (tmp_path / name / ".git" / "refs").mkdir()
        (tmp_path / name / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        lines = exchange(
            1, f"Where does the {name} keep carts?", "In PostgreSQL.", session=name, cwd=f"{tmp_path}/{name}"
        )
        (tmp_path / f"{name}.jsonl").write_text("\n".join([*lines, ""]), encoding="utf-8")
        call("ingest", tmp_path / f"{name}.jsonl")
    monkeypatch.chdir(tmp_path / "shop")
    ended = call("search", "carts")
    assert ended.err == ""
    assert "the shop" in ended.out
    assert "the bank" not in ended.out
    assert "the bank" in call("search", "carts", "--all").out
    assert "the bank" in call("search", "carts", "--project", "bank").out


def test_what_lies_near_a_time_comes_first_and_every_month_still_answers(call: Call, remembering: Path) -> None:
    """retrieval.md §9, point 6: a preference, where ``--since`` and ``--before`` are limits."""
    asked = ("search", "tests", "--all", "--limit", "50", "--json")
    plain = [each["timestamp"] for each in call(*asked).data["results"]]
    near = [each["timestamp"] for each in call(*asked, "--around", min(plain)).data["results"]]
    assert near[0][:10] == min(plain)[:10] != plain[0][:10]
    assert {stamp[:7] for stamp in near} == {stamp[:7] for stamp in plain}


def test_without_a_question_what_lies_near_a_time_is_shown(call: Call, remembering: Path) -> None:
    """A day counts by its end."""
    stamps = [each["timestamp"] for each in call("search", "--all", "--limit", "50", "--json").data["results"]]
    day = stamps[len(stamps) // 2][:10]
    data = call("search", "--all", "--around", day, "--json").data
    assert data["results"][0]["timestamp"][:10] == day
    assert set(data["sources"]) == {"time", "merged"}


def test_a_time_to_look_around_that_cannot_be_read_is_the_users_mistake(call: Call, remembering: Path) -> None:
    ended = call("search", "x", "--around", "soon", "--json")
    assert ended.code == 2
    assert "'soon' is not a time" in ended.data["error"]["message"]
