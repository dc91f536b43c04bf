"""Where the documents are, and what a reader sees of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_FENCE = re.compile(r"^(?P<fence>```+|~~~+)(?P<tag>[^\n`]*)\n(?P<body>.*?)^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


class Reader:
    """A Markdown document taken apart."""

    def prose(self, text: str) -> str:
        """The text without fenced blocks and code spans."""
        return re.sub(r"`[^`\n]+`", "", _FENCE.sub("", text))

    def blocks(self, text: str) -> list[tuple[str, str]]:
        """(tag, body) of every fenced block."""
        return [(match["tag"].strip(), match["body"]) for match in _FENCE.finditer(text)]

    def anchors(self, text: str) -> set[str]:
        """The fragment of each heading: lower case, punctuation dropped, spaces as dashes, repetitions numbered."""
        seen: dict[str, int] = {}
        found: set[str] = set()
        for heading in re.findall(r"^#{1,6} +(.+?) *#*$", _FENCE.sub("", text), re.MULTILINE):
            slug = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            number = seen.get(slug, 0)
            seen[slug] = number + 1
            found.add(f"{slug}-{number}" if number else slug)
        return found


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture(params=DOCUMENTS, ids=name_of)
def document(request: pytest.FixtureRequest) -> Path:
    path = request.param
    assert isinstance(path, Path)
    return path


@pytest.fixture
def root() -> Path:
    return ROOT
