"""Words of a question in a store so large that ranking every row that holds one takes too long.

Ranking a row costs microseconds; a common word of a million memories stands in a hundred thousand.
So rare words choose the rows, common ones only add to their score, and rows without any rare word
answer where they hold several common ones. Next: docs/adr/0022-vectors-at-scale.md.
"""

from __future__ import annotations

from .database import Database

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_RANKED = 3_000  #: rows that rare words may choose together
_COUNTED = 200_000  #: rows of a word are counted so far: more is as common
_TOGETHER = 6  #: of the common words, rarest first, whose rows are intersected


class WordPlan:
    """Which words choose rows, and which only add to their score."""

    def __init__(self, database: Database, words: Sequence[str]) -> None:
        """Count the rows of each word.

        Args:
            database: where they are.
            words: quoted, as the engine reads them.
        """
        self._db = database
        held = {word: self._count(word, _COUNTED) for word in words}
        self._held = {word: rows for word, rows in held.items() if rows}
        self.rare: list[str] = []
        self.common: list[str] = []
        chosen = 0
        for word in sorted(self._held, key=lambda word: (self._held[word], word)):
            chosen += self._held[word]
            (self.rare if chosen <= MOST_RANKED else self.common).append(word)
        self._total = database.value("SELECT max(key) FROM memories") or 0

    @property
    def rare_match(self) -> str:
        """What the engine is asked for to choose rows, empty where no word is rare."""
        return " OR ".join(self.rare)

    def common_match(self) -> str:
        """Return what finds rows with several common words: as few of them as give few rows."""
        together = self.common[:_TOGETHER]
        if not together or (self.rare and len(together) == 1):
            return ""
        for size in range(2, len(together)):
            match = " AND ".join(together[:size])
            if self._count(match, MOST_RANKED + 1) <= MOST_RANKED:
                return match
        return " AND ".join(together)

    def gains(self, match: str) -> dict[int, float]:
        """Return what common words add to the score of rows that a match chooses."""
        gained: dict[int, float] = {}
        for word in self.common:
            gain = self._weight(word)
            rows = self._db.rows(
                "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?",
                (f"({match}) AND {word}", MOST_RANKED),
            )
            for (key,) in rows:
                gained[key] = gained.get(key, 0.0) + gain
        return gained

    def _weight(self, word: str) -> float:
        """Return how much a word that a row holds once says: its part in BM25 at average length."""
        from math import log

        held = self._held[word]
        return max(log((self._total - held + 0.5) / (held + 0.5)), 1e-6)

    def _count(self, match: str, most: int) -> int:
        rows: int = self._db.value(
            "SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?)",
            (match, most),
        )
        return rows
