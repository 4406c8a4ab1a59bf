"""What lies nearest to each of many memories, in one pass over the vectors of their project.

Maintenance asks this of every new memory. Asked one by one, each would read all vectors, or the
bits of all and the floats of 800 (search.py). Here a block of vectors is read once and compared
with all that ask by one product of matrices: exactly, however many there are.
"""

from __future__ import annotations

from importlib import import_module

from .filters import IN_FORCE
from .repository import Repository
from .vectors import scaled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .vectors import VectorModel

    Block = list[tuple[int, bytes]]  #: (memory, vector) of windows
    Near = dict[int, list[tuple[float, int]]]  #: (cosine, memory) of windows, nearest first

#: Vectors compared at once. The first block is small: what is nearest in it bounds the others.
_FIRST_BLOCK, _BLOCK = 512, 2_048
_WINDOWS = 2  #: kept for each memory that is wanted: some have several, and one is its own
_NOWHERE = -2.0  #: below any cosine
_ANY_KEY = (1 << 63) - 1
#: Windows of what is in force and of no task, in order of their numbers.
_WINDOWS_OF = (
    "SELECT c.key, m.key, v.embedding FROM chunks c CROSS JOIN memories m ON m.key = c.memory "
    "CROSS JOIN vectors v ON v.chunk = c.key WHERE c.project = ? AND c.model = ? AND c.key > ? "
    f"AND m.key < ? AND m.scope <> 'task' AND {IN_FORCE} AND length(v.embedding) = ? "
    "ORDER BY c.key LIMIT ?"
)


class NeighbourQueries(Repository):
    """The vectors of the store, as maintenance looks at them."""

    def find(
        self, keys: Sequence[int], project: int, limit: int, before: int | None = None
    ) -> dict[int, dict[int, float]]:
        """Return the memories in force that lie nearest to each of these, and their cosines."""
        first = self._store.vectors.first(keys)
        made = max(first.values(), key=len, default=None)  # a shorter one is damaged
        model = None if made is None else self._store.vectors.known(made.model)
        if made is None or model is None:
            return {}
        asked = {key: one for key, one in first.items() if len(one) == len(made)}
        blocks = self._blocks(project, model, before, len(made))
        try:
            numpy = import_module("numpy")
        except ImportError:
            near = self._one_by_one(asked, blocks, _WINDOWS * limit)
        else:
            near = _all_at_once(numpy, asked, blocks, _WINDOWS * limit)
        found: dict[int, dict[int, float]] = {}
        for key, windows in near.items():
            best: dict[int, float] = {}
            for cosine, other in windows:
                if other != key:
                    best.setdefault(other, scaled(cosine, model))
            found[key] = dict(list(best.items())[:limit])
        return found

    def _blocks(
        self, project: int, model: VectorModel, before: int | None, size: int
    ) -> Iterator[Block]:
        """Yield windows whose vectors have this length (bytes), in order of their numbers."""
        after, count = 0, _FIRST_BLOCK
        end = _ANY_KEY if before is None else before
        while rows := self._db.rows(_WINDOWS_OF, (project, model.key, after, end, size, count)):
            yield [(memory, vector) for _chunk, memory, vector in rows]
            after, count = rows[-1][0], _BLOCK

    def _one_by_one(self, asked: Mapping[int, bytes], blocks: Iterator[Block], depth: int) -> Near:
        """Return the nearest windows where nothing multiplies matrices."""
        near: Near = {key: [] for key in asked}
        for block in blocks:
            for key, vector in asked.items():
                for memory, other in block:
                    distance = self._db.value("SELECT vec_distance_cosine(?, ?)", (vector, other))
                    if distance is not None:
                        near[key].append((1.0 - distance, memory))
                near[key] = sorted(near[key], key=_nearest_first)[:depth]
        return near


def _all_at_once(np: Any, asked: Mapping[int, bytes], blocks: Iterator[Block], depth: int) -> Near:
    """Return the nearest windows of each."""
    wanted = _directions(np, list(asked.values()))
    floor = np.full(len(wanted), _NOWHERE, dtype="<f4")  # of each: the last that is kept
    places, memories = np.empty(0, dtype="i8"), np.empty(0, dtype="i8")
    cosines = np.empty(0, dtype="<f4")
    for block in blocks:
        every = wanted @ _directions(np, [vector for _memory, vector in block]).T
        rows, columns = np.nonzero(every > floor[:, None])
        numbers = np.array([memory for memory, _vector in block], dtype="i8")
        places = np.concatenate((places, rows))
        cosines = np.concatenate((cosines, every[rows, columns]))
        memories = np.concatenate((memories, numbers[columns]))
        order = np.lexsort((memories, -cosines, places))
        rank = np.arange(len(order)) - np.searchsorted(places[order], places[order])
        order, rank = order[rank < depth], rank[rank < depth]
        places, cosines, memories = places[order], cosines[order], memories[order]
        last = rank == depth - 1
        floor[places[last]] = cosines[last]
    near: Near = {key: [] for key in asked}
    keys = list(asked)
    for row, cosine, memory in zip(places, cosines.tolist(), memories.tolist(), strict=True):
        near[keys[row]].append((cosine, memory))
    return near


def _directions(np: Any, vectors: Sequence[bytes]) -> Any:
    """Return vectors as rows of length one; one without a direction becomes no number."""
    rows = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    with np.errstate(invalid="ignore"):
        return rows / np.where(lengths > 0, lengths, np.nan)


def _nearest_first(one: tuple[float, int]) -> tuple[float, int]:
    return (-one[0], one[1])
