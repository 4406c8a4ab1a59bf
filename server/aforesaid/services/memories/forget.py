"""Forgetting and erasing a memory with everything that repeats it.

Forgetting puts all versions and derived memories behind a tombstone; sentences that are removed
from digests stay in the log until the memory is restored. Erasing removes everything for good, and
then searches the files for remains.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Any

from aforesaid.domain.model.memory import CallContext, Memory
from aforesaid.domain.model.text_fields import StoredText
from aforesaid.domain.text.distinctive_phrases import Marks, sentences_of
from aforesaid.domain.text.hashing import keyed_hash
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store
from aforesaid.services.resolve_id import locate

from .derived import free_sources, restore_derived
from .footprint import Edit, Footprint, find_footprint, to_json
from .writer import MemoryWriter

REASON_CHARS = 500
_MIN_SENTENCE_WORDS = 3  #: of an erased sentence that is refused when a transcript is read again
_LOG_LINES = 100  #: of a memory, searched for how it was forgotten


class ForgetResult(Value):
    """What forgetting or erasing a memory did, or would do."""

    memory: Memory  #: as it was
    short_id: str
    erased: bool = False
    preview: bool = False  #: nothing was changed
    erasing: bool = False  #: it is, or would be, erased rather than hidden
    footprint: Footprint
    short_ids: dict[int, str] = {}  #: of all memories in the footprint, by key
    purged: int = 0  #: rows of logs, names, suggestions and the journal that were changed
    clean_pending: bool = False  #: bytes remain in the file until readers close it
    found_in: tuple[str, ...] = ()  #: files that still contain it
    logs: tuple[str, ...] = ()  #: those of ``found_in`` that do not belong to the store
    rows: tuple[str, ...] = ()  #: other tables and columns that still contain it
    copies: tuple[str, ...] = ()  #: backups and other copies of the store that contain it
    copies_removed: tuple[str, ...] = ()


class MemoryForgetter:
    """Forgets, restores and erases memories."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        writer: MemoryWriter,
        files: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Create the service.

        Args:
            store: where memories are.
            clock: for the log.
            writer: provides the sanitizer and the registry of entities.
            files: returns paths, besides the store's own, that are searched after erasing.
        """
        self._store = store
        self._clock = clock
        self._writer = writer
        self._files = files

    def forget(
        self,
        reference: str,
        context: CallContext,
        *,
        reason: str | None = None,
        erase: bool = False,
        also: Sequence[str] = (),
        preview: bool = False,
        backups: bool = False,
        by_text: bool = True,
    ) -> ForgetResult:
        """Hide a memory behind a tombstone, or remove every trace of it.

        Args:
            reference: its id; all versions are included.
            context: of the caller.
            reason: kept in the log.
            erase: remove it for good.
            also: ids of other memories to forget with it.
            preview: change nothing, only report.
            backups: when erasing, also delete copies of the store that contain it.
            by_text: whether to include what repeats it, and to search files.

        Raises:
            NotFoundError: no visible memory has that id.
        """
        reason = self._writer.cleaner().clean(reason or "")[:REASON_CHARS]
        purged = 0
        with self._store.transaction():  # from the search on: another process may erase it
            memories = [
                locate(self._store, memory_id, context.visible) for memory_id in (reference, *also)
            ]
            memory = memories[0]
            footprint = find_footprint(self._store, memories, context.visible, by_text=by_text)
            mentioned = (mention.memory for mention in footprint.mentions)
            listed = (*footprint.versions, *footprint.derived, *mentioned)
            keys = {memory.key, *(repeating.key for repeating in listed), *footprint.rewritten}
            short_ids = self._store.memories.short_ids(sorted(keys))
            if erase and preview:
                purged = self._store.erasure.count_quotes(footprint.marks)
            elif erase:
                purged = self._erase(footprint)
            elif not preview and memory.forgotten_at is None:
                self._hide(memory, footprint, reason)
        result = ForgetResult(
            memory=memory, short_id=short_ids[memory.key], erased=erase and not preview,
            preview=preview, erasing=erase, footprint=footprint, short_ids=short_ids,
            purged=purged,
        )  # fmt: skip
        if preview:
            copies = self._store.erasure.copies_holding(footprint.marks) if erase else ()
            return result.replace(copies=tuple(copies))
        if footprint.rewritten:
            self._writer.embed_changed()
        return self._clean_files(result, backups=backups) if erase else result

    # -- forgetting

    def _hide(self, memory: Memory, footprint: Footprint, reason: str) -> None:
        now = self._clock.now()
        freed: dict[int, list[str]] = {}
        versions = [version for version in footprint.versions if version.forgotten_at is None]
        derived = [memory for memory in footprint.derived if memory.forgotten_at is None]
        for hidden in (*versions, *derived):
            self._store.memories.change(hidden.key, forgotten_at=now)
            freed[hidden.key] = free_sources(self._store, hidden)
        edits = [edit for edit in footprint.edits if not self._is_in_forgotten(edit)]
        for edit in edits:
            self._store.texts.rewrite(edit.text, edit.after, keep_journal=True)

        def record(hidden: Memory, **details: Any) -> None:
            details["sources"] = freed.get(hidden.key)
            details = {name: value for name, value in details.items() if value or name == "reason"}
            self._store.memories.record("forget", hidden.key, now, **details)

        for hidden in derived:
            record(hidden, reason="a source was forgotten")
        older = [version for version in versions if version != memory]
        for hidden in older:
            record(hidden, **{"with": memory.id})
        record(
            memory,
            reason=reason,
            versions=[version.id for version in older],
            made=[hidden.id for hidden in derived],
            edits=[_edit_to_list(edit) for edit in edits],
        )

    def _is_in_forgotten(self, edit: Edit) -> bool:
        key = edit.text.memory
        return key is not None and any(
            memory.forgotten_at is not None for memory in self._store.memories.get([key])
        )

    # -- restoring

    def restore(self, memory: Memory) -> None:
        """Restore a memory with all that was hidden with it; inside the caller's transaction."""
        now = self._clock.now()
        details, origin = self._forget_record(memory)
        versions = [memory, *origin, *self._store.memories.chain(memory.key)]
        for version_id in details.get("versions", ()):
            versions += self._store.memories.find(version_id)
        restored = [
            version
            for version in {version.key: version for version in versions}.values()
            if version.forgotten_at == memory.forgotten_at
        ]
        for version in restored:
            self._store.memories.change(version.key, forgotten_at=None)
            self._store.memories.record("restore", version.key, now)
        for edit in reversed(details.get("edits", [])):
            self._undo(_edit_from_list(edit))
        for version in restored:
            restore_derived(self._store, version, now)

    def _forget_record(self, memory: Memory) -> tuple[dict[str, Any], list[Memory]]:
        """Return the logged details of how a memory was forgotten, and the one it went with."""
        for line in reversed(self._store.inspection.log_of(memory.id, _LOG_LINES)):
            if line.operation == "forget":
                if "with" not in line.details:
                    return line.details, []
                origin = self._store.memories.find(line.details["with"])
                details = [self._forget_record(memory)[0] for memory in origin]
                return (details[0] if details else {}), origin
        return {}, []

    def _undo(self, edit: Edit) -> None:
        current = self._store.texts.at(edit.text)
        if current is None and edit.text.column != "summary":
            return  # its row was deleted
        if (current or "") == edit.after:
            merged = edit.text.text
        else:
            merged = _merged(current or "", edit)
            self._update_later_edits(edit)
        if merged != (current or ""):
            self._store.texts.rewrite(edit.text, merged, keep_journal=True)

    def _update_later_edits(self, undone: Edit) -> None:
        """Put the restored sentences into the records of later edits of the same text, too.

        This way the whole text comes back, in whichever order the edits are undone.
        """
        after = undone.after
        for number, details in self._store.erasure.edit_records():
            edits = [_edit_from_list(record) for record in details["edits"]]
            for index, edit in enumerate(edits):
                same = (edit.text.where, edit.text.key) == (undone.text.where, undone.text.key)
                if same and edit.text.text == after:
                    is_first = after == undone.after
                    before = undone.text.text if is_first else _merged(after, undone)
                    after = edit.after
                    text = edit.text.replace(text=before)
                    edits[index] = edit.replace(text=text, after=_merged(after, undone))
            records = [_edit_to_list(edit) for edit in edits]
            if records != details["edits"]:
                self._store.erasure.set_record(number, {**details, "edits": records})

    # -- erasing

    def _erase(self, footprint: Footprint) -> int:
        now = self._clock.now()
        erasure = self._store.erasure
        secret = self._store.meta("install_secret") or ""
        for memory in (*footprint.derived, *footprint.versions):
            self._store.memories.erase(memory.key, keyed_hash(memory.content, secret), now)
            self._writer.entities.after_erase(memory.entity)
            self._store.memories.record("erase", None, now, id=memory.id)
        unused_tasks = {task.key for task in footprint.tasks if not erasure.task_is_used(task.key)}
        for task in unused_tasks:
            erasure.remove_task(task)
        for edit in footprint.edits:
            if edit.text.table != "tasks" or edit.text.key[0] not in unused_tasks:
                self._store.texts.rewrite(edit.text, edit.after)
        sentences = [
            text for version in footprint.versions for text in sentences_of(version.content)
        ]
        sentences += [text for edit in footprint.edits for text in edit.removed]
        hashes = {
            keyed_hash(sentence, secret)
            for sentence in sentences
            if len(sentence.split()) >= _MIN_SENTENCE_WORDS
        }
        erasure.refuse_again(sorted(hashes), footprint.versions[-1].id, now)
        return erasure.purge(footprint.marks)

    def _clean_files(self, result: ForgetResult, *, backups: bool) -> ForgetResult:
        """Clean the store's file, search all files, and return the result with what was found."""
        erasure = self._store.erasure
        marks = result.footprint.marks
        for name in erasure.names_in_use():
            marks.subtract(name)
        copies = erasure.copies_holding(marks)
        for text in (text for mention in result.footprint.mentions for text in mention.texts):
            marks.subtract(text)
        pending = not self._store.clean_file()
        other_files = self._files()
        remaining = [] if pending else self._files_holding(marks, other_files)
        logs = [path for path in remaining if path in other_files]
        rows = erasure.rows_holding(marks) if len(remaining) > len(logs) else []
        removed: list[str] = []
        if backups and copies:
            remaining_copies = erasure.remove_copies(copies)
            removed = [path for path in copies if path not in remaining_copies]
            copies = remaining_copies
        return result.replace(
            clean_pending=pending, found_in=tuple(remaining), logs=tuple(logs), rows=tuple(rows),
            copies=tuple(copies), copies_removed=tuple(removed),
        )  # fmt: skip

    def _files_holding(self, marks: Marks, other_files: Sequence[str]) -> list[str]:
        """Return the paths of files that contain a phrase; if any does, compact the store once."""
        paths = self._store.erasure.files_holding(marks, other_files)
        if paths and self._store.compact_file() and self._store.clean_file():
            paths = self._store.erasure.files_holding(marks, other_files)
        return paths


