"""Stores the failures and dead ends of sessions.

What counts as one: domain/digest/failures.py and dead_ends.py. Finding them:
services/recall/known_failures.py.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import FAILURE_TAG, Visibility
from aforesaid.domain.model.statement import Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.dead_ends import DeadEnd
    from aforesaid.domain.digest.failed_attempt import Failure
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import Store
    from aforesaid.services.memories.writer import MemoryWriter

IMPORTANCE, CONFIDENCE = 0.4, 0.7
_MAX_EARLIER = 20  #: of the same error


class FailureWriter:
    """Stores the failures of sessions."""

    def __init__(self, store: Store, writer: MemoryWriter) -> None:
        self._store = store
        self._writer = writer

    def store(self, failures: Sequence[Failure | DeadEnd], now: int, context: CallContext) -> None:
        """Store failures; a newer one replaces an older one with the same error in this project.

        One that was fixed is not replaced by one that was not.

        Args:
            failures: of one session, oldest first.
            now: ms; a clock that ran ahead must not date a memory in the future.
            context: of the session.
        """
        for failure in failures:
            earlier = self._earlier(failure, context)
            if any(memory.metadata.get("fixed") for memory in earlier) and not failure.is_fixed:
                continue
            if any(
                memory.session == context.session
                and bool(memory.metadata.get("fixed")) == failure.is_fixed
                for memory in earlier
            ):
                continue  # an earlier pass over this session stored it
            self._store_failure(failure, [memory.id for memory in earlier], now, context)

    def _earlier(self, failure: Failure | DeadEnd, context: CallContext) -> list[Memory]:
        visible = Visibility(projects=(context.project.key,))
        keys = self._store.search.failures("error", [failure.signature], visible, _MAX_EARLIER)
        return [memory for memory in self._store.memories.get(keys) if not memory.pinned]

    def _store_failure(
        self, failure: Failure | DeadEnd, supersedes: Sequence[str], now: int, context: CallContext
    ) -> None:
        metadata = {
            "error": failure.signature,
            "errors": list(failure.signatures),
            "fixed": failure.is_fixed,
            "session_id": context.session,
            "files": list(failure.changed),
            "command": failure.command if failure.will_repeat else None,
        }
        statement = Statement(
            content=failure.text,
            type="procedural",
            scope="project",
            tags=(FAILURE_TAG,),
            importance=IMPORTANCE,
            confidence=CONFIDENCE,
            provenance="derived",
            supersedes=tuple(supersedes),
            created_at=min(failure.until_ms, now) or None,
            metadata={key: value for key, value in metadata.items() if value not in (None, [])},
        )
        try:
            self._writer.store(statement, context, ingested=True)
        except InvalidInputError:
            return  # it consisted of secrets and private spans only
