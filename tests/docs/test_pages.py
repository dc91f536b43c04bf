"""Links lead somewhere, the change log is kept, and the public names are in order."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Protocol

import pytest

import memory_fabric

LINK = re.compile(r"!?\[[^\]]*\]\(<?([^)\s>]+)>?(?: +\"[^\"]*\")?\)")
DECISION = re.compile(r"\d{4}-[a-z0-9-]+\.md")


class Reader(Protocol):
    def prose(self, text: str) -> str: ...
    def anchors(self, text: str) -> set[str]: ...


def broken_links(path: Path, reader: Reader) -> list[str]:
    """Links of a document to files and headings that are not there; other hosts are not asked."""
    text = path.read_text(encoding="utf-8")
    broken = []
    for target in LINK.findall(reader.prose(text)):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, fragment = target.partition("#")
        file = path.parent / place if place else path
        if not file.exists() or (
            fragment and file.suffix == ".md" and fragment not in reader.anchors(file.read_text(encoding="utf-8"))
        ):
            broken.append(target)
    return broken


def test_every_link_of_a_document_resolves(document: Path, reader: Reader) -> None:
    assert broken_links(document, reader) == []


def test_a_broken_link_would_be_found(tmp_path: Path, reader: Reader) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Two words\n\n[a](other.md) [b](#two-words) [c](#three) [d](page.md#two-words) [e](page.md#no) "
        "[f](https://example.invalid/x)\n\n```\n[g](not-a-link.md)\n```\n`[h](code.md)`\n",
        encoding="utf-8",
    )
    assert broken_links(page, reader) == ["other.md", "#three", "page.md#no"]


def test_the_change_log_has_a_place_for_what_is_not_released_yet(root: Path) -> None:
    headings = re.findall(r"^## (.+)$", (root / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings
    assert headings[0] == "[Unreleased]"


def test_decisions_are_numbered_without_gaps_and_say_what_would_change_our_mind(root: Path) -> None:
    files = sorted(path for path in (root / "docs" / "decisions").glob("*.md") if path.name != "README.md")
    assert files
    assert all(DECISION.fullmatch(path.name) for path in files)
    assert [int(path.name[:4]) for path in files] == list(range(1, len(files) + 1))
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == ["Context", "Decision", "What would change our mind"]


def test_every_decision_is_in_the_list(root: Path) -> None:
    folder = root / "docs" / "decisions"
    listed = set(LINK.findall((folder / "README.md").read_text(encoding="utf-8")))
    assert {path.name for path in folder.glob("[0-9]*.md")} <= listed


def test_the_public_names_are_sorted_and_there() -> None:
    names = memory_fabric.__all__
    assert list(names) == sorted(names)
    assert len(set(names)) == len(names)
    for name in names:
        assert hasattr(memory_fabric, name), name


@pytest.mark.parametrize("page", ["how-it-works", "domain", "commands", "configuration"])
def test_the_pages_that_the_readme_promises_are_there(page: str, root: Path) -> None:
    assert (root / "docs" / f"{page}.md").read_text(encoding="utf-8").startswith("# ")
