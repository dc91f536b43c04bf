"""Settings: where they come from, who wins, what is refused (features.md §18)."""

from __future__ import annotations

import math
import os
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.errors import ConfigError
from memory_fabric.settings import CONFIG_FILE, STORE_FILE, Settings, home_of

FIELDS = {item.name: item for item in fields(Settings) if item.name != "home"}
NUMBERS = {name: item for name, item in FIELDS.items() if item.metadata["low"] is not None}
WHOLE = {name for name, item in NUMBERS.items() if isinstance(item.default, int)}
CHOICES = {name: item.metadata["choices"] for name, item in FIELDS.items() if item.metadata["choices"]}


def load(home: Path, file: str | None = None, env: dict[str, str] | None = None, **flags: object) -> Settings:
    """Settings of a folder with this configuration file and this environment."""
    home.mkdir(exist_ok=True)
    if file is not None:
        (home / CONFIG_FILE).write_text(file, encoding="utf-8")
    return Settings.load({"MEMORY_FABRIC_HOME": str(home), **(env or {})}, **flags)


@pytest.mark.parametrize(
    ("name", "default", "in_file", "in_env", "flag"),
    [
        ("max_results", 20, 30, 40, 50),
        ("dedup_threshold", 0.85, 0.7, 0.8, 0.9),
        ("ranking", "geometric", "sum", "geometric", "sum"),
        ("lexicon", "", "a.json", "b.json", "c.json"),
    ],
)
def test_flags_win_over_the_environment_over_the_file_over_defaults(
    tmp_path: Path, name: str, default: Any, in_file: Any, in_env: Any, flag: Any
) -> None:
    """features.md §18: one key of each type."""
    variable = {FIELDS[name].metadata["env"]: str(in_env)}
    written = f"{name} = {in_file!r}"
    assert getattr(load(tmp_path), name) == default
    assert getattr(load(tmp_path, written), name) == in_file
    assert getattr(load(tmp_path, written, variable), name) == in_env
    assert getattr(load(tmp_path, written, variable, **{name: flag}), name) == flag
    assert getattr(load(tmp_path, written, variable, **{name: None}), name) == in_env


def test_the_home_comes_from_a_flag_the_environment_or_the_system(tmp_path: Path) -> None:
    assert Settings.load({}).home == Settings().home
    env = {"MEMORY_FABRIC_HOME": str(tmp_path)}
    assert Settings.load(env).home == tmp_path
    assert Settings.load(env, home=tmp_path / "flag").home == tmp_path / "flag"
    assert Settings.load(env).store == tmp_path / STORE_FILE
    assert Settings.load({"MEMORY_FABRIC_HOME": "~/x"}).home == Path.home() / "x"


def test_the_process_environment_is_read_where_none_is_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(tmp_path))
    monkeypatch.setenv("MEMORY_FABRIC_MAX_RESULTS", "7")
    assert (Settings.load().home, Settings.load().max_results) == (tmp_path, 7)


@pytest.mark.parametrize(
    ("alias", "name", "value"),
    [
        ("FABRIC_DEDUP_THRESHOLD", "dedup_threshold", 0.7),
        ("FABRIC_BOOST_FACTOR", "boost_factor", 1.5),
        ("FABRIC_MAX_RESULTS", "max_results", 7),
        ("FABRIC_WEIGHT_RECENCY", "weight_recency", 0.4),
        ("FABRIC_WEIGHT_RELEVANCE", "weight_relevance", 0.4),
        ("FABRIC_WEIGHT_AUTHORITY", "weight_authority", 0.4),
    ],
)
def test_the_names_of_the_original_are_aliases_of_lower_precedence(
    tmp_path: Path, alias: str, name: str, value: float
) -> None:
    """features.md §18: accepted, above the file, below the variable of our own name."""
    assert getattr(load(tmp_path, f"{name} = 1", {alias: str(value)}), name) == value
    own = {alias: str(value), FIELDS[name].metadata["env"]: "1"}
    assert getattr(load(tmp_path, None, own), name) == 1
    own = {alias: str(value), FIELDS[name].metadata["env"]: ""}
    assert getattr(load(tmp_path, None, own), name) == value


def test_every_setting_has_a_variable_of_its_own_and_an_explanation() -> None:
    variables = [v for item in FIELDS.values() for v in (item.metadata["env"], *item.metadata["aliases"])]
    assert len(set(variables)) == len(variables)
    for name, item in FIELDS.items():
        assert item.metadata["env"] == f"MEMORY_FABRIC_{name.upper()}"
        assert item.metadata["about"]


