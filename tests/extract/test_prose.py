"""Which parts of a memory are read as prose."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric import lexicon
from memory_fabric.ingest.extract.prose import MAX_SENTENCE, MAX_TEXT, read
from memory_fabric.text import exchange_text

LEXICON = lexicon.load()


def sentences(text: str) -> list[tuple[str, str]]:
    return [(sentence.speaker, sentence.text) for sentence in read(text, LEXICON).sentences]


def test_sentences_know_their_speaker() -> None:
    assert sentences(
        "USER: First thing here. Second one, e.g. this?\n\nASSISTANT: Done with that.\n- and one more\n"
    ) == [
        ("user", "First thing here."),
        ("user", "Second one, e.g. this?"),
        ("assistant", "Done with that."),
        ("assistant", "and one more"),
    ]


@pytest.mark.parametrize(
    "block",
    [
        "```python\nWe use this.\n```",
        "~~~\nWe use this.\n~~~",
        "```\nnever closed, we use this",
        "> We said this before.",
        "| We use | this one |",
        "- [x] We use this one.",
        "[24:33.098 - 24:41.260] We use this one.",
        "00:12 We use this one.",
        "2026-03-01T09:00:00Z We use this one.",
        "WARN: We use this one.",
        "[ERROR] We use this one.",
        "$ we use this --now",
        "+added_line(of, code)",
        "@@ -1,2 +3,4 @@ We use this.",
        "diff --git a/we b/use",
        "def we_use(this): return that",
        "const weUse = require('this');",
        "Traceback (most recent call last):",
        'File "we/use.py", line 3, in this',
        "⎿ We use this one.",
        "{ [ ( a.b.c == 1 ) ] } -> [3, 4]",
        "<tool-output>\nWe use this one.\n</tool-output>",
    ],
)
def test_blocks_that_are_not_prose_are_skipped(block: str) -> None:
    """C-035."""
    assert sentences(f"Before it here.\n\n{block}") == [("user", "Before it here.")]


@pytest.mark.parametrize("line", ["# We use Redis", "We use Redis.", "**Use** it: Redis", "- use Redis (it is quick)"])
def test_headings_lists_and_emphasis_are_prose(line: str) -> None:
    assert len(sentences(line)) == 1


@pytest.mark.parametrize("length", [MAX_SENTENCE - 1, MAX_SENTENCE, MAX_SENTENCE + 1])
def test_runs_without_an_end_are_no_sentences(length: int) -> None:
    assert bool(sentences(("word " * 200)[: length - 1] + "x")) == (length <= MAX_SENTENCE)


def test_work_is_bounded() -> None:
    """Only the first 6,000 characters are read."""
    reading = read("Some words here. " * 1_000, LEXICON)
    assert len(reading.prose) == MAX_TEXT


@given(st.text(max_size=120), st.text(max_size=120))
def test_offsets_are_those_of_the_text(prompt: str, reply: str) -> None:
    text = exchange_text(prompt, reply)
    reading = read(text, LEXICON)
    assert len(reading.prose) == len(text[:MAX_TEXT])
    for sentence in reading.sentences:
        blanked = reading.prose[sentence.start : sentence.start + len(sentence.text)]
        assert blanked == sentence.text
        assert all(a in {b, " "} for a, b in zip(blanked, text[sentence.start :], strict=False))
