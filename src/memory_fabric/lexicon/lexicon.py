"""The lexicon: word lists as one frozen value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_fabric.lexicon import spotting
from memory_fabric.lexicon.categories import Categories, category_of
from memory_fabric.lexicon.spotting import Form, Spotted, Spotter
from memory_fabric.lexicon.tables import CUES, builtin, user_tables
from memory_fabric.lexicon.words import term_key, term_words
from memory_fabric.model.vocabulary import Kind


@dataclass(frozen=True, slots=True)
class Term:
    """A known technology, pattern or agent."""

    canonical: str
    kind: Kind
    label: str
    display: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Lexicon:
    """Known names and the words that carry meaning.  Equal only to itself, so that it can key a cache."""

    names: Mapping[str, Term]
    """Every spelling (its words between single spaces, folded) → its term."""
    spotter: Spotter
    categories: Categories
    agents: Mapping[str, Mapping[str, tuple[str, ...]]]
    """Agent → ``keywords`` and ``related`` (F-HOOK, vocabulary.md §3)."""
    actor_words: frozenset[str]
    """Never entities on their own (§8.1); some are of two words."""
    filler: frozenset[str]
    """Never accepted as an entity (§8.4)."""
    navigation: frozenset[str]
    """First words of commands that say nothing about a project (§8.2)."""
    commands: Mapping[str, tuple[str, ...]]
    """``wrappers``, ``runners``, ``script_shells``, ``shell_keywords``."""
    general_files: frozenset[str]
    """File names too general to stand alone (§8.3), folded."""
    cues: Mapping[str, Any]
    """Statement cues (§5 to §7) as regular expressions on folded text."""
    intents: Mapping[str, tuple[str, ...]]
    """Intent of a question → words and phrases, folded (F-PARSE-6)."""
    wider_scope: tuple[str, ...]
    """Phrases that widen a question's scope (F-PARSE-9), folded."""
    topics: frozenset[str]
    """Subject words that are hints though they name no entity: ``pagination`` (F-PARSE-2)."""
    anti_patterns: tuple[str, ...]

    def spot(self, text: str) -> list[Spotted]:
        """Known names in a text, in order, longest match first, on word boundaries, second cues honoured."""
        return spotting.spot(text, self.spotter)

    def term(self, name: str) -> Term | None:
        """The term that a whole name spells, second cues aside, or None."""
        return self.names.get(term_key(name))

    def is_agent(self, name: str) -> bool:
        """Listed, declared, or two or three hyphenated parts that end in an actor noun (vocabulary.md §3)."""
        known = self.term(name)
        if known is not None:
            return known.kind is Kind.PERSON
        return any(found.kind is Kind.PERSON and found.name == name.strip() for found in self.spot(name))

    def category_of(self, text: str) -> str:
        """The category by keywords, ``decision`` where none matches (vocabulary.md §4)."""
        return category_of(text, self.categories)


def load(extra: Path | None = None) -> Lexicon:
    """The built-in word lists, with a user's file on top.

    Raises:
        ConfigError: the user's file cannot be read or is not of the form that ``tables.user_tables`` names.
    """
    user = user_tables(extra) if extra is not None else {}
    agents = _agents(user)
    stop = builtin("stop")
    patterns = builtin("patterns")
    terms = _terms(builtin("technologies"), patterns, user, agents)
    cues = builtin("cues")

    def words(key: str) -> frozenset[str]:
        return frozenset(word.casefold() for word in (*stop[key], *user.get(key, ())))

    return Lexicon(
        names={term_key(name): term for term in terms for name in _spellings(term)},
        spotter=_spotter(terms, patterns, builtin("agents"), user),
        categories=_categories(user),
        agents=agents,
        actor_words=words("actor_words"),
        filler=words("filler"),
        navigation=words("navigation") | words("powershell"),
        commands={key: tuple(sorted(words(key))) for key in ("wrappers", "runners", "script_shells", "shell_keywords")},
        general_files=words("general_files"),
        cues=cues,
        intents={intent: tuple(phrases) for intent, phrases in cues["intents"].items()},
        wider_scope=tuple(cues["wider_scope"]),
        topics=frozenset(cues["topics"]),
        anti_patterns=tuple(patterns["anti_patterns"]),
    )


