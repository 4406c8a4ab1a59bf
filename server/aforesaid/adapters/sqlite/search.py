"""Full-text and vector search, filtered by visibility inside the query."""

from __future__ import annotations

from aforesaid.domain.model.memory import FAILURE_TAG, GUARD_TAG, Filters, Hit, Visibility

from .filters import IN_FORCE, placeholders, sql_exists_at, sql_head_key, sql_visible, sql_where
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .fts_query_plan import Counted
    from .siblings import Siblings

#: Weights of the columns content, summary, terms in BM25.
_BM25 = "bm25(memories_fts, 1.0, 1.0, 0.5)"
_WIDEN = 4  #: factor by which a search that found too few heads fetches more
_MAX_ROWS = 20_000
_DUPLICATE_WINDOWS = 256  #: windows of near duplicates fetched before filters
#: Number of memories up to which every match is ranked. Source: ADR 0022.
WHOLE_WORDS = 12_000
#: Chunks by key, with their memories and the memories these stand for. CROSS JOIN fixes the order:
#: the planner would otherwise read every visible memory for a few keys.
_AMONG = (
    "SELECT c.key, m.key, h.key FROM json_each(?) j CROSS JOIN chunks c ON c.key = j.value "
    "CROSS JOIN memories m ON m.key = c.memory CROSS JOIN memories h ON h.key = {joined}"
)
#: Failures in force; their tag has an index.
_FAILURES = (
    "FROM tags t JOIN memories m ON m.key = t.memory "
    f"WHERE t.tag = '{FAILURE_TAG}' AND m.provenance = 'derived' AND {IN_FORCE}"
)
_UNSELECTIVE = Filters()  #: most rows pass


