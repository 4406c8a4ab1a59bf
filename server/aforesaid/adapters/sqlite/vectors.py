"""Vectors of memories, searched by sqlite-vec: a rebuildable index beside the rows.

A memory has one chunk per window of its text and model; vectors are compared with those of the same
model alone (models.py has which one serves). Up to ``EXACT_VECTORS`` every vector is compared;
above, those whose bits are nearest (binary_index.py). Cosines are told on the shipped model's
scale. Without sqlite-vec everything here does nothing, and the store says so.
"""

from __future__ import annotations

from aforesaid.domain.model.embedding_model import KEPT, SERVING, ModelVector, calibrate_cosine
from aforesaid.domain.value import Value

from .database import Database
from .filters import placeholders

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .binary_index import BinaryIndex

MAX_NEIGHBOURS = 4096  #: that one search returns
#: Visible vectors up to which all are compared. Source: docs/adr/0022-vectors-at-scale.md.
EXACT_VECTORS = 4_096
#: Candidates that are measured again, for each that is wanted (as if 100 were, where fewer are),
#: and vectors with the fewest other bits that are looked at for each candidate; both grow by the
#: cube root among more vectors than so many. Source: the same ADR.
DEPTH, LEAST, WIDE, AMONG = 4, 100, 4, 25_000
_LOOKED_AT = 16_000  #: candidates that a filter is tried on, before all that pass it are listed
_MORE, _MIN_SHARE = 1.2, 0.075  #: for how many more it is tried on at once
_STALE_SHARE = 0.5  #: of the candidates: the rest were removed, and the bits are read anew
_BITS_OF = 64 * 4  #: bytes of floats that make a word of bits
#: Of a vector ``v`` to the one that is the first binding; NULL where another model made it.
_DISTANCE = "iif(length(v.embedding) = length(?1), vec_distance_cosine(v.embedding, ?1), NULL)"
_COMPARED = 32  #: vectors that one statement compares with one


class VectorModel(Value):
    """A model that has vectors here."""

    key: int
    name: str
    state: str
    low: float | None  #: see domain/model/embedding_model.py
    high: float | None