def _agents(user: Mapping[str, Any]) -> dict[str, Mapping[str, tuple[str, ...]]]:
    listed = builtin("agents")["agents"]
    agents = {name: {key: tuple(value) for key, value in row.items()} for name, row in listed.items()}
    return {**agents, **{name: {} for name in user.get("agents", ()) if name not in agents}}


def _terms(
    technologies: Mapping[str, Any], patterns: Mapping[str, Any], user: Mapping[str, Any], agents: Iterable[str]
) -> list[Term]:
    by_name: dict[str, Term] = {}
    for kind, table in ((Kind.TECHNOLOGY, technologies), (Kind.CONCEPT, patterns)):
        for group in table["groups"].values():
            by_name.update({name: _term(name, kind, group["label"], row) for name, row in group["terms"].items()})
    for name in agents:
        by_name[name] = Term(name, Kind.PERSON, "agent", name)
    for key, kind, label in (
        ("technologies", Kind.TECHNOLOGY, "technology"),
        ("patterns", Kind.CONCEPT, "pattern"),
    ):
        by_name.update({name: _term(name, kind, label, row) for name, row in user.get(key, {}).items()})
    return list(by_name.values())


def _term(name: str, kind: Kind, label: str, row: Mapping[str, Any]) -> Term:
    return Term(name, kind, row.get("label", label), row.get("display", name), tuple(row.get("aliases", ())))


def _spellings(term: Term) -> tuple[str, ...]:
    return tuple(dict.fromkeys((term.canonical, term.display, *term.aliases)))


def _spotter(
    terms: Iterable[Term], patterns: Mapping[str, Any], agents: Mapping[str, Any], user: Mapping[str, Any]
) -> Spotter:
    second = builtin("second_cue")
    cue_of = {term_words(form): cue for cue in CUES for form in second[cue]}
    cue_of.update({term_words(name): "joined" for name in agents["hyphen_only"]})
    for key in ("technologies", "patterns"):
        cue_of.update({term_words(name): row["cue"] for name, row in user.get(key, {}).items() if "cue" in row})
    forms: dict[str, dict[tuple[tuple[str, ...], str], Form]] = {}
    for term in terms:
        for spelling in _spellings(term):
            words = term_words(spelling)
            tail = spelling[1:] if spelling[1:] in {"#", "++"} else ""
            form = Form(
                words, term.canonical, term.kind, term.label, term.display, "" if tail else cue_of.get(words, ""), tail
            )
            forms.setdefault(words[0], {})[words, tail] = form
    built = patterns["built"]
    nouns = frozenset(agents["actor_nouns"])
    return Spotter(
        forms={word: tuple(sorted(by.values(), key=lambda form: -len(form.words))) for word, by in forms.items()},
        actor_nouns=nouns,
        not_agents=frozenset(agents["not_agents"]),
        built_adjectives=frozenset(built["adjectives"]),
        built_nouns=frozenset(built["nouns"]),
        cue_words={
            key: frozenset(value) for key, value in second.items() if key.endswith(("_words", "_commands", "_first"))
        },
        triggers=frozenset(forms) | nouns | frozenset(built["nouns"]),
    )


def _categories(user: Mapping[str, Any]) -> Categories:
    table = builtin("categories")
    order = {row["category"]: frozenset(row["keywords"]) for row in table["order"]}
    for name, keywords in user.get("categories", {}).items():
        order[name] = order.get(name, frozenset()) | {word.casefold() for word in keywords}
    return Categories(
        order=tuple(order.items()),
        weak=frozenset(table["weak"]),
        default=table["default"],
        remember=frozenset(table["remember"]),
        result=frozenset(table["result"]),
        mem0=frozenset(table["mem0"]),
    )
