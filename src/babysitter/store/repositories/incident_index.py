"""A full-text index of incidents in memory: FTS5 of SQLite finds candidates, BM25 with weights ranks them.

It is a copy of what the database holds and is filled when it is first asked; 10,000 incidents take about a
second (benchmarks/memory.py). Nothing of it is stored.
"""

import json
import math
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

CANDIDATES = 100  # of FTS5, ranked again with the weights
MAX_QUERY_WORDS = 24  # the most telling ones
SATURATION = 2.0  # k1 of BM25: chosen on labelled incidents, leave-one-out
LENGTH_PART = 0.75  # b of BM25, its usual value
MAX_VARIABLES = 500  # of one statement


@dataclass(frozen=True, slots=True)
class Ranked:
    """An incident and how well it answers a query; scores of different queries are not comparable."""

    id: str
    score: float


class IncidentIndex:
    """Words of incidents, searched. Not safe for threads."""

    def __init__(self) -> None:
        self._total_length = 0.0
        self.ids: set[str] = set()

    @cached_property
    def _database(self) -> sqlite3.Connection:
        """Made when it is first needed: most commands never search."""
        database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        database.execute(
            "CREATE TABLE documents "
            "(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE, terms TEXT, length REAL)"
        )
        # `content=''`: words are searched for and never read back.
        database.execute(
            "CREATE VIRTUAL TABLE words USING fts5(term, content='', "
            "tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\")"
        )
        database.execute("CREATE VIRTUAL TABLE counts USING fts5vocab(words, row)")
        return database

    def add(self, documents: Iterable[tuple[str, str]]) -> None:
        """Take incidents in: an id, and its weighted words as JSON. Known ids are left alone."""
        fresh = [(name, terms, json.loads(terms)) for name, terms in documents if name not in self.ids]
        self._database.execute("BEGIN")
        for name, terms, weights in fresh:
            length = sum(weights.values())
            number = self._database.execute(
                "INSERT INTO documents (id, terms, length) VALUES (?, ?, ?)", (name, terms, length)
            ).lastrowid
            text = " ".join(map(_token, weights))
            self._database.execute("INSERT INTO words (rowid, term) VALUES (?, ?)", (number, text))
            self._total_length += length
            self.ids.add(name)
        self._database.execute("COMMIT")

    def forget(self, name: str) -> None:
        """Leave an incident out from now on. Safe to repeat."""
        if name in self.ids:
            self.ids.discard(name)
            (length,) = self._database.execute(
                "SELECT length FROM documents WHERE id = ?", (name,)
            ).fetchone()
            self._total_length -= length
            self._database.execute("DELETE FROM documents WHERE id = ?", (name,))

    def search(
        self, query: Mapping[str, float], *, at_most: int, leave_out: Collection[str] = ()
    ) -> list[Ranked]:
        """The incidents nearest to a query, best first. Empty when no word of it is known."""
        rarity = self._rarity(query)
        telling = sorted(rarity, key=lambda term: (-query[term] * rarity[term], term))[:MAX_QUERY_WORDS]
        if not telling or self._total_length <= 0:
            return []
        asked = " OR ".join(f'"{_token(term)}"' for term in telling)
        rows = self._database.execute(
            "SELECT id, terms, length FROM documents WHERE number IN "
            "(SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?)",
            (asked, CANDIDATES + len(leave_out)),
        )
        mean = self._total_length / len(self.ids)
        found = [
            Ranked(name, _score(query, json.loads(terms), rarity, length / mean))
            for name, terms, length in rows
            if name not in leave_out
        ]
        return sorted(found, key=lambda ranked: (-ranked.score, ranked.id))[:at_most]

    def close(self) -> None:
        if "_database" in vars(self):
            self._database.close()

    def _rarity(self, query: Mapping[str, float]) -> dict[str, float]:
        """BM25's inverse document frequency of each word that some incident has."""
        tokens = {_token(term): term for term in query}
        names, rarity = list(tokens), {}
        for start in range(0, len(names), MAX_VARIABLES):
            part = names[start : start + MAX_VARIABLES]
            marks = ",".join("?" * len(part))
            asked = f"SELECT term, doc FROM counts WHERE term IN ({marks})"
            for token, count in self._database.execute(asked, part):
                rarity[tokens[token]] = math.log((len(self.ids) - count + 0.5) / (count + 0.5) + 1)
        return rarity


def _score(
    query: Mapping[str, float], document: Mapping[str, float], rarity: Mapping[str, float], length: float
) -> float:
    """BM25 with a weight for each word of query and document. `length`: as a part of the mean."""
    score = 0.0
    for term in query.keys() & document.keys():
        weight = document[term]
        damped = weight * (SATURATION + 1) / (weight + SATURATION * (1 - LENGTH_PART + LENGTH_PART * length))
        score += query[term] * rarity.get(term, 0.0) * damped
    return score


def _token(term: str) -> str:
    """A term as one token of FTS5: letters, digits and underscores in lower case."""
    return "".join(letter if letter.isalnum() else f"_{ord(letter):x}_" for letter in term.lower())
