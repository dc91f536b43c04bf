"""Hooks as whole processes, from start to end, on a large synthetic memory.

    python benchmarks/hooks.py [--memories 100000] [--cache DIR] [--n 60] [--out FILE]

The memory is made once through the public store interface and kept below ``--cache`` (default: the system's folder for
temporary files).  Its words are those of Memory Fabric's own source and documents and, as its long tail, 150,000
identifiers made of two of them, drawn as often as words of that rank occur in natural text (Zipf), in sessions of
twenty exchanges; six memories in ten belong to the project asked in.  Half of the prompts are passages of one memory,
half are words drawn at random.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memory_fabric import Fabric, Settings, __version__
from memory_fabric.doors.hooks.log import calls
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import (
    Memory,
    MemoryId,
    MemoryKind,
    Origin,
    Project,
    ProjectId,
    Session,
    SessionId,
    Statement,
    StatementKind,
)
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Batch
from memory_fabric.ports.storing import Record
from memory_fabric.text import exchange_text

ROOT = Path(__file__).resolve().parent.parent
PER_SESSION = 20
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
SHARES = (0.6, 0.2, 0.1, 0.06, 0.04)
"""Memories of each project."""

ENTRY = "memory_fabric.doors.entry"
TURNS = ("SessionStart", "UserPromptSubmit", "Stop")


# ── the memory ───────────────────────────────────────────────────────────────────────────────────────────────────────


class Language:
    """Words of our own texts, drawn by rank as natural text has them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        texts = (
            p.read_text(encoding="utf-8") for p in sorted(ROOT.glob("src/**/*.py")) + sorted(ROOT.glob("docs/*.md"))
        )
        counted = Counter(word for text in texts for word in re.findall(r"[A-Za-z_]{2,}", text))
        plain = [word for word, _ in counted.most_common()]
        joined = itertools.product(plain[100:600], plain[100:500])
        self.words = plain + self.random.sample([f"{a}_{b}" for a, b in joined], 150_000)
        self.files = [f"src/{a}_{b}.py" for a, b in itertools.product(plain[200:260], plain[300:350])]
        self._weights = list(itertools.accumulate(1.0 / (rank + 2.7) for rank in range(len(self.words))))

    def draw(self, count: int) -> list[str]:
        """Words, repeated as they come."""
        return self.random.choices(self.words, cum_weights=self._weights, k=count)

    def text(self, low: int, high: int) -> str:
        """Sentences of twelve words."""
        words = self.draw(self.random.randint(low, high))
        for at in range(11, len(words), 12):
            words[at] += "."
        return " ".join(words)


def filled(home: Path, memories: int) -> None:
    """A memory of that many exchanges, unless it is there, and the repositories of its projects."""
    settings = Settings.load({}, home=home, embedder="none")
    for number in range(len(SHARES)):
        (repository(home, number) / ".git").mkdir(parents=True, exist_ok=True)
    if settings.store.exists():
        return
    language = Language(20_261_130)
    with tempfile.TemporaryDirectory(dir=home.parent) as unfinished:
        with Fabric.open(Settings.load({}, home=Path(unfinished), embedder="none")) as fabric:
            for batch in batches(language, memories, home):
                fabric.store.save(batch)
            fabric.store.compact()
        home.mkdir(parents=True, exist_ok=True)
        (Path(unfinished) / settings.store.name).replace(settings.store)


def repository(home: Path, number: int) -> Path:
    return home.resolve() / "projects" / f"project-{number}"


