"""What asking several memories at once is worth: one corpus split over three memories, each asked alone and together.

    python benchmarks/federation.py --data DIR [--questions 200] [--by turn|session] [--out FILE]

DIR holds ``locomo_dev.json`` (LoCoMo's own record shape; CC BY-NC 4.0: nothing of it is kept, only figures).  Every
conversation is a corpus of its own; a unit is one turn.  A unit lives in exactly one memory, by the SHA-256 of its id
(or of its session's id) modulo 3:

    0  this product         1  the official memory server (npm, started here)        2  mem0's library, ``infer=False``

All are asked by the same search, with only that memory filled or configured; ``together`` asks the three at once, and
``all in one`` has every unit in this product: what no split can be expected to beat.  ``own search`` is what a peer's
own search makes of the question, without ours.  Questions are those of
categories 1 to 4, the first by SHA-256 of their id; nothing was tuned on them here.  Gold are the evidence turns.
Needs Node.js, ``tests/peers/node_modules`` and the extra ``mem0``.  Intervals are 95 % bootstraps over questions.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import json
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import fsum
from pathlib import Path
from typing import Any

from memory_fabric import Fabric, Settings, __version__
from memory_fabric.clock import Deadline
from memory_fabric.evals.measures import MEASURES
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, Project, ProjectId, Session, SessionId
from memory_fabric.ports import Batch, Record
from memory_fabric.settings import environment
from memory_fabric.sources.configured import Configured, McpServer, Mem0Library, write
from memory_fabric.sources.mcp.memory import McpMemory
from memory_fabric.sources.mcp.session import Link
from memory_fabric.sources.mem0.backend import Who
from memory_fabric.sources.mem0.library import FOLDER, LibraryMem0
from memory_fabric.sources.mem0.source import Mem0Source
from memory_fabric.text import exchange_text

OFFICIAL = Path(__file__).parents[1] / "tests/peers/node_modules/@modelcontextprotocol/server-memory"
USER = "locomo"
KEPT = ("recall@5", "recall@10", "all@10", "hit@10", "mrr")
CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop"}
SYSTEMS = ("ours alone", "server-memory alone", "mem0 alone", "together", "all in one")
OWN_SEARCHES = ("server-memory, own search", "mem0, own search")
DEPTH = 10
PATIENCE = 120.0
"""Seconds that a source may take: this is about what is found, not about how fast."""
SEED = 7
ROUNDS = 2000


@dataclass(frozen=True)
class Unit:
    """One turn."""

    id: str
    session: str
    text: str
    at: datetime
    home: int
    """Which of the three memories holds it."""


@dataclass(frozen=True)
class Question:
    """A question, and the turns that hold its answer."""

    id: str
    text: str
    gold: frozenset[str]
    category: str


@dataclass(frozen=True)
class Conversation:
    """A corpus with its questions."""

    id: str
    units: tuple[Unit, ...]
    questions: tuple[Question, ...]


# ── the corpus ───────────────────────────────────────────────────────────────────────────────────────────────────────


def digest(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def conversations(folder: Path, by: str) -> list[Conversation]:
    records = json.loads((folder / "locomo_dev.json").read_text(encoding="utf-8"))
    return [_conversation(record, by) for record in records]


def _conversation(record: Mapping[str, Any], by: str) -> Conversation:
    key, said = str(record["sample_id"]), record["conversation"]
    units = []
    for name in sorted((each for each in said if re.fullmatch(r"session_\d+", each)), key=lambda s: int(s[8:])):
        at = datetime.strptime(said[f"{name}_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
        for turn in said[name]:
            image = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
            id_ = f"{key}/{turn['dia_id']}"
            home = digest(id_ if by == "turn" else f"{key}/{name}") % 3
            units.append(Unit(id_, f"{key}/{name}", f"{turn['speaker']}: {turn['text']}{image}", at, home))
    known = {unit.id for unit in units}
    questions = []
    for place, asked in enumerate(record["qa"]):
        found = re.findall(r"D(\d+):(\d+)", " ".join(asked["evidence"]))
        gold = {f"{key}/D{int(session)}:{int(turn)}" for session, turn in found} & known
        if gold and asked["category"] in CATEGORIES:
            category = CATEGORIES[asked["category"]]
            questions.append(Question(f"{key}#{place}", asked["question"], frozenset(gold), category))
    return Conversation(key, tuple(units), tuple(questions))


def sampled(corpora: Sequence[Conversation], number: int) -> list[Conversation]:
    """The same conversations with the first ``number`` of all their questions, by SHA-256 of the id."""
    every = sorted((each for corpus in corpora for each in corpus.questions), key=lambda q: digest(q.id))
    kept = {each.id for each in every[:number]}
    return [replace(corpus, questions=tuple(q for q in corpus.questions if q.id in kept)) for corpus in corpora]


# ── the memories ─────────────────────────────────────────────────────────────────────────────────────────────────────


def settings(home: Path) -> Settings:
    return Settings.load({}, home=home, deadline=PATIENCE)


def fill_ours(home: Path, corpus: Conversation, units: Sequence[Unit]) -> None:
    """As a transcript's turns are stored: sessions with neighbours, dated, embedded."""
    project = Project(ProjectId(corpus.id), corpus.id, f"/{corpus.id}")
    sessions = {
        unit.session: Session(SessionId(unit.session), USER, project.id, started_at=unit.at, ended_at=unit.at)
        for unit in units
    }
    records = [
        Record(
            Memory(
                MemoryId(unit.id),
                exchange_text(unit.text, ""),
                MemoryKind.EXCHANGE,
                project.id,
                unit.at,
                Origin(USER, SessionId(unit.session)),
            ),
            place,
        )
        for place, unit in enumerate(units)
    ]
    with Fabric.open(settings(home)) as fabric:
        fabric.store.save(Batch(projects=(project,), sessions=tuple(sessions.values()), records=tuple(records)))
        fabric.embed()


