"""Finds stored failures by an error or a command.

What identifies an error: domain/digest/error_signature.py.
"""

from __future__ import annotations

from aforesaid.domain.digest.error_signature import (
    MIN_LIKENESS,
    error_signatures,
    likeness_of_errors,
)
from aforesaid.domain.model.memory import GLOBAL_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import CallContext, Memory, Visibility
    from aforesaid.ports import Store

_MAX_FOUND = 20
_MAX_COMPARED = 2_000  #: of the newest failures


class KnownFailures:
    """Finds stored failures."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def of_error(self, text: str, context: CallContext) -> list[Memory]:
        """Return the failures with an error of a command's output.

        Those of this project come first, then fixed ones of other projects; the most similar first.

        Args:
            text: what the command printed, or one line of it.
            context: of the caller.
        """
        signatures = error_signatures(text) or error_signatures(f"error: {text.strip()}")
        likeness = {
            key: likeness_of_errors(signatures, errors)
            for key, errors in self._store.search.failure_errors(_MAX_COMPARED)
        }
        keys = [key for key, value in likeness.items() if value >= MIN_LIKENESS][:_MAX_FOUND]
        own = {GLOBAL_PROJECT, context.project.key}
        failures = [
            memory
            for memory in self._store.memories.get(keys)
            if memory.project in own or memory.metadata.get("fixed")
        ]
        return sorted(
            failures,
            key=lambda memory: (
                memory.project not in own,
                -round(likeness[memory.key], 1),
                -memory.key,
            ),
        )

    def of_commands(self, commands: Sequence[str], visible: Visibility) -> list[Memory]:
        """Return the failures of simple commands that would fail again, newest first."""
        keys = self._store.search.failures("command", commands, visible, _MAX_FOUND)
        return self._store.memories.get(keys)
