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

    #: By word, quoted: how many rows held it, and the store's greatest key then.
    Counted = dict[str, tuple[int, int]]

MAX_RANKED = 3_000  #: rows that rare words may choose together
_COUNTED = 200_000  #: rows of a word are counted so far: more is as common
#: A count is good until the store grew by this share, and so many are kept.
_GROWN, _MAX_COUNTED = 0.02, 4_000
_TOGETHER = 6  #: of the common words, rarest first, whose rows are intersected


class FtsQueryPlan:
    """Which words choose rows, and which only add to their score."""

    def __init__(
        self, database: Database, words: Sequence[str], counted: Counted | None = None
    ) -> None:
        """Count the rows of each word.

        Args:
            database: where they are.
            words: quoted, as the engine reads them.
            counted: what was counted before, and will be; None keeps nothing.
        """
        self._db = database
        self._total = database.value("SELECT max(key) FROM memories") or 0
        self._counted = {} if counted is None else counted
        held = {word: self._rows_of(word) for word in words}
        self._held = {word: rows for word, rows in held.items() if rows}
        self.rare: list[str] = []
        self.common: list[str] = []
        chosen = 0
        for word in sorted(self._held, key=lambda word: (self._held[word], word)):
            chosen += self._held[word]
            (self.rare if chosen <= MAX_RANKED else self.common).append(word)

    def _rows_of(self, word: str) -> int:
        """Return how many rows hold a word, or did when the store was nearly as large."""
        rows, then = self._counted.get(word, (0, 0))
        if not then or self._total > then * (1 + _GROWN):
            if len(self._counted) >= _MAX_COUNTED:
                self._counted.clear()
            rows = self._count(word, _COUNTED)
            if rows:  # what no row held is found as soon as one does
                self._counted[word] = (rows, self._total)
        return rows

    @property
    def rare_match(self) -> str:
        """What the engine is asked for to choose rows, empty where no word is rare."""
        return " OR ".join(self.rare)

    def together(self) -> list[str]:
        """Return several common words that rows hold together: as few of them as give few rows."""
        together = self.common[:_TOGETHER]
        if not together or (self.rare and len(together) == 1):
            return []
        for size in range(2, len(together)):
            if self._count(" AND ".join(together[:size]), MAX_RANKED + 1) <= MAX_RANKED:
                return together[:size]
        return together

    def gains(self, match: str, held: Sequence[str] = ()) -> dict[int, float]:
        """Return what common words add to the score of rows that a match chooses.

        Not what those add that all these rows hold: ``gain_of`` has it.
        """
        gained: dict[int, float] = {}
        for word in self.common:
            if word in held:
                continue
            gain = self._weight(word)
            rows = self._db.rows(
                "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? LIMIT ?",
                (f"({match}) AND {word}", MAX_RANKED),
            )
            for (key,) in rows:
                gained[key] = gained.get(key, 0.0) + gain
        return gained

    def gain_of(self, words: Sequence[str]) -> float:
        """Return what common words add to the score of a row that holds them all."""
        return sum(self._weight(word) for word in words)

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
