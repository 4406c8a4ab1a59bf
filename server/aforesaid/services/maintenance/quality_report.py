"""Reporting the quality of a store: duplicates, low-value texts, secrets, stale or unused memories.

Reads only. Checks a sample of a large store, so that it takes seconds; each finding says how many
memories it checked. Not here: judging a text (domain/maintenance/low_value.py, domain/conflict),
repairs (the phases of maintenance).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence

from aforesaid.domain.context.session_context import (
    SHOWN_OFTEN,
    SHOWN_SESSIONS,
    is_unused_fact,
)
from aforesaid.domain.dedup import same_statement
from aforesaid.domain.maintenance.low_value import MOMENT, SHORT, VAGUE, low_value_reason
from aforesaid.domain.model.decay import days_between
from aforesaid.domain.model.memory import CallContext, Filters, Memory, Visibility
from aforesaid.domain.model.text_fields import around_mark, redacted, texts_of
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, FileReader, SecretFilter, Store
from aforesaid.services.anchors import Anchors
from aforesaid.services.memories.duplicates import (
    MAX_CUES_DISCOUNT,
    NEAR_COSINE,
    filter_by_cosine,
)

from .phase import PAGE

SECRETS = "secrets"
MAX_EXAMPLES = 5
MAX_SCANNED = 20_000  #: newest memories whose texts pass the secret filter
MAX_COMPARED = 500  #: newest memories that are compared with their neighbours
NEIGHBOURS = 5
MAX_CONTRADICTIONS = 1_000
MAX_CITING = 2_000  #: memories whose cited files are checked
UNUSED_DAYS = 30  #: younger memories had no chance to be recalled yet


class Example(Value):
    """A memory that a finding names."""

    key: int
    other: int | None = None  #: key of the memory that it repeats or contradicts
    detail: str = ""  #: of a secret: its kinds and masked context; of a stale memory: why


class QualityFinding(Value):
    """What one check found."""

    name: str
    count: int = 0
    checked: int = 0  #: memories that were checked
    examples: tuple[Example, ...] = ()

    def with_example(self, example: Example) -> QualityFinding:
        """Return the finding with one more memory."""
        full = len(self.examples) >= MAX_EXAMPLES
        examples = self.examples if full else (*self.examples, example)
        return self.replace(count=self.count + 1, examples=examples)


class QualityReport(Value):
    """The findings on the visible memories in force."""

    total: int
    findings: tuple[QualityFinding, ...]


class QualityReviewer:
    """Checks the quality of a store."""

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

    def review(self, visible: Visibility, context: CallContext) -> QualityReport:
        """Return the findings on the visible memories.

        Args:
            visible: Which memories to check.
            context: The call context against whose files stale memories are judged.
        """
        total = 0
        duplicates = _Duplicates(self._store.maintenance.repeated_hashes())
        low_value = _LowValue()
        unused = _Unused(self._clock.now())
        stale = QualityFinding(name="stale")
        newest: deque[int] = deque(maxlen=MAX_SCANNED)  # keys only: texts would need much memory
        for page in self._pages(visible):
            total += len(page)
            newest.extend(memory.key for memory in page)
            stale = self._add_stale(stale, page, context)
            for memory in page:
                duplicates.check(memory)
                low_value.check(memory)
                unused.check(memory)
        self._add_reworded(duplicates, self._store.memories.get(list(newest)[-MAX_COMPARED:]))
        findings = (
            duplicates.finding.replace(checked=total),
            *(finding.replace(checked=total) for finding in low_value.findings.values()),
            self._find_secrets(visible, newest),
            stale,
            self._find_contradictions(visible, total),
            unused.finding(),
            self._find_shown_often(context, total),
        )
        return QualityReport(total=total, findings=findings)

    def _find_shown_often(self, context: CallContext, total: int) -> QualityFinding:
        """Return the memories that many of the project's sessions were shown, and none used."""
        keys = self._store.sessions.keys_shown_often(
            context.project.key, SHOWN_SESSIONS, SHOWN_OFTEN
        )
        finding = QualityFinding(name="shown often, never used", checked=total)
        for memory in self._store.memories.get(sorted(keys)):
            if memory.is_current and is_unused_fact(memory):
                finding = finding.with_example(Example(key=memory.key))
        return finding

    def _pages(self, visible: Visibility, key: int = 0) -> Iterator[list[Memory]]:
        """Yield the visible memories in force after a key, oldest first."""
        while page := self._store.maintenance.page(key, PAGE):
            key = page[-1].key
            yield [
                memory
                for memory in page
                if memory.project in visible.projects
                and (memory.scope != "task" or memory.task in visible.tasks)
            ]

    def _add_reworded(self, duplicates: _Duplicates, memories: Sequence[Memory]) -> None:
        """Add duplicates in other words."""
        facts = [memory for memory in memories if memory.type != "episodic"]
        vectors = self._store.maintenance.first_vectors([memory.key for memory in facts])
        for memory in facts:
            original = self._find_reworded(memory, vectors.get(memory.key))
            if original is not None:
                duplicates.add(memory.key, original)

    def _find_reworded(self, memory: Memory, vector: bytes | None) -> int | None:
        """Return the key of an earlier memory that says the same in other words, if any."""
        if vector is None:
            return None
        tasks = () if memory.task is None else (memory.task,)
        hits = self._store.search.near_duplicates(
            vector,
            Visibility(projects=(memory.project,), tasks=tasks),
            Filters(types=(memory.type,)),
            NEAR_COSINE - MAX_CUES_DISCOUNT,
            NEIGHBOURS,
        )
        earlier = self._store.memories.get([hit.key for hit in hits if hit.key < memory.key])
        for candidate in filter_by_cosine(memory, hits, earlier, NEAR_COSINE):
            if (
                candidate.content_hash != memory.content_hash
                and candidate.valid_to == memory.valid_to
                and same_statement(candidate.content, memory.content)
            ):
                return candidate.key
        return None

    def _find_secrets(self, visible: Visibility, keys: Sequence[int]) -> QualityFinding:
        checked = len(keys) if self._secrets is not None else 0
        finding = QualityFinding(name=SECRETS, checked=checked)
        if self._secrets is None or not keys:
            return finding
        for page in self._pages(visible, keys[0] - 1):
            paths: dict[int, list[str]] = {}
            for anchor in self._store.anchors.of([memory.key for memory in page]):
                paths.setdefault(anchor.memory, []).append(anchor.path)
            for memory in page:
                matches = [
                    (masked, kinds)
                    for text in texts_of(memory, paths.get(memory.key, ()))
                    for masked, kinds in [redacted(text, self._secrets.redact)]
                    if kinds
                ]
                if matches:
                    kinds = sorted({kind for _masked, kinds in matches for kind in kinds})
                    detail = f"{', '.join(kinds)}: {around_mark(matches[0][0])}"
                    finding = finding.with_example(Example(key=memory.key, detail=detail))
        return finding

    def _add_stale(
        self, finding: QualityFinding, page: Sequence[Memory], context: CallContext
    ) -> QualityFinding:
        if finding.checked >= MAX_CITING:
            return finding
        anchors = self._store.anchors.of([memory.key for memory in page])
        keys = {anchor.memory for anchor in anchors}
        finding = finding.replace(checked=finding.checked + len(keys))
        citing = [memory for memory in page if memory.key in keys]
        for key, reasons in Anchors(self._store, self._files).find_stale(citing, context).items():
            finding = finding.with_example(Example(key=key, detail=", ".join(reasons)))
        return finding

    def _find_contradictions(self, visible: Visibility, total: int) -> QualityFinding:
        finding = QualityFinding(name="contradicting", checked=total)
        for key, other in self._store.relations.contradictions(visible, MAX_CONTRADICTIONS):
            finding = finding.with_example(Example(key=key, other=other))
        return finding


