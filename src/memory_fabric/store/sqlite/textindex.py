"""Full text by FTS5: it finds candidates; exact scores are worked out by the caller (decision 17).

User text never reaches the query language: every term is quoted (C-051 to C-053, C-064).
"""

from __future__ import annotations

import sqlite3
import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from memory_fabric.model.memory import MemoryId, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import TextStatistics, TextUnit
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import Row, all_rows
from memory_fabric.store.sqlite.scope import as_list, memories_in, session_texts_in
from memory_fabric.text import clean

FEW_POSTINGS, SHARE = 1_000, 4
"""Units that are scored in any case; in a larger store a quarter of it, at most ``POSTINGS``."""

POSTINGS = 12_000
"""Units scored in one match of a store of 50,000 units or more: about 10 ms of bm25 (design §6).

What the rarer words find nearly suffices: to score a fifth or an eighth of the commits suite's 2,089 units only costs
two or three of 150 questions their place among the first ten, and MRR nothing (text alone)."""

SESSION_POSTINGS = 4_000
"""Session texts scored in one match, likewise: about 2 ms.  FTS5 gives words of more than half of them no weight."""

_COUNTED = 10_000
"""Terms whose counts are kept."""

_UNITS, _SESSIONS = ("index_state", "frequency"), ("session_index_state", "session_frequency")
"""What tells the state of an index, and what counts in it."""


def match_expression(terms: Iterable[str]) -> str:
    """An FTS5 expression for any of these terms, each quoted; empty when there is none."""
    quoted = ('"' + clean(term).replace('"', '""') + '"' for term in _distinct(terms))
    return " OR ".join(quoted)


def finders(terms: Sequence[str], frequency: Mapping[str, int], most: int) -> list[str]:
    """The rarest terms, as many as stand in ``most`` units together, at least one that stands anywhere."""
    chosen: list[str] = []
    postings = 0
    for term in sorted(terms, key=lambda term: frequency[term]):
        if postings and postings + frequency[term] > most:
            break
        chosen.append(term)
        postings += frequency[term]
    return chosen


