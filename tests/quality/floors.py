"""What the small sets of ``data`` reached, question by question, and when a change has lost more than its noise.

Recorded are the outcomes of single questions, since the noise of a difference lies in the questions that two runs
answer differently: a stored width of a mean would be that of an unpaired comparison, several times too wide.  A
figure has fallen if it is lower and the paired randomization test (``evals.significance``) gives p below ``LEVEL``:
with six questions lost and none gained that is so (p = 1/32), with five it is not (p = 1/16).  Small losses that hide
in each set show up over all sets together.  Losses also add up: what is compared with is the record, not the last run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path

from memory_fabric.evals.significance import randomization, tally

HERE = Path(__file__).parent
DATA = HERE / "data"
RECORD = HERE / "floors.json"

MODES = ("text", "auto")
"""Without a model, and what a user gets."""

MEASURES = ("recall@5", "mrr", "ndcg@10")
"""What a screen shows of the evidence, where the first right one stands, and the order of the first page."""

LEVEL = 0.05

ALL = "all sets"

Values = Mapping[str, Sequence[float]]
"""Question → its values, in the order of ``MEASURES``."""


@dataclass(frozen=True)
class Set:
    """A set, the suite that reads it, and its transcripts if it asks about some."""

    name: str
    suite: str
    transcripts: bool = False

    @property
    def folder(self) -> Path:
        return DATA / self.name


SETS = (
    Set("pages", "multihop"),
    Set("documents", "2wiki"),
    Set("conversation", "locomo"),
    Set("assistant", "longmemeval"),
    Set("commits", "commits", transcripts=True),
)


def figures(values: Values) -> dict[str, float]:
    """Measure → mean over questions, four digits."""
    return {
        name: round(fsum(row[place] for row in values.values()) / len(values), 4) for place, name in enumerate(MEASURES)
    }


def falls(recorded: Values, now: Values) -> list[str]:
    """The measures that have fallen by more than chance, each in a line with how far.

    Raises:
        ValueError: other questions were asked than are recorded.
    """
    if recorded.keys() != now.keys():
        missing, new = sorted(recorded.keys() - now.keys()), sorted(now.keys() - recorded.keys())
        raise ValueError(f"other questions than are recorded: {len(missing)} missing, {len(new)} new: {missing + new}")
    told = []
    for place, name in enumerate(MEASURES):
        before = [recorded[id_][place] for id_ in recorded]
        after = [now[id_][place] for id_ in recorded]
        lost = (fsum(before) - fsum(after)) / len(before)
        p = randomization(after, before)
        if lost > 0 and p < LEVEL:
            count = tally(after, before)
            told.append(
                f"{name} fell by {lost:.4f} from {fsum(before) / len(before):.4f}, p = {p:.4f}: "
                f"{count.wins} questions better, {count.losses} worse of {len(before)}"
            )
    return told


def together(sets: Mapping[str, Values]) -> Values:
    """The questions of all sets as one."""
    return {f"{name}/{id_}": row for name, values in sets.items() for id_, row in values.items()}
