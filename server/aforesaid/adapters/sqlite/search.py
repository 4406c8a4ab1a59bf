"""Which rows match words, or lie near a vector; filtered by who asks, inside the query."""

from __future__ import annotations

from aforesaid.domain.model.memory import Filters, Hit, Visibility

from .filters import IN_FORCE, sql_exists_at, sql_head_key, sql_visible, sql_where
from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .fts_query_plan import Counted
    from .store import SqliteStore

#: Weights of the columns content, summary, terms in BM25.
_BM25 = "bm25(memories_fts, 1.0, 1.0, 0.5)"
_WIDEN = 4
_MAX_ROWS = 20_000
_ALIKE = 256  #: windows that may say the same, before filters
#: Memories up to which every row that holds a word is ranked. Source: ADR 0022.
WHOLE_WORDS = 12_000
#: Chunks by their numbers, with their memories and what stands for these. CROSS JOIN keeps the
#: order: few numbers are given, and the planner would read all that is visible instead.
_AMONG = (
    "SELECT c.key, m.key, h.key FROM json_each(?) j CROSS JOIN chunks c ON c.key = j.value "
    "CROSS JOIN memories m ON m.key = c.memory CROSS JOIN memories h ON h.key = {joined}"
)
_UNSELECTIVE = Filters()  #: most rows pass it


