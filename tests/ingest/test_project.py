"""Which project a directory belongs to (design decision 10, C-033, C-034, C-147 to C-152, F-SRC-9)."""

from __future__ import annotations

import os
import shutil
import subprocess
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory_fabric.ingest.git import remote_key, without_credentials
from memory_fabric.ingest.project import Places, Projects, identify_project, slug
from memory_fabric.model.memory import Project, ProjectId

Git = Callable[..., None]
ELSEWHERE = Places(home="/nowhere/home", temporary="/nowhere/temporary")
"""No directory of the test's own counts as home or temporary."""


@pytest.fixture
def git() -> Git:
    """Runs git in a directory."""

    def run(where: Path, *arguments: str) -> None:
        name = ("-c", "user.name=dev", "-c", "user.email=dev@example.com", "-c", "protocol.file.allow=always")
        subprocess.run(["git", *name, *arguments], cwd=where, check=True, capture_output=True)

    return run


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """An empty directory to work in; a repository below a temporary directory is a project all the same."""
    return tmp_path.resolve()


@pytest.fixture
def repository(work: Path, git: Git) -> Path:
    """A repository with one commit and a remote with credentials in its address."""
    root = work / "app"
    (root / "frontend" / "src").mkdir(parents=True)
    git(root, "init", "-q")
    git(root, "remote", "add", "backup", "https://backup.example/team/app.git")
    git(root, "remote", "add", "origin", "https://bot:hunter2@git.example/team/app.git")
    git(root, "commit", "-q", "--allow-empty", "-m", "start")
    return root


def found(cwd: object, *known: Project | None, places: Places = ELSEWHERE) -> Project:
    project = identify_project(str(cwd), {p.id: p for p in known if p}, places)
    assert project is not None
    return project


def test_a_repository_is_named_after_its_root(repository: Path) -> None:
    project = found(repository)
    assert (project.name, project.root) == ("app", str(repository))
    assert project.remote == "https://git.example/team/app.git"
    assert project.id.startswith("p_")
    assert len(project.id) == 18


def test_a_subfolder_belongs_to_the_repository(repository: Path) -> None:
    """C-150."""
    assert found(repository / "frontend" / "src") == found(repository)


def test_a_subfolder_that_was_deleted_belongs_to_the_repository(repository: Path) -> None:
    assert found(repository / "old" / "src") == found(repository)


@pytest.mark.parametrize("place", ["../app-x", ".worktrees/x", "../elsewhere/deep/x"])
def test_a_worktree_belongs_to_the_main_repository(repository: Path, git: Git, place: str) -> None:
    """C-150: `git worktree add ../app-x`."""
    git(repository, "worktree", "add", "-q", place)
    tree = (repository / place).resolve()
    (tree / "frontend").mkdir(exist_ok=True)
    assert found(tree) == found(repository)
    assert found(tree / "frontend") == found(repository)


def test_a_worktree_whose_main_repository_is_gone_keeps_its_name(repository: Path, git: Git, work: Path) -> None:
    git(repository, "worktree", "add", "-q", "../app-x")
    before = found(work / "app-x")
    shutil.rmtree(repository)
    assert found(work / "app-x").id == before.id


def test_worktrees_of_a_bare_repository_are_one_project(repository: Path, git: Git, work: Path) -> None:
    git(work, "clone", "-q", "--bare", str(repository), "app.git")
    for name in ("one", "two"):
        git(work / "app.git", "worktree", "add", "-q", str(work / name), "-b", name)
    assert found(work / "one") == found(work / "two")
    assert found(work / "one").root == str(work / "app.git")


def test_a_submodule_is_a_project_of_its_own(repository: Path, git: Git, work: Path) -> None:
    outer = work / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "submodule", "--quiet", "add", str(repository), "inner")
    assert found(outer / "inner").root == str(outer / "inner")
    assert found(outer / "inner").id != found(outer).id
    git(outer / "inner", "worktree", "add", "-q", "../../inner-x")
    assert found(work / "inner-x").id == found(outer / "inner").id


def test_a_symlinked_directory_is_the_same_project(repository: Path, work: Path) -> None:
    """C-034: one session from each cwd, one project."""
    (work / "link").symlink_to(repository)
    (work / "plain").mkdir()
    (work / "plain-link").symlink_to(work / "plain")
    assert found(work / "link" / "frontend") == found(repository)
    assert identify_project(str(work / "plain-link"), {}, Places("/nowhere/home", "/nowhere/t")) == identify_project(
        str(work / "plain"), {}, ELSEWHERE
    )


