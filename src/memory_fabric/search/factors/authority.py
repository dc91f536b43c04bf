"""How much a memory's word is worth (F-RANK-4)."""

from __future__ import annotations

from memory_fabric.model.result import Candidate

HIGHEST = 1.3
"""Authority of the cross-validated: the divisor that brings authority into (0, 1]."""


def authority(candidate: Candidate, *, scaled: bool = True) -> float:
    """1.0 for the cross-validated, 0.846 graph-backed, 0.769 otherwise, less for derived text; unscaled for ``sum``."""
    return candidate.authority / HIGHEST if scaled else candidate.authority
