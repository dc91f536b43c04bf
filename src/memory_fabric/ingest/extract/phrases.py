"""The phrase patterns of relations, over sentences whose names are replaced by marks (F-EXTR-4).

A mark is ``⟨n⟩``: the n-th accepted name of the sentence.  ``⟨w⟩`` is the speaker's own project: "we", "our stack".
"""

from __future__ import annotations

import re
from dataclasses import dataclass

OPEN, CLOSE = "⟨", "⟩"

_E = r"⟨\d+⟩"
_ONE = r"(?:the |an? |our )?⟨\d+⟩"
_AND = r"(?:\s*,\s*(?:and |or )?|\s+(?:and|as well as|plus|&)\s+(?:also )?|\s*/\s*)"
_ASIDE = r"(?:\s+(?:for|as)(?: (?!and\b|with\b)[\w-]+){1,4}?)?"
_LIST = rf"{_ONE}(?:{_ASIDE}{_AND}{_ONE})*"
_ANY = r"⟨[\dw]+⟩"
_SUBJECT = rf"(?P<s>{_ANY}(?:(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)⟨\d+⟩)*)"
_ADVERBS = (
    "already currently now also only always mainly mostly primarily internally heavily still strongly generally both "
    "just then actually directly"
)
_ADVERB = rf"(?:\s+(?:{'|'.join(_ADVERBS.split())}))*"
_WHO = r"(?:\s+(?:team|project|agent|client|server|app|itself))?"