def test_two_projects_may_share_a_name(work: Path, git: Git) -> None:
    """C-147: `a/app` and `b/app`."""
    for owner in ("a", "b"):
        (work / owner / "app").mkdir(parents=True)
        git(work / owner / "app", "init", "-q")
    first, second = found(work / "a" / "app"), found(work / "b" / "app")
    assert first.name == second.name == "app"
    assert first.id != second.id
    assert found("/w/a/app").id != found("/w/b/app").id


def test_a_hyphen_is_not_a_separator() -> None:
    """C-033: `my-app` and `my/app`."""
    one, other = found("/w/my-app"), found("/w/my/app")
    assert (one.name, other.name) == ("my-app", "app")
    assert one.id != other.id


def test_a_moved_repository_keeps_its_id(repository: Path, work: Path, git: Git) -> None:
    before = found(repository)
    repository.rename(work / "renamed")
    git(work / "renamed", "remote", "set-url", "origin", "git@git.example:team/app")
    after = found(work / "renamed", before)
    assert (after.id, after.name, after.root) == (before.id, "renamed", str(work / "renamed"))
    assert found(work / "renamed", after).id == before.id


def test_a_second_clone_is_a_second_project(repository: Path, work: Path) -> None:
    """The same remote alone joins nothing while both are there."""
    shutil.copytree(repository, work / "clone")
    assert found(work / "clone", found(repository)).id != found(repository).id


@pytest.mark.parametrize(
    "cwd",
    [
        "/w/app/.worktrees/7",
        "/w/app/.worktrees/dev/some-branch/cmd",
        "/w/app/.claude/worktrees/fix",
        "/w/app-worktrees/feature/src",
        "/w/app/.git/worktrees/x",
        "/w/app/",
        "/w//app/./x/..",
    ],
)
def test_worktrees_elsewhere_are_known_by_their_path(cwd: str) -> None:
    """C-150, for transcripts from another machine."""
    assert found(cwd) == found("/w/app")


def test_a_path_elsewhere_below_a_known_root_belongs_to_it() -> None:
    """C-150, for absent paths; the deepest root wins, and a name is not a part of a longer one."""
    app, inner = found("/w/app"), found("/w/app/vendor/lib")
    assert found("/w/app/frontend", app) == app
    assert found("/w/app/vendor/lib/src", app, inner) == inner
    assert found("/w/app-two", app).root == "/w/app-two"


@pytest.mark.skipif(os.name == "nt", reason="needs a folder that is there on every machine")
def test_a_folder_of_projects_swallows_none_of_them() -> None:
    """C-148: somebody once worked in the folder above; it is here, and no repository."""
    folder = found("/usr")
    assert found("/usr/an-app-that-is-gone", folder).root == "/usr/an-app-that-is-gone"


@pytest.mark.parametrize(
    "cwd",
    [
        None,
        "",
        "relative/path",
        ".",
        "/",
        "/home",
        "/home/dev",
        "/Users/dev/",
        "/root",
        "/tmp",
        "/tmp/x/y",
        "/var/tmp/x",
        "/private/tmp/x",
        "/private/var/folders/ab/cdef/T/x",
        "/var/folders/ab/cdef/T",
        "/nowhere/home",
        "/nowhere/temporary/x",
        "C:\\",
        "C:",
        "c:\\Users\\Dev",
        "C:\\Users\\dev\\AppData\\Local\\Temp\\x",
        "C:\\Windows\\Temp",
        "/w/\0app",
        "[cut for a fixture]",
    ],
)
def test_what_is_no_project(cwd: str | None) -> None:
    """C-149: the caller takes the parent session's project instead."""
    assert identify_project(cwd, {}, ELSEWHERE) is None


@pytest.mark.parametrize("cwd", ["/home/dev/app", "/tmpfiles/app", "/Users/dev/tmp/app", "/app", "C:\\Users\\dev\\app"])
def test_what_only_resembles_no_project(cwd: str) -> None:
    assert found(cwd).name == "app"


def test_a_home_directory_under_git_is_no_project_and_holds_none(clean_environment: Path, git: Git) -> None:
    """C-149: `$HOME` kept under git."""
    home = clean_environment.resolve()
    git(home, "init", "-q")
    (home / "app").mkdir()
    places = Places(str(home), "/nowhere/temporary")
    assert identify_project(str(home), {}, places) is None
    inside = identify_project(str(home / "app"), {}, places)
    assert inside is None or inside.root == str(home / "app")


