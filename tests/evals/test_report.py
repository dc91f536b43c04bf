"""Reports: what they say, that they need nothing else, and that no text of a file becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from tests.evals.outcomes import outcome, run_of

from memory_fabric.errors import UsageError
from memory_fabric.evals.measures import measure
from memory_fabric.evals.outcome import Outcome, Run
from memory_fabric.evals.report import write
from memory_fabric.evals.report.content import Section, figure, sections
from memory_fabric.evals.report.markdown import escape, markdown
from memory_fabric.evals.report.page import page
from memory_fabric.evals.report.plots import calibration, routing

NASTY = """<script>alert(1)</script> | `"&' [x](http://e.vil) **b** ]]> --> é"""


class Checker(HTMLParser):
    """Every element closed in order, what it was made of, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.loads: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        names = dict(attrs)
        self.loads += [name for name in names if name in {"src", "href", "xlink:href"} or name.startswith("on")]
        if tag != "meta":  # the one element here that is never closed
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> Checker:
    checker = Checker()
    checker.feed(html)
    checker.close()
    assert checker.open == []
    return checker


def questions(*, shift: int = 0) -> list[Outcome]:
    return [
        outcome(
            f"q{number}",
            (1, 2, 7, None)[(number + shift) % 4],
            categories=("even",) if number % 2 == 0 else ("odd",),
            score=number / 40,
            confidence=number / 4,
            graph=0.2 if number < 15 else 0.0,
        )
        for number in range(40)
    ]


@pytest.fixture
def runs() -> list[Run]:
    about: dict[str, object] = {
        "split": "dev",
        "seed": 7,
        "version": "9.9",
        "model": None,
        "machine": {"processors": 2},
    }
    plain = [outcome(each.id, 2, categories=each.categories) for each in questions()]
    return [
        Run("bm25", "talks", "bm25", tuple(plain), about),
        Run("auto", "talks", "auto", tuple(questions()), {**about, "model": "tiny-v1"}),
    ]


def test_both_files_are_written(runs: list[Run], tmp_path: Path) -> None:
    written = write(runs, tmp_path / "new" / "folder")
    assert [path.name for path in written] == ["report.md", "report.html"]
    assert all(path.stat().st_size > 1000 for path in written)
    assert write(runs, tmp_path / "new" / "folder") == written


def test_a_folder_that_cannot_be_written_is_the_users_mistake(runs: list[Run], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        write(runs, tmp_path / "file")


def test_the_page_is_well_formed_and_needs_neither_network_nor_script(runs: list[Run]) -> None:
    html = page(sections(runs))
    checker = read(html)
    assert checker.loads == []
    assert checker.seen.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "form"})
    assert "url(" not in html
    assert "@import" not in html
    assert "default-src 'none'" in html


def test_the_page_shows_bars_with_intervals_routing_and_calibration(runs: list[Run]) -> None:
    html = page(sections(runs))
    text = read(html).text
    for title in ("hit@1 by category", "recall@5 by category", "mrr by category", "Routing: auto", "Calibration: auto"):
        assert title in text
    assert "Routing: bm25" not in text
    assert "Calibration: bm25" not in text
    bars = html[html.index("hit@1 by category") : html.index("recall@5 by category")]
    assert bars.count("<rect") == bars.count('class="whisker"') == 2 * 3


def test_both_say_with_what_it_was_measured(runs: list[Run]) -> None:
    found = sections(runs)
    for text in (read(page(found)).text, markdown(found)):
        for told in ("dev", "9.9", "tiny-v1", "processors 2", "seed", "95%", "All questions", "even"):
            assert told in text


def table(section: Section, title: str) -> dict[str, tuple[str, ...]]:
    (found,) = (each for each in section.tables if each.title == title)
    return {row[0]: row[1:] for row in found.rows}


def test_tables_give_counts_means_and_intervals(runs: list[Run]) -> None:
    (section,) = sections(runs)
    figures = table(section, "All questions")
    assert figures["bm25"][:3] == ("40", "40", "0.0 (0.0–0.0)")
    assert figures["auto"][:2] == ("40", "40")
    assert figures["auto"][2].startswith("25.0 (")
    assert figures["bm25"][-2] == "0.500 (0.500–0.500)"
    assert table(section, "Category even")["auto"][:2] == ("20", "50.0")
    assert table(section, "Category odd")["auto"][:2] == ("20", "0.0")


def test_questions_that_got_no_answer_are_told_from_those_that_got_a_wrong_one() -> None:
    silent = Outcome("q2", frozenset({"right"}), (), measure((), frozenset({"right"})))
    (section,) = sections([run_of("auto", [outcome("q1", None), silent])])
    assert table(section, "All questions")["auto"][:3] == ("2", "1", "0.0 (0.0–0.0)")


def test_auto_is_compared_with_every_other_run_question_by_question(runs: list[Run]) -> None:
    (section,) = sections(runs)
    (found,) = (each for each in section.tables if each.title == "auto against the others")
    row = next(row for row in found.rows if row[1] == "hit@1")
    assert row[0] == "bm25"
    assert row[2].startswith("+25.0 (+")
    assert row[4] == "10 / 30 / 0"


def test_runs_over_other_questions_are_said_not_to_be_comparable(runs: list[Run]) -> None:
    other = run_of("text", [outcome("x", 1)])
    (section,) = sections([*runs, other])
    assert "other questions" in table(section, "auto against the others")["text"][0]


def test_each_suite_has_a_section(runs: list[Run]) -> None:
    found = sections([*runs, run_of("auto", questions(), suite="commits")])
    assert [(each.suite, len(each.runs)) for each in found] == [("talks", 2), ("commits", 1)]
    assert "## commits" in markdown(found)


def test_questions_in_groups_are_said_to_be_resampled_so() -> None:
    single, grouped = outcome("a", 1), outcome("b", 1, group="g")
    assert "over questions" in sections([run_of("auto", [single])])[0].notes[0]
    assert "over groups of questions" in sections([run_of("auto", [grouped])])[0].notes[0]


def test_text_from_a_file_never_becomes_markup() -> None:
    """Names, categories, models: anybody's file may hold anything."""
    runs = [
        run_of(
            name,
            [outcome("q1", 1, categories=(NASTY,), score=0.5, confidence=1.0, graph=0.1), *questions()],
            suite=NASTY,
            model=NASTY,
            **{NASTY: NASTY},
        )
        for name in (NASTY, "auto")
    ]
    found = sections(runs)
    html = page(found)
    checker = read(html)
    assert "script" not in checker.seen
    assert checker.loads == []
    assert NASTY in checker.text
    text = markdown(found)
    assert "<script" not in text.replace("\\<", "")
    assert "](http" not in text
    cells = [line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("| ")]
    assert all(cells)


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("plain 48.7 (40.7–56.7)", "plain 48.7 (40.7–56.7)"),
        ("a|b", "a\\|b"),
        ("<b>", "\\<b\\>"),
        ("two\nlines", "two lines"),
        ("a_b", "a\\_b"),
        ("", ""),
    ],
)
def test_markdown_is_escaped_where_it_means_something(text: str, escaped: str) -> None:
    assert escape(text) == escaped


@pytest.mark.parametrize(
    ("measure", "value", "shown"),
    [("hit@1", 0.4867, "48.7"), ("mrr", 0.5832, "0.583"), ("ndcg@10", 1.0, "1.000"), ("recall@5", 0.0, "0.0")],
)
def test_shares_are_shown_in_per_cent_and_discounted_means_are_not(measure: str, value: float, shown: str) -> None:
    assert figure(measure, value) == shown


def test_the_routing_curve_marks_each_question_by_what_came_of_it() -> None:
    drawn = routing(questions())
    legend = 3
    assert drawn.count('fill="var(--c2)" fill-opacity') == 10
    assert drawn.count('stroke="var(--c4)"') == 20
    assert drawn.count('stroke="var(--c5)"') == 10
    assert drawn.count("<circle") == 10 + 20 + legend


def test_nothing_is_drawn_of_a_share_that_never_changes() -> None:
    same = [outcome(str(number), 1, confidence=float(number), graph=0.2) for number in range(5)]
    assert routing(same) == ""
    assert routing([outcome("a", 1)]) == ""


@pytest.mark.parametrize(("count", "points"), [(1, 1), (9, 9), (10, 10), (11, 10), (40, 10)])
def test_calibration_has_a_point_for_each_tenth_of_the_questions(count: int, points: int) -> None:
    drawn = calibration([outcome(str(number), 1, score=number / 100) for number in range(count)])
    assert drawn.count("<circle") == drawn.count('class="whisker"') == points


def test_calibration_rises_where_higher_scores_are_right() -> None:
    drawn = calibration([outcome(str(number), 1 if number >= 10 else None, score=number / 20) for number in range(20)])
    heights = [float(part.split('"')[0]) for part in drawn.split(' cy="')[1:]]
    assert heights == sorted(heights, reverse=True)
    assert heights[0] > heights[-1]


def test_questions_without_an_answer_are_counted_beside_the_calibration() -> None:
    some: list[Any] = [outcome("a", 1, score=0.5), outcome("b", None)]
    assert "1 without an answer left out" in calibration(some)
    assert calibration(some[1:]) == ""
