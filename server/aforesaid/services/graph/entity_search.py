"""Searching entities by similar names or by meaning, and listing them page by page."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.entity import Entity, EntityUse, normalise_name, spaced_name
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.transcript import cut
from aforesaid.domain.value import Value
from aforesaid.ports import Embedder, NameMatcher, Store

MAX_RESULTS = 50
QUERY_CHARS = 500
#: A lower name similarity is chance. Source: docs/adr/0016-entities.md.
MIN_LIKE = 0.7
MIN_PART_LIKE = 0.85  #: the same for one word of a name: at most one letter differs
MIN_PART_CHARS = 4  #: shorter words resemble too many others
PART_SHARE = 0.95  #: of the similarity that counts for a part of a name
#: A lower cosine is noise on the shipped model. Source: docs/adr/0016-entities.md.
MIN_MEANING = 0.4
MAX_EMBEDDED = 200  #: missing vectors that one search computes; later searches do the rest
DESCRIPTION_CHARS = 300
MAX_KEY_DIGITS = 18  #: of the key in a cursor: SQLite integers have 64 bits


class FoundEntity(Value):
    """One entity of an answer."""

    entity: Entity
    use: EntityUse
    score: float | None = None  #: from 0 to 1; None in lists


class FoundEntities(Value):
    """The answer to a search, or one page of the list."""

    results: tuple[FoundEntity, ...] = ()
    total_matched: int = 0
    next_cursor: str | None = None


class EntitySearch:
    """The read path of entities."""

    def __init__(
        self, store: Store, embedder: Callable[[], Embedder | None], matcher: NameMatcher
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._matcher = matcher

    def search(
        self,
        query: str,
        visible: Visibility,
        *,
        scopes: Sequence[str] = (),
        types: Sequence[str] = (),
        limit: int = 5,
    ) -> FoundEntities:
        """Return entities with a similar name or meaning, best first, ties by name.

        Raises:
            InvalidInputError: The query is empty or too long, or the limit is out of range.
        """
        _check_limit(limit)
        if len(query) > QUERY_CHARS or not normalise_name(query):
            raise InvalidInputError(
                f"query {query[:40]!r} has {len(query)} characters: give a name or a description "
                f"of 1 to {QUERY_CHARS} characters"
            )
        entities = {
            entity.key: entity
            for entity in self._store.entities.list_visible(visible, scopes=scopes, types=types)
        }
        scores = self._search_names(query, list(entities.values()))
        for key, cosine in self._search_vectors(query, visible):
            if key in entities and cosine >= MIN_MEANING:
                scores[key] = max(scores.get(key, 0.0), cosine)
        ranked = sorted(scores, key=lambda key: (-round(scores[key], 3), entities[key].normalised))
        best = ranked[:limit]
        uses = self._store.entities.uses(best, visible)
        return FoundEntities(
            results=tuple(
                FoundEntity(
                    entity=entities[key],
                    use=uses.get(key, EntityUse()),
                    score=round(min(scores[key], 1.0), 3),
                )
                for key in best
            ),
            total_matched=len(ranked),
        )

    def page(
        self,
        visible: Visibility,
        *,
        scopes: Sequence[str] = (),
        types: Sequence[str] = (),
        limit: int = 20,
        cursor: str | None = None,
    ) -> FoundEntities:
        """Return one page of the entities in order of their names.

        Raises:
            InvalidInputError: The limit or the cursor is invalid.
        """
        _check_limit(limit)
        after = None if cursor is None else _read_cursor(cursor)
        entities = self._store.entities.list_visible(
            visible, scopes=scopes, types=types, after=after, limit=limit + 1
        )
        page = entities[:limit]
        uses = self._store.entities.uses([entity.key for entity in page], visible)
        last = page[-1] if len(entities) > limit else None
        return FoundEntities(
            results=tuple(
                FoundEntity(entity=entity, use=uses.get(entity.key, EntityUse())) for entity in page
            ),
            total_matched=len(
                self._store.entities.list_visible(visible, scopes=scopes, types=types)
            ),
            next_cursor=None if last is None else f"{last.key}_{last.normalised}",
        )

    def embed_missing(self, limit: int) -> int:
        """Embed entities that have no vector of the active model; return how many were embedded."""
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return 0
        keys = self._store.entities.without_vector(embedder.model, limit)
        if not keys:
            return 0
        try:
            vectors = embedder.embed_documents([self._text(key) for key in keys])
        except UnavailableError:
            return 0  # the embedding API is down: retried by the next call
        with self._store.transaction():
            for key, windows in zip(keys, vectors, strict=True):
                self._store.entities.set_vector(key, windows[0], embedder.model)
        return len(keys)

    def _search_names(self, query: str, entities: Sequence[Entity]) -> dict[int, float]:
        spaced, normalised = spaced_name(query), normalise_name(query)
        names = [
            (entity.key, name) for entity in entities for name in (entity.name, *entity.aliases)
        ]
        scores: dict[int, float] = {}
        texts = [spaced_name(name) for _key, name in names]
        for index, score in self._matcher.search(spaced, texts, MIN_LIKE):
            key = names[index][0]
            scores[key] = max(scores.get(key, 0.0), score)
        if " " not in spaced and len(spaced) >= MIN_PART_CHARS:  # a part of a name, mistyped
            parts = [
                (key, part)
                for (key, _name), text in zip(names, texts, strict=True)
                for part in text.split()
                if len(part) >= MIN_PART_CHARS
            ]
            part_texts = [part for _key, part in parts]
            for index, score in self._matcher.near(spaced, part_texts, MIN_PART_LIKE):
                key = parts[index][0]
                scores[key] = max(scores.get(key, 0.0), score * PART_SHARE)
        for key, name in names:
            if normalise_name(name) == normalised:
                scores[key] = 1.0
        return scores

    def _search_vectors(self, query: str, visible: Visibility) -> list[tuple[int, float]]:
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return []
        try:
            self.embed_missing(MAX_EMBEDDED)
        except UnavailableError:
            pass  # the store is locked or read-only: search the vectors that exist
        try:
            vector = embedder.embed_document(spaced_name(query))[0]
        except UnavailableError:
            return []  # the embedding API is down: search names only
        return self._store.entities.near(vector, embedder.model, visible, MAX_RESULTS)

    def _text(self, key: int) -> str:
        """Return the text that is embedded for an entity: its names and its description."""
        entity = self._store.entities.get(key)
        assert entity is not None
        own = Visibility(projects=(entity.project,))
        described = Filters(types=("entity",), entities=(key,))
        descriptions = self._store.memories.select(own, described, 1)
        names = ", ".join(spaced_name(name) for name in (entity.name, *entity.aliases[:5]))
        if not descriptions:
            return names
        return f"{names}. {cut(descriptions[0].content, DESCRIPTION_CHARS)}"


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_RESULTS:
        raise InvalidInputError(f"limit {limit}: use 1 to {MAX_RESULTS}")


def _read_cursor(cursor: str) -> tuple[str, int]:
    key, separator, normalised = cursor.partition("_")
    if not separator or not (key.isascii() and key.isdigit() and len(key) <= MAX_KEY_DIGITS):
        raise InvalidInputError(f"invalid cursor {cursor[:80]!r}: pass next_cursor unchanged")
    return normalised, int(key)
