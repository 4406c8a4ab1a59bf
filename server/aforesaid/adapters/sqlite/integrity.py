"""Integrity checks of the file, and repairs of what can be regenerated.

Damage inside a page often passes SQLite's own checks, so texts are compared with their checksums,
vectors with their bits and length. Source: of 40 random overwrites of 64 bytes, integrity_check and
FTS5's check detected 13.
"""

from __future__ import annotations

import apsw

from aforesaid.domain.model.embedding_model import SERVING
from aforesaid.domain.text.hashing import text_checksum

from . import ledger
from .database import Database, translate_error
from .vectors import VectorIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_PAGE = 1_000
_MAX_LISTED = 10
_LENGTH_TOLERANCE = 0.01  #: how far from 1 a vector's length may be
#: Pairs of a model and a memory without a vector of it that is not in ``unembedded``.
_UNLISTED = """FROM models t, memories m WHERE t.state <> 'kept' AND NOT EXISTS
  (SELECT 1 FROM chunks c WHERE c.memory = m.key AND c.model = t.key) AND NOT EXISTS
  (SELECT 1 FROM unembedded u WHERE u.memory = m.key AND u.model = t.key)"""


class Checks:
    """Checks of the file, and repairs that lose nothing."""

    def __init__(self, database: Database, vectors: VectorIndex) -> None:
        self._db = database
        self._vectors = vectors

    def find_ledger_damage(self) -> str:
        """Describe why lost commits might go unnoticed; empty if they would not."""
        return ledger.find_damage(self._db)

    def check_quickly(self) -> list[str]:
        """Return what SQLite's quick check reports."""
        return self._engine_check("quick_check")

    def check_fully(self) -> list[str]:
        """Return what SQLite's full check and its foreign key check report."""
        problems = self._engine_check("integrity_check")
        rows = self._db.rows(f"SELECT * FROM pragma_foreign_key_check LIMIT {_MAX_LISTED}")
        return problems + [
            f"row {row} of {table} refers to a missing row of {parent}"
            for table, row, parent, _ in rows
        ]

    def _engine_check(self, pragma: str) -> list[str]:
        rows = self._db.rows(f"PRAGMA {pragma}({_MAX_LISTED})")
        # the full-text index is checked separately: it can be rebuilt
        return [str(text) for (text,) in rows if text != "ok" and "memories_fts" not in str(text)]

    def full_text_problem(self) -> str:
        """Describe how the full-text index differs from the texts; empty if it does not."""
        try:
            self._db.connection().execute(
                "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
            )
        except (apsw.CorruptError, apsw.SQLError) as error:
            return str(error)
        except apsw.Error as error:
            raise translate_error(error, self._db.path) from error
        return ""

    def count_full_text_gaps(self) -> int:
        """Return how many memories the full-text index lacks or has too many; cheap."""
        indexed = self._db.value("SELECT count(*) FROM memories_fts_docsize")
        stored = self._db.value("SELECT count(*) FROM memories WHERE forgotten_at IS NULL")
        return abs(int(indexed) - int(stored))

    def rebuild_full_text(self) -> None:
        """Rebuild the full-text index from the texts."""
        with self._db.transaction():
            self._db.rows("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")

    def altered_texts(self) -> list[str]:
        """Return the ids of memories whose texts do not match their checksum."""
        altered: list[str] = []
        after = 0
        while True:
            rows = self._db.rows(
                "SELECT key, CAST(id AS BLOB), CAST(text_checksum AS BLOB), "
                "CAST(content AS BLOB), CAST(ifnull(summary, '') AS BLOB), "
                f"CAST(metadata AS BLOB) FROM memories WHERE key > ? ORDER BY key LIMIT {_PAGE}",
                (after,),
            )
            altered += [
                memory_id.decode(errors="replace")
                for _key, memory_id, checksum, *texts in rows
                if not _matches_checksum(checksum, texts)
            ]
            if len(rows) < _PAGE:
                return altered
            after = rows[-1][0]

    def damaged_vectors(self) -> list[int]:
        """Return the keys of memories with an invalid vector, or one that contradicts its bits."""
        if not self._vectors.available:
            return []
        rows = self._db.rows(
            "SELECT DISTINCT c.memory FROM chunks c LEFT JOIN vectors v ON v.chunk = c.key "
            "WHERE v.embedding IS NULL OR length(v.embedding) % 4 "
            "OR length(v.embedding) != (SELECT length(o.embedding) FROM chunks k "
            "  JOIN vectors o ON o.chunk = k.key WHERE k.model = c.model ORDER BY k.key LIMIT 1) "
            "OR (length(v.embedding) % 256 = 0 AND c.bits IS NOT vec_quantize_binary(v.embedding)) "
            "OR ifnull(abs(vec_distance_l2(v.embedding, zeroblob(length(v.embedding))) - 1), 9) "
            f"> {_LENGTH_TOLERANCE} "
            "ORDER BY c.memory"
        )
        return [key for (key,) in rows]

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Remove the vectors of these memories, so that they are computed again."""
        with self._db.transaction():
            self._vectors.drop(keys)

    def count_unembedded(self) -> int:
        """Return how many memories in recall have no vector of the active model."""
        return int(
            self._db.value(
                "SELECT count(*) FROM unembedded u JOIN memories m ON m.key = u.memory "
                "WHERE m.forgotten_at IS NULL "
                "AND u.model = (SELECT key FROM models WHERE state = ?)",
                (SERVING,),
            )
        )

    def count_unlisted(self) -> int:
        """Return how many memories have no vector and are not in ``unembedded``."""
        return int(self._db.value(f"SELECT count(DISTINCT m.key) {_UNLISTED}"))

    def list_unembedded(self) -> None:
        """Add every memory without a vector to ``unembedded``."""
        with self._db.transaction():
            self._db.rows(f"INSERT INTO unembedded SELECT t.key, m.key {_UNLISTED}")

    def note_check(self, at: int) -> None:
        """Record when the file was checked: a commit like any other."""
        with self._db.transaction():
            self._db.rows("INSERT OR REPLACE INTO meta VALUES ('checked', ?)", (str(at),))


def _matches_checksum(checksum: bytes, texts: Sequence[bytes]) -> bool:
    try:
        return text_checksum(*(text.decode() for text in texts)) == checksum.decode()
    except UnicodeDecodeError:
        return False


def join_shortened(items: Iterable[str]) -> str:
    """Return the first ten items, and how many more there are."""
    listed = list(items)
    more = f" and {len(listed) - _MAX_LISTED} more" if len(listed) > _MAX_LISTED else ""
    return ", ".join(listed[:_MAX_LISTED]) + more
