"""Large stores of made-up memories, filled fast: rows and words by the real store, vectors mixed.

A million texts would take an hour to embed. So a few thousand are, by the real model, and every
memory gets a mixture of two of those vectors with noise: as near to each other as real ones are.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from bench.corpus import each_memory, make_memories, make_questions
from bench.stores import make_place, open_core
from bench.vectors import CachedEmbedder

from aforesaid.domain.model.ids import next_uuid7
from aforesaid.domain.model.memory import Memory
from aforesaid.domain.text.hashing import content_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.ports import Embedder

PROJECT = "acme/payments"
OTHERS = 4  #: projects that hold a tenth together
EMBEDDED = 4_000
BATCH = 1_000
VOCABULARY = 200_000  #: names of things, the n-th used 1/n as often as the first
YEAR_MS = 365 * 86_400_000
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu", "ra", "se", "ti", "vo")


def name_of(rank: int) -> str:
    """Return the made-up name of this rank."""
    digest = hashlib.sha256(str(rank).encode()).digest()
    return "".join(_SYLLABLES[byte % len(_SYLLABLES)] for byte in digest[:4]) + str(rank % 10)


def any_name(chance: random.Random) -> str:
    """Return a name, common ones far more often than rare ones."""
    return name_of(int(VOCABULARY ** chance.random()))


def make_named_questions(count: int) -> list[str]:
    """Return questions, every second one with a name."""
    chance = random.Random(5)
    return [
        f"{question} {any_name(chance)}" if number % 2 else question
        for number, question in enumerate(make_questions(count))
    ]


def real_vectors(embedder: Embedder, count: int) -> Any:
    """Return vectors of so many texts by the real model, ``(count, dimensions)`` float32."""
    import numpy as np  # noqa: PLC0415 - comes with the model

    cached = CachedEmbedder(embedder)
    texts = [one.content for one in make_memories(count, seed=3)]
    rows = [cached.embed_documents([text])[0][0] for text in texts]
    return np.frombuffer(b"".join(rows), dtype="<f4").reshape(len(rows), -1)


def mixed_vectors(real: Any, count: int, seed: int) -> Iterator[bytes]:
    """Yield so many mixtures of two vectors each, with noise, of length one."""
    import numpy as np  # noqa: PLC0415 - comes with the model

    chance = np.random.default_rng(seed)
    for start in range(0, count, BATCH):
        size = min(BATCH, count - start)
        one, other = (real[chance.integers(len(real), size=size)] for _ in range(2))
        share = chance.uniform(0.5, 0.95, size=(size, 1)).astype("<f4")
        noise = chance.normal(0, 0.02, size=one.shape).astype("<f4")
        mixed = share * one + (1 - share) * other + noise
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        yield from (row.tobytes() for row in mixed)


def fill(path: str, size: int, embedder: Embedder) -> float:
    """Store so many memories, nine of ten in one project; return the seconds it took."""
    real = real_vectors(embedder, min(EMBEDDED, max(size, 8)))
    core = open_core(path, embedder)
    places = [make_place(core, PROJECT)]
    places += [make_place(core, f"acme/service-{number}") for number in range(OTHERS)]
    owners = [place.project.key for place in places]
    began = time.perf_counter()
    now = core.clock.now()
    chance = random.Random(13)
    vectors = mixed_vectors(real, size, seed=17)
    made = enumerate(each_memory(size))
    last = core.store.memories.last_id()
    while batch := list(islice(made, BATCH)):
        with core.store.transaction():
            for number, one in batch:
                text = f"{one.content} Concerns {any_name(chance)}, {any_name(chance)}."
                created = now - YEAR_MS + number * YEAR_MS // size
                last = next_uuid7(last, created)
                owner = owners[0] if number % 10 else owners[1 + number // 10 % OTHERS]
                stored = core.store.memories.add(
                    Memory(
                        id=last,
                        type=one.type if one.type != "entity" else "semantic",
                        scope="project",
                        project=owner,
                        content=text,
                        summary=one.summary,
                        importance=one.importance,
                        confidence=0.8,
                        created_at=created,
                        updated_at=created,
                        last_reinforced_at=created,
                        provenance="assistant",
                        tags=one.tags,
                        content_hash=content_hash(text),
                    )
                )
                core.store.search.set_vectors(stored.key, [next(vectors)], embedder.model)
    core.close()
    return time.perf_counter() - began


def statements_of(count: int) -> Sequence[str]:
    """Return texts that are in no store yet."""
    chance = random.Random(29)
    return [f"{one.content} For {any_name(chance)}." for one in make_memories(count, seed=31)]