class TextTable:
    """The full text of one file (``ports.TextIndex``)."""

    def __init__(
        self, connections: Connections, postings: int = POSTINGS, session_postings: int = SESSION_POSTINGS
    ) -> None:
        self._connections = connections
        self._postings = postings
        self._session_postings = session_postings
        self._lock = threading.Lock()
        self._counted: dict[str, tuple[bytes, dict[str, int]]] = {}

    def match(self, terms: Sequence[str], scope: Scope, limit: int) -> list[TextUnit]:
        """Units in scope that hold any term, best first; common terms find only what rarer ones leave.

        Scoring every unit that holds a common word costs more than a whole search may take, and such a unit is
        seldom among the best; where the rarer terms do not fill ``limit``, the next rarest is asked as well.
        """
        wanted = _distinct(terms)
        with self._connections.reading() as connection:
            total = int(connection.execute(query("totals")).fetchone()[0])
            most = min(self._postings, max(FEW_POSTINGS, total // SHARE))
            frequency = self._frequencies(connection, wanted)
            chosen = finders(wanted, frequency, most)
            rows = _matching(connection, chosen, scope, limit)
            for term in sorted(set(wanted) - set(chosen), key=lambda term: (frequency[term], term)):
                if len(rows) >= limit:
                    break
                chosen.append(term)
                rows = _matching(connection, chosen, scope, limit)
            units = _units(connection, rows)
        return [units[row] for row in rows]

    def units(self, ids: Sequence[MemoryId]) -> list[TextUnit]:
        """The units of these memories, in the order asked, each once."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("units_by_id"), {"ids": as_list(dict.fromkeys(ids))})
        return [_unit_of(row) for row in rows]

    def around(self, units: Sequence[TextUnit], back: int, forward: int) -> dict[SessionId, list[TextUnit]]:
        """Those units and their neighbours in the same session, ordered by place."""
        places: dict[SessionId, list[tuple[int, int]]] = defaultdict(list)
        for unit in units:
            places[unit.session].append((unit.place - max(back, 0), unit.place + max(forward, 0)))
        stretches = [(session, *span) for session, spans in places.items() for span in joined(spans)]
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("units_around"), {"stretches": as_list(stretches)})
        found: dict[SessionId, list[TextUnit]] = {}
        for row in rows:
            unit = _unit_of(row)
            found.setdefault(unit.session, []).append(unit)
        return found

    def within(self, ids: Sequence[MemoryId], scope: Scope) -> frozenset[MemoryId]:
        """Those of these memories that are in scope."""
        condition = memories_in(scope)
        if condition.open or not ids:
            return frozenset(ids)
        values = condition.values | {"ids": as_list(ids)}
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("within", condition.sql), values)
        return frozenset(MemoryId(str(row[0])) for row in rows)

    def session_scores(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[SessionId, float]:
        """Sessions by BM25 of all their text in scope; one of several projects counts by its best.

        Common terms are left out where the rarer ones stand in many sessions.
        """
        condition = session_texts_in(scope)
        wanted = _distinct(terms)
        with self._connections.reading() as connection:
            chosen = finders(wanted, self._frequencies(connection, wanted, _SESSIONS), self._session_postings)
            rows = self._scored("match_sessions", chosen, condition.sql, condition.values, limit)
        scores: dict[SessionId, float] = {}
        for id_, score in rows:
            scores.setdefault(SessionId(id_), score)
        return scores

    def references(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[MemoryId, float]:
        """Memories by BM25 of what their tool calls touched."""
        condition = memories_in(scope)
        rows = self._scored("match_touched", terms, condition.sql, condition.values, limit)
        return {MemoryId(id_): score for id_, score in rows}

    def statistics(self, terms: Sequence[str]) -> TextStatistics:
        """Counts for these terms."""
        wanted = list(dict.fromkeys(terms))
        with self._connections.reading() as connection:
            units, tokens = connection.execute(query("totals")).fetchone()
            frequency = self._frequencies(connection, wanted)
        return TextStatistics(units, tokens / units if units else 0.0, frequency)

    def rarest(self, terms: Sequence[str], most: int) -> dict[str, int]:
        """The terms with the units that they stand in, rarest first; counted up to ``most``."""
        counts: dict[str, int] = {}
        with self._connections.reading() as connection:
            for term in _distinct(terms):
                values = {"match": match_expression([term]), "most": max(most, 0)}
                counts[term] = int(connection.execute(query("counted_up_to"), values).fetchone()[0])
        return dict(sorted(counts.items(), key=lambda item: item[1]))

    def _frequencies(
        self, connection: sqlite3.Connection, terms: Sequence[str], counting: tuple[str, str] = _UNITS
    ) -> dict[str, int]:
        """Term → units, or sessions, that hold it; counted once for one state of the index."""
        state_of, name = counting
        state = bytes(connection.execute(query(state_of)).fetchone()[0])
        with self._lock:
            before, counts = self._counted.get(name, (b"", {}))
            known = dict(counts) if before == state else {}
        clean_terms = {term: clean(term) for term in terms}
        missing = [term for term in clean_terms.values() if term not in known]
        if missing:
            found = all_rows(connection, query(name), {"terms": as_list(missing)})
            known |= dict.fromkeys(missing, 0) | {str(term): int(str(count)) for term, count in found}
            with self._lock:
                self._counted[name] = (state, known if len(known) <= _COUNTED else {})
        return {term: known[cleaned] for term, cleaned in clean_terms.items()}

    def _scored(
        self, name: str, terms: Sequence[str], condition: str, values: dict[str, object], limit: int
    ) -> list[tuple[str, float]]:
        if not (match := match_expression(terms)):
            return []
        bound = values | {"match": match, "limit": max(limit, 0)}
        with self._connections.reading() as connection:
            rows = all_rows(connection, query(name, condition), bound)
        return [(str(id_), float(str(score))) for id_, score in rows]


def joined(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans of places in order, those that touch or overlap made one."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def _distinct(terms: Iterable[str]) -> list[str]:
    return [term for term in dict.fromkeys(terms) if term.strip()]


def _matching(connection: sqlite3.Connection, terms: Sequence[str], scope: Scope, limit: int) -> list[object]:
    """Rows of the best units."""
    if not (match := match_expression(terms)):
        return []
    condition = memories_in(scope)
    name = "match_all" if condition.open else "match_scope"
    values = condition.values | {"match": match, "limit": max(limit, 0)}
    return [row[0] for row in all_rows(connection, query(name, condition.sql), values)]


def _units(connection: sqlite3.Connection, rows: Iterable[object]) -> dict[object, TextUnit]:
    found = all_rows(connection, query("units_by_row"), {"rows": as_list(rows)})
    return {row[0]: _unit_of(row) for row in found}


def _unit_of(row: Row) -> TextUnit:
    _, id_, session, place, prompt, reply, length = row
    return TextUnit(
        MemoryId(str(id_)), SessionId(str(session)), int(str(place)), str(prompt), str(reply), int(str(length))
    )
