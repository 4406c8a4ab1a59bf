"""Answers of operations as plain data: short ids, names for keys, dates as text.

What each answer looks like is in entrypoints/serialize.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.sanitize import remove_invisible_in
from aforesaid.entrypoints.serialize import forgotten, memories, registries, stored
from aforesaid.entrypoints.serialize.inspection import inspected
from aforesaid.entrypoints.serialize.memories import LabelResolver
from aforesaid.services.graph.explore import ExploreResult
from aforesaid.services.recall.query import RecallResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.ports import Store

#: By the name of the answer's class, because importing the classes would import every service.
_PLAIN: dict[str, Callable[[Any, LabelResolver], Any]] = {
    "StoreResult": stored.store_result,
    "UpdateResult": stored.updated,
    "ForgetResult": lambda answer, _names: forgotten.forgotten(answer),
    "LinkResult": memories.linked,
    "Inspection": inspected,
    "FoundEntities": registries.found_entities,
    "TaskView": lambda answer, names: registries.task(answer, names, naming=True),
    "Project": lambda answer, _names: registries.project(answer),
    "ProjectMerge": lambda answer, _names: registries.project_merge(answer),
    "Entity": lambda answer, _names: registries.entity(answer),
    "EntityChange": lambda answer, _names: registries.entity_change(answer),
    "BulkImportResult": lambda answer, _names: _bulk_import(answer),
    "dict": lambda answer, _names: answer,
    "str": lambda answer, _names: answer,
}


def _bulk_import(answer: Any) -> dict[str, Any]:
    from .bulk_import import plain_result  # imports what imports need

    return plain_result(answer)


def plain(answer: Any, store: Store, *, naming: bool = True, summary_only: bool = False) -> Any:
    """Return an answer as plain data; of a list, each of its items.

    Args:
        answer: what an operation returned.
        store: to look up ids and names in.
        naming: name the project of each result.
        summary_only: previews of recalled memories instead of full text.
    """
    if isinstance(answer, list):
        return [plain(item, store, naming=naming, summary_only=summary_only) for item in answer]
    names = LabelResolver(store)
    if isinstance(answer, RecallResult):
        fields = memories.recall_result(answer, names, summary_only=summary_only, naming=naming)
    elif isinstance(answer, ExploreResult):
        fields = memories.explored(answer, names, naming=naming)
    else:
        fields = _PLAIN[type(answer).__name__](answer, names)
    return remove_invisible_in(fields)
