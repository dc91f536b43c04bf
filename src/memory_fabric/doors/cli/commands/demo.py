"""``demo``: what it is like, on a small sample or on the user's own transcripts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.ingest.report import IngestReport
    from memory_fabric.model.result import Answer

RESULTS = 2
"""Answers shown to each question."""

CHARACTERS = 300
"""Of one passage."""

OWN_BUDGET = 600
"""Tokens of the look at the user's own memory."""


def demo(
    context: typer.Context,
    mine: Annotated[bool, typer.Option("--mine", help="Your own transcripts too; they stay on this machine.")] = False,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Keep the memory in DIR.  [default: a temporary one]")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Read the sample of transcripts that ships with the program, and ask it five questions.

    On a terminal it offers to read your own transcripts too.
    """
    from importlib.resources import as_file, files

    desk = Desk.of(context, home, as_json)
    with folder(keep) as store, as_file(files("memory_fabric") / "sample") as sample:
        desk = replace(desk, home=store)
        with desk.open() as fabric:
            report, notice = read_sample(fabric, desk, sample)
            desk.say(desk.paint.bold("A memory of invented transcripts"), f"  {_read(report)}")
            desk.remark(notice)
            asked = [(each, ask(fabric, each["question"])) for each in questions(sample)]
            show(asked, fabric, desk, sample)
            own = own_places(fabric) if mine or wanted(desk, fabric) else []
            added = read_own(fabric, desk, own) if own else None
            if mine and not own:
                desk.remark("no transcripts of your own in the usual places")
            desk.data(as_data(asked, fabric, report, notice, added))
    desk.say("", *next_steps(desk, keep))
    return DONE if all(answer.results for _, answer in asked) else NOTHING


@contextmanager
def folder(keep: Path | None) -> Iterator[Path]:
    """Where the demo keeps its memory; a temporary folder is gone afterwards."""
    from tempfile import TemporaryDirectory

    if keep is not None:
        yield keep.expanduser()
        return
    with TemporaryDirectory(prefix="memory-fabric-demo-") as name:
        yield Path(name)


def read_sample(fabric: Fabric, desk: Desk, sample: Path) -> tuple[IngestReport, str | None]:
    """Read and embed the sample."""
    from memory_fabric.ingest.discover import usual_places

    roots = [place.root for place in usual_places({}, sample / "home") if place.exists]
    return _ingest(fabric, desk, roots)


def _ingest(fabric: Fabric, desk: Desk, roots: list[Path]) -> tuple[IngestReport, str | None]:
    from memory_fabric.doors.cli.embedding import embedded
    from memory_fabric.doors.cli.progress import bars

    with bars(desk) as shown:
        report = fabric.ingest(roots, progress=shown.files())
        report.embedded, notice = embedded(fabric, shown)
    return report, notice


def questions(sample: Path) -> list[Mapping[str, Any]]:
    """The questions that ship with the sample."""
    found: list[Mapping[str, Any]] = json.loads((sample / "questions.json").read_text(encoding="utf-8"))["questions"]
    return found


def ask(fabric: Fabric, question: str) -> Answer:
    """The best answers from all projects."""
    scope, _ = fabric.scope(every=True)
    return fabric.search(question, scope, limit=RESULTS)


def show(asked: list[tuple[Mapping[str, Any], Answer]], fabric: Fabric, desk: Desk, sample: Path) -> None:
    """Each question with its answers."""
    from memory_fabric.doors.cli.show.answer import Shown, answer_lines
    from memory_fabric.doors.results import relation_ends

    if desk.as_json:
        return
    for each, answer in asked:
        shown = Shown(
            paint=desk.paint,
            width=desk.width,
            names=fabric.store.entities(relation_ends(answer)),
            sessions=fabric.store.sessions([result.candidate.memory.origin.session for result in answer.results]),
            projects={project.id: project for project in fabric.store.projects()},
            characters=CHARACTERS,
            short={str(sample / "home"): "sample:~"},
        )
        desk.say("", desk.paint.hit(f"? {each['question']}"))
        desk.say(*(answer_lines(answer, shown) if answer.results else ["    nothing relevant found"]))


def own_places(fabric: Fabric) -> list[Path]:
    """Where the user's own transcripts are."""
    return [place.root for place in fabric.places() if place.exists]


def wanted(desk: Desk, fabric: Fabric) -> bool:
    """Whether the user, asked on a terminal, wants their own transcripts read too."""
    if desk.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()) or not own_places(fabric):
        return False
    desk.say("")
    return typer.confirm("Read your own transcripts too?  They stay on this machine", default=False)


def read_own(fabric: Fabric, desk: Desk, roots: list[Path]) -> IngestReport:
    """Read and embed the user's own transcripts, and show what is in them."""
    from memory_fabric.doors.cli.show.report import report_lines

    report, notice = _ingest(fabric, desk, roots)
    desk.say("", desk.paint.bold("Your own"), *report_lines(report, desk.paint, desk.width))
    desk.remark(notice)
    scope, _ = fabric.scope(every=True)
    desk.say("", fabric.load(scope, budget=OWN_BUDGET).text)
    return report


def _read(report: IngestReport) -> str:
    from memory_fabric.doors.cli.lines import count

    kept = report.memories
    fresh = count(report.count("read") + report.count("grown"), "transcript")
    vectors = f"; {report.embedded:,} embedded" if report.embedded else ""
    redacted = f", {count(report.redacted.total(), 'secret')} redacted" if report.redacted else ""
    memories = count(kept["added"], "memory", "memories")
    return f"{fresh} → {memories}, {kept['relations']:,} relations{redacted}, read in {report.seconds:.1f} s{vectors}"


def as_data(
    asked: list[tuple[Mapping[str, Any], Answer]],
    fabric: Fabric,
    report: IngestReport,
    notice: str | None,
    own: IngestReport | None,
) -> dict[str, Any]:
    """The demo for programs."""
    from memory_fabric.doors.results import answer_json, relation_ends

    return {
        "ingest": report.as_json(),
        "own": own.as_json() if own is not None else None,
        "questions": [
            {**each, "answer": answer_json(answer, fabric.store.entities(relation_ends(answer)))}
            for each, answer in asked
        ],
        "notes": [notice] if notice else [],
    }


def next_steps(desk: Desk, keep: Path | None) -> Iterator[str]:
    """What to do now."""
    yield desk.paint.bold("Next")
    steps = [
        ("memory-fabric ingest", "read your own transcripts"),
        ('memory-fabric search "…"', "ask about them"),
        ("memory-fabric load", "what a new session should know"),
        ("memory-fabric --help", "everything else"),
    ]
    if keep is not None:
        steps.insert(0, (f'memory-fabric --home {keep} search "…"', "ask this memory more"))
    wide = max(len(command) for command, _ in steps)
    for command, does in steps:
        yield f"  {command:<{wide}}  {desk.paint.dim(does)}"
