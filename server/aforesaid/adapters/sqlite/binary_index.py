"""Which vectors may be near: one bit per dimension of each, held in memory, compared by counting.

Here: the arrays, kept up with the file, and the choice of candidates: many by counting bits that
differ, of these the best by the question's own numbers, each added or left out as the bit says.
Not here: the true distance (vectors.py measures every candidate again from its floats). Next:
docs/adr has vectors-at-scale.
"""

from __future__ import annotations

from _thread import allocate_lock
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .database import Database

_BLOCK = 32_768  #: rows read, or compared, at once: it fits a core's cache
_WORD = 8  #: bytes
#: Words of bits that the first look compares. Two texts that say the same (cosine above .92) lie
#: 49 of 384 bits apart on average, hence 16 of these 128; unrelated ones 64.
_FIRST_WORDS = 2
_FIRST_BITS = 36
_ALIKE_SHARE = 0.25  #: of all bits; a cosine of .92 is .13 on average


class BinaryIndex:
    """The bits of every vector of one model, by project.

    The file is the truth: what others stored is read by its number, which only grows. What was
    removed stays here until the next load and is harmless, since its floats are gone. What a
    transaction of our own wrote counts only as long as that transaction runs, so that a number
    given back by a rollback is read again.
    """

    def __init__(self, database: Database, numpy: Any, model: int) -> None:
        self.model = model  #: its key
        self._db = database
        self._numpy = numpy
        self._lock = allocate_lock()
        self._projects: dict[int, _Column] = {}
        every = numpy.arange(256, dtype="u1")[:, None]
        self._bits_of_bytes = numpy.unpackbits(every, axis=1, bitorder="little").T.astype("<f4")
        self._newest = 0  #: number of the last vector that is committed
        self._newest_read = 0
        self._transaction = 0  #: whose rows lie behind the committed ones

    def forget(self) -> None:
        """Start anew: too much of what is held here was removed."""
        with self._lock:
            self._projects = {}
            self._newest = self._newest_read = 0

    def count(self, projects: Sequence[int], enough: int = 0) -> int:
        """Return how many vectors these projects have, removed ones of this session included.

        Where more than ``enough`` are known already, what was stored since is not counted.
        """
        with self._lock:
            known = self._count(projects)
            if known <= enough:
                self._catch_up()
                known = self._count(projects)
            return known

    def _count(self, projects: Sequence[int]) -> int:
        return sum(self._projects[key].count for key in projects if key in self._projects)

    def nearest(
        self, vector: bytes, bits: bytes, projects: Sequence[int], depth: int, wide: int
    ) -> list[int]:
        """Return the numbers of the vectors that are likely nearest, likeliest first.

        Args:
            vector: float32, the question's.
            bits: of this vector.
            projects: whose vectors are compared.
            depth: how many to return.
            wide: with the fewest other bits, of each project, among which these are.
        """
        np = self._numpy
        wanted = np.frombuffer(bits, dtype="<u8")
        gains = self._gains(vector)
        found = []
        with self._lock:
            self._catch_up()
            for key in projects:
                column = self._projects.get(key)
                if column is not None and column.count:
                    places = column.nearest(wanted, wide)
                    found.append((-_sums(np, gains, column.bits(places)), column.keys[places]))
        return self._in_order(found, depth)

    def _gains(self, vector: bytes) -> Any:
        """Return what each value of each byte of bits adds to a sum, ``(bytes, 256)`` float32."""
        np = self._numpy
        return np.frombuffer(vector, dtype="<f4").reshape(-1, 8) @ self._bits_of_bytes

    def distances(
        self, vector: bytes, rows: Sequence[tuple[int, bytes]]
    ) -> list[tuple[float, int]]:
        """Return (cosine distance, number) of vectors, without those that have no direction.

        Args:
            vector: float32.
            rows: (number, vector); one of another length is another model's, and left out.
        """
        np = self._numpy
        alike = [(key, other) for key, other in rows if len(other) == len(vector)]
        if not alike:
            return []
        wanted = np.frombuffer(vector, dtype="<f4")
        each = np.frombuffer(b"".join(other for _key, other in alike), dtype="<f4")
        each = each.reshape(len(alike), -1)
        # einsum adds up each row by itself: equal vectors are equally far
        lengths = np.einsum("ij,ij->i", each, each) * np.dot(wanted, wanted)
        with np.errstate(all="ignore"):
            far = 1.0 - np.einsum("ij,j->i", each, wanted) / np.sqrt(lengths)
        return [
            (distance, key)
            for distance, (key, _other) in zip(far.tolist(), alike, strict=True)
            if distance == distance  # noqa: PLR0124 - not a number is not itself
        ]

    def alike(self, bits: bytes, projects: Sequence[int], depth: int) -> list[int]:
        """Return the numbers of the vectors that may say the same, likeliest first."""
        wanted = self._numpy.frombuffer(bits, dtype="<u8")
        found = []
        with self._lock:
            self._catch_up()
            for key in projects:
                column = self._projects.get(key)
                if column is not None and column.count:
                    places, apart = column.close(wanted)
                    found.append((apart, column.keys[places]))
        return self._in_order(found, depth)

    def _in_order(self, found: Sequence[tuple[Any, Any]], depth: int) -> list[int]:
        """Return the first numbers by how far they are, ties by number."""
        if not found:
            return []
        np = self._numpy
        far, keys = (np.concatenate(parts) for parts in zip(*found, strict=True))
        if depth < len(far):
            first = far <= np.partition(far, depth)[depth]
            far, keys = far[first], keys[first]
        ordered: list[int] = keys[np.lexsort((keys, far))][:depth].tolist()
        return ordered

    def _catch_up(self) -> None:
        """Read what was stored since; drop what a transaction that is over left here."""
        running = self._db.writing
        if self._transaction and self._transaction != running:
            for column in self._projects.values():
                column.count = column.committed
            self._newest_read = self._newest
        self._transaction = running
        while True:
            rows = self._db.rows(
                # other models' are passed by, not searched for: numbers must be known as read
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
        shares: dict[int, list[tuple[int, bytes]]] = {}
        for key, project, bits in rows:
            if bits is not None:
                shares.setdefault(project, []).append((key, bits))
        for project, share in shares.items():
            if project not in self._projects:
                self._projects[project] = _Column(self._numpy, len(share[0][1]) // _WORD)
            self._projects[project].append(share)


class _Column:
    """The bits of one project's vectors: an array for each word of 64, and one of their numbers."""

    def __init__(self, numpy: Any, words: int) -> None:
        self._numpy = numpy
        self.count = 0
        self.committed = 0
        self._words = numpy.empty((words, 64), dtype="<u8")
        self._keys = numpy.empty(64, dtype="i8")

    @property
    def keys(self) -> Any:
        """Return the numbers of the vectors, in the order of their bits."""
        return self._keys[: self.count]

    def append(self, share: Sequence[tuple[int, bytes]]) -> None:
        """Add vectors behind the others; room grows by a quarter at least."""
        np = self._numpy
        end = self.count + len(share)
        if end > len(self._keys):
            room = max(end, len(self._keys) * 5 // 4)
            words = np.empty((len(self._words), room), dtype="<u8")
            keys = np.empty(room, dtype="i8")
            words[:, : self.count] = self._words[:, : self.count]
            keys[: self.count] = self._keys[: self.count]
            self._words, self._keys = words, keys
        read = np.frombuffer(b"".join(bits for _key, bits in share), dtype="<u8")
        self._words[:, self.count : end] = read.reshape(len(share), -1).T
        self._keys[self.count : end] = [key for key, _bits in share]
        self.count = end

    def bits(self, places: Any) -> Any:
        """Return the bits of the vectors at these places, ``(places, bytes)`` uint8."""
        return self._numpy.ascontiguousarray(self._words[:, places].T).view("u1")

    def nearest(self, wanted: Any, count: int) -> Any:
        """Return the places of so many vectors with the fewest other bits, and of ties."""
        np = self._numpy
        if count >= self.count:
            return np.arange(self.count)
        apart = self._apart(wanted)
        # a histogram finds the cut in one pass, and ties at the cut all stay
        totals = np.cumsum(np.bincount(apart, minlength=1))
        return np.flatnonzero(apart <= int(np.searchsorted(totals, count)))

    def _apart(self, wanted: Any) -> Any:
        """Return how many bits of each vector differ."""
        np = self._numpy
        total = np.empty(self.count, dtype="u2")
        for start in range(0, self.count, _BLOCK):
            end = min(start + _BLOCK, self.count)
            differing = total[start:end]
            differing[:] = 0
            for word, other in zip(self._words[:, start:end], wanted, strict=True):
                differing += np.bitwise_count(word ^ other)
        return total

    def close(self, wanted: Any) -> tuple[Any, Any]:
        """Return where few bits differ, and how many; only what passes a first look is counted."""
        np = self._numpy
        chosen = []
        first = min(_FIRST_WORDS, len(self._words))
        for start in range(0, self.count, _BLOCK):
            end = min(start + _BLOCK, self.count)
            differing = np.bitwise_count(self._words[0, start:end] ^ wanted[0])
            for place in range(1, first):
                differing += np.bitwise_count(self._words[place, start:end] ^ wanted[place])
            chosen.append(np.flatnonzero(differing <= _FIRST_BITS) + start)
        places = np.concatenate(chosen)
        differing = np.bitwise_count(self._words[:, places] ^ wanted[:, None])
        apart = differing.sum(axis=0, dtype="u2")
        near = apart <= int(_ALIKE_SHARE * 64 * len(self._words))
        return places[near], apart[near]


def _sums(numpy: Any, gains: Any, bits: Any) -> Any:
    """Return the sum of a question's numbers where a vector has a bit, for each vector."""
    first = numpy.arange(len(gains), dtype="i4") * gains.shape[1]
    return gains.ravel()[bits + first].sum(axis=1)


def open_bits(database: Database, model: int) -> BinaryIndex | None:
    """Return an index of a model's bits; None without numpy: then every search is exact."""
    try:
        numpy = import_module("numpy")
    except ImportError:
        return None
    return BinaryIndex(database, numpy, model) if hasattr(numpy, "bitwise_count") else None
