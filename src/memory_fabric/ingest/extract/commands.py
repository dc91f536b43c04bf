"""Shell command lines as the programs they run (F-EDGE-4).  POSIX shells and PowerShell; nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_fabric.lexicon import Lexicon

_DEPTH = 3
"""Shells inside shells that are looked into."""

_HEREDOC = re.compile(
    r"<<-?\s*(?P<q>['\"\\]?)(?P<tag>[A-Za-z_]\w*)['\"]?(?P<rest>[^\n]*)\n.*?(?:\n[ \t]*(?P=tag)(?=[\s)\"']|$)|\Z)",
    re.DOTALL,
)
_TOKEN = re.compile(
    r"(?P<space>(?:[ \t]|\\\n)+)|(?P<comment>(?<![^\s;&|(])#[^\n]*)"
    r"|(?P<redirect>\d*(?:>>?|<<<|<)(?:&\d?-?|\|)?|&>>?)"
    r"|(?P<end>\|\||&&|\|&|;;|[;|&\n()]|(?<!\S)[{}!](?!\S))"
    r"|(?P<word>(?:\\.|'[^']*'|\$'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\$\{[^}]*\}|`[^`]*`"
    r"|[^\s;&|()<>\"'`\\])+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_ARITHMETIC = re.compile(r"\$?\(\([^()]*(?:\([^()]*\)[^()]*)*\)\)")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_SUBSTITUTION = re.compile(r"\$\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_RUNS_TEXT = re.compile(r"-[a-z]*c|-Command|/c", re.IGNORECASE)
"""The option of a shell that is followed by a command line."""

_QUOTES = frozenset("'\"`")
_PROGRAM = re.compile(r"[a-z][a-z0-9]*(?:[._-][a-z0-9]+)*(?:\+\+)?")
_TAKES_VALUE = frozenset(
    [
        "-u",
        "-g",
        "-n",
        "-k",
        "-s",
        "-C",
        "--user",
        "--with",
        "--from",
        "-p",
        "--package",
        "--python",
        "-E",
        "--env-file",
        "-I",
    ]
)


@dataclass(frozen=True, slots=True)
class Program:
    """One program of a command line, with its words after the wrappers."""

    name: str
    """Folded, without folder or ``.exe``."""
    arguments: tuple[str, ...]

    @property
    def subcommand(self) -> str:
        """The first argument that is not an option, or nothing."""
        return next((word for word in self.arguments if not word.startswith("-")), "")


def programs(command: str, lexicon: Lexicon, depth: int = _DEPTH) -> Iterator[Program]:
    """Programs in order: navigation words, shell keywords and what is no plain program name are left out."""
    text = _ARITHMETIC.sub("0", _HEREDOC.sub(lambda match: f" {match['rest']}\n", command))
    for words in _simple_commands(text):
        for raw in words:
            if depth and "$(" in raw and not raw.startswith("'"):
                for inner in _SUBSTITUTION.findall(raw):
                    yield from programs(inner, lexicon, depth - 1)
        yield from _program([_unquote(word) for word in words], lexicon, depth)


def _simple_commands(text: str) -> Iterator[list[str]]:
    words: list[str] = []
    redirected = False
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "end":
            yield words
            words, redirected = [], False
        elif kind == "redirect":
            redirected = not match.group().rstrip("-").endswith(tuple("&0123456789"))
        elif kind == "word":
            if redirected:
                redirected = False
            else:
                words.append(match.group())
        elif kind == "other" and match.group() in _QUOTES:
            break  # never closed: what follows is data that was cut off
    yield words


def _unquote(word: str) -> str:
    if word[:1] in "'\"" and word[-1:] == word[:1] and len(word) > 1 and word[0] not in word[1:-1]:
        return word[1:-1]
    return re.sub(r"['\"\\]", "", word)


def _program(words: list[str], lexicon: Lexicon, depth: int) -> Iterator[Program]:
    keywords, wrappers = lexicon.commands["shell_keywords"], lexicon.commands["wrappers"]
    while words:
        word = words[0]
        name = _base(word)
        if _ASSIGNMENT.match(word):
            words = words[1:]
        elif word in keywords:
            words = [] if word in {"for", "case", "in", "function", "return", "exit", "select"} else words[1:]
        elif name in wrappers:
            words = _after_options(words[1:])
        elif f"{name} {words[1] if len(words) > 1 else ''}" in lexicon.commands["runners"]:
            words = _after_options(words[2:])
        elif name in lexicon.commands["script_shells"]:
            yield from _script(words[1:], lexicon, depth)
            return
        else:
            if name not in lexicon.navigation and _PROGRAM.fullmatch(name) and _bare(word) and 2 <= len(name) <= 30:
                yield Program(name, tuple(words[1:]))
            return


def _after_options(words: list[str]) -> list[str]:
    """What a wrapper runs: its options, their values, durations and assignments left out."""
    while words and (words[0].startswith("-") or words[0][:1].isdigit() or _ASSIGNMENT.match(words[0])):
        words = words[2:] if words[0] in _TAKES_VALUE else words[1:]
    return words


def _script(arguments: list[str], lexicon: Lexicon, depth: int) -> Iterator[Program]:
    for place, word in enumerate(arguments):
        if _RUNS_TEXT.fullmatch(word) and place + 1 < len(arguments):
            if depth:
                yield from programs(arguments[place + 1], lexicon, depth - 1)
            return


def _base(word: str) -> str:
    name = re.split(r"[/\\]", word)[-1].casefold()
    return name.removesuffix(".exe").removesuffix(".cmd")


def _bare(word: str) -> bool:
    """A program by name or by absolute path; what lies in the project (``./run``) is a file, not a technology."""
    return not re.search(r"[/\\]", word) or word.startswith(_INSTALLED)


_INSTALLED = ("/usr/", "/bin/", "/opt/", "node_modules/.bin/", "./node_modules/.bin/", ".venv/bin/", "venv/bin/")
