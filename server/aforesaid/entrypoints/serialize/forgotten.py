"""What was forgotten or erased, or would be, as plain data.

Here: the words and fields. Not here: finding it (services/memories/footprint.py).
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.pluralize import pluralize

from .memories import drop_empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.memories.forget import ForgetResult
    from aforesaid.services.memories.mentions import Mention

_MAX_MENTIONS = 20
#: Tables whose rows are listed as memories wherever the caller may see them.
_OF_MEMORIES = {"memories", "tags", "relations", "anchors", "tasks"}
_IN_USE = (
    "another process reads the store: what is left in its files is removed when that ends, by the "
    "next maintenance at the latest"
)


def forgotten(done: ForgetResult) -> dict[str, Any]:
    """Return what became of a forgotten memory, all that went with it, and the way back."""
    if done.preview:
        state: dict[str, Any] = {"preview": True}
    elif done.erased:
        state = {"erased": True}
    else:
        state = {"forgotten": True, "undo": f'update_memory(id="{done.short_id}", restore=true)'}
    told = {"id": done.short_id, **state, **_affected(done), "note": _note(done)}
    return {**drop_empty(told), **_copies(done)}


def _affected(done: ForgetResult) -> dict[str, Any]:
    found = done.footprint
    others = [one for one in found.versions if one != done.memory]
    told = {
        "versions": _ids(done, others),
        "derived": _ids(done, found.derived),
        "shortened": [done.short_ids[key] for key in found.rewritten],
        "tasks": [task.task_id for task in found.tasks] if not done.erased else [],
        "sentences": [
            sentence for one in found.edits for sentence in one.removed if not done.erased
        ],
        "log_records": done.purged,
        "mentioned_by": [_mention(done, one) for one in found.mentions[:_MAX_MENTIONS]],
        "more_mentions": max(len(found.mentions) - _MAX_MENTIONS, 0),
    }
    return drop_empty({name: value or None for name, value in told.items()})


def _ids(done: ForgetResult, memories: Sequence[Memory]) -> list[str]:
    return [done.short_ids[one.key] for one in memories]


def _copies(done: ForgetResult) -> dict[str, Any]:
    if not done.copies:
        return {}
    return {"copies": list(done.copies), "delete_copies": f"rm {shlex.join(done.copies)}"}


def _mention(done: ForgetResult, mention: Mention) -> dict[str, Any]:
    return drop_empty({
        "id": done.short_ids[mention.memory.key],
        "fields": list(mention.fields),
        "state": mention.state or None,
        "preview": mention.memory.preview,
    })  # fmt: skip


def _note(done: ForgetResult) -> str:
    stays = _where_it_stays(done)
    if not done.erased:
        return stays
    parts = [stays] if stays else []
    if done.clean_pending:
        parts.append(_IN_USE)
    elif done.found_in:
        parts += _what_was_found(done)
    note = f"erased; {'; '.join(parts)}" if parts else "erased: no trace is left in the store"
    if done.copies_removed:
        removed = pluralize(len(done.copies_removed), "copy", "copies")
        note += f"; {removed} of it deleted: {', '.join(done.copies_removed)}"
    if done.copies:
        note += (
            f"; {pluralize(len(done.copies), 'copy', 'copies')} of the store still "
            f"{'holds' if len(done.copies) == 1 else 'hold'} it: {', '.join(done.copies)}"
        )
    return note


def _where_it_stays(done: ForgetResult) -> str:
    """Return in which memories some of it still stands, and what to do about it."""
    # what is not in force is shown nowhere: it matters only where nothing may be left
    found = [one for one in done.footprint.mentions if done.erasing or not one.state]
    if not found:
        return ""
    listed = found[:_MAX_MENTIONS]
    ids = [done.short_ids[one.memory.key] for one in listed]
    places = [
        f"{short_id} ({', '.join([*one.fields, *([one.state] if one.state else [])])})"
        for short_id, one in zip(ids, listed, strict=True)
    ]
    if len(found) > len(listed):
        places.append(f"{len(found) - len(listed):,} more")
    if done.preview:
        advice = "add " + " ".join(f"--also {one}" for one in ids)
    else:
        advice = f"{'erase' if done.erasing else 'forget'} {', '.join(ids)}, too, if it should go"
    will = "still stands" if not done.preview else "will still stand"
    return f"some of it {will} in {', '.join(places)}: {advice}"


def _what_was_found(done: ForgetResult) -> list[str]:
    """Return what the search of the files found besides the memories that are listed."""
    found = []
    if done.rows:
        tables = {one.partition(".")[0] for one in done.rows}
        of = "of other projects " if tables & _OF_MEMORIES else ""
        found.append(f"some of it still stands in rows {of}({', '.join(done.rows)})")
    elif own := [path for path in done.found_in if path not in done.logs]:
        found.append(
            f"some of it is still found in unused parts of {', '.join(own)}, which the next "
            "maintenance writes anew if no other client has the store open"
        )
    if done.logs:
        found.append(
            f"some of it still stands in these files: `rm {shlex.join(done.logs)}` deletes them"
        )
    return found
