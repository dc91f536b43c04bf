"""Options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_fabric.errors import UsageError
from memory_fabric.model.memory import MemoryKind, StatementKind

KINDS = tuple(kind.value for kind in (*MemoryKind, *StatementKind))
"""What ``--kind`` takes: kinds of memories, and of statements in them."""

CATEGORIES = tuple(
    "pagination database authentication api frontend performance architecture pattern blocker constraint decision "
    "preference security testing deployment observability ai-ml data-pipeline".split()
)
"""What ``--category`` takes (vocabulary.md §4)."""


def _one_of(what: str, known: tuple[str, ...], given: list[str] | None) -> list[str] | None:
    for value in given or ():
        if value not in known:
            raise UsageError(f"{what} {value!r} is not known", f"choose one of: {', '.join(known)}")
    return given


def _kinds(given: list[str] | None) -> list[str] | None:
    return _one_of("kind", KINDS, given)


def _categories(given: list[str] | None) -> list[str] | None:
    return _one_of("category", CATEGORIES, given)


ProjectName = Annotated[
    str | None,
    typer.Option("--project", metavar="NAME", help="This project.  [default: that of the current directory]"),
]
AllProjects = Annotated[bool, typer.Option("--all", help="All projects.")]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="From then on: 2026-03-05, 2026-03, 7d, '3 weeks ago'.")
]
Before = Annotated[str | None, typer.Option("--before", metavar="TIME", help="Before then.")]
Around = Annotated[
    str | None,
    typer.Option("--around", metavar="TIME", help="What lies near then comes first: 2026-03-05T14:00Z."),
]
AsOf = Annotated[str | None, typer.Option("--as-of", metavar="TIME", help="Facts as they stood then.")]
Kind = Annotated[
    list[str] | None,
    typer.Option("--kind", metavar="KIND", callback=_kinds, help=f"Only: {', '.join(KINDS)}.  May be repeated."),
]
Category = Annotated[
    list[str] | None,
    typer.Option(
        "--category",
        metavar="NAME",
        callback=_categories,
        help=f"Only statements about: {', '.join(CATEGORIES)}.  May be repeated.",
    ),
]
Superseded = Annotated[bool, typer.Option("--superseded", help="Also facts that were replaced.")]
Depth = Annotated[int, typer.Option("--depth", metavar="N", min=1, max=4, help="Steps to follow.")]
RelationLabel = Annotated[
    str | None, typer.Option("--relation", metavar="LABEL", help="Only relations of this name: uses, recommends.")
]
