"""How good a store is: what stands in it twice, says nothing, is doubtful or was never of use.

Looks only, and only so far that an answer comes in seconds: each finding says how far it looked.
Not here: judging a text (domain/maintenance/low_value.py, domain/conflict/contradiction.py),
mending (the phases beside this).
"""

from __future__ import annotations

from collections import deque

from aforesaid.domain.dedup import same_statement
from aforesaid.domain.maintenance.low_value import MOMENT, SHORT, VAGUE, low_value_reason
from aforesaid.domain.model.decay import days_between
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.text_fields import around_mark, redacted, texts_of
from aforesaid.domain.value import Value
from aforesaid.services.anchors import Anchors
from aforesaid.services.memories.near_duplicates import (
    CUES_PART_MOST,
    NEAR_COSINE,
    filter_by_cosine,
)

from .phase import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, FileReader, SecretFilter, Store

SECRETS = "secrets"
EXAMPLES = 5
TEXTS = 20_000  #: texts that are passed through the filter of secrets, the newest
REPEATS = 500  #: memories whose neighbours are looked at, the newest
NEIGHBOURS = 5
CONTRADICTIONS = 1_000
STALE = 2_000  #: memories whose cited files are looked at
UNUSED_DAYS = 30  #: younger ones had no chance yet


class Example(Value):
    """A memory that a finding speaks of."""

    key: int
    other: int | None = None  #: of the memory that it repeats or contradicts
    detail: str = (
        ""  #: of a secret: its kind and what stands around it, masked; of a stale one: why
    )


class QualityFinding(Value):
    """What is the matter with some memories."""

    name: str
    count: int = 0
    looked: int = 0  #: at so many memories
    examples: tuple[Example, ...] = ()

    def with_one(self, example: Example) -> QualityFinding:
        """Return the finding with one more memory."""
        kept = self.examples if len(self.examples) >= EXAMPLES else (*self.examples, example)
        return self.replace(count=self.count + 1, examples=kept)


class QualityReport(Value):
    """What was found among the memories in force that a place sees."""

    total: int
    findings: tuple[QualityFinding, ...]