class SearchIndex(SqliteRepository):
    """Full-text and vector search of the store."""

    def __init__(self, store: Siblings) -> None:
        """Attach the index to its store."""
        super().__init__(store)
        whole_words = store.whole_words
        self._whole_words = WHOLE_WORDS if whole_words is None else whole_words
        self._counted: Counted = {}  # cached row counts of words

    @property
    def has_vectors(self) -> bool:
        """Whether this store can search vectors."""
        return self._store.vectors.available

    def by_words(
        self, words: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Return rows that contain any of the words, best first, ties by key.

        A row stands for the head of its chain: both must be visible, filters apply to the head, and
        rows whose head is forgotten or archived are left out. Score: BM25, higher is better.
        """
        if not words:
            return []
        quoted = ['"' + word.replace('"', '""') + '"' for word in words]
        if (self._db.value("SELECT max(key) FROM memories") or 0) > self._whole_words:
            hits = self._search_planned(quoted, visible, filters, limit)
        else:
            hits = self._search_all(quoted, visible, filters, limit)
        if filters.as_of is not None:
            hits += self._forgotten_since(words, visible, filters, hits)
        return hits

    def _search_all(
        self, quoted: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Rank all rows that contain any of the words."""
        where, bindings = sql_where(visible, filters, "h")
        is_visible, visible_bindings = sql_visible(visible, "m")
        # SQLite does not merge a sub-select with a LIMIT into the join, so its order is kept: rows
        # are looked up, best first, only until there are enough
        sql = (
            f"SELECT m.key, h.key, f.score FROM (SELECT rowid AS key, -{_BM25} AS score "
            "FROM memories_fts WHERE memories_fts MATCH ? ORDER BY score DESC, rowid LIMIT -1) f "
            "CROSS JOIN memories m ON m.key = f.key "
            f"CROSS JOIN memories h ON h.key = {sql_head_key(filters)} "
            f"WHERE {where} AND {sql_exists_at(filters, 'h')} AND {is_visible} LIMIT ?"
        )

        def fetch(count: int) -> tuple[list[Hit], bool]:
            rows = self._db.rows(sql, (" OR ".join(quoted), *bindings, *visible_bindings, count))
            hits = [Hit(key=key, head=head, score=score) for key, head, score in rows]
            return hits, len(rows) < count

        return _widened(fetch, limit, _MAX_ROWS)

    def _search_planned(
        self, quoted: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Rank the rows that rare words, or several common ones, select."""
        from .fts_query_plan import MAX_RANKED, FtsQueryPlan  # only large stores need it

        plan = FtsQueryPlan(self._db, quoted, self._counted)
        scores: dict[int, float] = {}
        if plan.rare:
            rows = self._db.rows(
                f"SELECT rowid, -{_BM25} FROM memories_fts WHERE memories_fts MATCH ?",
                (plan.rare_match,),
            )
            scores = dict(rows)
            for key, gain in plan.gains(plan.rare_match).items():
                scores[key] = scores.get(key, 0.0) + gain
        common_words = plan.together()
        if common_words:
            conjunction = " AND ".join(common_words)
            rows = self._db.rows(
                "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? "
                "ORDER BY rowid DESC LIMIT ?",
                (conjunction, MAX_RANKED),
            )
            gains = plan.gains(conjunction, common_words)
            base_score = plan.gain_of(common_words)
            scores.update(
                (key, base_score + gains.get(key, 0.0)) for (key,) in rows if key not in scores
            )
        ranked = sorted(scores, key=lambda key: (-scores[key], key))
        where, bindings = sql_where(visible, filters, "h")
        is_visible, visible_bindings = sql_visible(visible, "m")
        sql = (
            "SELECT m.key, h.key FROM json_each(?) j CROSS JOIN memories m ON m.key = j.value "
            f"CROSS JOIN memories h ON h.key = {sql_head_key(filters)} "
            f"WHERE {where} AND {sql_exists_at(filters, 'h')} "
            f"AND {is_visible}"
        )

        heads: dict[int, int] = {}
        looked_up = 0

        def fetch(count: int) -> tuple[list[Hit], bool]:
            nonlocal looked_up
            tried = ranked[: _WIDEN * count]
            # ordered by key, not by score: rows of one page are read together
            heads.update(
                self._db.rows(sql, (str(sorted(tried[looked_up:])), *bindings, *visible_bindings))
            )
            looked_up = len(tried)
            hits = [
                Hit(key=key, head=heads[key], score=scores[key]) for key in tried if key in heads
            ]
            return hits, looked_up == len(ranked)

        return _take_heads(_widened(fetch, limit, _MAX_ROWS), limit)

    def _forgotten_since(
        self, words: Sequence[str], visible: Visibility, filters: Filters, hits: Sequence[Hit]
    ) -> list[Hit]:
        """Return rows forgotten after ``as_of`` that contain a word: the index has lost them.

        Score: the share of the words that match, times the best score of the other hits.
        """
        where, bindings = sql_where(visible, filters, "h")
        is_visible, visible_bindings = sql_visible(visible, "m")
        rows = self._db.rows(
            "SELECT m.key, h.key, m.content, m.summary, m.terms FROM memories m "
            f"JOIN memories h ON h.key = {sql_head_key(filters)} "
            f"WHERE {is_visible} "
            f"AND m.forgotten_at > {filters.as_of:d} AND {where} AND {sql_exists_at(filters, 'h')} "
            "ORDER BY m.key",
            (*visible_bindings, *bindings),
        )
        if not rows:
            return []
        padded_words = [_padded(word) for word in words]
        best = max((hit.score for hit in hits), default=1.0)
        forgotten = []
        for key, head, *texts in rows:
            padded_texts = [_padded(text) for text in texts if text]
            matched = sum(any(word in text for text in padded_texts) for word in padded_words)
            if matched:
                forgotten.append(Hit(key=key, head=head, score=best * matched / len(words)))
        return forgotten

    def triggers(self, visible: Visibility, limit: int) -> list[tuple[int, str]]:
        """Return (key, trigger) of trusted memories in force with a trigger, newest first."""
        where, bindings = sql_where(visible, Filters(trusted_only=True), "m")
        return self._db.rows(
            "SELECT m.key, json_extract(m.metadata, '$.trigger') AS named FROM memories m "
            f"WHERE {where} AND {IN_FORCE} AND json_type(m.metadata, '$.trigger') = 'text' "
            "ORDER BY m.key DESC LIMIT ?",
            (*bindings, limit),
        )

    def failures(
        self, field: str, values: Sequence[str], visible: Visibility | None, limit: int
    ) -> list[int]:
        if not values:
            return []
        condition, bindings = _FAILURES, list[object]()
        if visible is not None:
            is_visible, bindings = sql_visible(visible, "m")
            condition = f"{condition} AND {is_visible}"
        rows = self._db.rows(
            f"SELECT m.key {condition} "
            f"AND (json_extract(m.metadata, '$.' || ?) IN ({placeholders(values)}) OR EXISTS "
            f"(SELECT 1 FROM json_each(m.metadata, '$.' || ? || 's') AS each "
            f"WHERE each.value IN ({placeholders(values)}))) ORDER BY m.key DESC LIMIT ?",
            (*bindings, field, *values, field, *values, limit),
        )
        return [key for (key,) in rows]

    def failure_errors(self, limit: int) -> list[tuple[int, list[str]]]:
        """Implement ``SearchIndex.failure_errors``."""
        import json

        rows = self._db.rows(
            "SELECT m.key, m.metadata ->> '$.error', m.metadata -> '$.errors' "
            f"{_FAILURES} ORDER BY m.key DESC LIMIT ?",
            (limit,),
        )
        return [
            (key, [error, *(json.loads(further) if further else ())])
            for key, error, further in rows
            if error
        ]

    def guards(self, visible: Visibility, limit: int) -> list[int]:
        where, bindings = sql_where(visible, Filters(trusted_only=True), "m")
        rows = self._db.rows(
            "SELECT m.key FROM tags t JOIN memories m ON m.key = t.memory "
            f"WHERE t.tag = '{GUARD_TAG}' AND {where} AND {IN_FORCE} "
            "AND json_type(m.metadata, '$.guard') = 'object' ORDER BY m.key DESC LIMIT ?",
            (*bindings, limit),
        )
        return [key for (key,) in rows]

    def has_failures(self, visible: Visibility) -> bool:
        is_visible, bindings = sql_visible(visible, "m")
        query = f"SELECT 1 {_FAILURES} AND (m.metadata ->> '$.fixed' OR {is_visible}) LIMIT 1"
        return self._db.row(query, bindings) is not None

    def by_vector(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        """Return the rows whose best window is nearest, best first. Score: cosine in [-1, 1]."""
        from .vectors import MAX_NEIGHBOURS, ChunkFilter  # no hook searches vectors

        vector_model = self._store.vectors.of(vector, model)
        if vector_model is None:
            return []
        where, bindings = sql_where(visible, filters, "h")
        is_visible, visible_bindings = sql_visible(visible, "m")
        bindings = [*bindings, *visible_bindings]
        joined = sql_head_key(filters)
        condition = f"WHERE {where} AND {sql_exists_at(filters, 'h')} AND {is_visible}"
        among = f"{_AMONG.format(joined=joined)} {condition}"
        chunk_filter = None
        if (
            filters.replace(include_history=False, min_confidence=0.0, trusted_only=False)
            != _UNSELECTIVE
        ):
            # selective: filter inside the search; otherwise filtering its result is cheaper
            chunk_filter = ChunkFilter(
                every="SELECT c.key FROM chunks c JOIN memories m ON m.key = c.memory "
                f"JOIN memories h ON h.key = {joined} {condition} "
                f"AND c.model = {vector_model.key:d}",
                among=among,
                bindings=tuple(bindings),
            )

        def fetch(count: int) -> tuple[list[Hit], bool]:
            nearest = self._store.vectors.nearest(
                vector, visible.projects, count, vector_model, chunk_filter
            )
            chunks = sorted(chunk for chunk, _cosine in nearest)
            rows = self._db.rows(among, (str(chunks), *bindings))
            of_chunk = {chunk: (key, head) for chunk, key, head in rows}
            return list(_best_windows(nearest, of_chunk).values()), len(nearest) < count

        return _widened(fetch, limit, MAX_NEIGHBOURS)

    def without_vector(self, keys: Sequence[int], vector: bytes, model: str | None) -> set[int]:
        """Return which of these memories lack a vector of the model that is searched."""
        vector_model = self._store.vectors.of(vector, model)
        if vector_model is None or not keys:
            return set()
        return self._store.vectors.without(keys, vector_model)

    def near_duplicates(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        floor: float,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        """Return heads with a window above this cosine, best first: possible duplicates."""
        vector_model = self._store.vectors.of(vector, model)
        if vector_model is None:
            return []
        nearest = self._store.vectors.near_duplicates(
            vector, visible.projects, floor, _DUPLICATE_WINDOWS, vector_model
        )
        if not nearest:
            return []
        where, bindings = sql_where(visible, filters, "h")
        rows = self._db.rows(
            f"{_AMONG.format(joined=sql_head_key(filters))} "
            f"WHERE h.key = m.key AND {where} AND {sql_exists_at(filters, 'h')}",
            (str([chunk for chunk, _cosine in nearest]), *bindings),
        )
        of_chunk = {chunk: (key, head) for chunk, key, head in rows}
        return list(_best_windows(nearest, of_chunk).values())[:limit]

    def near_words(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        """Return similar visible words for each word that the caller sees nowhere."""
        return self._store.vocabulary.near(words, visible)

    def pair_cosines(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the cosine of the first windows of each pair, if both memories have one."""
        return self._store.vectors.pair_cosines(pairs)

    def set_vectors(self, key: int, vectors: Sequence[bytes], model: str) -> None:
        """Replace a memory's vectors of a model; a forgotten memory gets none."""
        project = self._db.value(
            "SELECT project FROM memories WHERE key = ? AND forgotten_at IS NULL", (key,)
        )
        if project is not None:
            self._store.vectors.put(key, project, vectors, model)

    def without_vectors(self, model: str, limit: int) -> list[int]:
        """Return keys of memories that need vectors of this model, oldest first."""
        return self._store.vectors.missing(model, limit)


def _best_windows(
    nearest: Sequence[tuple[int, float]], of_chunk: dict[int, tuple[int, int]]
) -> dict[int, Hit]:
    """Return the hit of each memory's best window, best first."""
    best: dict[int, Hit] = {}
    for chunk, cosine in nearest:
        if chunk in of_chunk:
            key, head = of_chunk[chunk]
            if key not in best:
                best[key] = Hit(key=key, head=head, score=cosine)
    return best


def _take_heads(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Return the hits until ``limit`` distinct heads have one."""
    heads: set[int] = set()
    selected = []
    for hit in hits:
        if len(heads) == limit:
            break
        heads.add(hit.head)
        selected.append(hit)
    return selected


def _padded(text: str) -> str:
    """Return a text's words in lower case, with one space around each."""
    letters = "".join(letter if letter.isalnum() else " " for letter in text.lower())
    return f" {' '.join(letters.split())} "


def _widened(
    fetch: Callable[[int], tuple[list[Hit], bool]], limit: int, max_count: int
) -> list[Hit]:
    """Fetch more and more hits until they have ``limit`` distinct heads or none are left.

    ``fetch(count)`` returns hits, and whether there are no more.
    """
    count = limit
    while True:
        hits, is_complete = fetch(count)
        if is_complete or count >= max_count or len({hit.head for hit in hits}) >= limit:
            return hits
        count = min(count * _WIDEN, max_count)
