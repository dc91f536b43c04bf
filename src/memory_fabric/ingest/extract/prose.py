"""The prose of a memory: its sentences without code, quotations, tables and pasted logs (C-035)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memory_fabric.lexicon import Lexicon, Spotted
from memory_fabric.text import PROMPT_LABEL, REPLY_LABEL, split_exchange

MAX_TEXT = 6_000
"""Characters of one memory that are read: the length at which an exchange is split (F-ING-4)."""

MAX_SIGNS = 0.3
"""Share of signs and digits above which a line is data."""

MAX_SENTENCE = 600
"""Longer runs without an end are lists or data, not sentences."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and where it stands in the memory's text."""

    text: str
    start: int
    speaker: str
    """``user`` or ``assistant``."""
    question: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """A memory's text as extraction sees it."""

    prose: str
    """The text with everything that is not prose blanked out; offsets are those of the text."""
    sentences: tuple[Sentence, ...]
    spotted: tuple[Spotted, ...]
    """Names in the whole text, code included."""
    prompt_end: int
    """Where the user's half ends."""


@lru_cache(maxsize=4)
def read(text: str, lexicon: Lexicon) -> Reading:
    """The reading of a memory's text; several extractors of one memory share it."""
    text = text[:MAX_TEXT]
    prompt, reply = split_exchange(text)
    prose = _blank(text)
    reply_start = len(text) - len(reply)
    if text.startswith(PROMPT_LABEL):
        prose = " " * len(PROMPT_LABEL) + prose[len(PROMPT_LABEL) :]
        prompt_start = len(PROMPT_LABEL)
    else:
        prompt_start = 0
    prompt_end = prompt_start + len(prompt)
    if reply:
        label = reply_start - len(REPLY_LABEL)
        prose = prose[:label] + " " * len(REPLY_LABEL) + prose[reply_start:]
    sentences = [*_sentences(prose, prompt_start, prompt_end, "user")]
    if reply:
        sentences += _sentences(prose, reply_start, len(prose), "assistant")
    return Reading(prose, tuple(sentences), tuple(lexicon.spot(text)), prompt_end)


_FENCE = re.compile(r"^[ \t]*(?P<mark>```+|~~~+).*?(?:^[ \t]*(?P=mark)[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_TAGGED = re.compile(r"<(?P<tag>[a-z][\w-]*)(?:\s[^<>\n]*)?>.*?</(?P=tag)>", re.DOTALL)
_ADDRESS = re.compile(r"\bhttps?://\S+")
_NOT_PROSE = re.compile(
    r"[ \t]*(?:"
    r">.*"  # a quotation
    r"|\|.*|.*\|[ \t]*\S[^|\n]*\|[ \t]*"  # a table
    r"|[-*+][ \t]+\[[ xX]\].*"  # a checkbox
    r"|\[?\(?\d{1,2}:\d{2}(?::\d{2})?[.,\d]*\b.*"  # a time stamp: pasted speech, logs
    r"|\[?\d{4}[-/]\d{2}[-/]\d{2}[T ].*|\[\d+[.\d]*(?:s|ms)?\].*"
    r"|(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\b[ :\[].*|\[(?:DEBUG|INFO|WARN|WARNING|ERROR|FATAL|TRACE)\].*"
    r"|(?:Traceback \(|File \"|at [\w.$]+\().*|[$>%❯] ?(?:\w+ ).*(?<=\S)\\?"  # traces, shell prompts
    r"|[+-]{1,3}(?![ \t-]).*|@@.*|diff --git.*|(?:commit|index) [0-9a-f]{7,}.*"  # diffs
    r"|[⎿│└├╭╰⏺●❯✓✗✘].*"  # pasted terminal pictures
    r"|[{}\[\]();]+[,;]?[ \t]*"  # braces
    r"|.*[;{][ \t]*"  # code
    r"|(?:    |\t)+(?:[\w.]+\(.*\)|\w+ ?[:=] ?[^ ].*|(?:def|class|func|return|import|from|const|let|var) .*)"
    r"|(?:def|class|func|fn|import|from|const|let|var|package|SELECT|INSERT|CREATE|UPDATE) [\w.*{(\"'].*[\w)}\"':]"
    r")",
)
_SIGN = re.compile(r"[^\w\s]|[\d_]")
_HEADING_LINE = re.compile(r"[ \t]*#{1,6}[ \t]")


def _blank(text: str) -> str:
    """The text with what is not prose turned to spaces, line breaks kept."""
    for block in (_FENCE, _TAGGED, _ADDRESS):
        text = block.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    lines = text.split("\n")
    return "\n".join(" " * len(line) if _is_other(line) else line for line in lines)


def _is_other(line: str) -> bool:
    if len(line) < 3 or line.isspace():
        return False
    bare = line
    for label in (PROMPT_LABEL, REPLY_LABEL):
        bare = bare.removeprefix(label)
    if _NOT_PROSE.fullmatch(bare) and not (bare is not line and bare.startswith("#")):
        return True
    if _HEADING_LINE.match(bare):
        return False
    return len(_SIGN.findall(bare)) > MAX_SIGNS * len(bare)


_END = re.compile(
    r"(?:[.!?…]+[\"'”’)*_`]*(?=\s)|[。！？]+)|\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•]|\d+[.)]|#{1,6})[ \t])"
    r"|[.!?:][ \t]*\n|\n(?=[A-Z])"
)
_BULLET = re.compile(r"[\s>]*(?:(?:[-*+•–]|\d+[.)]|#{1,6})[ \t]+)*[*_\"'“(]*")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|no)|\b[A-Z])\.$")
_AUXILIARY = r"(?:do|does|did|is|are|was|were|has|have|can|could|should|would|will|may|shall)"
_ASKED = r"(?:i|we|you|they|he|she|it|this|that|these|those|there|the|an?|any|our|my|your)"
_ASKING = re.compile(
    r"(?:so |and |but |ok(?:ay)?,? |hmm,? |also,? )?(?:"
    rf"(?:who|where|when|why)(?:['’]s| {_AUXILIARY})|(?:what|which|how)(?:['’]s| (?:[\w-]+ )?{_AUXILIARY}| to| about)"
    rf"|(?:did|does|is|are|was|were|has|can|could|should|would|will|may|shall) {_ASKED}"
    r"|(?:do|have) (?:i|we|you|they))\b",
    re.IGNORECASE,
)
"""How a question begins that was typed without its mark."""


def _sentences(prose: str, start: int, end: int, speaker: str) -> list[Sentence]:
    found: list[Sentence] = []
    begin = start
    for match in _END.finditer(prose, start, end):
        if _ABBREVIATION.search(prose, max(begin, match.start() - 8), match.start() + 1):
            continue
        _add(found, prose, (begin, match.end()), speaker)
        begin = match.end()
    _add(found, prose, (begin, end), speaker)
    return found


def _add(found: list[Sentence], prose: str, span: tuple[int, int], speaker: str) -> None:
    begin, end = span
    text = prose[begin:end]
    bullet = _BULLET.match(text)
    skipped = bullet.end() if bullet else 0
    text = text[skipped:].rstrip()
    if not 8 <= len(text) <= MAX_SENTENCE or not any(sign.isalpha() for sign in text):
        return
    question = text.rstrip("\"')*_`").endswith(("?", "？")) or _ASKING.match(text) is not None
    found.append(Sentence(text, begin + skipped, speaker, question))
