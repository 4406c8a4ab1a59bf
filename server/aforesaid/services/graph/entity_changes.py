"""Merges and renames of entities: one row each in the log, from which they are undone.

Here: changing the rows. Not here: whether a change may be made, and undoing it (entity_merge.py).
The functions run inside the caller's transaction.
"""

from __future__ import annotations

from aforesaid.domain.model.entity import normalise_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.entity import Entity
    from aforesaid.ports import Store

MERGE, RENAME = "entity_merge", "entity_rename"
MAX_CHANGES = 1_000  #: recent changes that are searched


def merge(store: Store, source: Entity, target: Entity, now: int) -> None:
    """Merge one entity into another."""
    store.entities.merge(source.key, target.key)
    store.memories.record(
        MERGE, None, now, entity=source.key, into=target.key, was=target.updated_at,
        names=[source.name, target.name],
    )  # fmt: skip
    store.entities.change(target.key, updated_at=now)


def rename(store: Store, entity: Entity, shown: str, now: int) -> None:
    """Rename an entity; its former name becomes an alias.

    Args:
        store: The store.
        entity: The entity.
        shown: The new name, which no other entity has.
        now: The current time.
    """
    normalised = normalise_name(shown)
    aliases = store.entities.aliases(entity.key)
    taken = aliases.get(normalised)
    if taken is not None:
        store.entities.remove_alias(entity.key, normalised)
    added = normalised != entity.normalised and entity.normalised not in aliases
    if added:
        store.entities.add_alias(entity.key, entity.normalised, entity.name)
    store.memories.record(
        RENAME, None, now, entity=entity.key, names=[entity.name, shown],
        alias_taken=taken, alias_added=added, was=entity.updated_at,
    )  # fmt: skip
    store.entities.change(entity.key, name=shown, normalised=normalised, updated_at=now)


def former_names(store: Store, key: int) -> set[str]:
    """Return the normalised names that a row had before it was renamed."""
    names = [
        list(change.details["names"])  # type: ignore[call-overload]
        for change in store.entities.changes(MAX_CHANGES)
        if change.operation == RENAME and change.details.get("entity") == key
    ]
    return {normalise_name(str(former)) for former, _ in names}