class ChunkFilter(Value):
    """Which chunks may answer, as SQL."""

    every: str  #: selects all of them
    among: str  #: selects (chunk, memory, head) of those among a JSON list, its first binding
    bindings: tuple[object, ...]  #: of both


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

    def known(self, model: str | None = None) -> VectorModel | None:
        """Return what is known of a model, or of the one that serves; None for a stranger."""
        where, sought = ("state = ?", SERVING) if model is None else ("name = ?", model)
        row = self._db.row(
            f"SELECT key, name, state, low, high FROM models WHERE {where}", (sought,)
        )
        if row is None:
            return None
        return VectorModel(key=row[0], name=row[1], state=row[2], low=row[3], high=row[4])

    def of(self, vector: bytes, model: str | None) -> VectorModel | None:
        """Return the model that made a vector: the one named, its own, else the one that serves."""
        if not self.available:
            return None
        return self.known(
            vector.model if model is None and isinstance(vector, ModelVector) else model
        )

    def put(self, memory: int, project: int, vectors: Sequence[bytes], model: str) -> None:
        """Replace a memory's vectors of this model by these, one per window.

        The first model that comes serves from then on; others must have been announced.
        """
        if not self.available:
            return
        known = self.known(model)
        if known is None and self.known() is None:
            self._register(model, len(vectors[0]) // 4 if vectors else 0)
            known = self.known(model)
        if known is not None:
            self._db.rows("DELETE FROM chunks WHERE memory = ? AND model = ?", (memory, known.key))
            self._add(memory, project, vectors, known.key)

    def _register(self, model: str, dimensions: int) -> None:
        key = self._db.insert(
            "INSERT INTO models (name, dimensions, state) VALUES (?, ?, ?)",
            (model, dimensions, SERVING),
        )
        self._db.rows("INSERT INTO unembedded SELECT ?, key FROM memories", (key,))

    def _add(self, memory: int, project: int, vectors: Sequence[bytes], model: int) -> None:
        for ordinal, vector in enumerate(vectors):
            chunk = self._db.insert(
                "INSERT INTO chunks (memory, project, ordinal, model, bits) "
                "VALUES (?1, ?2, ?3, ?4, iif(length(?5) % ?6 = 0, vec_quantize_binary(?5), NULL))",
                (memory, project, ordinal, model, vector, _BITS_OF),
            )
            self._db.rows("INSERT INTO vectors VALUES (?, ?)", (chunk, vector))

    def move(self, memories: Sequence[int], project: int) -> None:
        """Give the vectors of these memories to a project, under new numbers (binary_index.py)."""
        windows = self._windows(memories)
        listed = self._listed(memories)
        self.drop(memories)
        if self.available:
            for (memory, model), vectors in windows.items():
                self._add(memory, project, vectors, model)
            self._list(listed)

    def copy(self, source: int, target: int) -> None:
        """Give a memory of the same project the vectors of another, whose text and cues it has."""
        project = self._db.value("SELECT project FROM memories WHERE key = ?", (target,))
        if self.available and project is not None:
            for (_memory, model), vectors in self._windows([source]).items():
                self._add(target, project, vectors, model)
            self._list([(model, target) for model, _memory in self._listed([source])])

    def _listed(self, memories: Sequence[int]) -> list[tuple[int, int]]:
        """Return (model, memory) of those of these memories that need new vectors."""
        return self._db.rows(
            f"SELECT model, memory FROM unembedded WHERE memory IN ({placeholders(memories)})",
            tuple(memories),
        )

    def _list(self, pairs: Sequence[tuple[int, int]]) -> None:
        self._db.many("INSERT OR IGNORE INTO unembedded VALUES (?, ?)", pairs)

    def _windows(self, memories: Sequence[int]) -> dict[tuple[int, int], list[bytes]]:
        """Return the vectors of these memories, by memory and model, in order."""
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
        inside = f"memory IN ({placeholders(memories)})"
        self._db.rows(f"DELETE FROM chunks WHERE {inside}", tuple(memories))

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
            projects: whose windows are looked at.
            count: how many, at most 4096.
            model: that made the vector.
            allowed: which chunks may answer, all of this model; None for all of these projects.
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
        measured = self._measured(
            f"SELECT chunk, {_DISTANCE} AS distance FROM vectors v WHERE chunk IN ({among}) "
            f"ORDER BY distance NULLS LAST, chunk LIMIT {min(count, MAX_NEIGHBOURS):d}",
            (vector, *bindings),
        )
        return _told(measured, model)

    def alike(
        self, vector: bytes, projects: Sequence[int], floor: float, count: int, model: VectorModel
    ) -> list[tuple[int, float]]:
        """Return (chunk, cosine) of windows above a cosine, best first, ties by chunk.

        Args:
            vector: float32, L2-normalised.
            projects: whose windows are looked at.
            floor: a cosine; below .9 some that lie above it are missed.
            count: how many, at most.
            model: that made the vector.
        """
        index = self._open_bits(model)
        if index is None or len(vector) % _BITS_OF:
            near = self.nearest(vector, projects, count, model)
        else:
            bits = self._db.value("SELECT vec_quantize_binary(?)", (vector,))
            near = _told(self._measure(index, vector, index.alike(bits, projects, count)), model)
        return [(chunk, cosine) for chunk, cosine in near if cosine > floor]

    def first(self, memories: Sequence[int]) -> dict[int, ModelVector]:
        """Return the vector of the first window of each of these, of the model that serves."""
        serving = self.known()
        if not self.available or serving is None:
            return {}
        rows = self._db.rows(
            "SELECT c.memory, v.embedding FROM json_each(?) j CROSS JOIN chunks c "
            "ON c.memory = j.value AND c.model = ? AND c.ordinal = 0 "
            "CROSS JOIN vectors v ON v.chunk = c.key",
            (str(list(memories)), serving.key),
        )
        return {memory: ModelVector.by(serving.name, vector) for memory, vector in rows}

    def likeness(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the cosine of the first windows of each two memories, where both have one."""
        serving = self.known()
        if not pairs or serving is None:
            return {}
        first = self.first(sorted({memory for pair in pairs for memory in pair}))
        others: dict[int, list[int]] = {}
        for one, other in pairs:
            if one in first and other in first:
                others.setdefault(one, []).append(other)
        found: dict[tuple[int, int], float] = {}
        for one, each in others.items():
            for start in range(0, len(each), _COMPARED):
                some = each[start : start + _COMPARED]
                columns = ", ".join(f"vec_distance_cosine(?1, ?{2 + n})" for n in range(len(some)))
                distances = self._db.rows(
                    f"SELECT {columns}", (first[one], *(first[other] for other in some))
                )[0]
                for other, distance in zip(some, distances, strict=True):
                    if distance is not None:
                        found[one, other] = scaled(1.0 - distance, serving)
        return found

    # -- by bits

    def _open_bits(self, model: VectorModel) -> BinaryIndex | None:
        if self._has_numpy and (self._bits is None or self._bits.model != model.key):
            from .binary_index import open_bits  # numpy, which no hook may import

            self._bits = open_bits(self._db, model.key)
            self._has_numpy = self._bits is not None
        return self._bits

    def _bits_for(self, projects: Sequence[int], model: VectorModel) -> BinaryIndex | None:
        """Return the index of bits where these projects have too many vectors to compare all."""
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
        """Return as ``nearest`` does, from candidates whose bits are nearest."""
        bits = self._db.value("SELECT vec_quantize_binary(?)", (vector,))
        depth = DEPTH * max(count, LEAST)
        if allowed is not None:
            nearest = index.nearest(vector, bits, projects, _LOOKED_AT, _LOOKED_AT)
            return _told(
                self._measure(index, vector, _passing(self._db, nearest, depth, allowed))[:count],
                model,
            )
        growth = max(1.0, index.count(projects, AMONG) / AMONG) ** (1 / 3)
        depth = int(depth * growth)
        wide = int(depth * growth * WIDE)
        candidates = index.nearest(vector, bits, projects, depth, wide)
        measured = self._measure(index, vector, candidates)
        if len(measured) < len(candidates) * _STALE_SHARE:
            index.forget()
            candidates = index.nearest(vector, bits, projects, depth, wide)
            measured = self._measure(index, vector, candidates)
        return _told(measured[:count], model)

    def _measure(
        self, index: BinaryIndex, vector: bytes, chunks: Sequence[int]
    ) -> list[tuple[float, int]]:
        """Return (distance, chunk) of those that are still there, nearest first, ties by chunk."""
        # a join looks each up by its number, neighbours in the file together
        rows = self._db.rows(
            "SELECT v.chunk, v.embedding FROM json_each(?) j "
            "CROSS JOIN vectors v ON v.chunk = j.value",
            (str(sorted(chunks)),),
        )
        return sorted(index.distances(vector, rows))

    def _measured(self, sql: str, bindings: tuple[object, ...]) -> list[tuple[float, int]]:
        rows = self._db.rows(sql, bindings)
        # a vector without a direction (all zero, or damaged) is near to nothing
        return sorted((distance, chunk) for chunk, distance in rows if distance is not None)

    def outdate(self, memory: int) -> None:
        """List a memory as one that needs new vectors; until it has some, the old ones answer."""
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
        known = self.known(model)
        if known is None and self.known() is None:
            rows = self._db.rows(
                "SELECT key FROM memories WHERE forgotten_at IS NULL ORDER BY key LIMIT ?", (limit,)
            )
        elif known is None or known.state == KEPT:
            rows = []
        else:
            rows = self._db.rows(
                "SELECT u.memory FROM unembedded u JOIN memories m ON m.key = u.memory "
                "WHERE u.model = ? AND m.forgotten_at IS NULL ORDER BY u.memory LIMIT ?",
                (known.key, limit),
            )
        return [key for (key,) in rows]


def scaled(cosine: float, model: VectorModel) -> float:
    """Return a model's cosine on the scale of the shipped one."""
    return calibrate_cosine(cosine, model.low, model.high)


def _told(measured: Sequence[tuple[float, int]], model: VectorModel) -> list[tuple[int, float]]:
    """Return (chunk, cosine) for each (distance, chunk)."""
    return [(chunk, scaled(1.0 - distance, model)) for distance, chunk in measured]


def _passing(
    database: Database, nearest: Sequence[int], wanted: int, allowed: ChunkFilter
) -> list[int]:
    """Return candidates that pass a filter: so many of the nearest, else all that pass."""
    passed: list[int] = []
    tried = 0
    while len(passed) < wanted and tried < len(nearest):
        # as many more as should bring the rest, by the share that passed so far
        share = max(len(passed) / tried, _MIN_SHARE) if tried else 1.0
        some = nearest[tried : tried + int((wanted - len(passed)) / share * _MORE) + 1]
        rows = database.rows(allowed.among, (str(sorted(some)), *allowed.bindings))
        inside = {key for key, _memory, _head in rows}
        passed += [key for key in some if key in inside]
        tried += len(some)
    if len(passed) >= wanted or len(nearest) < _LOOKED_AT:
        return passed
    return [key for (key,) in database.rows(allowed.every, allowed.bindings)]