class _Duplicates:
    """Texts that are stored more than once."""

    def __init__(self, hashes: Collection[str]) -> None:
        self.finding = QualityFinding(name="duplicates")
        self._hashes = hashes  # of texts that several rows have
        self._first: dict[tuple[object, ...], int] = {}
        self._pairs: set[tuple[int, int]] = set()

    def check(self, memory: Memory) -> None:
        if memory.content_hash not in self._hashes:
            return
        subject = (memory.project, memory.task, memory.type, memory.event_at, memory.valid_to)
        first = self._first.setdefault((*subject, memory.content_hash), memory.key)
        if first != memory.key:
            self.add(memory.key, first)

    def add(self, key: int, original: int) -> None:
        if (key, original) not in self._pairs:
            self._pairs.add((key, original))
            self.finding = self.finding.with_example(Example(key=key, other=original))


class _LowValue:
    """Low-value texts, by reason."""

    def __init__(self) -> None:
        self.findings = {name: QualityFinding(name=name) for name in (SHORT, VAGUE, MOMENT)}

    def check(self, memory: Memory) -> None:
        reason = "" if memory.pinned else low_value_reason(memory.content, memory.type)
        if reason:
            finding = self.findings[reason].with_example(Example(key=memory.key))
            self.findings[reason] = finding


class _Unused:
    """Memories that nobody recalled in a month; the most important ones are the examples."""

    def __init__(self, now: int) -> None:
        self._now = now
        self._old = self._count = 0
        self._best: list[tuple[float, int]] = []

    def check(self, memory: Memory) -> None:
        if days_between(memory.created_at, self._now) < UNUSED_DAYS:
            return
        self._old += 1
        if not memory.access_count and not memory.pinned:
            self._count += 1
            best = sorted([*self._best, (-memory.importance, memory.key)])
            self._best = best[:MAX_EXAMPLES]

    def finding(self) -> QualityFinding:
        return QualityFinding(
            name="never recalled",
            count=self._count,
            checked=self._old,
            examples=tuple(Example(key=key) for _importance, key in self._best),
        )
