"""Command lines as programs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric import lexicon
from memory_fabric.ingest.extract.commands import Program, programs
from memory_fabric.ingest.extract.runs import module_of, runner_of, worth_failing

LEXICON = lexicon.load()


def names(command: str) -> list[str]:
    return [program.name for program in programs(command, LEXICON)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd app && npm test || git status; docker ps | grep x", ["npm", "git", "docker"]),
        ("sudo -u deploy docker ps", ["docker"]),
        ("env A=1 B=2 pytest -x", ["pytest"]),
        ("A=1 B='x y' go build ./...", ["go"]),
        ("timeout 30 cargo test", ["cargo"]),
        ("nohup time nice -n 5 make all", ["make"]),
        ("bash -lc 'cd x && poetry run pytest -q'", ["pytest"]),
        ('sh -c "npm ci; npm run build"', ["npm", "npm"]),
        ("npx vitest run", ["vitest"]),
        ("uvx ruff check", ["ruff"]),
        ("uv run --with httpx python x.py", ["python"]),
        ("uv sync", ["uv"]),
        ("xargs -n 1 git add < files.txt", ["git"]),
        ("if true; then terraform plan; else helm lint; fi", ["terraform", "helm"]),
        ("for f in *.py; do ruff check $f; done", ["ruff"]),
        ("echo 'docker run' \"; git push\"", []),
        ("echo $(git rev-parse HEAD)", ["git"]),
        ("x=$(go env GOPATH)", ["go"]),
        ("cat <<'EOF' > x.sh\ndocker run\nEOF\ngit add x.sh", ["git"]),
        ("cat <<EOF | psql -f -\nselect 1;\nEOF", ["psql"]),
        ("git log > out.txt 2>&1", ["git"]),
        ("git log 2>/dev/null | head", ["git"]),
        ("# docker\ngit pull", ["git"]),
        ("git pull # docker; go", ["git"]),
        ("git \\\n  pull", ["git"]),
        ("echo $((a+1)); ((b++)); git tag", ["git"]),
        ("/usr/bin/python3 x.py", ["python3"]),
        (".venv/bin/pytest", ["pytest"]),
        ("./run.sh && scripts/build", []),
        ("C:\\Windows\\git.exe status", []),
        ("git.exe status", ["git"]),
        ("Get-ChildItem | Where-Object { $_.Name }; dotnet test", ["dotnet"]),
        ("cls && dir && npm start", ["npm"]),
        ("pwsh -Command 'cargo build'", ["cargo"]),
        ("[ -f x ] && [[ -n $y ]] && ! git diff --quiet", ["git"]),
        ("(cd x; go vet)", ["go"]),
        ("git commit -m 'never closed; docker run && go vet", ["git"]),
        ("$EDITOR x; {}; ''", []),
        ("", []),
    ],
)
def test_programs_of_a_command_line(command: str, expected: list[str]) -> None:
    """F-EDGE-4: every part is read, wrappers looked through, navigation and shell words left out."""
    assert names(command) == expected


@given(st.text(alphabet=st.sampled_from(list("git rm'\"`$(){}|&;<>\\\n#=-EOF1 ")), max_size=80))
def test_any_text_can_be_read(command: str) -> None:
    for program in programs(command, LEXICON):
        assert program.name not in LEXICON.navigation


@pytest.mark.parametrize(
    ("command", "runner"),
    [
        ("pytest -q", "pytest"),
        ("python -m pytest tests", "pytest"),
        ("python3.12 -m unittest", "unittest"),
        ("go test ./...", "go test"),
        ("go build", None),
        ("cargo nextest run", "cargo nextest"),
        ("npm test", "npm test"),
        ("npm t", "npm test"),
        ("npm run test:unit", "npm test"),
        ("npm run build", None),
        ("pnpm -r test", "pnpm test"),
        ("make test", "make test"),
        ("make tests-data", None),
        ("playwright install", None),
    ],
)
def test_a_test_run_is_known_by_its_program(command: str, runner: str | None) -> None:
    """F-EDGE-6."""
    (program,) = programs(command, LEXICON)
    assert runner_of(module_of(program)) == runner


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("go test ./...", "go test"),
        ("mypy src", "mypy"),
        ("npm run build", "npm run build"),
        ("npm run", None),
        ("cargo clippy", "cargo clippy"),
        ("git log", None),
        ("git push", "git push"),
        ("jq . x", None),
    ],
)
def test_only_builds_checks_and_tests_are_worth_failing(command: str, name: str | None) -> None:
    """F-EDGE-6."""
    (program,) = programs(command, LEXICON)
    assert worth_failing(module_of(program)) == name


def test_a_module_that_is_not_named_leaves_the_program() -> None:
    assert module_of(Program("python", ("-m",))) == Program("python", ("-m",))