def server_entry() -> McpServer:
    program = ("node", str(OFFICIAL / "dist" / "index.js"))
    return McpServer(name="official", command=program, env=("MEMORY_FILE_PATH",), deadline=PATIENCE)


def fill_server(file: Path, units: Sequence[Unit]) -> None:
    """An entity a turn, called by its id, with the words as its observation."""
    nodes = [{"name": unit.id, "entityType": "turn", "observations": [unit.text]} for unit in units]
    source = McpMemory(server_entry(), {**environment(), "MEMORY_FILE_PATH": str(file)}, lambda value: value)

    async def create(link: Link) -> None:
        answer = await link.client.call_tool("create_entities", {"entities": nodes})
        if answer.is_error:
            raise RuntimeError(f"server-memory refused: {answer.content}")

    try:
        source.connection.ask(create, Deadline.after(PATIENCE))
    finally:
        source.close()


def mem0_entry() -> Mem0Library:
    return Mem0Library(name="mem0", user_id=USER, deadline=PATIENCE)


def fill_mem0(home: Path, units: Sequence[Unit]) -> None:
    with Fabric.open(settings(home)) as fabric:
        library = LibraryMem0("mem0", home / FOLDER, fabric.embedder)
        for unit in units:
            library.add(unit.text, USER, {"unit": unit.id}, Deadline.after(PATIENCE), at=unit.at)


# ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def opened(home: Path, *entries: Configured) -> Iterator[Fabric]:
    home.mkdir(parents=True, exist_ok=True)
    write(home, entries)
    with Fabric.open(settings(home)) as fabric:
        yield fabric


def unit_of(memory: Memory) -> str:
    """The id of the turn that a result is, whichever memory it came from."""
    if memory.origin.outside is None:
        return str(memory.id)
    return str(memory.metadata["unit"]) if memory.origin.outside == "mem0" else str(memory.origin.record)


