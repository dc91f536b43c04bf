"""One change of a text, taken back."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.doors.install.splice import Splice, steps, undo_all

TEXTS = st.text("ab\n", max_size=12)


@given(before=TEXTS, after=TEXTS)
def test_a_splice_is_the_shortest_and_leads_back(before: str, after: str) -> None:
    splice = Splice.between(before, after)
    assert splice.undo(after) == before
    assert before[: splice.at] + splice.inserted + before[splice.at + len(splice.removed) :] == after
    assert not (splice.removed and splice.inserted and splice.removed[0] == splice.inserted[0])
    assert not (splice.removed and splice.inserted and splice.removed[-1] == splice.inserted[-1])


@given(texts=st.lists(TEXTS, min_size=1, max_size=5))
def test_all_steps_lead_back_to_the_first(texts: list[str]) -> None:
    assert undo_all(texts[-1], steps(texts)) == texts[0]


def test_a_splice_of_another_text_undoes_nothing() -> None:
    splice = Splice.between("ab", "a-b")
    assert splice.undo("a+b") is None
    assert undo_all("a+b", [splice, splice]) is None
