"""The error tree.

::

    MemoryFabricError
    ├─ ConfigError              a setting is missing, unknown or out of range        the user's mistake
    ├─ UsageError               a request that cannot be meant                       the user's mistake
    ├─ FormatError              a transcript cannot be read                          the file is reported, others go on
    │   ├─ UnknownFormat        no reader claims it
    │   ├─ AmbiguousFormat      more than one reader claims it
    │   └─ MalformedFile        claimed, but nothing in it can be read
    ├─ StoreError               our own store failed                                 the request fails
    │   ├─ StoreUnavailable     cannot be opened, is locked, is damaged, disk full
    │   ├─ SchemaTooNew         written by a newer version
    │   └─ DimensionMismatch    a vector of another space
    ├─ SourceError              a memory source failed                               the answer is degraded
    │   ├─ SourceUnavailable
    │   │   └─ EmbedderUnavailable
    │   └─ DeadlinePassed
    └─ ExtractionError          a model's reply could not be used                    the memory is kept

Each carries one line that names the thing and the reason, and a hint with the remedy.  ``code`` is stable: it is
what ``--json`` prints.
"""

from __future__ import annotations

from typing import ClassVar


class MemoryFabricError(Exception):
    """Anything that Memory Fabric raises on purpose."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(MemoryFabricError):
    """A setting is missing, unknown or out of range."""

    code = "config"
    exit_code = 2


class UsageError(MemoryFabricError):
    """A request that cannot be meant: an unknown mode, an empty text to store, an unknown entity."""

    code = "usage"
    exit_code = 2


class FormatError(MemoryFabricError):
    """A transcript cannot be read."""

    code = "format"
    exit_code = 1


class UnknownFormat(FormatError):  # noqa: N818
    """No reader claims the file."""

    code = "unknown_format"


class AmbiguousFormat(FormatError):  # noqa: N818
    """More than one reader claims the file."""

    code = "ambiguous_format"


class MalformedFile(FormatError):  # noqa: N818
    """The file was claimed, but nothing in it can be read."""

    code = "malformed_file"


class StoreError(MemoryFabricError):
    """Our own store failed: the request fails, nothing is half done."""

    code = "store"
    exit_code = 3


class StoreUnavailable(StoreError):  # noqa: N818
    """The store cannot be opened or written."""

    code = "store_unavailable"


class SchemaTooNew(StoreError):  # noqa: N818
    """The store was written by a newer version of Memory Fabric."""

    code = "schema_too_new"


class DimensionMismatch(StoreError):  # noqa: N818
    """A vector of another space was offered or asked for."""

    code = "dimension_mismatch"


class SourceError(MemoryFabricError):
    """A memory source failed: the answer is degraded and says so."""

    code = "source"
    exit_code = 3


class SourceUnavailable(SourceError):  # noqa: N818
    """A source cannot be reached."""

    code = "source_unavailable"


class EmbedderUnavailable(SourceUnavailable):
    """The embedding model is missing, damaged or refuses; text and graph search go on."""

    code = "embedder_unavailable"


class DeadlinePassed(SourceError):  # noqa: N818
    """A source did not answer in time."""

    code = "deadline_passed"


class ExtractionError(MemoryFabricError):
    """A model's reply could not be used: the memory is kept, the facts are not."""

    code = "extraction"