@pytest.mark.parametrize("other", ["c:\\Work\\App", "C:/work/app", "C:\\WORK\\APP\\", "C:\\Work\\App\\.worktrees\\x"])
def test_windows_paths_are_one_whatever_their_case(other: str) -> None:
    """C-034: drive letter and case."""
    assert found(other).id == found("C:\\Work\\App").id


def test_windows_paths_keep_their_own_spelling() -> None:
    project = found("c:\\Work\\App")
    assert (project.root, project.name) == ("C:/Work/App", "App")
    assert found("\\\\server\\share\\App").root == "//server/share/App"


def test_other_paths_differ_by_case() -> None:
    assert found("/w/App").id != found("/w/app").id


def test_composed_and_decomposed_names_are_one() -> None:
    """C-034: NFC."""
    name = "/w/café"
    assert found(unicodedata.normalize("NFD", name)) == found(unicodedata.normalize("NFC", name))


def test_a_broken_repository_is_still_a_directory(work: Path) -> None:
    (work / "app").mkdir()
    (work / "app" / ".git").write_bytes(b"\xff nothing of git")
    assert found(work / "app").root == str(work / "app")
    assert found(work / "app").remote is None


def test_projects_remembers_what_it_met(repository: Path) -> None:
    projects = Projects(places=ELSEWHERE)
    app = projects.identify(str(repository))
    assert app is not None
    assert projects.identify(str(repository / "frontend")) == app
    assert projects.identify(None) is None
    assert projects.identify("/tmp/x") is None
    assert projects.named(app.id) == app
    assert projects.named(None) is None
    assert projects.named(ProjectId("p_unknown")) is None
    assert projects.seen() == (app,)


def test_only_projects_asked_about_are_seen() -> None:
    known = [found("/w/a"), found("/w/b")]
    projects = Projects(known, ELSEWHERE)
    assert projects.seen() == ()
    assert projects.named(known[1].id) == known[1]
    assert projects.seen() == (known[1],)


@pytest.mark.parametrize(
    "url",
    [
        "git@git.example:team/app.git",
        "git@git.example:team/app",
        "https://git.example/team/app",
        "https://Git.Example/team/app.git/",
        "https://bot:hunter2@git.example/team/app.git",
        "ssh://git@git.example:22/team/app.git",
        "git://git.example/team/app",
    ],
)
def test_every_address_of_a_remote_is_one(url: str) -> None:
    assert remote_key(url) == "git.example/team/app"


def test_addresses_lose_their_credentials_only() -> None:
    assert without_credentials("https://bot:hunter2@git.example/a.git") == "https://git.example/a.git"
    assert without_credentials("https://hunter2@git.example/a.git") == "https://git.example/a.git"
    assert without_credentials("ssh://git@git.example/a.git") == "ssh://git@git.example/a.git"
    assert without_credentials("ssh://git:hunter2@git.example/a.git") == "ssh://git.example/a.git"
    assert without_credentials("git@git.example:a.git") == "git@git.example:a.git"
    assert without_credentials("/srv/git/a.git") == "/srv/git/a.git"
    assert remote_key("/srv/git/a.git") != remote_key("/srv/git/b.git")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("My App", "my-app"),
        ("my_app.v2", "my-app-v2"),
        ("--a  b--", "a-b"),
        ("", "default-project"),
        ("!!!", "default-project"),
        ("Проект", "проект"),
    ],
)
def test_a_slug_is_a_plain_label(name: str, expected: str) -> None:
    """F-SRC-9."""
    assert slug(name) == expected
    assert slug(name, "Team A") == f"team-a-{expected}"


@given(st.text(), st.text())
def test_a_slug_of_a_slug_is_itself(name: str, organisation: str) -> None:
    once = slug(name, organisation)
    assert slug(once) == once
    assert once


@given(st.lists(st.text("ab-. _é", min_size=1, max_size=5), min_size=1, max_size=4))
def test_identifying_a_projects_root_gives_the_project(parts: list[str]) -> None:
    project = identify_project("/w/" + "/".join(parts), {}, ELSEWHERE)
    assume(project is not None)
    assert project is not None
    assert found(project.root) == project
    assert found(project.root, project) == project
