"""How a hook's work ended: what goes to stdout, if anything, and what goes into the log."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Said:
    """The end of one call."""

    outcome: str
    """See ``log.Fired``."""
    output: str = ""
    """One JSON object, or nothing."""
    reason: str = ""
    items: int = 0


def silent(reason: str) -> Said:
    """Nothing to say, and why."""
    return Said("silent", reason=reason)
