"""Looking for entities: by names that are alike or mean the like, or all of them page by page."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.entity import Entity, EntityUse
from aforesaid.domain.model.entity_names import normalise_name, spaced_name
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.transcript import cut
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.ports import Embedder, NameMatcher, Store

MAX_RESULTS = 50
QUERY_CHARS = 500
#: Likeness below this is chance. Source: docs/adr/0016-entities.md.
MIN_LIKE = 0.7
#: Cosine of a name below this says nothing on the shipped model. Source: docs/adr/0016-entities.md.
MIN_MEANING = 0.4
MAX_EMBEDDED = 200  #: names that one search gives vectors to; the rest follows later
DESCRIPTION_CHARS = 300
MAX_KEY_DIGITS = 18  #: of a cursor: no number that the engine cannot hold


class FoundEntity(Value):
    """One entity that was looked for."""

    entity: Entity
    use: EntityUse
    score: float | None = None  #: in [0, 1]; None in lists


class FoundEntities(Value):
    """An answer."""

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
        """Return entities whose names are alike, or mean the like, best first, ties by name.

        Raises:
            InvalidInputError: the query is empty or too long, or the limit outside its own.
        """
        _check_limit(limit)
        if len(query) > QUERY_CHARS or not normalise_name(query):
            raise InvalidInputError(
                f"query {query[:40]!r} has {len(query)} characters: give a name, or what it is, "
                f"in 1 to {QUERY_CHARS}"
            )
        known = {
            one.key: one
            for one in self._store.entities.list_visible(visible, scopes=scopes, types=types)
        }
        scores = self._alike(query, list(known.values()))
        for key, cosine in self._meaning(query, visible):
            if key in known and cosine >= MIN_MEANING:
                scores[key] = max(scores.get(key, 0.0), cosine)
        ranked = sorted(scores, key=lambda key: (-round(scores[key], 3), known[key].normalised))
        shown = ranked[:limit]
        uses = self._store.entities.uses(shown, visible)
        return FoundEntities(
            results=tuple(
                FoundEntity(
                    entity=known[key],
                    use=uses.get(key, EntityUse()),
                    score=round(min(scores[key], 1.0), 3),
                )
                for key in shown
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
        """Return the known entities by name, a page from where the last one ended.

        Raises:
            InvalidInputError: the limit or the cursor is none.
        """
        _check_limit(limit)
        after = None if cursor is None else _read_cursor(cursor)
        entities = self._store.entities.list_visible(
            visible, scopes=scopes, types=types, after=after, limit=limit + 1
        )
        shown = entities[:limit]
        uses = self._store.entities.uses([one.key for one in shown], visible)
        last = shown[-1] if len(entities) > limit else None
        return FoundEntities(
            results=tuple(
                FoundEntity(entity=one, use=uses.get(one.key, EntityUse())) for one in shown
            ),
            total_matched=len(
                self._store.entities.list_visible(visible, scopes=scopes, types=types)
            ),
            next_cursor=None if last is None else f"{last.key}_{last.normalised}",
        )

    def embed_missing(self, most: int) -> int:
        """Give vectors to names that have none of this model yet; return how many got one."""
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return 0
        keys = self._store.entities.without_vector(embedder.model, most)
        if not keys:
            return 0
        try:
            made = embedder.embed_documents([self._text(key) for key in keys])
        except UnavailableError:
            return 0  # an API that is down: the next time
        with self._store.transaction():
            for key, windows in zip(keys, made, strict=True):
                self._store.entities.set_vector(key, windows[0], embedder.model)
        return len(keys)

    # -- parts

    def _alike(self, query: str, entities: Sequence[Entity]) -> dict[int, float]:
        spaced, normalised = spaced_name(query), normalise_name(query)
        names = [
            (entity.key, name) for entity in entities for name in (entity.name, *entity.aliases)
        ]
        found: dict[int, float] = {}
        texts = [spaced_name(name) for _key, name in names]
        for place, score in self._matcher.search(spaced, texts, MIN_LIKE):
            key = names[place][0]
            found[key] = max(found.get(key, 0.0), score)
        for key, name in names:
            if normalise_name(name) == normalised:
                found[key] = 1.0
        return found

    def _meaning(self, query: str, visible: Visibility) -> list[tuple[int, float]]:
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return []
        try:
            self.embed_missing(MAX_EMBEDDED)
        except UnavailableError:
            pass  # somebody else writes, or the file is read alone: what has vectors answers
        try:
            vector = embedder.embed_document(spaced_name(query))[0]
        except UnavailableError:
            return []  # an API that is down: names alone answer
        return self._store.entities.near(vector, embedder.model, visible, MAX_RESULTS)

    def _text(self, key: int) -> str:
        """Return what stands for an entity's meaning: its names and how it is described."""
        entity = self._store.entities.get(key)
        assert entity is not None
        own = Visibility(projects=(entity.project,))
        about = self._store.memories.select(own, Filters(types=("entity",), entities=(key,)), 1)
        names = ", ".join(spaced_name(name) for name in (entity.name, *entity.aliases[:5]))
        return f"{names}. {cut(about[0].content, DESCRIPTION_CHARS)}" if about else names


def _check_limit(limit: int) -> None:
    if not 1 <= limit <= MAX_RESULTS:
        raise InvalidInputError(f"limit {limit}: use 1 to {MAX_RESULTS}")


def _read_cursor(cursor: str) -> tuple[str, int]:
    key, mark, normalised = cursor.partition("_")
    if not mark or not (key.isascii() and key.isdigit() and len(key) <= MAX_KEY_DIGITS):
        raise InvalidInputError(
            f"cursor {cursor[:80]!r} is none of ours: use next_cursor as it came"
        )
    return normalised, int(key)
