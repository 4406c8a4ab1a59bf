"""The result of forgetting or erasing, or its preview, as plain data.

Not here: finding what repeats a memory (services/memories/footprint.py).
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.pluralize import pluralize

from .memories import drop_empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.memories.footprint import Mention
    from aforesaid.services.memories.forget import ForgetResult

_MAX_MENTIONS = 20
#: Tables whose rows are listed as memories wherever the caller may see them.
_MEMORY_TABLES = {"memories", "tags", "relations", "anchors", "tasks"}
_IN_USE = (
    "another process is reading the store: what remains in its files is removed when that process "
    "ends, at the latest by the next maintenance"
)


def forgotten(result: ForgetResult) -> dict[str, Any]:
    """Return what happened to a forgotten memory and what repeats it, and how to undo it."""
    if result.preview:
        state: dict[str, Any] = {"preview": True}
    elif result.erased:
        state = {"erased": True}
    else:
        state = {"forgotten": True, "undo": f'update_memory(id="{result.short_id}", restore=true)'}
    fields = {
        "id": result.short_id,
        "message": _message(result),
        **state,
        **_affected(result),
        "note": _note(result),
    }
    return {**drop_empty(fields), **_copies(result)}


def _message(result: ForgetResult) -> str:
    """Return what was or would be forgotten; what is erased is not repeated."""
    if result.erased:
        return f"Erased {result.short_id}"
    verb = "Forgot"
    if result.preview:
        verb = "Would erase" if result.erasing else "Would forget"
    if result.memory.forgotten_at is not None:
        return f"{verb} {result.short_id}, forgotten before"
    current = next((version for version in result.footprint.versions if version.in_force), None)
    if current is None or current == result.memory:
        return f"{verb} {result.short_id}: {result.memory.preview}"
    newest = result.short_ids[current.key]
    return f"{verb} {result.short_id} and {newest}, which replaced it: {current.preview}"


def _affected(result: ForgetResult) -> dict[str, Any]:
    footprint, erased = result.footprint, result.erased
    fields = {
        "versions": _ids(
            result, [version for version in footprint.versions if version != result.memory]
        ),
        "derived": _ids(result, footprint.derived),
        "shortened": [result.short_ids[key] for key in footprint.rewritten],
        "tasks": [] if erased else [task.task_id for task in footprint.tasks],
        "sentences": []
        if erased
        else [sentence for edit in footprint.edits for sentence in edit.removed],
        "log_records": result.purged,
        "mentioned_by": [
            _mention(result, mention) for mention in footprint.mentions[:_MAX_MENTIONS]
        ],
        "more_mentions": max(len(footprint.mentions) - _MAX_MENTIONS, 0),
    }
    return drop_empty({name: value or None for name, value in fields.items()})


def _ids(result: ForgetResult, memories: Sequence[Memory]) -> list[str]:
    return [result.short_ids[memory.key] for memory in memories]


def _copies(result: ForgetResult) -> dict[str, Any]:
    if not result.copies:
        return {}
    return {"copies": list(result.copies), "delete_copies": f"rm {shlex.join(result.copies)}"}


def _mention(result: ForgetResult, mention: Mention) -> dict[str, Any]:
    return drop_empty({
        "id": result.short_ids[mention.memory.key],
        "fields": list(mention.fields),
        "state": mention.state or None,
        "preview": mention.memory.preview,
    })  # fmt: skip


def _note(result: ForgetResult) -> str:
    remains = _remaining_mentions(result)
    if not result.erased:
        return remains
    parts = [remains] if remains else []
    if result.clean_pending:
        parts.append(_IN_USE)
    elif result.found_in:
        parts += _remaining_traces(result)
    note = f"erased; {'; '.join(parts)}" if parts else "erased: no trace is left in the store"
    if result.copies_removed:
        removed = pluralize(len(result.copies_removed), "copy", "copies")
        note += f"; deleted {removed} of the store: {', '.join(result.copies_removed)}"
    if result.copies:
        note += (
            f"; {pluralize(len(result.copies), 'copy', 'copies')} of the store still "
            f"{'contains' if len(result.copies) == 1 else 'contain'} it: {', '.join(result.copies)}"
        )
    return note


def _remaining_mentions(result: ForgetResult) -> str:
    """Return which memories still repeat parts of it, and what to do about them."""
    # memories not in force are shown nowhere: they matter only when nothing may remain
    mentions = [
        mention for mention in result.footprint.mentions if result.erasing or not mention.state
    ]
    if not mentions:
        return ""
    listed = mentions[:_MAX_MENTIONS]
    ids = [result.short_ids[mention.memory.key] for mention in listed]
    labels = [
        f"{short_id} ({', '.join([*mention.fields, *filter(None, [mention.state])])})"
        for short_id, mention in zip(ids, listed, strict=True)
    ]
    if len(mentions) > len(listed):
        labels.append(f"{len(mentions) - len(listed):,} more")
    if result.preview:
        verb, advice = "would remain", "add " + " ".join(f"--also {short_id}" for short_id in ids)
    else:
        verb = "remain"
        advice = f"to remove them too, {'erase' if result.erasing else 'forget'} {', '.join(ids)}"
    return f"parts of it {verb} in {', '.join(labels)}: {advice}"


def _remaining_traces(result: ForgetResult) -> list[str]:
    """Return what the search of the files found besides the memories that are listed."""
    notes = []
    if result.rows:
        tables = {column.partition(".")[0] for column in result.rows}
        of = "of other projects " if tables & _MEMORY_TABLES else ""
        notes.append(f"parts of it remain in rows {of}({', '.join(result.rows)})")
    elif own := [path for path in result.found_in if path not in result.logs]:
        notes.append(
            f"parts of it remain in unused pages of {', '.join(own)}, which the next maintenance "
            "rewrites unless another client has the store open"
        )
    if result.logs:
        notes.append(
            f"parts of it remain in other files: `rm {shlex.join(result.logs)}` deletes them"
        )
    return notes
