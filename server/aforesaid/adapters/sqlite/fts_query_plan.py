"""A query plan for full-text search in stores too large to rank every match.

Ranking a row costs microseconds, and a common word of a million memories is in a hundred thousand.
So rare words select the rows, common ones only add to the score, and rows without a rare word match
if they contain several common ones. See docs/adr/0022-vectors-at-scale.md.
"""

from __future__ import annotations

import math

from .database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: By quoted word: how many rows contained it, and the store's greatest key at that time.
    Counted = dict[str, tuple[int, int]]

MAX_RANKED = 3_000  #: rows that the rare words may select together
_MAX_COUNT = 200_000  #: where counting a word's rows stops
#: How much the store may grow before a count is stale, and how many counts are cached.
_MAX_GROWTH, _MAX_CACHED = 0.02, 4_000
_MAX_CONJUNCTION = 6  #: common words, rarest first, whose rows are intersected


class FtsQueryPlan:
    """Which words select rows, and which only add to their score."""

    def __init__(
        self, database: Database, words: Sequence[str], counted: Counted | None = None
    ) -> None:
        """Count the rows of each word.

        Args:
            database: of the store.
            words: quoted for FTS5.
            counted: a cache of counts, updated; None caches nothing.
        """
        self._db = database
        self._total = database.value("SELECT max(key) FROM memories") or 0
        self._cache = {} if counted is None else counted
        counts = {word: self._rows_of(word) for word in words}
        self._counts = {word: rows for word, rows in counts.items() if rows}
        self.rare: list[str] = []
        self.common: list[str] = []
        selected = 0
        for word in sorted(self._counts, key=lambda word: (self._counts[word], word)):
            selected += self._counts[word]
            (self.rare if selected <= MAX_RANKED else self.common).append(word)

    def _rows_of(self, word: str) -> int:
        """Return how many rows contain a word, perhaps as counted in a slightly smaller store."""
        rows, total_then = self._cache.get(word, (0, 0))
        if not total_then or self._total > total_then * (1 + _MAX_GROWTH):
            if len(self._cache) >= _MAX_CACHED:
                self._cache.clear()
            rows = self._count(word, _MAX_COUNT)
            if rows:  # a word without rows is not cached: the first row must be found
                self._cache[word] = (rows, self._total)
        return rows

    @property
    def rare_match(self) -> str:
        """The FTS5 query that selects rows by rare words; empty if no word is rare."""
        return " OR ".join(self.rare)

    def together(self) -> list[str]:
        """Return common words to search together: the fewest that select few rows."""
        together = self.common[:_MAX_CONJUNCTION]
        if not together or (self.rare and len(together) == 1):
            return []
        for size in range(2, len(together)):
            if self._count(" AND ".join(together[:size]), MAX_RANKED + 1) <= MAX_RANKED:
                return together[:size]
        return together

    def gains(self, match: str, shared_words: Sequence[str] = ()) -> dict[int, float]:
        """Return what common words add to the scores of the rows of a match.

        Words that all these rows contain are left out: ``gain_of`` returns their part.
        """
        total_gains: dict[int, float] = {}
        for word in self.common:
            if word in shared_words:
                continue
            gain = self._weight(word)
            rows = self._db.rows(
                "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?",
                (f"({match}) AND {word}", MAX_RANKED),
            )
            for (key,) in rows:
                total_gains[key] = total_gains.get(key, 0.0) + gain
        return total_gains

    def gain_of(self, words: Sequence[str]) -> float:
        """Return what common words add to the score of a row that contains all of them."""
        return sum(self._weight(word) for word in words)

    def _weight(self, word: str) -> float:
        """Return a word's part in BM25 for a row of average length that contains it once."""
        count = self._counts[word]
        return max(math.log((self._total - count + 0.5) / (count + 0.5)), 1e-6)

    def _count(self, match: str, limit: int) -> int:
        rows: int = self._db.value(
            "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)",
            (match, limit),
        )
        return rows