_STOPS = r"(?=$|[\s.,;:!)\]*_\"'—–-])"


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way of saying a relation."""

    label: str
    pattern: re.Pattern[str]
    """Groups ``s`` and ``o`` hold the marks of both ends."""
    project_label: str = ""
    """What the project as subject is said to do; empty where the project cannot be the subject."""
    objects: str = ""
    """Kinds that may stand as object, by initial (``tcpa``); empty is all."""


def _phrase(label: str, body: str, project_label: str = "", objects: str = "") -> Phrase:
    text = body.replace("{S}", _SUBJECT + _WHO + _ADVERB).replace("{O}", rf"(?P<o>{_LIST}){_STOPS}")
    text = text.replace("{S1}", rf"(?P<s>{_ANY}){_WHO}{_ADVERB}").replace("{O1}", rf"(?P<o>{_E}){_STOPS}")
    text = text.replace("{E1}", rf"(?P<s>{_E})").replace("{W}", r"(?:[\w-]+ ){0,2}?")
    return Phrase(label, re.compile(text, re.IGNORECASE), project_label, objects)


PHRASES = (
    _phrase(
        "uses",
        r"{S}\s+(?:uses?|used|using|(?:is|are|was|were|am|have been|has been|been)\s+using|(?:has|have)\s+adopted"
        r"|adopts?|adopted"
        r"|(?:have |has )?(?:decided|chose|opted|agreed)\s+to\s+(?:use|adopt|go with)|will(?:\s+be)?\s+us(?:e|ing)"
        r"|(?:is|are)\s+going\s+to\s+use)\s+{O}",
        "uses",
    ),
    _phrase(
        "uses",
        r"{S}\s+(?:is|are|was|were)\s+(?:built|written|implemented)\s+(?:with|on|in|using|on top of)\s+{O}",
        "uses",
        "t",
    ),
    _phrase("uses", r"(?P<o>⟨\d+⟩)\s+(?:is|are|was)\s+(?:being\s+)?used\s+by\s+(?P<s>⟨[\dw]+⟩)", "uses"),
    _phrase("used_for", r"{S}\s+(?:is|are|was|were)?\s*(?:being\s+)?used\s+for\s+{O}", objects="tc"),
    _phrase(
        "used_for",
        r"(?:us(?:e[sd]?|ing)|with|and|chose|adopted|picked|go(?:ing)? with|is|are)\s+{E1}\s+for\s+{W}{O1}",
        objects="c",
    ),
    _phrase(
        "recommends",
        r"{S}\s+(?:has\s+)?recommend(?:s|ed)?(?:\s+(?:that\s+)?(?:we\s+)?(?:to\s+)?(?:use|using|adopting))?\s+{O}",
    ),
    _phrase("prefers", r"{S}\s+prefer(?:s|red)?(?:\s+(?:to\s+use|using))?\s+{O}"),
    _phrase(
        "chose", r"{S}\s+(?:chose|picked|went\s+with|settled\s+on|decided\s+on|has\s+chosen)\s+{O}", "decided_to_use"
    ),
    _phrase("selected", r"{S}\s+(?:has\s+)?selected\s+{O}", "decided_to_use"),
    _phrase(
        "chose_over",
        r"(?:chose|choose|chosen|prefer(?:s|red)?|selected|picked|going\s+with|go\s+with|went\s+with|decided\s+on|us(?:e[sd]?|ing)|recommend(?:s|ed)?)"
        r"(?:\s+(?:to\s+use|using))?\s+(?:the\s+)?(?P<s>⟨\d+⟩)\s+(?:over|instead\s+of|rather\s+than|in\s+favou?r\s+over)\s+{O}",
    ),
    _phrase("chose_over", r"(?P<s>⟨\d+⟩)\s+(?:instead\s+of|rather\s+than)\s+{O1}"),
    _phrase("replaces", r"{S1}\s+(?:replaces?|replaced|supersedes?|superseded)\s+{O}"),
    _phrase("replaces", r"replac(?:ed|ing|es)\s+(?P<o>⟨\d+⟩)\s+(?:with|by)\s+(?P<s>⟨\d+⟩)"),
    _phrase("replaced_by", r"{E1}\s+(?:is|was|has\s+been|got)\s+(?:replaced|superseded)\s+(?:by|with)\s+{O1}"),
    _phrase(
        "replaces",
        r"(?:switched|migrated|moved|ported|changed|switching|migrating|moving)\s+(?:\w+\s+){0,3}?from\s+(?P<o>⟨\d+⟩)\s+(?:over\s+)?to\s+(?P<s>⟨\d+⟩)",
    ),
    _phrase("requires", r"{S}\s+(?:requires?|required)\s+{O}", "requires", "tcap"),
    _phrase("needs", r"{E1}\s+needs\s+{O}", objects="tca"),
    _phrase("depends_on", r"{S}\s+(?:depends?|relies|rely|relied|depended)\s+(?:up)?on\s+{O}", "depends_on"),
    _phrase("extends", r"{E1}\s+extends\s+{O1}"),
    _phrase("enables", r"{E1}\s+(?:enables|enabled)\s+{O}"),
    _phrase("implements", r"{S1}\s+(?:implements?|implemented)\s+{O}", objects="c"),
    _phrase("blocked_by", r"{S1}\s+(?:(?:is|are|was|were)\s+)?(?:currently\s+)?blocked\s+by\s+{O1}", "blocked_by"),
    _phrase("caused_by", r"{E1}\s+(?:is|was|are|were)\s+caused\s+by\s+{O1}"),
    _phrase("causes", r"{E1}\s+(?:causes|caused)\s+{O1}"),
    _phrase("fixes", r"{E1}\s+(?:fixes|fixed|solves|solved)\s+{O1}"),
    _phrase("part_of", r"{E1}\s+(?:is|are)\s+part\s+of\s+{O1}"),
)
"""Tried on every sentence, all of them."""

_OUR = (
    "team project stack app application service backend back-end frontend api codebase repo repository server system"
    " cli"
)
_THE = "project repo repository codebase app application"
WE = re.compile(
    rf"(?<![\w⟨-])(?:we(?:['’](?:re|ve|ll))?|our (?:{'|'.join(_OUR.split())})"
    rf"|(?:the|this) (?:{'|'.join(_THE.split())}))"
    r"(?![\w'’-])",
    re.IGNORECASE,
)
"""The speaker's own project as a subject."""

ALONE = re.compile(r"(?<![\w⟨-])i(?:['’](?:m|ve))?(?![\w'’-])", re.IGNORECASE)
"""The user alone stands for the project as well: "I'm using Flask"."""

VERSION = re.compile(r"(?<=⟩)\s+v?\d+(?:\.[\dx]+)*\+?(?![\w%])")
"""A version after a name: no part of any phrase."""
