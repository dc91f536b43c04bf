"""The README's table of quality, made from ``results/quality.json`` and ``peers.json``: no figure is typed by hand.

python benchmarks/quality_table.py          writes it
python benchmarks/quality_table.py --check  fails if the README says anything else
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
BEGIN, END = "<!-- quality:begin -->\n", "<!-- quality:end -->"


@dataclass(frozen=True)
class Row:
    """Figures of one suite, or of one of its categories."""

    suite: str
    part: str
    name: str
    measures: tuple[str, ...]


ROWS = (
    Row("2wiki", "all", "2WikiMultihopQA, 6,119 passages", ("recall@5", "all@5")),
    Row("multihop", "hotpotqa", "HotpotQA, 994 passages", ("recall@5",)),
    Row("multihop", "musique", "MuSiQue, 1,890 passages", ("recall@5",)),
    Row("locomo", "all", "LoCoMo, turns", ("recall@5", "recall@10")),
    Row("locomo", "answerable", "– without the adversarial questions", ("recall@5", "recall@10")),
    Row("locomo-sessions", "all", "LoCoMo, sessions", ("recall@10", "all@10")),
    Row("longmemeval", "all", "LongMemEval, one pool of 940 sessions", ("recall@10", "all@5")),
    Row("beam", "six", "BEAM 100K, messages, six abilities", ("recall@5", "recall@10")),
    Row("commits", "all", "Commit → session, 288 transcripts", ("hit@5", "mrr")),
    Row("commits-dated", "all", "– with the commit's date", ("hit@5", "mrr")),
    Row("memsim", "all", "MemSim, Chinese", ("recall@5",)),
)
"""What the README shows, in its order; the measures are those in which others publish."""

MODES = ("bm25", "text", "vector", "hybrid", "auto")
SHARES = ("recall", "hit", "any", "all")


def table(results: Mapping[str, Any], peers: Sequence[Mapping[str, str]]) -> str:
    """Everything between the marks."""
    suites: Mapping[str, Any] = results["suites"]
    return "\n".join([*_figures(suites), "", *_pairs(suites), *_conditions(suites), "", *_peers(suites, peers), ""])


def _figures(suites: Mapping[str, Any]) -> Iterator[str]:
    yield "| | n | measure | plain BM25 | `text` | `vector` | `hybrid` | **`auto`** (95 % interval) | `auto` − BM25 |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in ROWS:
        part = suites.get(row.suite, {}).get("parts", {}).get(row.part)
        for number, measure in enumerate(row.measures if part else ()):
            name, count = (row.name, f"{part['n']:,}") if number == 0 else ("", "")
            given = [part["modes"].get(mode, {}).get(measure) for mode in MODES]
            cells = [_figure(measure, each[0]) if each else "–" for each in given[:-1]]
            cells.append(f"**{_figure(measure, given[-1][0])}** ({_between(measure, given[-1][1:])})")
            mean, low, high, _ = part["auto_minus_bm25"][measure]
            cells.append(f"{_figure(measure, mean, '+')} ({_between(measure, (low, high), '+', ' to ')})")
            yield f"| {name} | {count} | {measure} | {' | '.join(cells)} |"


def _pairs(suites: Mapping[str, Any]) -> Iterator[str]:
    """Near duplicates and extraction, which have no halves."""
    rows = [
        f"| {name} | {each['n']:,} | {each['positive']:,} | {each['folded']:,} | {_share(each['precision'])} "
        f"| {_share(each['recall'])} |"
        for name, each in suites.get("neardup", {}).get("sets", {}).items()
    ]
    if rows:
        yield (
            "Near duplicates: what the search folds, and what of that means the same. All labelled pairs of each set; "
            "the threshold is the design's and was chosen on none of them."
        )
        yield from ("", "| set | pairs | the same | folded | precision | recall |", "|---|---|---|---|---|---|")
        yield from (*rows, "")


def _conditions(suites: Mapping[str, Any]) -> Iterator[str]:
    shown = {row.suite: suites[row.suite] for row in ROWS if row.suite in suites}
    yield (
        "Shares in per cent. Intervals: percentile bootstrap over questions, or over conversations where "
        "several questions share one. A suite's questions are cut in two by the SHA-256 of their id; numbers "
        "were chosen on one half, the other is named here. Its figures were looked at along the way, and for "
        "`commits` the windows of 128 tokens and the bars were chosen on all questions; questions that nobody "
        "here has seen are a cleaner test. One configuration for all, no language model. Plain BM25 is our "
        "own row: what `bm25s` does by default, over the same texts."
    )
    yield ""
    yield (
        "| suite | half asked | left out, of both halves | date | version | model | machine "
        "| p50 a question, `text` and `auto` |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for name, suite in shown.items():
        times = suite["milliseconds"]
        yield (
            f"| `{name}` | {suite['half']} | {_left_out(suite['left_out'])} | {suite['date']} | {suite['version']} "
            f"| {suite['model'] or 'none'} | {_machine(suite['machine'])} "
            f"| {times['text']['p50']:.0f} and {times['auto']['p50']:.0f} ms |"
        )
    yield from ("", "```bash", "scripts/bench-quality --data DIR", "```")


def _peers(suites: Mapping[str, Any], peers: Sequence[Mapping[str, str]]) -> Iterator[str]:
    """What others publish; of suites that have figures here."""
    yield (
        "What others publish on the same data, with their conditions. Their questions are not exactly ours (the full "
        "sets; ours are halves of a development part), so read distances and not decimals."
    )
    yield ""
    yield "| data | system | figure | language model | conditions |"
    yield "|---|---|---|---|---|"
    for peer in peers:
        if peer["suite"] in suites:
            yield "| " + " | ".join(peer[name] for name in ("data", "system", "figure", "llm", "conditions")) + " |"


def _figure(measure: str, value: float, sign: str = "") -> str:
    if measure.partition("@")[0] in SHARES:
        return f"{100 * value:{sign}.1f}"
    return f"{value:{sign}.3f}".replace("0.", ".", 1)


def _between(measure: str, ends: Sequence[float], sign: str = "", word: str = "–") -> str:
    return word.join(_figure(measure, end, sign) for end in ends)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _left_out(value: int | Mapping[str, int]) -> str:
    if isinstance(value, int):
        return str(value or "none")
    return ", ".join(f"{count} {reason}" for reason, count in value.items()) or "none"


def _machine(machine: Mapping[str, object]) -> str:
    return f"{machine['processors']} cores, {machine['system']} {machine['machine']}"


def load(results: Path) -> str:
    """The table of a result file."""
    peers = json.loads((HERE / "peers.json").read_text(encoding="utf-8"))
    return table(json.loads(results.read_text(encoding="utf-8")), peers)


def parts(page: str) -> tuple[str, str, str]:
    """What stands before the marks' content, the content, and what stands after.

    Raises:
        ValueError: the page has lost a mark.
    """
    before, begin, rest = page.partition(BEGIN)
    found, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has lost {BEGIN.strip()} or {END}")
    return before + BEGIN, found, END + after


def renew(page: Path, results: Path) -> None:
    """Put the table of a result file between the marks of a page."""
    before, _, after = parts(page.read_text(encoding="utf-8"))
    page.write_text(before + load(results) + after, encoding="utf-8")


def lines(value: Any, depth: int = 0) -> str:
    """JSON with small objects in one line each, so that a difference can be read."""
    if not isinstance(value, Mapping) or not any(isinstance(each, Mapping) for each in value.values()):
        return json.dumps(value, ensure_ascii=False)
    rows = (f"{' ' * (depth + 1)}{json.dumps(name)}: {lines(each, depth + 1)}" for name, each in value.items())
    return "{\n" + ",\n".join(rows) + "\n" + " " * depth + "}"


def main(words: Sequence[str]) -> int:
    """Exit 1 with ``--check`` where the README differs."""
    page, results = HERE.parent / "README.md", HERE / "results" / "quality.json"
    if "--check" in words:
        return int(parts(page.read_text(encoding="utf-8"))[1] != load(results))
    renew(page, results)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
