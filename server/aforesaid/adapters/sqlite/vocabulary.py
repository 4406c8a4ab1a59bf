"""The words of all memories as written, to correct misspelt query terms.

A word with one letter wrong, missing, added, or two swapped has one correct half. So words are
stored forwards and backwards, and a look-up reads two short ranges of an index, however large the
store. Whether a caller may see a word is decided by the rows that contain it.
"""

from __future__ import annotations

from aforesaid.domain.text.tokenize import spelt_words

from .database import Database
from .filters import placeholders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.model.memory import Visibility

MAX_NEAR = 3  #: suggestions for one word
_MAX_COMPARED = 2_000  #: words of one index range that are compared
_PAGE = 500  #: memories whose words are added at once
_MAX_ROWS = 400  #: rows of a word that are checked for a visible one
_END = "\U0010ffff"


class Vocabulary:
    """The words of one store."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def learn(self, texts: Iterable[str | None]) -> None:
        """Add the words of texts."""
        words = {word for text in texts if text for word in spelt_words(text)}
        self._db.many(
            "INSERT OR IGNORE INTO vocabulary VALUES (?, ?)", [(word, word[::-1]) for word in words]
        )

    def learn_all(self) -> None:
        """Add the words of every memory, after rows were inserted directly."""
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
        """Remove the words of removed texts, except those that other memories contain."""
        words = {word for text in texts if text for word in spelt_words(text)}
        unused = [(word,) for word in words if not self._occurs(word)]
        self._db.many("DELETE FROM vocabulary WHERE word = ?", unused)

    def near(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        """Return similar visible words for each word that the caller sees nowhere."""
        suggestions: dict[str, list[str]] = {}
        for word in words:
            if not self._is_visible(word, visible):
                similar = [
                    near for near in self._similar_words(word) if self._is_visible(near, visible)
                ]
                if similar:
                    suggestions[word] = similar[:MAX_NEAR]
        return suggestions

    def _similar_words(self, word: str) -> list[str]:
        """Return the words at edit distance one, those with the same first letter first."""
        from aforesaid.domain.text.tokenize import is_edit_distance_one

        half = (len(word) - 2) // 2
        similar: set[str] = set()
        for column, start in (("word", word[:half]), ("backwards", word[::-1][:half])):
            rows = self._db.rows(
                f"SELECT word FROM vocabulary WHERE {column} >= ? AND {column} < ? "
                "AND length(word) BETWEEN ? AND ? LIMIT ?",
                (start, start + _END, len(word) - 1, len(word) + 1, _MAX_COMPARED),
            )
            similar.update(near for (near,) in rows if is_edit_distance_one(word, near))
        return sorted(similar, key=lambda near: (near[0] != word[0], len(near) != len(word), near))

    def _is_visible(self, word: str, visible: Visibility) -> bool:
        """Tell whether one of the first rows that contain a word is visible."""
        rows = self._db.rows(
            "SELECT m.project FROM (SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? "
            "LIMIT ?) f CROSS JOIN memories m ON m.key = f.rowid "
            f"WHERE m.project IN ({placeholders(visible.projects)}) LIMIT 1",
            (f'"{word}"', _MAX_ROWS, *visible.projects),
        )
        return bool(rows)

    def _occurs(self, word: str) -> bool:
        """Tell whether one of the first rows that match a word contains exactly this word."""
        rows = self._db.rows(
            "SELECT content, summary FROM memories_fts WHERE memories_fts MATCH ? LIMIT 20",
            (f'{{content summary}} : "{word}"',),
        )
        return any(word in spelt_words(text) for row in rows for text in row if text)