def rankings(fabric: Fabric, questions: Iterable[Question]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for question in questions:
        answer = fabric.search(question.text, limit=DEPTH)
        if answer.outages:
            raise RuntimeError(f"{answer.outages[0]}: a figure without it would be none")
        found[question.id] = [unit_of(result.candidate.memory) for result in answer.results]
    return found


def own_searches(corpus: Conversation, fabric: Fabric) -> dict[str, dict[str, list[str]]]:
    """What the peers' own searches find, asked through the sources that are configured."""
    server, mem0 = fabric.outside
    assert isinstance(server, McpMemory)
    assert isinstance(mem0, Mem0Source)
    found: dict[str, dict[str, list[str]]] = {name: {} for name in OWN_SEARCHES}
    for question in corpus.questions:

        async def look(link: Link, words: str = question.text) -> list[str]:
            answer = await link.client.call_tool("search_nodes", {"query": words})
            nodes = (answer.structured_content or {}).get("entities", [])
            return [str(node["name"]) for node in nodes][:DEPTH]

        found[OWN_SEARCHES[0]][question.id] = server.connection.ask(look, Deadline.after(PATIENCE))
        items = mem0.backend.search(question.text, Who((USER,)), DEPTH, Deadline.after(PATIENCE)).items
        found[OWN_SEARCHES[1]][question.id] = [str(item["metadata"]["unit"]) for item in items]
    return found


def asked(corpus: Conversation, folder: Path) -> dict[str, dict[str, list[str]]]:
    """System → question → the best units, for one conversation."""
    import os

    file = folder / "official.jsonl"
    os.environ["MEMORY_FILE_PATH"] = str(file)
    thirds = [[unit for unit in corpus.units if unit.home == home] for home in range(3)]
    ours, empty, third, whole = (folder / name for name in ("ours", "empty", "mem0", "whole"))
    fill_ours(ours, corpus, thirds[0])
    fill_server(file, thirds[1])
    fill_mem0(third, thirds[2])
    fill_ours(whole, corpus, corpus.units)
    shutil.copytree(ours, folder / "together")
    shutil.copytree(third / FOLDER, folder / "together" / FOLDER)
    setups: dict[str, tuple[Path, tuple[Configured, ...]]] = {
        "ours alone": (ours, ()),
        "server-memory alone": (empty, (server_entry(),)),
        "mem0 alone": (third, (mem0_entry(),)),
        "together": (folder / "together", (server_entry(), mem0_entry())),
        "all in one": (whole, ()),
    }
    found = {}
    for name, (home, entries) in setups.items():
        with opened(home, *entries) as fabric:
            found[name] = rankings(fabric, corpus.questions)
            if name == "together":
                found |= own_searches(corpus, fabric)
    return found


# ── figures ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def mean(values: Sequence[float]) -> float:
    return round(fsum(values) / len(values), 4)


def interval(values: Sequence[float]) -> list[float]:
    """95 % of bootstrap means."""
    chance = random.Random(SEED)
    means = sorted(fsum(chance.choices(values, k=len(values))) / len(values) for _ in range(ROUNDS))
    return [round(means[int(ROUNDS * 0.025)], 4), round(means[int(ROUNDS * 0.975) - 1], 4)]


def figures(found: Mapping[str, Sequence[str]], questions: Sequence[Question]) -> dict[str, Any]:
    scores = {name: [MEASURES[name](found[q.id], q.gold) for q in questions] for name in KEPT}
    by = {
        category: {
            "n": sum(q.category == category for q in questions),
            **{
                name: mean([s for s, q in zip(scores[name], questions, strict=True) if q.category == category])
                for name in ("recall@10", "mrr")
            },
        }
        for category in sorted({q.category for q in questions})
    }
    return {
        **{name: mean(values) for name, values in scores.items()},
        "interval": {name: interval(scores[name]) for name in ("recall@5", "recall@10", "mrr")},
        "answered": sum(bool(found[q.id]) for q in questions),
        "by": by,
    }


def difference(
    better: Mapping[str, Sequence[str]], worse: Mapping[str, Sequence[str]], questions: Sequence[Question]
) -> dict[str, Any]:
    """Paired: how much more the first finds, with wins, ties and losses by question."""
    table: dict[str, Any] = {}
    for name in ("recall@5", "recall@10", "mrr"):
        gains = [MEASURES[name](better[q.id], q.gold) - MEASURES[name](worse[q.id], q.gold) for q in questions]
        signs = [sum(g > 0 for g in gains), sum(g == 0 for g in gains), sum(g < 0 for g in gains)]
        table[name] = {"mean": mean(gains), "interval": interval(gains), "win_tie_loss": signs}
    return table


def union(found: Mapping[str, Mapping[str, Sequence[str]]], questions: Sequence[Question]) -> float:
    """Recall of all three answers of those asked alone, up to 30 units: what a perfect merge of them could reach."""
    shown = {q.id: {unit for name in SYSTEMS[:3] for unit in found[name][q.id]} for q in questions}
    return mean([len(q.gold & shown[q.id]) / len(q.gold) for q in questions])


def held(corpora: Sequence[Conversation]) -> dict[str, Any]:
    """How much each memory holds, and of the gold: the most that it could find alone."""
    home = {unit.id: unit.home for corpus in corpora for unit in corpus.units}
    questions = [q for corpus in corpora for q in corpus.questions]
    return {
        name: {
            "units": sum(place == each for place in home.values()),
            "most_recall": mean([sum(home[g] == each for g in q.gold) / len(q.gold) for q in questions]),
        }
        for each, name in enumerate(("ours", "server-memory", "mem0"))
    }


def report(options: argparse.Namespace) -> dict[str, Any]:
    corpora = sampled(conversations(options.data, options.by), options.questions)
    started = time.monotonic()
    found: dict[str, dict[str, list[str]]] = {name: {} for name in (*SYSTEMS, *OWN_SEARCHES)}
    for corpus in corpora:
        with tempfile.TemporaryDirectory(prefix="memory-fabric-federation-") as folder:
            for name, answers in asked(corpus, Path(folder)).items():
                found[name] |= answers
        print(f"{corpus.id}: {len(corpus.units)} units, {len(corpus.questions)} questions", file=sys.stderr)
    questions = [q for corpus in corpora for q in corpus.questions]
    alone = max(SYSTEMS[:3], key=lambda name: figures(found[name], questions)["recall@10"])
    package = json.loads((OFFICIAL / "package.json").read_text(encoding="utf-8"))
    return {
        "benchmark": "federation",
        "version": __version__,
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "data": "LoCoMo, development part: 5 conversations, turns as units, categories 1 to 4",
        "split": f"SHA-256 of the {options.by}'s id modulo 3",
        "n": len(questions),
        "seed": SEED,
        "embedder": "minilm",
        "peers": {"server-memory": package["version"], "mem0ai": importlib.metadata.version("mem0ai")},
        "seconds": round(time.monotonic() - started, 1),
        "holds": held(corpora),
        "systems": {name: figures(answers, questions) for name, answers in found.items()},
        "recall_of_the_three_answers_alone": union(found, questions),
        "together_over_best_alone": {"best": alone, **difference(found["together"], found[alone], questions)},
        "all_in_one_over_together": difference(found["all in one"], found["together"], questions),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--by", choices=("turn", "session"), default="turn")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args(arguments)
    if not OFFICIAL.exists() or shutil.which("node") is None:
        parser.error("needs Node.js and the official memory server: scripts/test installs it into tests/peers")
    text = json.dumps(report(options), indent=2) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
