"""Stores failures of sessions, and finds those of an error or a command.

What counts as a failure: domain/digest/failures.py. What identifies an error:
domain/digest/error_signature.py.
"""

from __future__ import annotations

from aforesaid.domain.digest.error_signature import error_signatures
from aforesaid.domain.digest.failures import failure_text
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import FAILURE_TAG, GLOBAL_PROJECT, Visibility
from aforesaid.domain.model.statement import Statement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest.failures import Failure
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.ports import Store
    from aforesaid.services.memories.writer import MemoryWriter

IMPORTANCE, CONFIDENCE = 0.4, 0.7
_MAX_FOUND = 20


class KnownFailures:
    """Finds stored failures."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_error(self, text: str, context: CallContext) -> list[Memory]:
        """Return the failures with an error of a command's output.

        Those of this project come first, then fixed ones of other projects; newest first.

        Args:
            text: what the command printed, or one line of it.
            context: of the caller.
        """
        signatures = error_signatures(text) or error_signatures(f"error: {text.strip()}")
        keys = self._store.search.failures("error", signatures, None, _MAX_FOUND)
        own = {GLOBAL_PROJECT, context.project.key}
        found = [
            memory
            for memory in self._store.memories.get(keys)
            if memory.project in own or memory.metadata.get("fixed")
        ]
        rank = {signature: number for number, signature in enumerate(signatures)}
        return sorted(
            found,
            key=lambda memory: (
                memory.project not in own,
                rank.get(str(memory.metadata.get("error")), len(rank)),
                -memory.key,
            ),
        )

    def of_commands(self, commands: Sequence[str], visible: Visibility) -> list[Memory]:
        """Return the failures of simple commands that would fail again, newest first."""
        keys = self._store.search.failures("command", commands, visible, _MAX_FOUND)
        return self._store.memories.get(keys)


class FailureWriter:
    """Stores the failures of sessions."""

    def __init__(self, store: Store, writer: MemoryWriter) -> None:
        self._store = store
        self._writer = writer

    def keep(self, failures: Sequence[Failure], now: int, context: CallContext) -> None:
        """Store failures; a newer one replaces that of the same error in this project.

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
            if any(memory.session == context.session for memory in earlier):
                continue  # an earlier pass over this session stored it
            self._store_failure(failure, [memory.id for memory in earlier], now, context)

    def _earlier(self, failure: Failure, context: CallContext) -> list[Memory]:
        visible = Visibility(projects=(context.project.key,))
        keys = self._store.search.failures("error", [failure.signature], visible, _MAX_FOUND)
        return [memory for memory in self._store.memories.get(keys) if not memory.pinned]

    def _store_failure(
        self, failure: Failure, supersedes: Sequence[str], now: int, context: CallContext
    ) -> None:
        metadata = {
            "error": failure.signature,
            "fixed": failure.is_fixed,
            "session_id": context.session,
            "files": list(failure.changed),
            "command": failure.command if failure.repeats else None,
        }
        statement = Statement(
            content=failure_text(failure),
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
