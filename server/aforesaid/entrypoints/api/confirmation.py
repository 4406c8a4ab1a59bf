"""Confirming memories that tools or imports state: they become the user's own statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters, PageCursor
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.wiring.container import ServiceContainer

    from .arguments import Arguments

_PAGE = 500


def confirm_memories(
    core: ServiceContainer, context: CallContext, arguments: Arguments
) -> dict[str, Any]:
    """Make memories certain statements of the user, all or none.

    Args:
        core: the services.
        context: of the caller.
        arguments: ``ids``; ``imported`` true for every imported memory visible here.

    Raises:
        InvalidInputError: neither is given.
        NotFoundError: an id does not exist here.
    """
    factories.refuse_if_off(context, core.settings)
    ids = list(arguments.get("ids", ()))
    if arguments.get("imported"):
        ids += [memory.id for memory in _imported(core, context)]
    elif not ids:
        raise InvalidInputError(
            "nothing to confirm: give an ID, or --imported for all imported memories"
        )
    with core.store.transaction():
        for memory_id in ids:
            core.editor.update(memory_id, {"provenance": "user", "confidence": 1.0}, context)
    return {"confirmed": len(ids)}


def _imported(core: ServiceContainer, context: CallContext) -> Iterator[Memory]:
    visible, after = context.visible.replace(all_tasks=True), None
    while page := core.store.memories.select(visible, Filters(), _PAGE, after):
        yield from (memory for memory in page if memory.provenance == "import")
        after = PageCursor.of(page[-1])
