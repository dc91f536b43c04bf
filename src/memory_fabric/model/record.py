"""Conversations and documents that no harness wrote: chats, pages, notes, as a program hands them in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of a conversation."""

    speaker: str
    """A name, or a role: ``user`` and ``assistant`` (also ``human``, ``ai``) are told apart in search."""
    text: str
    id: str = ""
    """The source's own id, unique in its conversation; its number (from 1) where there is none."""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in order."""

    id: str
    """The source's own id: handing the same conversation in again changes nothing, or brings what it has grown by."""
    turns: tuple[Said, ...]
    title: str | None = None
    at: datetime | None = None
    """When it took place; a turn without a time of its own has this one."""


@dataclass(frozen=True, slots=True)
class Document:
    """A page or a passage."""

    id: str
    text: str
    title: str = ""
    at: datetime | None = None
