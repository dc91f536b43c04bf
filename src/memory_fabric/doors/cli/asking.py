"""Asking whoever sits at the terminal; programs are never asked, they are told what option to give."""

from __future__ import annotations

import sys

import typer

from memory_fabric.doors.cli.desk import Desk


def somebody_there(desk: Desk) -> bool:
    """Whether a question would be read and could be answered."""
    return not desk.as_json and sys.stdin.isatty() and sys.stderr.isatty()


def asked(question: str) -> str:
    """What is typed in answer; "" for nothing."""
    return str(typer.prompt(question, default="", show_default=False, err=True)).strip()


def chosen(question: str, likely: str) -> str:
    """What is typed in answer; Enter alone takes what is likely."""
    return str(typer.prompt(question, default=likely, err=True)).strip()


def agreed(question: str) -> bool:
    """Whether the answer is yes; Enter alone is no."""
    return bool(typer.confirm(question, default=False, err=True))
