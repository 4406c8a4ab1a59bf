"""The nearest neighbours of many memories, in one pass over the vectors of their project.

Maintenance needs this for every new memory. A search for each memory would read all vectors, or all
bits and the floats of 800 candidates (search.py). Here, each block of vectors is read once and
compared with all these memories by one matrix product, exactly.
"""

from __future__ import annotations

from importlib import import_module

from .filters import IN_FORCE
from .repository import SqliteRepository
from .vectors import scaled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .vectors import VectorModel

    Block = list[tuple[int, bytes]]  #: (memory, vector) of windows
    Near = dict[int, list[tuple[float, int]]]  #: (cosine, memory) of windows, nearest first

#: Vectors compared at once. The first block is small: its nearest vectors set the threshold.
_FIRST_BLOCK, _BLOCK = 512, 2_048
_WINDOWS = 2  #: per neighbour: a memory may have several, and matches itself
_BELOW_ANY_COSINE = -2.0
_ANY_KEY = (1 << 63) - 1
#: Windows of memories in force outside tasks, ordered by key.
_WINDOWS_OF = (
    "SELECT c.key, m.key, v.embedding FROM chunks c CROSS JOIN memories m ON m.key = c.memory "
    "CROSS JOIN vectors v ON v.chunk = c.key WHERE c.project = ? AND c.model = ? AND c.key > ? "
    f"AND m.key < ? AND m.scope <> 'task' AND {IN_FORCE} AND length(v.embedding) = ? "
    "ORDER BY c.key LIMIT ?"
)


class NeighbourQueries(SqliteRepository):
    """Vector queries of maintenance."""

    def find(
        self, keys: Sequence[int], project: int, limit: int, before: int | None = None
    ) -> dict[int, dict[int, float]]:
        """Return the nearest memories in force for each of these, with their cosines."""
        first_vectors = self._store.vectors.first(keys)
        reference = max(first_vectors.values(), key=len, default=None)  # a shorter one is damaged
        model = None if reference is None else self._store.vectors.find_model(reference.model)
        if reference is None or model is None:
            return {}
        vectors = {
            key: vector for key, vector in first_vectors.items() if len(vector) == len(reference)
        }
        blocks = self._blocks(project, model, before, len(reference))
        try:
            numpy = import_module("numpy")
        except ImportError:
            nearest = self._one_by_one(vectors, blocks, _WINDOWS * limit)
        else:
            nearest = _by_matrix(numpy, vectors, blocks, _WINDOWS * limit)
        neighbours: dict[int, dict[int, float]] = {}
        for key, windows in nearest.items():
            best: dict[int, float] = {}
            for cosine, neighbour in windows:
                if neighbour != key:
                    best.setdefault(neighbour, scaled(cosine, model))
            neighbours[key] = dict(list(best.items())[:limit])
        return neighbours

    def _blocks(
        self, project: int, model: VectorModel, before: int | None, size: int
    ) -> Iterator[Block]:
        """Yield windows whose vectors have this size in bytes, ordered by key."""
        after, count = 0, _FIRST_BLOCK
        end = _ANY_KEY if before is None else before
        while rows := self._db.rows(_WINDOWS_OF, (project, model.key, after, end, size, count)):
            yield [(memory, vector) for _chunk, memory, vector in rows]
            after, count = rows[-1][0], _BLOCK

    def _one_by_one(
        self, vectors: Mapping[int, bytes], blocks: Iterator[Block], depth: int
    ) -> Near:
        nearest: Near = {key: [] for key in vectors}
        for block in blocks:
            for key, vector in vectors.items():
                for memory, candidate in block:
                    distance = self._db.value(
                        "SELECT vec_distance_cosine(?, ?)", (vector, candidate)
                    )
                    if distance is not None:
                        nearest[key].append((1.0 - distance, memory))
                nearest[key] = sorted(nearest[key], key=_nearest_first)[:depth]
        return nearest


def _by_matrix(np: Any, vectors: Mapping[int, bytes], blocks: Iterator[Block], depth: int) -> Near:
    targets = _directions(np, list(vectors.values()))
    floor = np.full(len(targets), _BELOW_ANY_COSINE, dtype="<f4")  # lowest kept cosine
    target_rows, memories = np.empty(0, dtype="i8"), np.empty(0, dtype="i8")
    cosines = np.empty(0, dtype="<f4")
    for block in blocks:
        cosine_matrix = targets @ _directions(np, [vector for _memory, vector in block]).T
        rows, columns = np.nonzero(cosine_matrix > floor[:, None])
        numbers = np.array([memory for memory, _vector in block], dtype="i8")
        target_rows = np.concatenate((target_rows, rows))
        cosines = np.concatenate((cosines, cosine_matrix[rows, columns]))
        memories = np.concatenate((memories, numbers[columns]))
        order = np.lexsort((memories, -cosines, target_rows))
        rank = np.arange(len(order)) - np.searchsorted(target_rows[order], target_rows[order])
        order, rank = order[rank < depth], rank[rank < depth]
        target_rows, cosines, memories = target_rows[order], cosines[order], memories[order]
        last = rank == depth - 1
        floor[target_rows[last]] = cosines[last]
    nearest: Near = {key: [] for key in vectors}
    keys = list(vectors)
    for row, cosine, memory in zip(target_rows, cosines.tolist(), memories.tolist(), strict=True):
        nearest[keys[row]].append((cosine, memory))
    return nearest


def _directions(np: Any, vectors: Sequence[bytes]) -> Any:
    """Return vectors as rows of length 1; a zero vector becomes NaN."""
    rows = np.frombuffer(b"".join(vectors), dtype="<f4").reshape(len(vectors), -1)
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    with np.errstate(invalid="ignore"):
        return rows / np.where(lengths > 0, lengths, np.nan)


def _nearest_first(window: tuple[float, int]) -> tuple[float, int]:
    return (-window[0], window[1])
