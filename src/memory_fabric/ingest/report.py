"""What an ingest did: everything read, skipped, redacted, dropped, and why (F-ING-10, design promise 1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from memory_fabric.ports import Saved


@dataclass(frozen=True, slots=True)
class FileReport:
    """One file."""

    path: str
    status: str
    """``read``, ``grown``, ``unchanged``, ``refused`` (no reader claims it) or ``failed``."""
    format: str | None = None
    reason: str | None = None
    first_broken_line: int | None = None
    unreadable: bool = False
    """It failed because the system does not let us read it; no fault of its content."""


@dataclass(slots=True)
class IngestReport:
    """Counts over all files; ``lines`` of used and skipped add up to all lines read."""

    files: list[FileReport] = field(default_factory=list)
    used: Counter[str] = field(default_factory=Counter)
    """Lines by what they were."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Lines by the reason for leaving them out."""
    redacted: Counter[str] = field(default_factory=Counter)
    """Secrets by kind."""
    dropped: Counter[str] = field(default_factory=Counter)
    """Extracted candidates by the reason for refusing them (F-EXTR-8)."""
    places: list[tuple[str, str]] = field(default_factory=list)
    """Paths that discovery passed over, with the reason (C-034, C-040)."""
    memories: Counter[str] = field(default_factory=Counter)
    """``added``, ``updated``, ``unchanged``, ``duplicates``, ``forgotten``, ``relations``."""
    sessions: set[str] = field(default_factory=set)
    bytes: int = 0
    seconds: float = 0.0
    dry_run: bool = False
    embedded: int = 0
    pending: int = 0
    """Memories still without vectors."""
    notes: list[str] = field(default_factory=list)

    def saved(self, saved: Saved) -> None:
        """Add what one transaction did."""
        for name in ("added", "updated", "unchanged", "duplicates", "forgotten", "relations"):
            self.memories[name] += getattr(saved, name)

    def count(self, status: str) -> int:
        """Files of one status."""
        return sum(file.status == status for file in self.files)

    @property
    def lines(self) -> int:
        """All lines read in this run."""
        return self.used.total() + self.skipped.total()

    @property
    def failed(self) -> list[FileReport]:
        """Files that could not be read although they should."""
        return [file for file in self.files if file.status == "failed"]

    @property
    def exit_code(self) -> int:
        """0 done, also when nothing was new; 1 when nothing was usable or the content of a file failed (C-154).

        A file that the system does not let us read is reported, and counts only where nothing else was usable (C-040).
        """
        usable = self.count("read") + self.count("grown") + self.count("unchanged")
        return 0 if usable and all(file.unreadable for file in self.failed) else 1

    def as_json(self) -> Mapping[str, object]:
        """The report for ``--json``."""
        counted = Counter(file.status for file in self.files)
        return {
            "files": dict(counted),
            "lines": self.lines,
            "used": dict(self.used),
            "skipped": dict(self.skipped),
            "redacted": dict(self.redacted),
            "dropped": dict(self.dropped),
            "memories": dict(self.memories),
            "sessions": len(self.sessions),
            "bytes": self.bytes,
            "seconds": round(self.seconds, 3),
            "dry_run": self.dry_run,
            "embedded": self.embedded,
            "pending": self.pending,
            "problems": [
                {"path": file.path, "status": file.status, "reason": file.reason, "line": file.first_broken_line}
                for file in self.files
                if file.reason or file.first_broken_line
            ],
            "passed_over": [{"path": path, "reason": reason} for path, reason in self.places],
            "notes": list(self.notes),
        }
