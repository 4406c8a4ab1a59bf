"""Every word that memories have, as it is written, for questions with a slip of the keyboard.

A word with one letter wrong, missing, added, or two swapped has one of its halves as it should be:
so words stand here forwards and backwards, and a look-up reads two short stretches of an index,
however large the store. Whether a caller may see a word is asked of the rows that hold it.
"""

from __future__ import annotations

from .database import Database
from .filters import placeholders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.model.memory import Visibility

MAX_NEAR = 3  #: words offered for one
_READ = 2_000  #: words of one stretch of the index that are compared
_PAGE = 500  #: memories whose words are learned at once
_LOOKED_AT = 400  #: rows of a word that are looked at for one that may be seen
_END = "\U0010ffff"


class Vocabulary:
    """The words of one store."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def learn(self, texts: Iterable[str | None]) -> None:
        """Add the words of texts."""
        from aforesaid.domain.text.tokenize import spelt_words  # only writers need its patterns

        words = {word for text in texts if text for word in spelt_words(text)}
        self._db.many(
            "INSERT OR IGNORE INTO vocabulary VALUES (?, ?)", [(one, one[::-1]) for one in words]
        )

    def learn_all(self) -> None:
        """Add the words of every memory: rows that came in by themselves bring none."""
        after = 0
        while rows := self._db.rows(
            "SELECT key, content, summary FROM memories WHERE key > ? ORDER BY key LIMIT ?",
            (after, _PAGE),
        ):
            self.learn(text for _key, *texts in rows for text in texts)
            after = rows[-1][0]

    def texts_of(self, memory: int) -> tuple[str | None, ...]:
        """Return the texts of a memory that its words come from."""
        rows = self._db.rows("SELECT content, summary FROM memories WHERE key = ?", (memory,))
        return rows[0] if rows else ()

    def unlearn(self, texts: Iterable[str | None]) -> None:
        """Remove the words of texts that left the store, but those that others are seen to have."""
        from aforesaid.domain.text.tokenize import spelt_words

        gone = {word for text in texts if text for word in spelt_words(text)}
        lost = [(word,) for word in gone if not self._is_written(word)]
        self._db.many("DELETE FROM vocabulary WHERE word = ?", lost)

    def near(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        """Return, for each word that the caller sees nowhere, near ones that it sees somewhere."""
        found: dict[str, list[str]] = {}
        for word in words:
            if not self._is_seen(word, visible):
                near = [one for one in self._one_slip_off(word) if self._is_seen(one, visible)]
                if near:
                    found[word] = near[:MAX_NEAR]
        return found

    def _one_slip_off(self, word: str) -> list[str]:
        """Return the words that one slip leads to, those that begin alike first."""
        from aforesaid.domain.retrieval.term_matching import is_edit_distance_one

        half = (len(word) - 2) // 2
        near: set[str] = set()
        for column, start in (("word", word[:half]), ("backwards", word[::-1][:half])):
            rows = self._db.rows(
                f"SELECT word FROM vocabulary WHERE {column} >= ? AND {column} < ? "
                "AND length(word) BETWEEN ? AND ? LIMIT ?",
                (start, start + _END, len(word) - 1, len(word) + 1, _READ),
            )
            near.update(one for (one,) in rows if is_edit_distance_one(word, one))
        return sorted(near, key=lambda one: (one[0] != word[0], len(one) != len(word), one))

    def _is_seen(self, word: str, visible: Visibility) -> bool:
        """Tell whether one of the first rows that hold a word may be seen."""
        rows = self._db.rows(
            "SELECT m.project FROM (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? "
            "LIMIT ?) f CROSS JOIN memories m ON m.key = f.rowid "
            f"WHERE m.project IN ({placeholders(visible.projects)}) LIMIT 1",
            (f'"{word}"', _LOOKED_AT, *visible.projects),
        )
        return bool(rows)

    def _is_written(self, word: str) -> bool:
        """Tell whether one of the first rows that match a word has just this word."""
        from aforesaid.domain.text.tokenize import spelt_words

        rows = self._db.rows(
            "SELECT content, summary FROM memories_fts WHERE memories_fts MATCH ? LIMIT 20",
            (f'{{content summary}} : "{word}"',),
        )
        return any(word in spelt_words(text) for row in rows for text in row if text)
