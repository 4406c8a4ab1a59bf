"""Vectors of memories, searched by sqlite-vec: an index that can be rebuilt from the rows.

A memory has one chunk for each window of its text and each model; vectors are compared only with
those of the same model (models.py knows the active one). Up to ``EXACT_VECTORS`` every vector is
compared, above that those with the nearest bits (binary_index.py). Cosines are returned on the
shipped model's scale. Without sqlite-vec nothing here has an effect, and the store reports that.
"""

from __future__ import annotations

from aforesaid.domain.model.embedding_model import (
    KEPT,
    SERVING,
    ModelVector,
    calibrate_cosine,
    known_scale,
)
from aforesaid.domain.value import Value

from .binary_index import BinaryIndex, open_bits
from .database import Database
from .filters import placeholders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_NEIGHBOURS = 4096  #: results of one search
#: Up to this many visible vectors all are compared. Source: docs/adr/0022-vectors-at-scale.md.
EXACT_VECTORS = 4_096
#: DEPTH: candidates whose distance is computed for each result (of at least MIN_RESULTS);
#: WIDTH: vectors with the fewest differing bits considered for each candidate. Both grow with the
#: cube root of the number of vectors above GROWTH_FROM. Source: the same ADR.
DEPTH, MIN_RESULTS, WIDTH, GROWTH_FROM = 4, 100, 4, 25_000
_MAX_FILTERED = 16_000  #: candidates that a filter is tried on, before all that pass it are listed
_MARGIN, _MIN_SHARE = 1.2, 0.075  #: how many more candidates are tried than expected to be needed
_STALE_SHARE = 0.5  #: of candidates still stored; with fewer the bits are loaded again
_WORD_BYTES = 64 * 4  #: bytes of floats that make a 64-bit word of bits
#: Distance of a vector ``v`` to the first binding; NULL if another model made it.
_DISTANCE = "iif(length(v.embedding) = length(?1), vec_distance_cosine(v.embedding, ?1), NULL)"
_BATCH = 32  #: vectors that one statement compares with another one


class VectorModel(Value):
    """An embedding model with vectors in this store."""

    key: int
    name: str
    state: str
    low: float | None  #: see domain/model/embedding_model.py
    high: float | None


class ChunkFilter(Value):
    """The chunks that may be returned, as SQL."""

    every: str  #: selects all of them
    among: str  #: selects (chunk, memory, head) of those in a JSON list, its first binding
    bindings: tuple[object, ...]  #: of both, except the list