def _edit_to_list(edit: Edit) -> list[Any]:
    """Return an edit as the log stores it."""
    text = edit.text
    return [text.table, text.column, list(text.key), text.memory, text.text, edit.after]


def _edit_from_list(record: Sequence[Any]) -> Edit:
    table, column, key, memory, before, after = record
    text = StoredText(
        table=table, column=column, key=tuple(key), text=before, is_json=column == "metadata",
        memory=memory,
    )  # fmt: skip
    return Edit(text=text, after=after)


def _merged(current: str, edit: Edit) -> str:
    """Return a text that has changed since an edit, with the removed parts put back."""
    if edit.text.is_json:
        now, after, before = (
            json.loads(text or "{}") for text in (current, edit.after, edit.text.text)
        )
        restored = {
            name: value for name, value in before.items() if now.get(name) == after.get(name)
        }
        return to_json({**now, **restored})
    lines, after_lines = current.split("\n"), edit.after.split("\n")
    before_lines = edit.text.text.split("\n")
    for kind, start, end, first, last in SequenceMatcher(
        None, after_lines, before_lines, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        missing = [line for line in before_lines[first:last] if line not in lines]
        changed = [line for line in after_lines[start:end] if line in lines]
        index = lines.index(changed[0]) if changed else _index_after(lines, before_lines[:first])
        lines = [line for line in lines if line not in changed]
        lines[index:index] = missing
    return "\n".join(lines)


def _index_after(lines: Sequence[str], preceding: Sequence[str]) -> int:
    """Return the index behind the last of the preceding lines that is still there."""
    for line in reversed(preceding):
        if line in lines:
            return lines.index(line) + 1
    return 0
