"""An invented memory of any size, the same for the same seed and version: words drawn as natural text has them."""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path

import memory_fabric
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
from memory_fabric.ports import Batch, Record
from memory_fabric.text import exchange_text

PER_SESSION = 20
"""Exchanges of a session."""

SHARES = (0.6, 0.2, 0.1, 0.06, 0.04)
"""Memories of each project: most people have one that they live in."""

IDENTIFIERS = 150_000
"""Names made of two words, the long tail of a vocabulary."""

IDENTIFIER_SHARE = 0.1
"""Of the words drawn, those that are such names: what conversations about code have of them, roughly."""

FLATTER = 0.85
"""Exponent of a word's count: one program's documentation repeats itself more than people's talk about many."""

PROMPT, REPLY = (8, 60), (60, 280)
"""Words of what the user and the agent say: about 150 index tokens an exchange, as ``sources.text`` has it."""

QUESTION = (4, 11)
"""Words of a question: about as many index terms as the subject of a commit has."""

COMMON, OWN_WORDS, OWN_SHARE = 60, 80, 0.75
"""Beyond the most common words, mostly stop words, three of four are among eighty that a session has for its own:
what is talked about comes in bursts."""

NAMED = 3
"""One exchange of so many says which file it is about; tools touch one in each."""

BEGIN = datetime(2024, 1, 1, tzinfo=UTC)
APART = 21
"""Minutes from one session to the next: none begins before the last one ended."""

STATEMENTS = {3: StatementKind.DECISION, 13: StatementKind.DECISION, PER_SESSION - 1: StatementKind.PROBLEM}
"""Exchanges of a session that state something."""

PROJECTS = tuple(Project(ProjectId(f"p_{n}"), f"project-{n}", f"/invented/project-{n}") for n in range(len(SHARES)))


@dataclass(frozen=True)
class Language:
    """Words of this program's own documentation as often as they stand there, and made-up names by Zipf's law."""

    words: tuple[str, ...]
    cumulative: tuple[float, ...]
    """Running sum of the words' weights."""
    files: tuple[str, ...]
    """3,000 names of files that sessions share."""

    @classmethod
    def of(cls, seed: int) -> Language:
        """The language of a seed."""
        counted = Counter(re.findall(r"[A-Za-z]{2,}", _prose()))
        plain = [word for word, _ in counted.most_common()]
        seldom = [word.lower() for word in plain[60:] if len(word) > 3]
        pairs = [f"{a}_{b}" for a, b in itertools.product(seldom[:600], seldom[:500]) if a != b]
        names = _chance(f"{seed} names").sample(pairs, min(IDENTIFIERS, len(pairs)))
        ranks = [1.0 / (rank + 2.7) for rank in range(len(names))]
        often = {word: counted[word] ** FLATTER for word in plain}
        scale = IDENTIFIER_SHARE / (1 - IDENTIFIER_SHARE) * sum(often.values()) / sum(ranks)
        weights = itertools.accumulate([*(often[word] for word in plain), *(scale * each for each in ranks)])
        files = tuple(f"src/{a}_{b}.py" for a, b in itertools.product(seldom[:60], seldom[100:150]))
        return cls((*plain, *names), tuple(weights), files)

    def topic(self, chance: random.Random) -> list[str]:
        """The words that a session has for its own, repeated as they come."""
        found: list[int] = []
        while len(found) < OWN_WORDS:
            found += [word for word in self._drawn(chance, OWN_WORDS) if word >= COMMON]
        return [self.words[word] for word in found[:OWN_WORDS]]

    def text(self, chance: random.Random, span: tuple[int, int], topic: Sequence[str] = ()) -> str:
        """Sentences of twelve words, so many words in all, on a topic or on anything."""
        drawn = self._drawn(chance, chance.randint(*span))
        words = [
            chance.choice(topic) if topic and word >= COMMON and chance.random() < OWN_SHARE else self.words[word]
            for word in drawn
        ]
        for at in range(11, len(words), 12):
            words[at] += "."
        return " ".join(words)

    def _drawn(self, chance: random.Random, count: int) -> list[int]:
        return chance.choices(range(len(self.words)), cum_weights=self.cumulative, k=count)