@pytest.mark.parametrize("name", NUMBERS)
def test_a_number_at_its_bounds_is_taken_and_beyond_them_refused(tmp_path: Path, name: str) -> None:
    """F-CONF-1: with key, value and range."""
    low, high = NUMBERS[name].metadata["low"], NUMBERS[name].metadata["high"]
    step = 1 if name in WHOLE else 1e-6
    for good in (low, low + step, high - step, high):
        assert getattr(load(tmp_path, **{name: good}), name) == good
    for bad in (low - step, high + step):
        with pytest.raises(ConfigError) as raised:
            load(tmp_path, **{name: bad})
        told = raised.value.message + raised.value.hint
        assert all(part in told for part in (name, str(bad), str(low), str(high)))
        assert raised.value.exit_code == 2


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("value", ["many", "1,5", "0x10", "nan", "inf", "-inf", "[1]"])
def test_what_is_no_number_is_refused_by_name_value_and_range(tmp_path: Path, name: str, value: str) -> None:
    """F-CONF-1: unparsable values."""
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, env={FIELDS[name].metadata["env"]: value})
    told = raised.value.message + raised.value.hint
    assert all(part in told for part in (name, value, str(NUMBERS[name].metadata["low"])))


@pytest.mark.parametrize("name", sorted(WHOLE))
def test_a_fraction_is_no_whole_number(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="not a whole number"):
        load(tmp_path, f"{name} = 500.5")


@pytest.mark.parametrize("name", CHOICES)
def test_a_choice_is_one_of_those_named(tmp_path: Path, name: str) -> None:
    for choice in CHOICES[name]:
        assert getattr(load(tmp_path, env={FIELDS[name].metadata["env"]: choice}), name) == choice
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, env={FIELDS[name].metadata["env"]: "sideways"})
    assert all(choice in raised.value.hint for choice in CHOICES[name])
    assert "sideways" in raised.value.message


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("max_results = true", "max_results = True"),
        ("dedup_threshold = true", "dedup_threshold = True"),
        ("dedup_threshold = [0.9]", "dedup_threshold"),
        ("max_results = {}", "max_results"),
        ("max_results = 2026-01-01", "max_results"),
        ("ranking = 3", "ranking = 3"),
        ("lexicon = ['a.json']", "lexicon"),
        ("lexicon = false", "lexicon = False"),
        ("[max_results]\nx = 1", "max_results"),
    ],
)
def test_a_value_of_another_type_is_refused(tmp_path: Path, line: str, part: str) -> None:
    """F-CONF-1: never coerced without telling (C-155)."""
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, line)
    assert part in raised.value.message


def test_an_unknown_key_is_refused_and_the_known_ones_are_listed(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        load(tmp_path, "max_result = 5")
    assert "'max_result'" in raised.value.message
    assert CONFIG_FILE in raised.value.message
    assert all(name in raised.value.hint for name in FIELDS)


def test_the_file_cannot_say_where_it_lies(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="'home'"):
        load(tmp_path, "home = '/elsewhere'")


@pytest.mark.parametrize("content", [b"max_results = ", b"\xff\xfe", b"= 3", b"max_results = 1\nmax_results = 2"])
def test_a_file_that_is_no_toml_is_refused_and_not_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / CONFIG_FILE).write_bytes(content)
    with pytest.raises(ConfigError) as raised:
        load(tmp_path)
    assert CONFIG_FILE in raised.value.message
    assert raised.value.hint


def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / CONFIG_FILE).mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is barred to root")
def test_a_barred_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / CONFIG_FILE).touch(0o000)
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)


def test_an_empty_file_and_an_empty_variable_say_nothing(tmp_path: Path) -> None:
    assert load(tmp_path, "", {"MEMORY_FABRIC_MAX_RESULTS": ""}).max_results == 20


def test_weights_may_be_zero_but_not_all_of_them(tmp_path: Path) -> None:
    """F-RANK-7: they are normalised to sum 1."""
    assert load(tmp_path, weight_recency=0.0, weight_authority=0.0).weight_relevance == 0.5
    with pytest.raises(ConfigError, match="all 0"):
        load(tmp_path, weight_recency=0.0, weight_relevance=0.0, weight_authority=0.0)


def test_the_defaults_are_those_of_the_seeds() -> None:
    """features.md §18."""
    settings = Settings()
    assert (settings.dedup_threshold, settings.boost_factor, settings.max_results) == (0.85, 1.2, 20)
    assert (settings.weight_recency, settings.weight_relevance, settings.weight_authority) == (0.3, 0.5, 0.2)
    assert math.isclose(settings.weight_recency + settings.weight_relevance + settings.weight_authority, 1.0)
    assert settings.chunk_characters == 6_000
    assert settings.ranking == "geometric"


def test_settings_made_by_hand_are_checked_too() -> None:
    with pytest.raises(ConfigError, match="max_results = 0"):
        Settings(max_results=0)


@pytest.mark.parametrize("xdg", [None, "", "/data/of/mine"])
def test_the_data_folder_is_the_systems(monkeypatch: pytest.MonkeyPatch, xdg: str | None) -> None:
    """The short way to the usual folder leads where the library leads."""
    import platformdirs

    if xdg is not None:
        monkeypatch.setenv("XDG_DATA_HOME", xdg)
    assert home_of() == Path(platformdirs.user_data_dir("memory-fabric", appauthor=False))
    assert home_of("/given") == Path("/given")
    assert home_of(None, {"MEMORY_FABRIC_HOME": "/from/environment"}) == Path("/from/environment")
