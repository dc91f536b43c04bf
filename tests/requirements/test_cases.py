"""Every case is tested or says why not, and every id that is cited exists (``cases.json``)."""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import memory_fabric

HERE = Path(__file__).parent
TESTS = HERE.parent
SOURCE = Path(memory_fabric.__file__).parent
CASES: dict[str, dict[str, Any]] = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))
IN_SCOPE = [id_ for id_, case in CASES.items() if case["in_scope"]]
ID = re.compile(r"\bC-\d{3}\b")
SECTIONS = {"A": 30, "B": 18, "C": 7, "D": 9, "E": 10, "F": 13, "G": 10, "H": 6, "I": 5, "J": 5, "K": 2}


def prose(path: Path) -> str:
    """The docstrings and comments of a file: what cites a case, apart from what merely holds its id."""
    text = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = [ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, documented)]
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return "\n".join([*docs, *(token.string for token in tokens if token.type == tokenize.COMMENT)])


@cache
def cited_by_tests() -> dict[str, set[str]]:
    """Case → the test files that cite it."""
    cited: dict[str, set[str]] = {}
    for path in sorted(TESTS.rglob("*.py")):
        if path.parent != HERE:
            for id_ in ID.findall(prose(path)):
                cited.setdefault(id_, set()).add(str(path.relative_to(TESTS)))
    return cited


def test_the_manifest_holds_every_case_of_every_section() -> None:
    assert Counter(case["section"] for case in CASES.values()) == SECTIONS
    assert list(CASES) == sorted(CASES)
    assert all(ID.fullmatch(id_) for id_ in CASES)


def test_what_is_out_of_scope_says_why() -> None:
    for id_, case in CASES.items():
        assert case["case"], id_
        assert bool(case.get("reason")) != case["in_scope"], id_


@pytest.mark.parametrize("id_", IN_SCOPE)
def test_a_case_in_scope_is_cited_by_a_test(id_: str) -> None:
    assert id_ in cited_by_tests(), f"no test cites {id_}: {CASES[id_]['case']}"


def test_no_test_cites_a_case_that_does_not_exist() -> None:
    unknown = {id_: files for id_, files in cited_by_tests().items() if id_ not in CASES}
    assert not unknown


def test_a_case_that_is_tested_is_in_scope() -> None:
    """A new part of the product takes its cases into scope: set ``in_scope`` in ``cases.json``, drop its reason."""
    outside = {id_: files for id_, files in cited_by_tests().items() if id_ not in IN_SCOPE}
    assert not outside


def test_no_source_file_cites_a_case_that_does_not_exist() -> None:
    unknown = {
        (str(path.relative_to(SOURCE)), id_)
        for path in SOURCE.rglob("*.py")
        for id_ in ID.findall(path.read_text(encoding="utf-8"))
        if id_ not in CASES
    }
    assert not unknown