def batches(language: Language, seed: int, memories: int) -> Iterator[Batch]:
    """Sessions of twenty exchanges, one a minute, the last one cut to make exactly so many memories."""
    for number in range(-(-memories // PER_SESSION)):
        yield session(language, seed, number, min(PER_SESSION, memories - number * PER_SESSION))


def session(language: Language, seed: int, number: int, exchanges: int) -> Batch:
    """Exchanges that share a project, four files and a topic; each can be made without the others."""
    chance = _chance(f"{seed} session {number}")
    project = chance.choices(PROJECTS, weights=SHARES)[0]
    id_ = SessionId(f"00000000-0000-4000-8000-{number:012d}")
    files = chance.sample(language.files, 4)
    topic = language.topic(chance)
    begin = BEGIN + timedelta(minutes=APART * number)
    records = tuple(
        _exchange(language, chance, (id_, project.id, begin), place, (files[place % 4], topic))
        for place in range(exchanges)
    )
    touched = [(record.memory, EntityId(files[record.seq % 4])) for record in records]
    return Batch(
        projects=(project,),
        sessions=(
            Session(id_, "claude_code", project.id, project.root, None, begin, begin + timedelta(minutes=exchanges)),
        ),
        records=records,
        entities=(
            Entity(EntityId(project.name), project.name, Kind.PROJECT),
            *(Entity(EntityId(file), file, Kind.ARTIFACT) for file in files),
        ),
        relations=tuple(_uses(project, memory, file) for memory, file in touched),
        mentions=tuple(Mention(memory.id, file) for memory, file in touched),
    )


def memory_id(number: int) -> MemoryId:
    """The id of a memory by its number, from 0."""
    return MemoryId(f"m_{number // PER_SESSION:08d}{number % PER_SESSION:02d}")


def questions(language: Language, seed: int, memories: int, count: int) -> list[str]:
    """Questions of 4 to 11 words, none twice.

    In turn words of one memory, words at random, words of one memory and a file by its name; every tenth names a
    project, around which everything hangs.
    """
    chance = _chance(f"{seed} questions")
    asked: dict[str, None] = {}
    while len(asked) < count:
        turn = len(asked)
        words = language.text(chance, QUESTION)
        if turn % 3 != 1:
            said = _said(language, seed, chance.randrange(memories), memories)
            begin = chance.randrange(max(1, len(said) - QUESTION[1]))
            words = " ".join(said[begin : begin + chance.randint(*QUESTION)])
        named = f" in {chance.choice(language.files)}" if turn % 3 == 2 else ""
        hub = f" of {PROJECTS[0].name}" if turn % 10 == 9 else ""
        asked[f"{words}{named}{hub}?"] = None
    return list(asked)


def _said(language: Language, seed: int, number: int, memories: int) -> list[str]:
    place = number % PER_SESSION
    exchanges = min(PER_SESSION, memories - (number - place))
    return session(language, seed, number // PER_SESSION, exchanges).records[place].memory.text.split()[1:]


def _exchange(
    language: Language,
    chance: random.Random,
    where: tuple[SessionId, ProjectId, datetime],
    place: int,
    about: tuple[str, list[str]],
) -> Record:
    id_, project, begin = where
    file, topic = about
    said, reply = language.text(chance, PROMPT, topic), language.text(chance, REPLY, topic)
    reply += f" {file}" if place % NAMED == 0 else ""
    memory = Memory(
        memory_id(int(id_[-12:]) * PER_SESSION + place),
        exchange_text(said, reply),
        MemoryKind.EXCHANGE,
        project,
        begin + timedelta(minutes=place),
        Origin("claude_code", id_, f"/invented/{id_}.jsonl", place * 4 + 1, place * 4 + 4, f"u{place}"),
    )
    statements = (Statement(STATEMENTS[place], said[:200], 0.8),) if place in STATEMENTS else ()
    return Record(memory, seq=place, statements=statements)


def _uses(project: Project, memory: Memory, file: EntityId) -> Relation:
    return Relation(
        EntityId(project.name),
        Predicate.USES,
        file,
        "uses",
        RelationOrigin.OBSERVED,
        project=project.id,
        valid_from=memory.at,
        evidence=memory.id,
    )


@lru_cache(maxsize=1)
def _prose() -> str:
    """What this program's files say of themselves: English about software, with its stop words."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    files = sorted(Path(memory_fabric.__file__).parent.rglob("*.py"))
    nodes = (node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
    return "\n".join(ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented))


def _chance(seed: str) -> random.Random:
    return random.Random(seed)  # noqa: S311 - invented texts, no secrets
