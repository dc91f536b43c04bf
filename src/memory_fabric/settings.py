"""One frozen ``Settings``: defaults < file < environment < flags.  The only reader of the environment.

Every field names its environment variable, its range and its source; ``docs/configuration.md`` is tested against them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.errors import ConfigError

if TYPE_CHECKING:
    from memory_fabric.embed import Wish

CONFIG_FILE = "config.toml"
STORE_FILE = "memory.db"
SOURCES_FILE = "sources.json"


def _setting(  # noqa: PLR0913 - every argument is a word of the documentation
    default: Any,
    about: str,
    *,
    env: str,
    aliases: tuple[str, ...] = (),
    low: float | None = None,
    high: float | None = None,
    choices: tuple[str, ...] = (),
) -> Any:
    """A field with what the documentation, the reader and the check need to know of it."""
    metadata = {"about": about, "env": env, "aliases": aliases, "low": low, "high": high, "choices": choices}
    return field(default=default, metadata=metadata)


def _data_folder() -> Path:
    """The user's data folder, as the system has it.

    The usual case is answered here, as ``platformdirs`` answers it: loading that costs a hook 12 ms.
    """
    if sys.platform == "linux" and not any(os.environ.get(name) for name in ("XDG_DATA_HOME", "ANDROID_DATA")):
        return Path("~/.local/share/memory-fabric").expanduser()
    import platformdirs

    return Path(platformdirs.user_data_dir("memory-fabric", appauthor=False))


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one store.

    Raises:
        ConfigError: on creation, for a value out of its range, naming key, value and range (F-CONF-1).
    """

    home: Path = field(
        default_factory=_data_folder,
        metadata={"about": "Folder of the store and its configuration file.", "env": "MEMORY_FABRIC_HOME"},
    )
    dedup_threshold: float = _setting(
        0.85,
        "Two results more alike than this (token Jaccard, strictly above) may fold into one (F-DEDUP-1).",
        env="MEMORY_FABRIC_DEDUP_THRESHOLD",
        aliases=("FABRIC_DEDUP_THRESHOLD",),
        low=0.0,
        high=1.0,
    )
    boost_factor: float = _setting(
        1.2,
        "Relevance of a result whose entity also stands elsewhere is multiplied by this, once, capped at 1 (F-XREF-1).",
        env="MEMORY_FABRIC_BOOST_FACTOR",
        aliases=("FABRIC_BOOST_FACTOR",),
        low=1.0,
        high=10.0,
    )
    max_results: int = _setting(
        20,
        "Hits that one source hands in at most (F-SRC-6).",
        env="MEMORY_FABRIC_MAX_RESULTS",
        aliases=("FABRIC_MAX_RESULTS",),
        low=1,
        high=1000,
    )
    weight_recency: float = _setting(
        0.3,
        "Exponent of recency in the score (F-RANK-1, F-RANK-7).",
        env="MEMORY_FABRIC_WEIGHT_RECENCY",
        aliases=("FABRIC_WEIGHT_RECENCY",),
        low=0.0,
        high=10.0,
    )
    weight_relevance: float = _setting(
        0.5,
        "Exponent of relevance in the score.",
        env="MEMORY_FABRIC_WEIGHT_RELEVANCE",
        aliases=("FABRIC_WEIGHT_RELEVANCE",),
        low=0.0,
        high=10.0,
    )
    weight_authority: float = _setting(
        0.2,
        "Exponent of authority in the score.",
        env="MEMORY_FABRIC_WEIGHT_AUTHORITY",
        aliases=("FABRIC_WEIGHT_AUTHORITY",),
        low=0.0,
        high=10.0,
    )
    ranking: str = _setting(
        "geometric",
        "`geometric` (weighted geometric mean) or `sum` (weighted sum, for compatibility; F-RANK-6).",
        env="MEMORY_FABRIC_RANKING",
        choices=("geometric", "sum"),
    )
    recency_curve: str = _setting(
        "soft",
        "`soft` (halves every `recency_half_life` days down to `recency_floor`) or `linear` (steeper: "
        "`max(0.1, 1 - days/30)`; F-RANK-2).",
        env="MEMORY_FABRIC_RECENCY_CURVE",
        choices=("soft", "linear"),
    )
    recency_half_life: float = _setting(
        90.0,
        "Days after which recency has lost half of what it can lose.",
        env="MEMORY_FABRIC_RECENCY_HALF_LIFE",
        low=0.1,
        high=36500.0,
    )
    recency_floor: float = _setting(
        0.5,
        "Recency of the very old. High on purpose: an exact old answer must beat a vague new one (C-135).",
        env="MEMORY_FABRIC_RECENCY_FLOOR",
        low=0.01,
        high=1.0,
    )
    chunk_characters: int = _setting(
        6000,
        "Exchanges longer than this are split at blank lines (F-ING-4).",
        env="MEMORY_FABRIC_CHUNK_CHARACTERS",
        low=200,
        high=1_000_000,
    )
    tool_calls: str = _setting(
        "keep",
        "`keep` what tools touched (files, commands, commits) as references and relations, or `ignore` it.",
        env="MEMORY_FABRIC_TOOL_CALLS",
        choices=("keep", "ignore"),
    )
    tool_weight: float = _setting(
        0.2,
        "Weight of what tool calls touched (files, commands, searches) beside what was said; 0 leaves it out.",
        env="MEMORY_FABRIC_TOOL_WEIGHT",
        low=0.0,
        high=10.0,
    )
    deadline: float = _setting(
        5.0,
        "Seconds that the sources of one search have to answer (F-SRC-4).",
        env="MEMORY_FABRIC_DEADLINE",
        low=0.01,
        high=600.0,
    )
    embedder: str = _setting(
        "minilm",
        "`minilm` (bundled, English), `onnx` (the model in `embedding_folder`), `openai_compatible` (the server at "
        "`embedding_url`), `hashed` (no model, poor but tiny) or `none` (text and graph only).",
        env="MEMORY_FABRIC_EMBEDDER",
        choices=("minilm", "hashed", "onnx", "openai_compatible", "none"),
    )
    embedding_folder: str = _setting(
        "",
        "For `onnx`: a folder with `model.onnx`, `tokenizer.json` and, where the model wants it, `embedder.json`.",
        env="MEMORY_FABRIC_EMBEDDING_FOLDER",
    )
    embedding_url: str = _setting(
        "",
        "For `openai_compatible`: the address up to `/embeddings`, like `http://localhost:11434/v1`. What is embedded "
        "is sent there.",
        env="MEMORY_FABRIC_EMBEDDING_URL",
    )
    embedding_model: str = _setting(
        "",
        "For `openai_compatible`: the model's name on that server.",
        env="MEMORY_FABRIC_EMBEDDING_MODEL",
    )
    embedding_key_env: str = _setting(
        "",
        "For `openai_compatible`: the environment variable that holds the key, where the server wants one.",
        env="MEMORY_FABRIC_EMBEDDING_KEY_ENV",
    )
    embedding_query_prefix: str = _setting(
        "",
        "For `openai_compatible`: what the model wants before a question, like `query: `.",
        env="MEMORY_FABRIC_EMBEDDING_QUERY_PREFIX",
    )
    embedding_passage_prefix: str = _setting(
        "",
        "For `openai_compatible`: what the model wants before a passage, like `passage: `.",
        env="MEMORY_FABRIC_EMBEDDING_PASSAGE_PREFIX",
    )
    lexicon: str = _setting(
        "",
        "A JSON file of further technologies, patterns and agents to recognise.",
        env="MEMORY_FABRIC_LEXICON",
    )

    def __post_init__(self) -> None:
        for item in fields(self):
            _check(item.name, getattr(self, item.name), item.metadata)
        if self.weight_recency + self.weight_relevance + self.weight_authority <= 0:
            raise ConfigError("weight_recency, weight_relevance and weight_authority are all 0", "set one above 0")

    @property
    def store(self) -> Path:
        """The SQLite file."""
        return self.home / STORE_FILE

    @property
    def sources(self) -> Path:
        """The file that names the outside memories; see ``sources.configured``."""
        return self.home / SOURCES_FILE

    @property
    def embedding(self) -> Wish:
        """What the settings say about embedders that do not come with the package.

        Raises:
            ConfigError: the variable that should hold the key is not set.
        """
        from memory_fabric.embed import Wish

        key = os.environ.get(self.embedding_key_env) if self.embedding_key_env else None
        if self.embedding_key_env and not key and self.embedder == "openai_compatible":
            raise ConfigError(f"the variable {self.embedding_key_env} is not set", "set it to the key of the server")
        prefixes = self.embedding_query_prefix, self.embedding_passage_prefix
        return Wish(self.embedding_folder, self.embedding_url, self.embedding_model, key, *prefixes)

    @classmethod
    def load(cls, environment: Mapping[str, str] | None = None, **flags: object) -> Settings:
        """Settings from the file in ``home``, the environment (default: the process's) and flags that are not None.

        Raises:
            ConfigError: an unknown key, an unreadable file, a value that cannot be read or is out of range.
        """
        env = os.environ if environment is None else environment
        given = {name: value for name, value in flags.items() if value is not None}
        from_env = dict(_from_environment(env))
        home = home_of(given.get("home"), env)
        values: dict[str, object] = {**_from_file(home / CONFIG_FILE), **from_env, **given, "home": home}
        typed: dict[str, Any] = {name: _read(name, value) for name, value in values.items()}
        return cls(**typed)


