"""Reports of result files: Markdown, and one HTML page that needs neither network nor script.

``content`` decides what is said, once for both; ``markdown`` and ``page`` write it down, ``plots`` draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory_fabric.errors import UsageError
from memory_fabric.evals.outcome import Run
from memory_fabric.evals.scored import Sets


def write(runs: Sequence[Run], folder: Path, sets: Sequence[Sets] = ()) -> list[Path]:
    """Write ``report.md`` and ``report.html`` into the folder, which is made, and give their paths.

    Raises:
        UsageError: the folder or a file in it cannot be written.
    """
    from memory_fabric.evals.report.content import of_sets, sections
    from memory_fabric.evals.report.markdown import markdown
    from memory_fabric.evals.report.page import page

    found = [*sections(runs), *map(of_sets, sets)]
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in (("report.md", markdown(found)), ("report.html", page(found))):
            (folder / name).write_text(text, encoding="utf-8")
            written.append(folder / name)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror}", "name another folder: --out DIR") from error
    return written
