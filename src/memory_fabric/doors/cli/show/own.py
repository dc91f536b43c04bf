"""What ``eval own`` found, for people: Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory_fabric.doors.cli.lines import plain
from memory_fabric.evals.half import Half
from memory_fabric.evals.own.making import Made
from memory_fabric.evals.report.markdown import escape

_TITLES = {"check": "checking half (nothing was tuned on it)", "tune": "tuning half"}


def own_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """The sentences, the table of each half, then what else was measured."""
    yield "# Own memory"
    yield ""
    for sentence in found["verdict"].values():
        yield f"* {escape(sentence)}"
    for half, modes in found["figures"].items():
        yield from _heading(f"Mean reciprocal rank, {_TITLES[half]}")
        yield from _ranks(modes)
    yield from _heading("Milliseconds a question")
    yield from _times(found["milliseconds"])
    for name, title in (("ablate", "auto with a source left out"), ("sweep_k", "auto by memories asked for")):
        if name in found:
            yield from _heading(f"{title}, mean reciprocal rank")
            yield from _variants(found[name] if name == "ablate" else _by_half(found[name]))
    if "tune" in found:
        yield from _tuned(found["tune"])
    yield from _heading("Questions")
    yield from _sets(found["sets"])
    yield ""
    yield from _conditions(found)


def listed(sets: Sequence[Made], half: Half | None) -> list[dict[str, str]]:
    """The questions of the sets, those of one half or all."""
    return [
        {"set": made.bias.value, "half": Half.of(each.id).value, "id": each.id, "query": each.text}
        for made in sets
        for each in made.questions
        if half in (None, Half.of(each.id))
    ]


def listed_lines(rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """A line a question."""
    for row in rows:
        yield f"{row['set']:<13}  {row['half']:<5}  {plain(row['query'])}"


def _heading(title: str) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    yield ""


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(map(escape, heads))} |"
    yield "|" + "---|" * len(heads)
    for row in rows:
        yield f"| {' | '.join(map(escape, row))} |"


def _ranks(modes: Mapping[str, Any]) -> Iterator[str]:
    """The seed's table: a row a mode, a column a set; hit@10 behind the rank."""
    parts = next(iter(modes.values()))
    heads = ["mode", *(f"{part} (n = {cell['n']:,})" for part, cell in parts.items())]
    rows = [[mode, *(_cell(cell) for cell in row.values())] for mode, row in modes.items()]
    yield from _table(heads, rows)
    yield ""
    yield "In brackets the 95 % interval, then hit@10 in per cent, then questions without any answer, if any."


def _cell(cell: Mapping[str, float]) -> str:
    empty = f", {cell['empty']:,} empty" if cell["empty"] else ""
    return f"{cell['mrr']:.3f} ({cell['low']:.3f} to {cell['high']:.3f}), {100 * cell['hit@10']:.1f}{empty}"


def _times(modes: Mapping[str, Any]) -> Iterator[str]:
    sources = list(dict.fromkeys(source for row in modes.values() for source in row["service"]))
    rows = []
    for mode, row in modes.items():
        service = [row["service"].get(source) for source in sources]
        rows.append([mode, _percentiles(row), *(_percentiles(each) if each else "" for each in service)])
    yield from _table(["mode", "p50 / p95", *(f"in {source}" for source in sources)], rows)


def _percentiles(row: Mapping[str, float]) -> str:
    return f"{row['p50']:.1f} / {row['p95']:.1f}"


def _by_half(depths: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    halves: dict[str, dict[str, Any]] = {}
    for depth, found in depths.items():
        for half, modes in found.items():
            halves.setdefault(half, {})[f"k = {depth}"] = next(iter(modes.values()))
    return halves


def _variants(halves: Mapping[str, Any]) -> Iterator[str]:
    rows = [
        [f"{half}: {name}", *(f"{cell['mrr']:.3f}" for cell in row.values())]
        for half, variants in halves.items()
        for name, row in variants.items()
    ]
    parts = next(iter(next(iter(halves.values())).values()))
    yield from _table(["half: variant", *parts], rows)


def _tuned(found: Mapping[str, Any]) -> Iterator[str]:
    yield from _heading("Sweep of the routing, on the tuning half")
    names = list(found["now"])
    sets = list(found["trials"][0]["mrr"])
    rows = [
        [
            *(f"{trial[name]:g}" for name in names),
            *(f"{trial['mrr'][each]:.3f}" for each in sets),
            f"{trial['mean']:.3f}",
        ]
        for trial in found["trials"]
    ]
    yield from _table([*names, *sets, "mean"], rows)
    yield ""
    if found["proposal"] is None:
        yield "Proposal: leave the numbers as they are."
    else:
        yield "Proposal: " + ", ".join(f"{name} {value:g}" for name, value in found["proposal"].items()) + "."


def _sets(sets: Mapping[str, Any]) -> Iterator[str]:
    rows = []
    for name, each in sets.items():
        gold = ", ".join(f"{how} {count:,}" for how, count in each["gold_from"].items() if count)
        skipped = ", ".join(f"{why} {count:,}" for why, count in each["skipped"].items())
        shared = "" if each["words_shared"] is None else f"{each['words_shared']:.2f}"
        rows.append([name, f"{each['n']:,}", shared, gold, skipped])
    yield from _table(["set", "n", "words shared with the answer", "right answers by", "skipped"], rows)


def _conditions(found: Mapping[str, Any]) -> Iterator[str]:
    told = [
        f"{found['memories']:,} memories",
        f"model {found['model'] or 'none'}",
        f"version {found['version']}",
        found["date"],
    ]
    told += [f"seed {found['seed']}", *(f"{name} {value}" for name, value in found["machine"].items())]
    yield "; ".join(map(escape, told)) + "."
    for mode, reason in found["not_run"].items():
        yield f"Not run: {escape(mode)} ({escape(reason)})."
    if found["without_vectors"]:
        yield f"{found['without_vectors']:,} memories have no vectors yet."
