"""What a program of a command line does to the project: tests it, checks it, builds it (F-EDGE-6)."""

from __future__ import annotations

import re

from memory_fabric.ingest.extract.commands import Program

_TESTERS = frozenset(
    "pytest py.test jest vitest mocha cypress rspec phpunit ctest tox nox ava karma gotestsum unittest bats".split()
)
_TEST_SUBCOMMANDS = {
    **dict.fromkeys(
        "pnpm yarn bun deno playwright gradle gradlew just task mise dotnet swift flutter rails mix hatch zig "
        "bazel".split(),
        frozenset(["test"]),
    ),
    "go": frozenset(["test"]),
    "cargo": frozenset(["test", "nextest", "bench"]),
    "npm": frozenset(["test", "t"]),
    "mvn": frozenset(["test", "verify"]),
    "make": frozenset(["test", "check"]),
}
_RUNS_SCRIPT = frozenset(["npm", "pnpm", "yarn", "bun", "mise"])
_PYTHON = re.compile(r"python(?:\d(?:\.\d+)?)?|py")


def module_of(program: Program) -> Program:
    """``python -m pytest`` as ``pytest``; other programs as they are."""
    arguments = program.arguments
    if _PYTHON.fullmatch(program.name) and "-m" in arguments[:-1]:
        place = arguments.index("-m") + 1
        return Program(arguments[place].casefold().partition(".")[0], arguments[place + 1 :])
    return program


def runner_of(program: Program) -> str | None:
    """The name of the test runner when the program runs tests (``pytest``, ``go test``), else None."""
    if program.name in _TESTERS:
        return program.name
    wanted = _TEST_SUBCOMMANDS.get(program.name)
    if wanted is None:
        return None
    subcommand = program.subcommand
    if subcommand == "run" and program.name in _RUNS_SCRIPT:
        rest = program.arguments[program.arguments.index("run") + 1 :]
        subcommand = rest[0].partition(":")[0] if rest else ""
    return f"{program.name} {'test' if subcommand == 't' else subcommand}" if subcommand in wanted else None


_BUILD_SUBCOMMANDS = {
    "go": frozenset(["build", "vet", "install", "generate"]),
    "cargo": frozenset(["build", "check", "clippy", "run"]),
    "npm": frozenset(["install", "ci"]),
    "pnpm": frozenset(["install"]),
    "yarn": frozenset(["install"]),
    "pip": frozenset(["install"]),
    "uv": frozenset(["sync", "lock", "build"]),
    "docker": frozenset(["build"]),
    "git": frozenset(["push", "merge", "rebase"]),
    "terraform": frozenset(["plan", "apply"]),
    "make": frozenset(["build"]),
}
_CHECKERS = frozenset("mypy ruff eslint tsc golangci-lint pyright flake8 pylint cmake alembic webpack".split())


def worth_failing(program: Program) -> str | None:
    """The name under which a failure of this program is a problem worth keeping, else None (F-EDGE-6)."""
    tested = runner_of(program)
    if tested is not None:
        return tested
    if program.name in _CHECKERS:
        return program.name
    subcommand = program.subcommand
    if subcommand == "run" and program.name in _RUNS_SCRIPT:
        rest = program.arguments[program.arguments.index("run") + 1 :]
        return f"{program.name} run {rest[0]}" if rest and re.fullmatch(r"[\w:-]{2,20}", rest[0]) else None
    return f"{program.name} {subcommand}" if subcommand in _BUILD_SUBCOMMANDS.get(program.name, ()) else None
