"""Where mem0's key comes from (F-MEM0-6)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_fabric.errors import SourceUnavailable
from memory_fabric.sources.mem0.keys import KEY, MOST_BYTES, Keys, find_keys, read_env


def places(tmp_path: Path, **files: str) -> tuple[list[Path], Path]:
    """A current folder, a project root and a home folder, with some of their files."""
    folders = {name: tmp_path / name for name in ("here", "root", "home")}
    for folder in folders.values():
        folder.mkdir()
    for name, text in files.items():
        (folders[name] / (".mem0.env" if name == "home" else ".env")).write_text(text, "utf-8")
    return [folders["here"], folders["root"]], folders["home"]


def test_the_first_place_that_has_a_key_gives_it(tmp_path: Path) -> None:
    """Given, environment, ``.env`` here, ``.env`` of the project root, ``~/.mem0.env``."""
    folders, home = places(tmp_path, here=f"{KEY}=here", root=f"{KEY}=root", home=f"{KEY}=home")
    environment = {KEY: "environment"}
    order = [("given", "--api-key"), ("environment", "the environment"), ("here", str(folders[0] / ".env"))]
    order += [("root", str(folders[1] / ".env")), ("home", str(home / ".mem0.env"))]
    for key, origin in order:
        found = find_keys(Keys("given" if key == "given" else None), environment, folders, home)
        assert (found.key, found.origin) == (key, origin)
        if key == "environment":
            environment = {KEY: ""}
        elif key in ("here", "root"):
            (tmp_path / key / ".env").unlink()
        elif key == "home":
            (home / ".mem0.env").unlink()
    assert find_keys(Keys(), environment, folders, home) == Keys()


def test_organisation_and_project_are_looked_for_by_themselves(tmp_path: Path) -> None:
    folders, home = places(tmp_path, here="MEM0_ORG_ID=o", home=f"{KEY}=k\nMEM0_ORG_ID=other\nMEM0_PROJECT_ID=p")
    found = find_keys(Keys(), {}, folders, home)
    assert (found.key, found.org, found.project) == ("k", "o", "p")
    assert find_keys(Keys(None, "given"), {"MEM0_ORG_ID": "e"}, folders, home).org == "given"


@pytest.mark.parametrize(
    ("line", "key"),
    [
        (f"{KEY}=abc", "abc"), (f"export {KEY}=abc", "abc"), (f'{KEY}="a b#c" # note', "a b#c"),
        (f"{KEY}='abc'", "abc"), (f"  {KEY} = abc # note", "abc"), (f"{KEY}=a#b", "a#b"),
        (f"{KEY}=\r", None), (f"#{KEY}=abc", None), (f"MY_{KEY}=abc", None), (KEY, None), ("", None),
    ],
)  # fmt: skip
def test_a_line_of_such_a_file(tmp_path: Path, line: str, key: str | None) -> None:
    path = tmp_path / ".env"
    path.write_text(f"OTHER=1\n{line}\n", "utf-8")
    assert (read_env(path).get(KEY) or None) == key


def test_nothing_else_is_read_out_of_it(tmp_path: Path) -> None:
    """A file of somebody's repository must not say where the key goes, nor bring other secrets in."""
    path = tmp_path / ".env"
    path.write_text(f"AWS_SECRET=x\nMEM0_BASE_URL=http://evil\n{KEY}=k\n", "utf-8")
    assert read_env(path) == {KEY: "k"}


def test_what_cannot_be_read_is_passed_by(tmp_path: Path) -> None:
    (tmp_path / ".env").mkdir()
    assert read_env(tmp_path / ".env") == read_env(tmp_path / "none") == {}
    big = tmp_path / "big"
    big.write_text("#" * MOST_BYTES + f"\n{KEY}=k", "utf-8")
    assert read_env(big) == {}
    (tmp_path / "odd").write_bytes(b"\xff\xfe\n" + f"{KEY}=k".encode())
    assert read_env(tmp_path / "odd") == {KEY: "k"}


def test_without_a_key_the_hint_says_where_to_put_one() -> None:
    with pytest.raises(SourceUnavailable, match="work: no key for mem0") as caught:
        Keys().needed("work")
    assert KEY in caught.value.hint
    assert ".mem0.env" in caught.value.hint