class SearchIndex(Repository):
    """Words and vectors of the store."""

    def __init__(self, store: SqliteStore) -> None:
        """Join the index to its store."""
        super().__init__(store)
        whole_words = store.whole_words
        self._whole_words = WHOLE_WORDS if whole_words is None else whole_words
        self._counted: Counted = {}  # rows of words that were counted here

    @property
    def has_vectors(self) -> bool:
        """Whether this store can search vectors at all."""
        return self._store.vectors.available

    def by_words(
        self, words: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Return rows that hold any of the words, best first, ties by key.

        A row stands for the head of its chain: both must be visible, filters hold on the head, and
        rows whose head was forgotten or archived are left out. Score: BM25, higher is better.
        """
        if not words:
            return []
        quoted = ['"' + word.replace('"', '""') + '"' for word in words]
        if (self._db.value("SELECT max(key) FROM memories") or 0) > self._whole_words:
            hits = self._search_common(quoted, visible, filters, limit)
        else:
            hits = self._search_whole(quoted, visible, filters, limit)
        if filters.as_of is not None:
            hits += self._forgotten_since(words, visible, filters, hits)
        return hits

    def _search_whole(
        self, quoted: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Return the best of all rows that hold any of the words."""
        where, bindings = sql_where(visible, filters, "h")
        sight, sights = sql_visible(visible, "m")
        # a sub-select with a limit is not merged into the join, which keeps its order: rows are
        # looked up, best first, only until there are enough
        sql = (
            f"SELECT m.key, h.key, f.score FROM (SELECT rowid AS key, -{_BM25} AS score "
            "FROM memories_fts WHERE memories_fts MATCH ? ORDER BY score DESC, rowid LIMIT -1) f "
            "CROSS JOIN memories m ON m.key = f.key "
            f"CROSS JOIN memories h ON h.key = {sql_head_key(filters)} "
            f"WHERE {where} AND {sql_exists_at(filters, 'h')} AND {sight} LIMIT ?"
        )

        def fetch(count: int) -> tuple[list[Hit], bool]:
            rows = self._db.rows(sql, (" OR ".join(quoted), *bindings, *sights, count))
            hits = [Hit(key=key, head=head, score=score) for key, head, score in rows]
            return hits, len(rows) < count

        return _widened(fetch, limit, _MAX_ROWS)

    def _search_common(
        self, quoted: Sequence[str], visible: Visibility, filters: Filters, limit: int
    ) -> list[Hit]:
        """Return the best of the rows that rare words, or several common ones, choose."""
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
        held = plan.together()
        if held:
            together = " AND ".join(held)
            rows = self._db.rows(
                "SELECT rowid FROM memories_fts WHERE memories_fts MATCH ? "
                "ORDER BY rowid DESC LIMIT ?",
                (together, MAX_RANKED),
            )
            gains = plan.gains(together, held)
            least = plan.gain_of(held)
            scores.update(
                (key, least + gains.get(key, 0.0)) for (key,) in rows if key not in scores
            )
        ranked = sorted(scores, key=lambda key: (-scores[key], key))
        where, bindings = sql_where(visible, filters, "h")
        sight, sights = sql_visible(visible, "m")
        sql = (
            "SELECT m.key, h.key FROM json_each(?) j CROSS JOIN memories m ON m.key = j.value "
            f"CROSS JOIN memories h ON h.key = {sql_head_key(filters)} "
            f"WHERE {where} AND {sql_exists_at(filters, 'h')} "
            f"AND {sight}"
        )

        heads: dict[int, int] = {}
        done = 0

        def fetch(count: int) -> tuple[list[Hit], bool]:
            nonlocal done
            tried = ranked[: _WIDEN * count]
            # in the order of the file, not of scores: rows of one page are read together
            heads.update(self._db.rows(sql, (str(sorted(tried[done:])), *bindings, *sights)))
            done = len(tried)
            hits = [
                Hit(key=key, head=heads[key], score=scores[key]) for key in tried if key in heads
            ]
            return hits, done == len(ranked)

        return _first(_widened(fetch, limit, _MAX_ROWS), limit)

    def _forgotten_since(
        self, words: Sequence[str], visible: Visibility, filters: Filters, others: Sequence[Hit]
    ) -> list[Hit]:
        """Return rows forgotten after ``as_of`` that hold a word: they left the index of words.

        Score: the share of the words that match, of the best score among the others.
        """
        where, bindings = sql_where(visible, filters, "h")
        sight, sights = sql_visible(visible, "m")
        rows = self._db.rows(
            "SELECT m.key, h.key, m.content, m.summary, m.terms FROM memories m "
            f"JOIN memories h ON h.key = {sql_head_key(filters)} "
            f"WHERE {sight} "
            f"AND m.forgotten_at > {filters.as_of:d} AND {where} AND {sql_exists_at(filters, 'h')} "
            "ORDER BY m.key",
            (*sights, *bindings),
        )
        if not rows:
            return []
        wanted = [_padded(word) for word in words]
        best = max((hit.score for hit in others), default=1.0)
        found = []
        for key, head, *texts in rows:
            inside = [_padded(text) for text in texts if text]
            matched = sum(any(word in text for text in inside) for word in wanted)
            if matched:
                found.append(Hit(key=key, head=head, score=best * matched / len(words)))
        return found

    def triggers(self, visible: Visibility, limit: int) -> list[tuple[int, str]]:
        """Return (key, trigger) of trusted procedures in force that name one, newest first."""
        where, bindings = sql_where(visible, Filters(types=("procedural",), trusted=True), "m")
        return self._db.rows(
            "SELECT m.key, json_extract(m.metadata, '$.trigger') AS named FROM memories m "
            f"WHERE {where} AND {IN_FORCE} AND json_type(m.metadata, '$.trigger') = 'text' "
            "ORDER BY m.key DESC LIMIT ?",
            (*bindings, limit),
        )

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

        known = self._store.vectors.of(vector, model)
        if known is None:
            return []
        where, bindings = sql_where(visible, filters, "h")
        sight, sights = sql_visible(visible, "m")
        bindings = [*bindings, *sights]
        joined = sql_head_key(filters)
        wanted = f"WHERE {where} AND {sql_exists_at(filters, 'h')} AND {sight}"
        among = f"{_AMONG.format(joined=joined)} {wanted}"
        allowed = None
        if filters.replace(history=False, min_confidence=0.0, trusted=False) != _UNSELECTIVE:
            # selective: filter inside the search; else it costs more than filtering its answer
            allowed = ChunkFilter(
                every="SELECT c.key FROM chunks c JOIN memories m ON m.key = c.memory "
                f"JOIN memories h ON h.key = {joined} {wanted} AND c.model = {known.key:d}",
                among=among,
                bindings=tuple(bindings),
            )

        def fetch(count: int) -> tuple[list[Hit], bool]:
            near = self._store.vectors.nearest(vector, visible.projects, count, known, allowed)
            chunks = sorted(chunk for chunk, _cosine in near)
            rows = self._db.rows(among, (str(chunks), *bindings))
            of_chunk = {chunk: (key, head) for chunk, key, head in rows}
            return list(_best_windows(near, of_chunk).values()), len(near) < count

        return _widened(fetch, limit, MAX_NEIGHBOURS)

    def near_duplicates(
        self,
        vector: bytes,
        visible: Visibility,
        filters: Filters,
        floor: float,
        limit: int,
        model: str | None = None,
    ) -> list[Hit]:
        """Return heads with a window above this cosine, best first: what may say the same."""
        known = self._store.vectors.of(vector, model)
        if known is None:
            return []
        near = self._store.vectors.alike(vector, visible.projects, floor, _ALIKE, known)
        if not near:
            return []
        where, bindings = sql_where(visible, filters, "h")
        rows = self._db.rows(
            f"{_AMONG.format(joined=sql_head_key(filters))} "
            f"WHERE h.key = m.key AND {where} AND {sql_exists_at(filters, 'h')}",
            (str([chunk for chunk, _cosine in near]), *bindings),
        )
        of_chunk = {chunk: (key, head) for chunk, key, head in rows}
        return list(_best_windows(near, of_chunk).values())[:limit]

    def near_words(self, words: Sequence[str], visible: Visibility) -> dict[str, list[str]]:
        """Return, for each word that the caller sees nowhere, near ones that it sees somewhere."""
        return self._store.vocabulary.near(words, visible)

    def pair_cosines(self, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
        """Return the cosine of the first windows of each two memories, where both have one."""
        return self._store.vectors.likeness(pairs)

    def set_vectors(self, key: int, vectors: Sequence[bytes], model: str) -> None:
        """Replace a memory's vectors of a model; one that is forgotten gets none."""
        project = self._db.value(
            "SELECT project FROM memories WHERE key = ? AND forgotten_at IS NULL", (key,)
        )
        if project is not None:
            self._store.vectors.put(key, project, vectors, model)

    def without_vectors(self, model: str, limit: int) -> list[int]:
        """Return keys of memories that need vectors of this model, oldest first."""
        return self._store.vectors.missing(model, limit)


def _best_windows(
    near: Sequence[tuple[int, float]], of_chunk: dict[int, tuple[int, int]]
) -> dict[int, Hit]:
    """Return the hit of each memory's best window, best first."""
    best: dict[int, Hit] = {}
    for chunk, cosine in near:
        if chunk in of_chunk:
            key, head = of_chunk[chunk]
            if key not in best:
                best[key] = Hit(key=key, head=head, score=cosine)
    return best


def _first(hits: Sequence[Hit], limit: int) -> list[Hit]:
    """Return the hits up to the one that brings the last of so many heads."""
    heads: set[int] = set()
    kept = []
    for hit in hits:
        if len(heads) == limit:
            break
        heads.add(hit.head)
        kept.append(hit)
    return kept


def _padded(text: str) -> str:
    """Return the words of a text, lower-case, one blank around each."""
    letters = "".join(letter if letter.isalnum() else " " for letter in text.lower())
    return f" {' '.join(letters.split())} "


def _widened(fetch: Callable[[int], tuple[list[Hit], bool]], limit: int, most: int) -> list[Hit]:
    """Return hits with ``limit`` distinct heads, fetching more until there are or none are left.

    ``fetch(count)`` returns hits and whether these are all there are.
    """
    count = limit
    while True:
        hits, all_seen = fetch(count)
        if all_seen or count >= most or len({hit.head for hit in hits}) >= limit:
            return hits
        count = min(count * _WIDEN, most)
