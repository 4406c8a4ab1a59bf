"""Whether the file holds what it should: read all over, and what can be made again made again.

Damage inside a page often passes the engine's own checks: texts are compared with their print, a
vector with its bits and its length. Source: 40 random overwrites of 64 bytes, of which
integrity_check and FTS5's check saw 13.
"""

from __future__ import annotations

import apsw

from aforesaid.domain.model.embedding_model import SERVING
from aforesaid.domain.text.hashing import text_checksum

from . import ledger
from .database import Database, in_our_words
from .vectors import VectorIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_PAGE = 1_000
_MAX_TOLD = 10
_LENGTH_OFF = 0.01  #: how far from 1 a vector's length may be
#: Pairs of a model and a memory that has no vector of it, and is not listed as such.
_UNLISTED = """FROM models t, memories m WHERE t.state <> 'kept' AND NOT EXISTS
  (SELECT 1 FROM chunks c WHERE c.memory = m.key AND c.model = t.key) AND NOT EXISTS
  (SELECT 1 FROM unembedded u WHERE u.memory = m.key AND u.model = t.key)"""


class Checks:
    """Checks of the file, and the repairs that lose nothing."""

    def __init__(self, database: Database, vectors: VectorIndex) -> None:
        self._db = database
        self._vectors = vectors

    def find_ledger_damage(self) -> str:
        """Say why acknowledged commits could be lost unnoticed; empty if they could not."""
        return ledger.find_damage(self._db)

    def check_quickly(self) -> list[str]:
        """Return what the engine's short check finds wrong, in its words."""
        return self._engine_check("quick_check")

    def check_wholly(self) -> list[str]:
        """Return what the engine's long check and its foreign keys find wrong."""
        found = self._engine_check("integrity_check")
        rows = self._db.rows(f"SELECT * FROM pragma_foreign_key_check LIMIT {_MAX_TOLD}")
        return found + [f"{table} row {row} leads to no {parent}" for table, row, parent, _ in rows]

    def _engine_check(self, pragma: str) -> list[str]:
        rows = self._db.rows(f"PRAGMA {pragma}({_MAX_TOLD})")
        # the index of words is checked apart: it can be made again
        return [str(text) for (text,) in rows if text != "ok" and "memories_fts" not in str(text)]

    def words_wrong(self) -> str:
        """Return how the index of words differs from the texts; empty where it does not."""
        try:
            self._db.connection().execute(
                "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
            )
        except (apsw.CorruptError, apsw.SQLError) as error:
            return str(error)
        except apsw.Error as error:
            raise in_our_words(error, self._db.path) from error
        return ""

    def count_words_missing(self) -> int:
        """Return by how many the memories in the index of words are off; cheap."""
        indexed = self._db.value("SELECT count(*) FROM memories_fts_docsize")
        held = self._db.value("SELECT count(*) FROM memories WHERE forgotten_at IS NULL")
        return abs(int(indexed) - int(held))

    def rebuild_words(self) -> None:
        """Make the index of words anew from the texts."""
        with self._db.transaction():
            self._db.rows("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")

    def altered_texts(self, progress: Callable[[int], None] = lambda _seen: None) -> list[str]:
        """Return the ids of memories whose text, summary or metadata is not what was stored."""
        altered: list[str] = []
        after = seen = 0
        while True:
            rows = self._db.rows(
                "SELECT key, CAST(id AS BLOB), CAST(text_print AS BLOB), "
                "CAST(content AS BLOB), CAST(ifnull(summary, '') AS BLOB), "
                f"CAST(metadata AS BLOB) FROM memories WHERE key > ? ORDER BY key LIMIT {_PAGE}",
                (after,),
            )
            altered += [
                one.decode(errors="replace")
                for _key, one, told, *texts in rows
                if not _is_print_of(told, texts)
            ]
            seen += len(rows)
            progress(seen)
            if len(rows) < _PAGE:
                return altered
            after = rows[-1][0]

    def damaged_vectors(self) -> list[int]:
        """Return the keys of memories with a vector that is none, or not the one of its bits."""
        if not self._vectors.available:
            return []
        rows = self._db.rows(
            "SELECT DISTINCT c.memory FROM chunks c LEFT JOIN vectors v ON v.chunk = c.key "
            "WHERE v.embedding IS NULL OR length(v.embedding) % 4 "
            "OR length(v.embedding) != (SELECT length(o.embedding) FROM chunks k "
            "  JOIN vectors o ON o.chunk = k.key WHERE k.model = c.model ORDER BY k.key LIMIT 1) "
            "OR (length(v.embedding) % 256 = 0 AND c.bits IS NOT vec_quantize_binary(v.embedding)) "
            "OR ifnull(abs(vec_distance_l2(v.embedding, zeroblob(length(v.embedding))) - 1), 9) "
            f"> {_LENGTH_OFF} "
            "ORDER BY c.memory"
        )
        return [key for (key,) in rows]

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Remove the vectors of these memories: they are made again."""
        with self._db.transaction():
            self._vectors.drop(keys)

    def count_unembedded(self) -> int:
        """Return how many memories that can be recalled have no vector of the model that serves."""
        return int(
            self._db.value(
                "SELECT count(*) FROM unembedded u JOIN memories m ON m.key = u.memory "
                "WHERE m.forgotten_at IS NULL "
                "AND u.model = (SELECT key FROM models WHERE state = ?)",
                (SERVING,),
            )
        )

    def count_unlisted(self) -> int:
        """Return how many memories have no vector and are not listed as such."""
        return int(self._db.value(f"SELECT count(DISTINCT m.key) {_UNLISTED}"))

    def list_unembedded(self) -> None:
        """List every memory without a vector as such."""
        with self._db.transaction():
            self._db.rows(f"INSERT INTO unembedded SELECT t.key, m.key {_UNLISTED}")

    def note_check(self, at: int) -> None:
        """Write down that the file was looked at: a commit like any other."""
        with self._db.transaction():
            self._db.rows("INSERT OR REPLACE INTO meta VALUES ('checked', ?)", (str(at),))


def _is_print_of(told: bytes, texts: Sequence[bytes]) -> bool:
    try:
        return text_checksum(*(text.decode() for text in texts)) == told.decode()
    except UnicodeDecodeError:
        return False


def shortened(found: Iterable[str]) -> str:
    """Return the first of many, and how many more there are."""
    listed = list(found)
    more = f" and {len(listed) - _MAX_TOLD} more" if len(listed) > _MAX_TOLD else ""
    return ", ".join(listed[:_MAX_TOLD]) + more
