"""Pure functions on text: analysis for the index, keys for names, similarity, splitting.

Everything that compares two texts goes through here, so that two paths never fold differently (C-050).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

import Stemmer

PROMPT_LABEL = "USER: "
REPLY_LABEL = "ASSISTANT: "
"""The text form of an exchange (F-ING-2): ``USER: …``, a blank line, ``ASSISTANT: …``."""

STOP_WORDS = frozenset(
    """a about above after again against ago all almost along already also although always am among an and another
    any anybody anyone anything anyway are aren around as ask asked at away back be became because become been
    before began behind being below besides best better both bring but by call came can cannot cause certainly come
    comes could couldn did didn do does doesn doing don done down due during each either else ever every everyone
    everything few find for from further gave get gets getting give given gives go goes going gone got had hadn has
    hasn have haven having he her here hers herself him himself his how however i if in indeed into is isn it its
    itself just keep kept know let lets like ll look looking made make makes many may maybe me might mine more most
    much must my myself need needs now of off often ok on once one ones only onto or other others our ours
    ourselves out own per perhaps please put quite rather re really said same saw say says see seem seemed seems
    shall she should shouldn show since so some somebody someone something sometimes soon still such sure take
    taken tell than thank thanks that the their theirs them themselves then there therefore these they thing things
    think this those though through thus to together too took toward try under until up upon us use used using ve
    very want wants was wasn way we well went were weren what whatever when where whether which while who whoever
    whole whom whose why will with within without won would wouldn yes yet you your yours yourself yourselves s t d
    m o""".split()
)
"""About 250 words that say nothing about a topic; question words must go (retrieval.md §1).  Words of polarity
(``not``, ``no``, ``never``) and of direction (``over``, ``instead``, ``between``) stay (vocabulary.md §8.5)."""

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
    "\u0900-\u0963\u0971-\u0dff\u0e01-\u0e4e\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ufe20-\ufe2f"
)
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff々〆"


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    """A token of any script; compiled when first met, since it takes 5 ms and plain ASCII does without."""
    word = rf"(?:[^\W_{_CJK}]|[{_MARKS}])+"
    return re.compile(rf"(?P<cjk>[{_CJK}]+)|{word}(?:_+{word})*")


_PLAIN_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_NEEDS_CARE = re.compile(
    "[^\\x00-\\x7f\\u00ab\\u00b0\\u00b7\\u00bb\\u00c0-\\u012f\\u2010-\\u2016\\u2018-\\u203d\\u2190-\\u22ff\\u2500-\\u27bf"
    "\\U0001f300-\\U0001faff]"
)
"""Anything for which the plain split and the careful one could differ: CJK, marks, compatibility forms."""
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+|[^\W\d_A-Za-z]+")
_MAX_TOKEN = 64
"""Longer runs of letters are data (hashes, base64), not words; they are cut, so that a hash still finds itself."""

_stemmer = Stemmer.Stemmer("english")


@lru_cache(maxsize=200_000)
def _expand(surface: str) -> tuple[str, ...]:
    """Index tokens of one surface token; the empty tuple for a stop word."""
    folded = surface.casefold()
    if folded in STOP_WORDS:
        return ()
    parts = _PARTS.findall(surface) if surface.isascii() else surface.split("_")
    whole = _stem(folded.replace("_", ""))
    if len(parts) < 2:
        return (whole,) if whole else ()
    words = (part.casefold() for part in parts)
    return (whole, *(_stem(word) for word in words if word and word not in STOP_WORDS))


def _stem(word: str) -> str:
    word = word[:_MAX_TOKEN]
    return str(_stemmer.stemWord(word)) if word.isascii() and word.isalpha() else word


def analyse(text: str) -> list[str]:
    """The index tokens of a text, in order, with repetitions.

    NFKC, case folded, about 250 stop words removed, English words stemmed (Snowball), identifiers both whole and
    split (``getUserName`` → ``getusernam get user name``), CJK runs as ``cjk.tokens_of`` cuts them.
    """
    tokens: list[str] = []
    normal = unicodedata.normalize("NFKC", text)
    japanese: bool | None = None
    for match in (_PLAIN_WORD if normal.isascii() else _token()).finditer(normal):
        if match.lastgroup != "cjk":
            tokens.extend(_expand(match.group()))
            continue
        from memory_fabric import cjk  # its patterns take 3 ms, which plain English does without

        if japanese is None:
            japanese = cjk.is_japanese(normal)
        tokens.extend(cjk.tokens_of(match.group(), japanese=japanese))
    return tokens


def words(text: str) -> list[str]:
    """The plain words of a text, NFKC and case folded, punctuation stripped, nothing removed or stemmed."""
    if _NEEDS_CARE.search(text) is None:
        return _PLAIN_WORD.findall(text.casefold())
    return [match.group() for match in _token().finditer(unicodedata.normalize("NFKC", text).casefold())]


def fold(text: str) -> str:
    """One canonical form for comparing names: NFKC, case folded, trimmed, white space collapsed (C-050).

    Folding again changes nothing: case folding can undo the normal form, so that is made twice.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    if not folded.isascii():
        folded = unicodedata.normalize("NFKC", folded).casefold()
        folded = unicodedata.normalize("NFKC", folded)
    return " ".join(folded.split())


