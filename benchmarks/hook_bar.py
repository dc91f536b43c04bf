"""The bar of the prompt hook: what it lets through of questions about this memory, and about other things.

    python benchmarks/hook_bar.py --home DIR --queries FILE --other FILE... --other-prompts DIR [--vectors]

``--home`` is a memory of the commits suite's transcripts (``memory-fabric ingest DIR --no-embed --home HOME``),
``--queries`` its development queries: a JSON list of ``{"commit", "query", "gold_sessions"}``.  ``--other`` are JSON
lists of questions about other things (``question``), ``--other-prompts`` the memory of other projects' transcripts,
whose prompts are asked here.  Text and graph only, as the hook asks; ``--vectors`` as where a resident server answers
(the memory then needs vectors).

The two limits are chosen on one half (even SHA-256 of the query's id: the commit, else the text): of all pairs that
let at most one in 25 prompts of each kind of other things through, the one with the most queries that get a memory of
the right session.  Both halves are printed.  A query's right session is the one that made the commit; others about the
same thing count as wrong.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from memory_fabric import Fabric, Scope, Settings, __version__
from memory_fabric.doors.hooks.bar import WITH_VECTORS, WITHOUT_VECTORS, Limits, above_bar
from memory_fabric.doors.hooks.prompt import MOST_ASKED, MOST_ITEMS, SHORTEST, focused, searched
from memory_fabric.model.result import Candidate
from memory_fabric.text import analyse, split_exchange

SHARES = (0.25, 0.30, 0.35, 0.40, 0.45, 0.50, 0.55, 0.60, 0.70, 0.80, 0.90, 1.00, 1.10, 1.20)
WORD_COUNTS = (0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0)
TOLERATED = 0.04
"""Share of prompts about other things that may get something: one in 25."""

LONGEST_PROMPT = 2_000
_DAY = re.compile(r"^\d{4}-\d\d-\d\d-")


@dataclass(frozen=True)
class Asked:
    """One prompt and what the search gave for it."""

    kind: str
    id: str
    terms: tuple[str, ...]
    found: list[Candidate]
    gold: frozenset[str]

    @property
    def even(self) -> bool:
        """Which half it belongs to."""
        return int(hashlib.sha256(self.id.encode()).hexdigest(), 16) % 2 == 0


def prompts(options: argparse.Namespace) -> Iterator[tuple[str, str, str, frozenset[str]]]:
    """Kind, id, text, right sessions."""
    for row in json.loads(options.queries.read_text(encoding="utf-8")):
        yield "own", row["commit"], row["query"], frozenset(_DAY.sub("", each) for each in row["gold_sessions"])
    for file in options.other:
        for row in json.loads(file.read_text(encoding="utf-8")):
            yield file.parent.name, row["question"], row["question"], frozenset()
    if options.other_prompts:
        with opened(options.other_prompts) as fabric:
            recent = fabric.store.recent(Scope(), 100_000)
        texts = {split_exchange(each.text)[0].strip() for each in recent if each.kind.value == "exchange"}
        for text in sorted(text for text in texts if len(text) <= LONGEST_PROMPT):
            yield "other projects", text, text, frozenset()


def opened(home: Path, *, vectors: bool = False) -> Fabric:
    return Fabric.open(Settings.load({}, home=home, embedder="minilm" if vectors else "none"), read_only=True)


def figures(asked: Sequence[Asked], fabric: Fabric, limits: Limits) -> dict[str, Any]:
    """By kind: prompts, how many get anything, and of what they get how much is right."""
    found: dict[str, dict[str, int]] = {}
    for each in asked:
        count = found.setdefault(each.kind, dict.fromkeys(("n", "given", "items", "right_items", "right"), 0))
        results = above_bar(each.found, each.terms, fabric.store, limits)[:MOST_ITEMS]
        right = [_DAY.sub("", r.memory.origin.session) in each.gold for r in results]
        count["n"] += 1
        count["given"] += bool(results)
        count["items"] += len(results)
        count["right_items"] += sum(right)
        count["right"] += any(right)
    return {kind: {k: v for k, v in count.items() if each_has_gold(kind, k)} for kind, count in found.items()}


def each_has_gold(kind: str, name: str) -> bool:
    return kind == "own" or not name.startswith("right")


def tolerable(found: dict[str, Any]) -> bool:
    return all(c["given"] <= TOLERATED * c["n"] for kind, c in found.items() if kind != "own")


def measure(options: argparse.Namespace) -> dict[str, Any]:
    with opened(options.home, vectors=options.vectors) as fabric:
        asked = [
            ask(fabric, kind, id_, text, gold)
            for kind, id_, text, gold in prompts(options)
            if len(text) >= SHORTEST and not text.startswith("/")
        ]
        halves = {"even": [a for a in asked if a.even], "odd": [a for a in asked if not a.even]}
        grid = [Limits(share, words) for share in SHARES for words in WORD_COUNTS]
        even = {limits: figures(halves["even"], fabric, limits) for limits in grid}
        fit = [limits for limits in grid if tolerable(even[limits])]
        chosen = max(fit, key=lambda limits: (even[limits]["own"]["right"], limits.share, limits.words))
        used = WITH_VECTORS if options.vectors else WITHOUT_VECTORS
        return {
            "memories": fabric.store.count(),
            "vectors": options.vectors,
            "chosen_on_even": asdict(chosen),
            "in_use": asdict(used),
            "figures": {name: figures(half, fabric, used) for name, half in halves.items()},
            "without_words": {name: figures(half, fabric, Limits(used.share, 0.0)) for name, half in halves.items()},
            "everything_found": {name: figures(half, fabric, Limits(0.0, 0.0)) for name, half in halves.items()},
        }


def ask(fabric: Fabric, kind: str, id_: str, text: str, gold: frozenset[str]) -> Asked:
    question = focused(text, fabric.store)
    put = text[:MOST_ASKED] if fabric.settings.embedder != "none" else question
    found = searched(fabric, put, Scope()) if question else []
    return Asked(kind, id_, tuple(dict.fromkeys(analyse(question))), found, gold)


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks/hook_bar.py", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--home", type=Path, required=True, metavar="DIR")
    parser.add_argument("--queries", type=Path, required=True, metavar="FILE")
    parser.add_argument("--other", type=Path, nargs="*", default=[], metavar="FILE")
    parser.add_argument("--other-prompts", type=Path, metavar="DIR")
    parser.add_argument("--vectors", action="store_true", help="as where a resident server answers")
    parser.add_argument("--out", type=Path, metavar="FILE")
    options = parser.parse_args(given)
    text = json.dumps({"benchmark": "hook_bar", "version": __version__, **measure(options)}, indent=2) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
