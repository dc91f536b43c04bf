"""``docs/configuration.md`` says of every setting what the code says of it.

``MF_REGENERATE=1 pytest tests/docs`` writes the table anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from memory_fabric.settings import Settings

START, END = "<!-- settings: made from the code -->\n", "<!-- end of settings -->\n"


def shown_default(item: Field[Any]) -> str:
    if item.default is MISSING:
        return "the user's data folder"
    return f"`{item.default}`" if item.default != "" else "none"


def shown_range(item: Field[Any]) -> str:
    choices, low, high = (item.metadata.get(key) for key in ("choices", "low", "high"))
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    return f"{low:,.12g} to {high:,.12g}" if low is not None else ""


def shown_about(item: Field[Any]) -> str:
    """For readers who have no list of requirements: without their ids."""
    text = re.sub(r"[;,]? ?\b[FC]-[A-Z0-9-]*\d\b", "", str(item.metadata["about"]))
    return text.replace(" ()", "").replace("|", "\\|")


def table() -> Iterator[str]:
    yield "| setting | environment | default | range | what it does |"
    yield "|---|---|---|---|---|"
    for item in fields(Settings):
        also = "".join(f", `{alias}`" for alias in item.metadata.get("aliases", ()))
        cells = (
            f"`{item.name}`",
            f"`{item.metadata['env']}`{also}",
            shown_default(item),
            shown_range(item),
            shown_about(item),
        )
        yield "| " + " | ".join(cells) + " |"


def test_the_table_of_settings_is_what_the_code_says(root: Path) -> None:
    """features.md §18: every documented key is read, every key is documented."""
    page = root / "docs" / "configuration.md"
    before, start, rest = page.read_text(encoding="utf-8").partition(START)
    found, end, after = rest.partition(END)
    assert start, "configuration.md has lost the mark before its table"
    assert end, "configuration.md has lost the mark after its table"
    wanted = "\n".join(table()) + "\n"
    if os.environ.get("MF_REGENERATE"):
        page.write_text(before + START + wanted + END + after, encoding="utf-8")
    else:
        assert found == wanted