_SEPARATORS = re.compile(r"[\s_/-]+")


def entity_key(name: str) -> str:
    """The key under which a name is one entity, however spelled (F-EXTR-13): ``fold`` with ``_ - /`` as spaces."""
    return " ".join(_SEPARATORS.sub(" ", fold(name)).split())


_NAME_WORD = re.compile(r"[^\W_]+(?:['.-][^\W_]+)*")


def name_words(text: str) -> list[str]:
    """The words of names as written: ``J. G. Ballard's`` is J, G, Ballard; hyphens and inner marks stay."""
    return [word.removesuffix("'s") for word in _NAME_WORD.findall(text.replace("’", "'"))]


def text_hash(text: str) -> str:
    """By what a text is known again wherever it turns up: SHA-256 of its folded form, hexadecimal."""
    import hashlib  # brings OpenSSL along, which a hook has no use for

    return hashlib.sha256(fold(text).encode("utf-8", "surrogatepass")).hexdigest()


def jaccard(left: Iterable[str], right: Iterable[str]) -> float:
    """Shared over all distinct tokens, in [0, 1] (F-DEDUP-2); two empty sets are equal, 1.0."""
    a, b = frozenset(left), frozenset(right)
    shared = len(a & b)
    union = len(a) + len(b) - shared
    return shared / union if union else 1.0


def clean(text: str) -> str:
    """Text that every part of the system can hold: lone surrogates repaired, NUL removed (formats.md §0 rule 4)."""
    text = text.replace("\0", "")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def exchange_text(prompt: str, reply: str) -> str:
    """The text form of an exchange (F-ING-2)."""
    halves = [label + half for label, half in ((PROMPT_LABEL, prompt), (REPLY_LABEL, reply)) if half]
    return "\n\n".join(halves)


def split_exchange(text: str) -> tuple[str, str]:
    """The prompt and the reply of a text made by ``exchange_text``; any other text is all prompt."""
    if text.startswith(REPLY_LABEL):
        return "", text.removeprefix(REPLY_LABEL)
    if not text.startswith(PROMPT_LABEL):
        return text, ""
    prompt, _, reply = text.removeprefix(PROMPT_LABEL).partition("\n\n" + REPLY_LABEL)
    return prompt, reply


def split_long(text: str, limit: int) -> Iterator[str]:
    """Parts of at most ``limit`` characters, cut at blank lines where possible, else lines, words, anywhere (F-ING-4).

    Joined again they hold every character that is not white space at a cut.  No part is shorter than a quarter of the
    limit for the sake of a better cut.
    """
    start = 0
    while len(text) - start > limit:
        cut = _cut(text, start, limit)
        part = text[start:cut].rstrip()
        if part:
            yield part
        match = _NOT_SPACE.search(text, cut)
        start = match.start() if match else len(text)
    if start < len(text):
        yield text[start:]


_NOT_SPACE = re.compile(r"\S")
_CUTS = ("\n\n", "\n\r\n", "\n", " ")
"""Where a text may be cut, best first."""


def _cut(text: str, start: int, limit: int) -> int:
    for mark in _CUTS:
        cut = text.rfind(mark, start + max(1, limit // 4), start + limit + len(mark))
        if cut > start:
            return cut
    return start + limit
