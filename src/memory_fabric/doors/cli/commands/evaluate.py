"""``eval``: measure how well it remembers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home
from memory_fabric.errors import UsageError
from memory_fabric.evals.half import Half
from memory_fabric.model.query import Mode

evaluation = typer.Typer(rich_markup_mode=None)


@evaluation.callback(invoke_without_command=True)
def _evaluation(context: typer.Context) -> None:
    """Measure how well it remembers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@evaluation.command("run")
def run(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Name of the suite.")],
    *,
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder of the suite's data.")],
    transcripts: Annotated[
        Path | None, typer.Option("--transcripts", metavar="DIR", help="Folder of the transcripts it asks about.")
    ] = None,
    mode: Annotated[Mode | None, typer.Option("--mode", help="Which retrievers answer.  [default: auto]")] = None,
    all_modes: Annotated[
        bool, typer.Option("--all-modes", help="Plain BM25 and every mode, side by side on one store.")
    ] = False,
    split: Annotated[
        str, typer.Option("--split", metavar="TEXT", help="Which part of the data it is, for reports.")
    ] = "",
    half: Annotated[
        Half | None, typer.Option("--half", help="Ask one half of the questions: to tune with, or to check.")
    ] = None,
    cache: Annotated[
        bool, typer.Option("--cache/--no-cache", help="Keep the vectors of passages for the next run.")
    ] = True,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Folder to keep the store in, and to find it in again.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Run one suite and print its measures."""
    from memory_fabric.doors.cli.progress import bars
    from memory_fabric.doors.cli.show.measures import measure_lines, side_by_side
    from memory_fabric.evals.embedding_cache import default_cache
    from memory_fabric.evals.measures import HEADLINE
    from memory_fabric.evals.run import Means, Suite, run_all
    from memory_fabric.evals.run import run as run_suite

    desk = Desk.of(context, home, as_json)
    if all_modes and mode is not None:
        raise UsageError("--mode and --all-modes exclude each other", "give one of them")
    chosen = Suite(suite, data, transcripts, split, half)
    kept = default_cache() if cache else None
    with bars(desk) as shown:
        means = Means(desk.settings, keep, kept, shown.stage())
        found = run_all(chosen, means) if all_modes else run_suite(chosen, mode or Mode.AUTO, means)
    desk.data(found)
    desk.say(*(side_by_side(found, HEADLINE, desk.paint) if all_modes else measure_lines(found, desk.paint)))
    return DONE


@evaluation.command("own")
def own(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    *,
    questions: Annotated[
        Path | None, typer.Option("--questions", metavar="FILE", help="Commits to ask about, with their sessions.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=10_000, help="Questions a set.")] = 200,
    half: Annotated[Half | None, typer.Option("--half", help="Ask one half of the questions only.")] = None,
    tune: Annotated[bool, typer.Option("--tune", help="Sweep the routing on one half, and propose numbers.")] = False,
    ablate: Annotated[bool, typer.Option("--ablate", help="Leave out each source in turn.")] = False,
    sweep_k: Annotated[bool, typer.Option("--sweep-k", help="Ask for 5, 10, 20, 60 and 120 memories.")] = False,
    each: Annotated[
        bool, typer.Option("--each", help="With --json: every question's outcome too, for compare and report.")
    ] = False,
    show: Annotated[bool, typer.Option("--list", help="Print the questions, and ask none.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Evaluate your own memory with questions made of it: no model writes them."""
    from memory_fabric.doors.cli.progress import bars
    from memory_fabric.doors.cli.show.own import listed, listed_lines, own_lines
    from memory_fabric.evals.own.run import Wishes, evaluate, made_of

    desk = Desk.of(context, home, as_json)
    wishes = Wishes(questions, limit, half, tune, ablate, sweep_k, each)
    with desk.read() as fabric:
        if show:
            rows = listed(made_of(fabric, wishes)[0], half)
            desk.data({"questions": rows})
            desk.say(*listed_lines(rows))
            return DONE
        with bars(desk) as shown:
            found = evaluate(fabric, wishes, shown.stage())
    desk.data(found)
    desk.say(*own_lines(found))
    return DONE


@evaluation.command("compare")
def compare(
    context: typer.Context,
    first: Annotated[str, typer.Argument(metavar="A.json", help="Result file; A.json#MODE for one of several modes.")],
    second: Annotated[str, typer.Argument(metavar="B.json", help="Result file that is compared with it.")],
    *,
    measure: Annotated[
        list[str] | None, typer.Option("--measure", metavar="NAME", help="Measure to compare; can be repeated.")
    ] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Compare two results over the same questions."""
    from memory_fabric.doors.cli.show.measures import comparison_lines
    from memory_fabric.evals import compare as comparing
    from memory_fabric.evals.results import read_run

    desk = Desk.of(context, home, as_json)
    found = comparing.compare(read_run(first), read_run(second), measure or ())
    desk.data(comparing.as_json(found))
    desk.say(*comparison_lines(found, desk.paint))
    return DONE


@evaluation.command("report")
def report(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Result files.")],
    *,
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to write report.md and report.html to.")],
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Write a report of results: Markdown, and a page with plots."""
    from memory_fabric.evals.report import write
    from memory_fabric.evals.results import read_results

    desk = Desk.of(context, home, as_json)
    runs, sets = read_results(files)
    written = [str(path) for path in write(runs, out, sets)]
    desk.data({"files": written})
    desk.say(*written)
    return DONE
