"""Finds stored failures of an error or a command.

What identifies an error: domain/digest/error_signature.py.
"""

from __future__ import annotations

from aforesaid.domain.digest.error_signature import error_signatures
from aforesaid.domain.model.memory import GLOBAL_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import CallContext, Memory, Visibility
    from aforesaid.ports import Store

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
                min(rank.get(error, len(rank)) for error in _errors_of(memory)),
                -memory.key,
            ),
        )

    def of_commands(self, commands: Sequence[str], visible: Visibility) -> list[Memory]:
        """Return the failures of simple commands that would fail again, newest first."""
        keys = self._store.search.failures("command", commands, visible, _MAX_FOUND)
        return self._store.memories.get(keys)


def _errors_of(memory: Memory) -> list[str]:
    """Return the signatures of a failure, the one that describes it best first."""
    further = memory.metadata.get("errors")
    return [str(memory.metadata.get("error")), *(further if isinstance(further, list) else ())]
