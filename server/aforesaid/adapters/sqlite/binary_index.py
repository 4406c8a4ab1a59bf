"""Candidate search in memory: one bit per dimension of each vector.

Here: arrays that mirror the file, and the choice of candidates. Many are chosen by the number of
differing bits; of these, the best by the sum of the query's components where the bit is set. Not
here: true distances (vectors.py computes them from the floats of every candidate). See
docs/adr/0022-vectors-at-scale.md.
"""

from __future__ import annotations

from _thread import allocate_lock
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .database import Database

_BLOCK = 32_768  #: rows read, or compared, at once: fits a core's cache
_WORD = 8  #: bytes
#: Words of bits that the first pass compares. Duplicates (cosine above .92) differ in 49 of 384
#: bits on average, so in 16 of these 128; unrelated texts in 64.
_FIRST_WORDS = 2
_FIRST_BITS = 36
_DUPLICATE_SHARE = 0.25  #: of all bits may differ; at a cosine of .92 it is .13 on average


class BinaryIndex:
    """The bits of every vector of one model, by project.

    The file is authoritative: new vectors are read by their keys, which only grow. Deleted vectors
    stay here until the next load and are harmless, as their floats are gone. Vectors that a
    transaction of this process wrote count only while it runs, so that a key that is reused after
    a rollback is read again.
    """

    def __init__(self, database: Database, numpy: Any, model: int) -> None:
        self.model = model  #: its key
        self._db = database
        self._numpy = numpy
        self._lock = allocate_lock()
        self._projects: dict[int, _Column] = {}
        all_bytes = numpy.arange(256, dtype="u1")[:, None]
        self._bits_of_bytes = numpy.unpackbits(all_bytes, axis=1, bitorder="little").T.astype("<f4")
        self._newest = 0  #: key of the last committed vector
        self._newest_read = 0
        self._transaction = 0  #: number of the transaction whose rows follow the committed ones

    def forget(self) -> None:
        """Discard the arrays because many of their vectors were deleted; they load again."""
        with self._lock:
            self._projects = {}
            self._newest = self._newest_read = 0

    def count(self, projects: Sequence[int], enough: int = 0) -> int:
        """Return how many vectors these projects have, including those deleted since the load.

        If more than ``enough`` are loaded, new ones are not counted.
        """
        with self._lock:
            count = self._count(projects)
            if count <= enough:
                self._catch_up()
                count = self._count(projects)
            return count

    def _count(self, projects: Sequence[int]) -> int:
        return sum(self._projects[key].count for key in projects if key in self._projects)

    def nearest(
        self, vector: bytes, bits: bytes, projects: Sequence[int], depth: int, width: int
    ) -> list[int]:
        """Return the keys of the vectors that are probably nearest, best first.

        Args:
            vector: of the query, float32.
            bits: of this vector.
            projects: whose vectors are compared.
            depth: how many to return.
            width: how many vectors with the fewest differing bits are considered per project.
        """
        np = self._numpy
        query_bits = np.frombuffer(bits, dtype="<u8")
        gains = self._gains(vector)
        scored = []
        with self._lock:
            for column in self._columns(projects):
                positions = column.nearest(query_bits, width)
                scored.append((-_sums(np, gains, column.bits(positions)), column.keys[positions]))
        return self._in_order(scored, depth)

    def _gains(self, vector: bytes) -> Any:
        """Return what each byte value at each position adds to a score, ``(bytes, 256)``."""
        np = self._numpy
        return np.frombuffer(vector, dtype="<f4").reshape(-1, 8) @ self._bits_of_bytes

    def distances(
        self, vector: bytes, rows: Sequence[tuple[int, bytes]]
    ) -> list[tuple[float, int]]:
        """Return (cosine distance, key) of vectors, without vectors of length zero or NaN.

        Args:
            vector: float32.
            rows: (key, vector); a vector of another length is another model's, and skipped.
        """
        np = self._numpy
        comparable = [(key, candidate) for key, candidate in rows if len(candidate) == len(vector)]
        if not comparable:
            return []
        query = np.frombuffer(vector, dtype="<f4")
        matrix = np.frombuffer(b"".join(candidate for _key, candidate in comparable), dtype="<f4")
        matrix = matrix.reshape(len(comparable), -1)
        # einsum sums each row by itself: equal vectors get equal distances
        lengths = np.einsum("ij,ij->i", matrix, matrix) * np.dot(query, query)
        with np.errstate(all="ignore"):
            distances = 1.0 - np.einsum("ij,j->i", matrix, query) / np.sqrt(lengths)
        return [
            (distance, key)
            for distance, (key, _other) in zip(distances.tolist(), comparable, strict=True)
            if distance == distance  # noqa: PLR0124 - NaN differs from itself
        ]

    def near_duplicates(self, bits: bytes, projects: Sequence[int], depth: int) -> list[int]:
        """Return the keys of the vectors that may be duplicates, best first."""
        query_bits = self._numpy.frombuffer(bits, dtype="<u8")
        scored = []
        with self._lock:
            for column in self._columns(projects):
                positions, differing = column.close(query_bits)
                scored.append((differing, column.keys[positions]))
        return self._in_order(scored, depth)

    def _columns(self, projects: Sequence[int]) -> list[_Column]:
        self._catch_up()
        columns = [self._projects[key] for key in projects if key in self._projects]
        return [column for column in columns if column.count]

    def _in_order(self, scored: Sequence[tuple[Any, Any]], depth: int) -> list[int]:
        """Return the first keys by distance, ties by key."""
        if not scored:
            return []
        np = self._numpy
        distances, keys = (np.concatenate(parts) for parts in zip(*scored, strict=True))
        if depth < len(distances):
            is_near = distances <= np.partition(distances, depth)[depth]
            distances, keys = distances[is_near], keys[is_near]
        ordered: list[int] = keys[np.lexsort((keys, distances))][:depth].tolist()
        return ordered

    def _catch_up(self) -> None:
        """Load new vectors; drop those that a finished transaction left here."""
        running = self._db.writing
        if self._transaction and self._transaction != running:
            for column in self._projects.values():
                column.count = column.committed
            self._newest_read = self._newest
        self._transaction = running
        while True:
            rows = self._db.rows(
                # rows of other models are read too, so that their keys count as read
                "SELECT key, project, iif(model = ?, bits, NULL) FROM chunks WHERE key > ? "
                "ORDER BY key LIMIT ?",
                (self.model, self._newest_read, _BLOCK),
            )
            if not rows:
                return
            self._take(rows)
            self._newest_read = rows[-1][0]
            if not running:
                self._newest = self._newest_read
                for column in self._projects.values():
                    column.committed = column.count
            if len(rows) < _BLOCK:
                return

    def _take(self, rows: Sequence[tuple[int, int, bytes]]) -> None:
        by_project: dict[int, list[tuple[int, bytes]]] = {}
        for key, project, bits in rows:
            if bits is not None:
                by_project.setdefault(project, []).append((key, bits))
        for project, vectors in by_project.items():
            if project not in self._projects:
                self._projects[project] = _Column(self._numpy, len(vectors[0][1]) // _WORD)
            self._projects[project].append(vectors)


class _Column:
    """The bits of one project's vectors: an array per 64-bit word, and one of their keys."""

    def __init__(self, numpy: Any, words: int) -> None:
        self._numpy = numpy
        self.count = 0
        self.committed = 0
        self._words = numpy.empty((words, 64), dtype="<u8")
        self._keys = numpy.empty(64, dtype="i8")

    @property
    def keys(self) -> Any:
        """Return the keys of the vectors, in the order of their bits."""
        return self._keys[: self.count]

    def append(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Add vectors; the arrays grow by at least a quarter."""
        np = self._numpy
        end = self.count + len(vectors)
        if end > len(self._keys):
            capacity = max(end, len(self._keys) * 5 // 4)
            words = np.empty((len(self._words), capacity), dtype="<u8")
            keys = np.empty(capacity, dtype="i8")
            words[:, : self.count] = self._words[:, : self.count]
            keys[: self.count] = self._keys[: self.count]
            self._words, self._keys = words, keys
        new_words = np.frombuffer(b"".join(bits for _key, bits in vectors), dtype="<u8")
        self._words[:, self.count : end] = new_words.reshape(len(vectors), -1).T
        self._keys[self.count : end] = [key for key, _bits in vectors]
        self.count = end

    def bits(self, positions: Any) -> Any:
        """Return the bits of the vectors at these positions, ``(positions, bytes)`` uint8."""
        return self._numpy.ascontiguousarray(self._words[:, positions].T).view("u1")

    def nearest(self, query_bits: Any, count: int) -> Any:
        """Return the positions of ``count`` vectors with the fewest differing bits, and of ties."""
        np = self._numpy
        if count >= self.count:
            return np.arange(self.count)
        differing = self._differing_bits(query_bits)
        # a histogram finds the cut in one pass, and all ties at the cut are kept
        totals = np.cumsum(np.bincount(differing, minlength=1))
        return np.flatnonzero(differing <= int(np.searchsorted(totals, count)))

    def _differing_bits(self, query_bits: Any) -> Any:
        np = self._numpy
        counts = np.empty(self.count, dtype="u2")
        for start in range(0, self.count, _BLOCK):
            end = min(start + _BLOCK, self.count)
            differing = counts[start:end]
            differing[:] = 0
            for word, query_word in zip(self._words[:, start:end], query_bits, strict=True):
                differing += np.bitwise_count(word ^ query_word)
        return counts

    def close(self, query_bits: Any) -> tuple[Any, Any]:
        """Return the positions where few bits differ, and how many; a first pass sorts most out."""
        np = self._numpy
        chunks = []
        first = min(_FIRST_WORDS, len(self._words))
        for start in range(0, self.count, _BLOCK):
            end = min(start + _BLOCK, self.count)
            differing = np.bitwise_count(self._words[0, start:end] ^ query_bits[0])
            for word in range(1, first):
                differing += np.bitwise_count(self._words[word, start:end] ^ query_bits[word])
            chunks.append(np.flatnonzero(differing <= _FIRST_BITS) + start)
        positions = np.concatenate(chunks)
        differing = np.bitwise_count(self._words[:, positions] ^ query_bits[:, None])
        counts = differing.sum(axis=0, dtype="u2")
        is_near = counts <= int(_DUPLICATE_SHARE * 64 * len(self._words))
        return positions[is_near], counts[is_near]


def _sums(numpy: Any, gains: Any, bits: Any) -> Any:
    """Return, for each vector, the sum of the query's components whose bit is set."""
    first = numpy.arange(len(gains), dtype="i4") * gains.shape[1]
    return gains.ravel()[bits + first].sum(axis=1)


def open_bits(database: Database, model: int) -> BinaryIndex | None:
    """Return an index of a model's bits; None without numpy, so that every search is exact."""
    try:
        numpy = import_module("numpy")
    except ImportError:
        return None
    return BinaryIndex(database, numpy, model) if hasattr(numpy, "bitwise_count") else None