def batches(language: Language, memories: int, home: Path) -> Iterator[Batch]:
    roots = [repository(home, number) for number in range(len(SHARES))]
    projects = [Project(ProjectId(f"p_{number}"), root.name, str(root)) for number, root in enumerate(roots)]
    for number in range(memories // PER_SESSION):
        project = language.random.choices(projects, weights=SHARES)[0]
        yield session(language, project, number, BEGIN + timedelta(minutes=9 * number))


def session(language: Language, project: Project, number: int, at: datetime) -> Batch:
    """Twenty exchanges that share a few files and a topic of their own."""
    id_ = SessionId(f"00000000-0000-4000-8000-{number:012d}")
    files = language.random.sample(language.files, 4)
    topic = language.draw(6)
    records, mentions, relations = [], [], []
    for place in range(PER_SESSION):
        said = f"{' '.join(language.random.sample(topic, 2))} {language.text(8, 60)}"
        reply = f"{language.text(30, 160)} {language.random.choice(files)} {language.random.choice(topic)}"
        memory = Memory(
            MemoryId(f"m_{number:08d}{place:02d}"),
            exchange_text(said, reply),
            MemoryKind.EXCHANGE,
            project.id,
            at + timedelta(minutes=place),
            Origin("claude_code", id_, f"/t/{id_}.jsonl", place * 4 + 1, place * 4 + 4, f"u{place}"),
        )
        kinds = {3: StatementKind.DECISION, 13: StatementKind.DECISION, PER_SESSION - 1: StatementKind.PROBLEM}
        statements = (Statement(kinds[place], said[:200], 0.8),) if place in kinds else ()
        records.append(Record(memory, seq=place, statements=statements))
        touched = EntityId(files[place % len(files)])
        mentions.append(Mention(memory.id, touched))
        relations.append(
            Relation(
                EntityId(project.name),
                Predicate.USES,
                touched,
                "uses",
                RelationOrigin.OBSERVED,
                project=project.id,
                valid_from=memory.at,
                evidence=memory.id,
            )
        )
    named = [Entity(EntityId(file), file, Kind.ARTIFACT) for file in files]
    return Batch(
        projects=(project,),
        sessions=(
            Session(id_, "claude_code", project.id, project.root, None, at, at + timedelta(minutes=PER_SESSION)),
        ),
        records=tuple(records),
        entities=(Entity(EntityId(project.name), project.name, Kind.PROJECT), *named),
        relations=tuple(relations),
        mentions=tuple(mentions),
    )


def prompts(home: Path, count: int) -> list[str]:
    """Half are passages of one memory each, half words at random; 5 to 40 words."""
    language = Language(7)
    with Fabric.open(Settings.load({}, home=home, embedder="none"), read_only=True) as fabric:
        total = fabric.store.count()
        ids = [
            MemoryId(
                f"m_{language.random.randrange(total // PER_SESSION):08d}{language.random.randrange(PER_SESSION):02d}"
            )
            for _ in range(count // 2)
        ]
        texts = [memory.text.split()[1:] for memory in fabric.store.get(ids)]
    own = [" ".join(words[: language.random.randint(5, 40)]) for words in texts]
    other = [language.text(5, 40) for _ in range(count - len(own))]
    return [prompt for pair in itertools.zip_longest(own, other) for prompt in pair if prompt]


# ── the processes ────────────────────────────────────────────────────────────────────────────────────────────────────


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Nearest rank; milliseconds."""
    ordered = sorted(values)
    at = {f"p{share}": ordered[min(len(ordered) - 1, len(ordered) * share // 100)] for share in (50, 95)}
    return {name: round(value, 1) for name, value in {**at, "max": ordered[-1]}.items()}


def told(event: str, prompt: str, number: int, cwd: str) -> str:
    fields = {"session_id": f"bench-{event}-{number:06d}", "cwd": cwd, "hook_event_name": event, "source": "startup"}
    return json.dumps(fields | {"transcript_path": "", "prompt": prompt})


def once(command: Sequence[str], stdin: str, environment: dict[str, str]) -> tuple[float, float, bool]:
    """Milliseconds of the clock, milliseconds of the processor, and whether it said anything, of one process."""
    cpu = os.times()
    begun = time.perf_counter()
    done = subprocess.run(command, input=stdin.encode(), env=environment, capture_output=True, check=True)
    wall = time.perf_counter() - begun
    after = os.times()
    spent = after.children_user + after.children_system - cpu.children_user - cpu.children_system
    return 1000 * wall, 1000 * spent, bool(done.stdout)


def measured(home: Path, asked: Sequence[str]) -> dict[str, Any]:
    """The hooks in turns with a bare interpreter, so that a busy moment meets all alike; files in the cache."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEMORY_FABRIC_", "CLAUDE", "PYTHONDONTWRITE"))}
    runs: dict[str, list[tuple[float, float, bool]]] = {name: [] for name in ("python", *TURNS)}
    with tempfile.TemporaryDirectory(prefix="memory-fabric-bench-", ignore_cleanup_errors=True) as compiled:
        environment = kept | {"PYTHONPYCACHEPREFIX": compiled, "MEMORY_FABRIC_HOME": str(home)}
        for number, prompt in enumerate((*asked[:2], *asked)):
            before = workers(home)
            for name, done in runs.items():
                program = ["-c", "pass"] if name == "python" else ["-m", ENTRY, "hook", name]
                stdin = told(name, prompt, number, str(repository(home, 0)))
                done.append(once([sys.executable, *program], stdin, environment))
            settle(home, before)
    return {
        name: {
            "wall_ms": quantiles([wall for wall, _, _ in each[2:]]),
            "cpu_ms": quantiles([cpu for _, cpu, _ in each[2:]]),
            "said": sum(said for _, _, said in each[2:]),
        }
        for name, each in runs.items()
    }


def settle(home: Path, since: int) -> None:
    """Let the worker that a Stop began end, which is not what is measured; its mark names no transcript."""
    ends = time.monotonic() + 10
    while time.monotonic() < ends and workers(home) <= since:
        time.sleep(0.02)
    for mark in (home / "hooks" / "marks").glob("*"):
        mark.unlink(missing_ok=True)


def workers(home: Path) -> int:
    return sum(call.event == "worker" for call in calls(home))


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks/hooks.py", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--memories", type=int, default=100_000)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "memory-fabric-bench")
    parser.add_argument("--n", type=int, default=60, help="prompts, each in a process of its own")
    parser.add_argument("--note", help="what was measured on, kept in the result")
    parser.add_argument("--out", type=Path, metavar="FILE")
    options = parser.parse_args(given)
    options.cache.mkdir(parents=True, exist_ok=True)
    home = options.cache / f"memories-{options.memories}"
    filled(home, options.memories)
    asked = prompts(home, options.n)
    facts: dict[str, Any] = {"benchmark": "hooks", "version": __version__, "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    facts |= {"note": options.note} if options.note else {}
    facts |= {
        "n": options.n,
        "memories": options.memories,
        "store_mebibytes": round((home / "memory.db").stat().st_size / (1 << 20)),
        "words_a_prompt": statistics.median(len(prompt.split()) for prompt in asked),
        "load_average": [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None,
    }
    text = json.dumps(facts | {"hooks": measured(home, asked)}, indent=2) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