class VectorIndex:
    """The vectors of one store."""

    def __init__(self, database: Database, exact_vectors: int = EXACT_VECTORS) -> None:
        self._db = database
        self._exact_vectors = exact_vectors
        self._bits: BinaryIndex | None = None
        self._has_numpy = True

    @property
    def available(self) -> bool:
        """Whether sqlite-vec is loaded in this process."""
        return self._db.vec_extension is not None

    def find_model(self, model: str | None = None) -> VectorModel | None:
        """Return a model, by default the active one; None if it is unknown."""
        where, value = ("state = ?", SERVING) if model is None else ("name = ?", model)
        row = self._db.row(
            f"SELECT key, name, state, low, high FROM models WHERE {where}", (value,)
        )
        if row is None:
            return None
        return VectorModel(key=row[0], name=row[1], state=row[2], low=row[3], high=row[4])

    def of(self, vector: bytes, model: str | None) -> VectorModel | None:
        """Return the model that made a vector: the given one, else its own, else the active one."""
        if not self.available:
            return None
        return self.find_model(
            vector.model if model is None and isinstance(vector, ModelVector) else model
        )

    def put(self, memory: int, project: int, vectors: Sequence[bytes], model: str) -> None:
        """Replace a memory's vectors of this model, one per window.

        The first model of a store becomes active; any other must have been announced.
        """
        if not self.available:
            return
        registered = self.find_model(model)
        if registered is None and self.find_model() is None:
            self._register(model, len(vectors[0]) // 4 if vectors else 0)
            registered = self.find_model(model)
        if registered is not None:
            self._db.rows(
                "DELETE FROM chunks WHERE memory = ? AND model = ?", (memory, registered.key)
            )
            self._add(memory, project, vectors, registered.key)

    def _register(self, model: str, dimensions: int) -> None:
        key = self._db.insert(
            "INSERT INTO models (name, dimensions, state, low, high) VALUES (?, ?, ?, ?, ?)",
            (model, dimensions, SERVING, *known_scale(model)),
        )
        self._db.rows("INSERT INTO unembedded SELECT ?, key FROM memories", (key,))

    def _add(self, memory: int, project: int, vectors: Sequence[bytes], model: int) -> None:
        for ordinal, vector in enumerate(vectors):
            chunk = self._db.insert(
                "INSERT INTO chunks (memory, project, ordinal, model, bits) "
                "VALUES (?1, ?2, ?3, ?4, iif(length(?5) % ?6 = 0, vec_quantize_binary(?5), NULL))",
                (memory, project, ordinal, model, vector, _WORD_BYTES),
            )
            self._db.rows("INSERT INTO vectors VALUES (?, ?)", (chunk, vector))

    def move(self, memories: Sequence[int], project: int) -> None:
        """Give the vectors of these memories to a project, under new keys (binary_index.py)."""
        windows = self._windows(memories)
        unembedded = self._unembedded(memories)
        self.drop(memories)
        if self.available:
            for (memory, model), vectors in windows.items():
                self._add(memory, project, vectors, model)
            self._mark_unembedded(unembedded)

    def copy(self, source: int, target: int) -> None:
        """Copy a memory's vectors to another one of the same project, text and cues."""
        project = self._db.value("SELECT project FROM memories WHERE key = ?", (target,))
        if self.available and project is not None:
            for (_memory, model), vectors in self._windows([source]).items():
                self._add(target, project, vectors, model)
            self._mark_unembedded(
                [(model, target) for model, _memory in self._unembedded([source])]
            )

    def _unembedded(self, memories: Sequence[int]) -> list[tuple[int, int]]:
        return self._db.rows(
            f"SELECT model, memory FROM unembedded WHERE memory IN ({placeholders(memories)})",
            tuple(memories),
        )

    def without(self, memories: Sequence[int], model: VectorModel) -> set[int]:
        """Return which of these memories still need vectors of a model."""
        return {memory for key, memory in self._unembedded(memories) if key == model.key}

    def _mark_unembedded(self, pairs: Sequence[tuple[int, int]]) -> None:
        self._db.many("INSERT OR IGNORE INTO unembedded VALUES (?, ?)", pairs)

    def _windows(self, memories: Sequence[int]) -> dict[tuple[int, int], list[bytes]]:
        rows = self._db.rows(
            "SELECT c.memory, c.model, v.embedding FROM chunks c JOIN vectors v ON v.chunk = c.key "
            f"WHERE c.memory IN ({placeholders(memories)}) ORDER BY c.memory, c.model, c.ordinal",
            tuple(memories),
        )
        windows: dict[tuple[int, int], list[bytes]] = {}
        for memory, model, vector in rows:
            windows.setdefault((memory, model), []).append(vector)
        return windows

    def drop(self, memories: Sequence[int]) -> None:
        """Remove the vectors of these memories, of every model."""
        condition = f"memory IN ({placeholders(memories)})"
        self._db.rows(f"DELETE FROM chunks WHERE {condition}", tuple(memories))

    def nearest(
        self,
        vector: bytes,
        projects: Sequence[int],
        count: int,
        model: VectorModel,
        allowed: ChunkFilter | None = None,
    ) -> list[tuple[int, float]]:
        """Return (chunk, cosine) of the nearest windows, best first, ties by chunk.

        Args:
            vector: float32, L2-normalised.
            projects: whose windows are searched.
            count: how many, at most 4096.
            model: that made the vector.
            allowed: which chunks of this model may be returned; None for all of these projects.
        """
        bits = self._bits_for(projects, model)
        if bits is not None:
            return self._nearest_by_bits(bits, vector, projects, count, model, allowed)
        among = (
            f"SELECT key FROM chunks WHERE project IN ({placeholders(projects)}) "
            f"AND model = {model.key:d}"
        )
        bindings: tuple[object, ...] = tuple(projects)
        if allowed is not None:
            among, bindings = allowed.every, allowed.bindings
        distances = self._distances(
            f"SELECT chunk, {_DISTANCE} AS distance FROM vectors v WHERE chunk IN ({among}) "
            f"ORDER BY distance NULLS LAST, chunk LIMIT {min(count, MAX_NEIGHBOURS):d}",
            (vector, *bindings),
        )
        return _with_cosine(distances, model)

    def near_duplicates(
        self, vector: bytes, projects: Sequence[int], floor: float, count: int, model: VectorModel
    ) -> list[tuple[int, float]]:
        """Return (chunk, cosine) of windows above a cosine, best first, ties by chunk.

        Args:
            vector: float32, L2-normalised.
            projects: whose windows are searched.
            floor: a cosine; below .9 some results are missed.
            count: how many, at most.
            model: that made the vector.
        """
        index = self._open_bits(model)
        if index is None or len(vector) % _WORD_BYTES:
            nearest = self.nearest(vector, projects, count, model)
        else:
            bits = self._db.value("SELECT vec_quantize_binary(?)", (vector,))
            nearest = _with_cosine(
                self._candidate_distances(
                    index, vector, index.near_duplicates(bits, projects, count)
                ),
                model,
            )
        return [(chunk, cosine) for chunk, cosine in nearest if cosine > floor]

    def first(self, memories: Sequence[int]) -> dict[int, ModelVector]:
        """Return the active model's vector of the first window of each of these memories."""
        active = self.find_model()
        if not self.available or active is None:
            return {}
        rows = self._db.rows(
            "SELECT c.memory, v.embedding FROM json_each(?) j CROSS JOIN chunks c "
            "ON c.memory = j.value AND c.model = ? AND c.ordinal = 0 "
            "CROSS JOIN vectors v ON v.chunk = c.key",
            (str(list(memories)), active.key),
        )
        return {memory: ModelVector.by(active.name, vector) for memory, vector in rows}

    def pair_cosines(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the cosine of the first windows of each pair, if both memories have one."""
        active = self.find_model()
        if not pairs or active is None:
            return {}
        vectors = self.first(sorted({memory for pair in pairs for memory in pair}))
        targets: dict[int, list[int]] = {}
        for source, target in pairs:
            if source in vectors and target in vectors:
                targets.setdefault(source, []).append(target)
        cosines: dict[tuple[int, int], float] = {}
        for source, keys in targets.items():
            for start in range(0, len(keys), _BATCH):
                batch = keys[start : start + _BATCH]
                columns = ", ".join(f"vec_distance_cosine(?1, ?{2 + n})" for n in range(len(batch)))
                distances = self._db.rows(
                    f"SELECT {columns}", (vectors[source], *(vectors[target] for target in batch))
                )[0]
                for target, distance in zip(batch, distances, strict=True):
                    if distance is not None:
                        cosines[source, target] = scaled(1.0 - distance, active)
        return cosines

    # -- by bits

    def _open_bits(self, model: VectorModel) -> BinaryIndex | None:
        if self._has_numpy and (self._bits is None or self._bits.model != model.key):
            self._bits = open_bits(self._db, model.key)
            self._has_numpy = self._bits is not None
        return self._bits

    def _bits_for(self, projects: Sequence[int], model: VectorModel) -> BinaryIndex | None:
        """Return the index of bits if these projects have too many vectors to compare all."""
        newest = self._db.value("SELECT seq FROM main.sqlite_sequence WHERE name = 'chunks'") or 0
        if newest <= self._exact_vectors:
            return None
        bits = self._open_bits(model)
        if bits is None or bits.count(projects, self._exact_vectors) <= self._exact_vectors:
            return None
        return bits

    def _nearest_by_bits(
        self,
        index: BinaryIndex,
        vector: bytes,
        projects: Sequence[int],
        count: int,
        model: VectorModel,
        allowed: ChunkFilter | None,
    ) -> list[tuple[int, float]]:
        """Search as ``nearest`` does, among candidates with the nearest bits."""
        bits = self._db.value("SELECT vec_quantize_binary(?)", (vector,))
        depth = DEPTH * max(count, MIN_RESULTS)
        if allowed is not None:
            nearest = index.nearest(vector, bits, projects, _MAX_FILTERED, _MAX_FILTERED)
            return _with_cosine(
                self._candidate_distances(
                    index, vector, _filter_candidates(self._db, nearest, depth, allowed)
                )[:count],
                model,
            )
        growth = max(1.0, index.count(projects, GROWTH_FROM) / GROWTH_FROM) ** (1 / 3)
        depth = int(depth * growth)
        width = int(depth * growth * WIDTH)
        candidates = index.nearest(vector, bits, projects, depth, width)
        distances = self._candidate_distances(index, vector, candidates)
        if len(distances) < len(candidates) * _STALE_SHARE:
            index.forget()
            candidates = index.nearest(vector, bits, projects, depth, width)
            distances = self._candidate_distances(index, vector, candidates)
        return _with_cosine(distances[:count], model)

    def _candidate_distances(
        self, index: BinaryIndex, vector: bytes, chunks: Sequence[int]
    ) -> list[tuple[float, int]]:
        """Return (distance, chunk) of the chunks that still exist, nearest first, ties by chunk."""
        # a join on sorted keys reads neighbours in the file together
        rows = self._db.rows(
            "SELECT v.chunk, v.embedding FROM json_each(?) j "
            "CROSS JOIN vectors v ON v.chunk = j.value",
            (str(sorted(chunks)),),
        )
        return sorted(index.distances(vector, rows))

    def _distances(self, sql: str, bindings: tuple[object, ...]) -> list[tuple[float, int]]:
        rows = self._db.rows(sql, bindings)
        # a vector without a direction (all zero, or damaged) matches nothing
        return sorted((distance, chunk) for chunk, distance in rows if distance is not None)

    def outdate(self, memory: int) -> None:
        """Mark a memory's vectors as outdated; until it has new ones, the old ones are searched."""
        self._db.rows(
            "INSERT OR IGNORE INTO unembedded SELECT key, ? FROM models WHERE state = ?",
            (memory, SERVING),
        )
        self._db.rows(
            "DELETE FROM chunks WHERE memory = ? "
            "AND model NOT IN (SELECT key FROM models WHERE state = ?)",
            (memory, SERVING),
        )

    def missing(self, model: str, limit: int) -> list[int]:
        """Return keys of memories that need vectors of this model, oldest first."""
        if not self.available:
            return []
        registered = self.find_model(model)
        if registered is None and self.find_model() is None:
            rows = self._db.rows(
                "SELECT key FROM memories WHERE forgotten_at IS NULL ORDER BY key LIMIT ?", (limit,)
            )
        elif registered is None or registered.state == KEPT:
            rows = []
        else:
            rows = self._db.rows(
                "SELECT u.memory FROM unembedded u JOIN memories m ON m.key = u.memory "
                "WHERE u.model = ? AND m.forgotten_at IS NULL ORDER BY u.memory LIMIT ?",
                (registered.key, limit),
            )
        return [key for (key,) in rows]


def scaled(cosine: float, model: VectorModel) -> float:
    """Convert a model's cosine to the shipped model's scale."""
    return calibrate_cosine(cosine, model.low, model.high)


def _with_cosine(
    distances: Sequence[tuple[float, int]], model: VectorModel
) -> list[tuple[int, float]]:
    return [(chunk, scaled(1.0 - distance, model)) for distance, chunk in distances]


def _filter_candidates(
    database: Database, nearest: Sequence[int], count: int, allowed: ChunkFilter
) -> list[int]:
    """Return the nearest candidates that pass a filter, or all chunks that pass it."""
    passed: list[int] = []
    tried = 0
    while len(passed) < count and tried < len(nearest):
        # as many as should give the rest, by the share that passed so far
        share = max(len(passed) / tried, _MIN_SHARE) if tried else 1.0
        batch = nearest[tried : tried + int((count - len(passed)) / share * _MARGIN) + 1]
        rows = database.rows(allowed.among, (str(sorted(batch)), *allowed.bindings))
        allowed_keys = {key for key, _memory, _head in rows}
        passed += [key for key in batch if key in allowed_keys]
        tried += len(batch)
    if len(passed) >= count or len(nearest) < _MAX_FILTERED:
        return passed
    return [key for (key,) in database.rows(allowed.every, allowed.bindings)]