_FIELDS = {item.name: item for item in fields(Settings)}


def home_of(given: object = None, environment: Mapping[str, str] | None = None) -> Path:
    """The data folder: the one given, else that of the environment, else the system's; no file is read for it."""
    env = os.environ if environment is None else environment
    return Path(str(given or env.get("MEMORY_FABRIC_HOME") or _data_folder())).expanduser()


def environment() -> Mapping[str, str]:
    """The process's environment, for the readers of other tools' places (``ingest.discover``)."""
    return os.environ


def _from_environment(env: Mapping[str, str]) -> Mapping[str, str]:
    found = {}
    for name, item in _FIELDS.items():
        for variable in (item.metadata["env"], *item.metadata.get("aliases", ())):
            if env.get(variable, "") != "":
                found[name] = env[variable]
                break
    return found


def _from_file(path: Path) -> Mapping[str, object]:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from error
    import tomllib

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(path, error) from error
    unknown = sorted(set(values) - set(_FIELDS) | {"home"} & set(values))
    if unknown:
        known = ", ".join(name for name in _FIELDS if name != "home")
        raise ConfigError(f"{path}: unknown setting {unknown[0]!r}", f"known settings: {known}")
    return values


def _unreadable(path: Path, error: Exception) -> ConfigError:
    return ConfigError(f"{path}: cannot be read: {error}", "mend or remove the file")


def _read(name: str, value: object) -> object:
    """A value in the field's own type."""
    default = _FIELDS[name].default
    if name == "home":
        return Path(str(value))
    try:
        if isinstance(default, int):
            return value if isinstance(value, int) and not isinstance(value, bool) else int(str(value))
        if isinstance(default, float):
            return float(str(value))
    except ValueError:
        kind = "a whole number" if isinstance(default, int) else "a number"
        raise ConfigError(f"{name} = {value!r} is not {kind}", _range_of(name)) from None
    if not isinstance(value, str):
        raise ConfigError(f"{name} = {value!r} is not a text", "put it in quotes")
    return value


def _check(name: str, value: Any, metadata: Mapping[str, Any]) -> None:
    choices, low, high = metadata.get("choices"), metadata.get("low"), metadata.get("high")
    if choices and value not in choices:
        raise ConfigError(f"{name} = {value!r} is not known", f"choose one of: {', '.join(choices)}")
    if low is not None and not low <= value <= high:
        raise ConfigError(f"{name} = {value} is out of range", f"it must lie in {low} to {high}")


def _range_of(name: str) -> str:
    metadata = _FIELDS[name].metadata
    return f"it must lie in {metadata.get('low')} to {metadata.get('high')}"
