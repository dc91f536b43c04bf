"""Names and ids of entities: one id however a thing is spelled, and which names are refused (F-EXTR-8, F-EXTR-13)."""

from __future__ import annotations

import re

from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import EntityId
from memory_fabric.model.memory import Project
from memory_fabric.model.vocabulary import Kind
from memory_fabric.text import entity_key, fold

MIN_NAME = 2
MAX_NAME = 80
MAX_WORDS = 6
"""Characters and words of a name that may be an entity (F-EXTR-8)."""

_QUANTITY = re.compile(
    r"[~<>≈]?\s*\d[\d.,]*\s*(?:%|[kmgt]i?b|bytes?|ms|s|secs?|seconds?|min|minutes?|h|hours?|days?|weeks?|months?|years?|x|px"
    r"|lines?|files?|tests?|tokens?|times|k|m)",
)
_BARE_VERSION = re.compile(r"v?\d+(?:\.\d+)+\S*|\d{4}-\d{2}-\d{2}.*|v\d+")
_PATH_SLUG = re.compile(r"-?(?:users|home|private|var|tmp|mnt|c)-[\w-]+-[\w-]+|(?:~|\.{1,2})?/.*|[a-z]:\\.*")


def entity_id(kind: Kind, name: str) -> EntityId:
    """``<kind>:<key>``: ``technology:postgresql``, ``person:database engineer`` (the key folds hyphens to spaces)."""
    return EntityId(f"{kind}:{entity_key(name)}")


def project_entity_id(project: Project) -> EntityId:
    """``project:<id>``: two projects may share a name, never an id."""
    return EntityId(f"project:{project.id}")


def scoped_id(kind: Kind, project: Project | None, path: str) -> EntityId:
    """``<kind>:<project id>/<path>`` for things that are only themselves inside a project: files, commits, failures."""
    return EntityId(f"{kind}:{project.id}/{path}" if project is not None else f"{kind}:{path}")


def refusal(name: str, lexicon: Lexicon) -> str | None:
    """Why a name cannot be an entity, or None when it can (F-EXTR-8)."""
    folded = fold(name)
    shown = [sign for sign in folded if not sign.isspace()]
    faults = (
        ("name too short", len(folded) < MIN_NAME),
        ("name too long", len(folded) > MAX_NAME or len(folded.split()) > MAX_WORDS),
        ("actor word", folded in lexicon.actor_words),
        ("filler", folded in lexicon.filler),
        ("quantity", bool(_QUANTITY.fullmatch(folded) or _BARE_VERSION.fullmatch(folded))),
        ("mostly digits", 2 * sum(sign.isdigit() for sign in shown) > len(shown)),
        ("path", _PATH_SLUG.fullmatch(folded) is not None),
    )
    return next((reason for reason, holds in faults if holds), None)