class QualityReviewer:
    """Looks through a store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        secrets: SecretFilter | None,
        files: FileReader | None = None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._secrets = secrets
        self._files = files

    def review(self, visible: Visibility, place: CallContext) -> QualityReport:
        """Return what is the matter with what is seen.

        Args:
            visible: which memories.
            place: whose files stale ones are judged by.
        """
        total = 0
        same = _Repeats(self._store.maintenance.repeated_hashes())
        hardly = _Junk()
        unused = _Unused(self._clock.now())
        stale = QualityFinding(name="stale")
        newest: deque[int] = deque(maxlen=TEXTS)  # keys: the texts of a large store are many
        for page in self._pages(visible):
            total += len(page)
            newest.extend(one.key for one in page)
            stale = self._stale(stale, page, place)
            for one in page:
                same.see(one)
                hardly.see(one)
                unused.see(one)
        self._reworded(same, self._store.memories.get(list(newest)[-REPEATS:]))
        findings = (
            same.finding.replace(looked=total),
            *(one.replace(looked=total) for one in hardly.findings.values()),
            self._secret(visible, newest),
            stale,
            self._contradicting(visible, total),
            unused.finding(),
        )
        return QualityReport(total=total, findings=findings)

    def _pages(self, visible: Visibility, key: int = 0) -> Iterator[list[Memory]]:
        """Yield the memories in force behind a key that are seen, the newest last."""
        while page := self._store.maintenance.page(key, PAGE):
            key = page[-1].key
            yield [
                one
                for one in page
                if one.project in visible.projects
                and (one.scope != "task" or one.task in visible.tasks)
            ]

    def _reworded(self, same: _Repeats, memories: Sequence[Memory]) -> None:
        """Add what says the same in other words."""
        newest = [one for one in memories if one.type != "episodic"]
        vectors = self._store.maintenance.first_vectors([one.key for one in newest])
        for one in newest:
            for other in self._like(one, vectors.get(one.key)):
                same.tell(one.key, other)

    def _like(self, memory: Memory, vector: bytes | None) -> list[int]:
        """Return what was stored earlier and says the same in other words, one at most."""
        if vector is None:
            return []
        inside = () if memory.task is None else (memory.task,)
        hits = self._store.search.near_duplicates(
            vector,
            Visibility(projects=(memory.project,), tasks=inside),
            Filters(types=(memory.type,)),
            NEAR_COSINE - CUES_PART_MOST,
            NEIGHBOURS,
        )
        earlier = [hit.key for hit in hits if hit.key < memory.key]
        return [
            one.key
            for one in filter_by_cosine(
                memory, hits, self._store.memories.get(earlier), NEAR_COSINE
            )
            if one.content_hash != memory.content_hash
            and one.valid_to == memory.valid_to
            and same_statement(one.content, memory.content)
        ][:1]

    def _secret(self, visible: Visibility, looked: Sequence[int]) -> QualityFinding:
        found = QualityFinding(name=SECRETS, looked=len(looked) if self._secrets is not None else 0)
        if self._secrets is None or not looked:
            return found
        for page in self._pages(visible, looked[0] - 1):
            paths: dict[int, list[str]] = {}
            for anchor in self._store.anchors.of([one.key for one in page]):
                paths.setdefault(anchor.memory, []).append(anchor.path)
            for one in page:
                masked = [
                    (told, kinds)
                    for text in texts_of(one, paths.get(one.key, ()))
                    for told, kinds in [redacted(text, self._secrets.redact)]
                    if kinds
                ]
                if masked:
                    kinds = sorted({kind for _told, some in masked for kind in some})
                    told = f"{', '.join(kinds)}: {around_mark(masked[0][0])}"
                    found = found.with_one(Example(key=one.key, detail=told))
        return found

    def _stale(
        self, found: QualityFinding, page: Sequence[Memory], place: CallContext
    ) -> QualityFinding:
        if found.looked >= STALE:
            return found
        cited = {one.memory for one in self._store.anchors.of([one.key for one in page])}
        found = found.replace(looked=found.looked + len(cited))
        looked = [one for one in page if one.key in cited]
        for key, said in Anchors(self._store, self._files).stale(looked, place).items():
            found = found.with_one(Example(key=key, detail=", ".join(said)))
        return found

    def _contradicting(self, visible: Visibility, total: int) -> QualityFinding:
        found = QualityFinding(name="contradicting", looked=total)
        for one, other in self._store.relations.contradictions(visible, CONTRADICTIONS):
            found = found.with_one(Example(key=one, other=other))
        return found


class _Repeats:
    """Texts that stand there more than once."""

    def __init__(self, hashes: Collection[str]) -> None:
        self.finding = QualityFinding(name="duplicates")
        self._hashes = hashes  # of texts that several rows have
        self._first: dict[tuple[object, ...], int] = {}
        self._told: set[tuple[int, int]] = set()

    def see(self, one: Memory) -> None:
        if one.content_hash not in self._hashes:
            return
        where, when = (one.project, one.task, one.type), (one.event_at, one.valid_to)
        first = self._first.setdefault((where, when, one.content_hash), one.key)
        if first != one.key:
            self.tell(one.key, first)

    def tell(self, key: int, other: int) -> None:
        if (key, other) not in self._told:
            self._told.add((key, other))
            self.finding = self.finding.with_one(Example(key=key, other=other))


class _Junk:
    """Texts that are hardly worth keeping, by why."""

    def __init__(self) -> None:
        self.findings = {why: QualityFinding(name=why) for why in (SHORT, VAGUE, MOMENT)}

    def see(self, one: Memory) -> None:
        why = "" if one.pinned else low_value_reason(one.content, one.type)
        if why:
            self.findings[why] = self.findings[why].with_one(Example(key=one.key))


class _Unused:
    """What nobody recalled in a month, the most important first among the examples."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._old = self._count = 0
        self._best: list[tuple[float, int]] = []

    def see(self, one: Memory) -> None:
        if days_between(one.created_at, self._now) < UNUSED_DAYS:
            return
        self._old += 1
        if not one.access_count and not one.pinned:
            self._count += 1
            self._best = sorted([*self._best, (-one.importance, one.key)])[:EXAMPLES]

    def finding(self) -> QualityFinding:
        return QualityFinding(
            name="never recalled",
            count=self._count,
            looked=self._old,
            examples=tuple(Example(key=key) for _importance, key in self._best),
        )
