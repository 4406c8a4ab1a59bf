"""Forgetting and erasing a memory, with all that says what it says.

Forgetting hides it: every version and what was made of it behind a tombstone, sentences of digests
kept in the log until they are brought back. Erasing removes it, and then searches the files.
"""

from __future__ import annotations

import json
from difflib import SequenceMatcher

from aforesaid.domain.model.text_fields import StoredText
from aforesaid.domain.text.distinctive_phrases import Marks, sentences_of
from aforesaid.domain.text.hashing import keyed_hash
from aforesaid.domain.value import Value
from aforesaid.services.resolve_id import locate

from .derived import free_sources, restore_derived
from .footprint import Edit, Footprint, find_footprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, Store

    from .writer import MemoryWriter

REASON_CHARS = 500
_MIN_SENTENCE_WORDS = 3  #: of one that is known again when a transcript is read anew
_LOG_LINES = 100


class ForgetResult(Value):
    """What became of a forgotten memory, or would."""

    memory: Memory  #: as it was
    short_id: str
    erased: bool = False
    preview: bool = False  #: nothing was changed
    erasing: bool = False  #: it is erased, or would be
    footprint: Footprint
    short_ids: dict[int, str] = {}  #: of all memories that are named, by key
    purged: int = 0  #: rows of logs, names, suggestions and the journal that it was taken out of
    clean_pending: bool = False  #: bytes remain in the file until readers let go
    found_in: tuple[str, ...] = ()  #: files that still hold it after all
    logs: tuple[str, ...] = ()  #: of these files, those that are not the store's own
    rows: tuple[str, ...] = ()  #: tables and columns that hold it, beside the memories listed
    copies: tuple[str, ...] = ()  #: backups and other copies of the store that hold it
    copies_removed: tuple[str, ...] = ()


class Forgetting:
    """Hides memories, brings them back, and erases them."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        remember: MemoryWriter,
        files: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Prepare.

        Args:
            store: where memories are.
            clock: for the log.
            remember: what stores, whose cleaner and registry are used.
            files: gives paths beside the store's own that are searched after an erase.
        """
        self._store = store
        self._clock = clock
        self._remember = remember
        self._files = files

    def forget(
        self,
        reference: str,
        place: CallContext,
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
            reference: its id; all its versions go.
            place: who asks.
            reason: kept in the log.
            erase: remove it for good.
            also: ids of other memories that go with it.
            preview: only tell what would go.
            backups: when erasing, delete copies of the store that hold it, too.
            by_text: whether what repeats it goes, too, and files are searched.

        Raises:
            NotFoundError: nothing visible has that id.
        """
        told = self._remember.cleaner().clean(reason or "")[:REASON_CHARS]
        purged = 0
        with self._store.transaction():  # what another process erased is not there any more
            memories = [locate(self._store, one, place.visible) for one in (reference, *also)]
            memory = memories[0]
            found = find_footprint(self._store, memories, place.visible, by_text=by_text)
            mentions = (one.memory for one in found.mentions)
            listed = (*found.versions, *found.derived, *mentions)
            keys = {memory.key, *(one.key for one in listed), *found.rewritten}
            short_ids = self._store.memories.short_ids(sorted(keys))
            if erase and preview:
                purged = self._store.erasure.count_quotes(found.marks)
            elif erase:
                purged = self._erase(found)
            elif not preview and memory.forgotten_at is None:
                self._hide(memory, found, told)
        done = ForgetResult(
            memory=memory, short_id=short_ids[memory.key], erased=erase and not preview,
            preview=preview, erasing=erase, footprint=found, short_ids=short_ids, purged=purged,
        )  # fmt: skip
        if preview:
            return done.replace(copies=self._copies(found) if erase else ())
        if found.rewritten:
            self._remember.embed_changed()
        return self._cleaned(done, backups=backups) if erase else done

    def _copies(self, found: Footprint) -> tuple[str, ...]:
        return tuple(self._store.erasure.copies_holding(found.marks))

    # -- hiding

    def _hide(self, memory: Memory, found: Footprint, reason: str) -> None:
        now = self._clock.now()
        freed: dict[int, list[str]] = {}
        versions = [one for one in found.versions if one.forgotten_at is None]
        derived = [one for one in found.derived if one.forgotten_at is None]
        for one in (*versions, *derived):
            self._store.memories.change(one.key, forgotten_at=now)
            freed[one.key] = free_sources(self._store, one)
        edits = [one for one in found.edits if not self._is_hidden(one)]
        for edit in edits:
            self._store.texts.rewrite(edit.text, edit.after, keep_journal=True)

        def record(one: Memory, **details: Any) -> None:
            told = {**details, "sources": freed.get(one.key)}
            kept = {name: value for name, value in told.items() if value or name == "reason"}
            self._store.memories.record("forget", one.key, now, **kept)

        for one in derived:
            record(one, reason="a source was forgotten")
        for one in versions:
            if one != memory:
                record(one, **{"with": memory.id})
        record(
            memory,
            reason=reason,
            versions=[one.id for one in versions if one != memory],
            made=[one.id for one in derived],
            edits=[_as_list(one) for one in edits],
        )

    def _is_hidden(self, edit: Edit) -> bool:
        """Tell whether a text is of a memory that is forgotten already."""
        key = edit.text.memory
        return key is not None and any(
            one.forgotten_at is not None for one in self._store.memories.get([key])
        )

    # -- bringing back

    def bring_back(self, memory: Memory) -> None:
        """Lift a memory's tombstone with all that went with it; inside the caller's transaction."""
        now = self._clock.now()
        details, origin = self._record_of(memory)
        together = {
            one.key: one for one in (memory, *origin, *self._store.memories.chain(memory.key))
        }
        for version in details.get("versions", ()):
            together |= {one.key: one for one in self._store.memories.find(version)}
        lifted = [one for one in together.values() if one.forgotten_at == memory.forgotten_at]
        for one in lifted:
            self._store.memories.change(one.key, forgotten_at=None)
            self._store.memories.record("restore", one.key, now)
        for edit in reversed(details.get("edits", [])):
            self._put_back(_from_list(edit))
        for one in lifted:
            restore_derived(self._store, one, now)

    def _record_of(self, memory: Memory) -> tuple[dict[str, Any], list[Memory]]:
        """Return what the log says of how a memory was forgotten, and the memory it was with."""
        for line in reversed(self._store.inspection.log_of(memory.id, _LOG_LINES)):
            if line.operation == "forget":
                if "with" not in line.details:
                    return line.details, []
                origin = self._store.memories.find(line.details["with"])
                details = [self._record_of(one)[0] for one in origin]
                return (details[0] if details else {}), origin
        return {}, []

    def _put_back(self, edit: Edit) -> None:
        now = self._store.texts.at(edit.text)
        if now is None and edit.text.column != "summary":
            return  # its row is gone
        if (now or "") == edit.after:
            merged = edit.text.text
        else:
            merged = _merged(now or "", edit)
            self._follow(edit)
        if merged != (now or ""):
            self._store.texts.rewrite(edit.text, merged, keep_journal=True)

    def _follow(self, undone: Edit) -> None:
        """Put what is brought back into what later forgets keep of the same text, too.

        So they bring back the whole text, in whichever order they are undone.
        """
        after = undone.after
        for number, details in self._store.erasure.edit_records():
            edits = [_from_list(told) for told in details["edits"]]
            for at, edit in enumerate(edits):
                same = (edit.text.where, edit.text.key) == (undone.text.where, undone.text.key)
                if same and edit.text.text == after:
                    first = after == undone.after
                    before = undone.text.text if first else _merged(after, undone)
                    after = edit.after
                    text = edit.text.replace(text=before)
                    edits[at] = edit.replace(text=text, after=_merged(after, undone))
            told = [_as_list(edit) for edit in edits]
            if told != details["edits"]:
                self._store.erasure.set_record(number, {**details, "edits": told})

    # -- erasing

    def _erase(self, found: Footprint) -> int:
        now = self._clock.now()
        secret = self._store.meta("install_secret") or ""
        identity = found.versions[-1].id
        for one in (*found.derived, *found.versions):
            self._store.memories.erase(one.key, keyed_hash(one.content, secret), now)
            self._remember.entities.after_erase(one.entity)
            self._store.memories.record("erase", None, now, id=one.id)
        gone = {task.key for task in found.tasks if not self._store.erasure.task_is_used(task.key)}
        for task in gone:
            self._store.erasure.remove_task(task)
        for edit in found.edits:
            if edit.text.table != "tasks" or edit.text.key[0] not in gone:
                self._store.texts.rewrite(edit.text, edit.after)
        said = [text for one in found.versions for text in sentences_of(one.content)]
        said += [text for edit in found.edits for text in edit.removed]
        hashes = {
            keyed_hash(one, secret) for one in said if len(one.split()) >= _MIN_SENTENCE_WORDS
        }
        self._store.erasure.refuse_again(sorted(hashes), identity, now)
        return self._store.erasure.purge(found.marks)

    def _cleaned(self, done: ForgetResult, *, backups: bool) -> ForgetResult:
        """Return what is said once the file was cleaned and searched."""
        marks = done.footprint.marks
        for name in self._store.erasure.names_in_use():
            marks.subtract(name)
        copies = self._store.erasure.copies_holding(marks)
        for text in (text for one in done.footprint.mentions for text in one.texts):
            marks.subtract(text)
        pending = not self._store.clean_file()
        beside = self._files()
        left = [] if pending else self._left(marks, beside)
        logs = [path for path in left if path in beside]
        rows = self._store.erasure.rows_holding(marks) if len(left) > len(logs) else []
        removed: list[str] = []
        if backups and copies:
            stay = self._store.erasure.remove_copies(copies)
            removed, copies = [one for one in copies if one not in stay], stay
        return done.replace(
            clean_pending=pending, found_in=tuple(left), logs=tuple(logs), rows=tuple(rows),
            copies=tuple(copies), copies_removed=tuple(removed),
        )  # fmt: skip

    def _left(self, marks: Marks, beside: Sequence[str]) -> list[str]:
        """Return the paths of files that hold something; the store is written anew once if so."""
        left = self._store.erasure.files_holding(marks, beside)
        if left and self._store.compact_file() and self._store.clean_file():
            left = self._store.erasure.files_holding(marks, beside)
        return left


def _as_list(edit: Edit) -> list[Any]:
    text = edit.text
    return [text.table, text.column, list(text.key), text.memory, text.text, edit.after]


def _from_list(told: Sequence[Any]) -> Edit:
    table, column, key, memory, before, after = told
    text = StoredText(
        table=table, column=column, key=tuple(key), text=before, is_json=column == "metadata",
        memory=memory,
    )  # fmt: skip
    return Edit(text=text, after=after)


def _merged(now: str, edit: Edit) -> str:
    """Return a text that was changed since, with what was taken out of it again."""
    if edit.text.is_json:
        found, left, was = (json.loads(one or "{}") for one in (now, edit.after, edit.text.text))
        back = {name: value for name, value in was.items() if found.get(name) == left.get(name)}
        return json.dumps(
            {**found, **back}, ensure_ascii=False, separators=(",", ":"), sort_keys=True
        )
    lines, left, was = now.split("\n"), edit.after.split("\n"), edit.text.text.split("\n")
    for kind, start, end, first, last in SequenceMatcher(
        None, left, was, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            continue
        missing = [line for line in was[first:last] if line not in lines]
        changed = [line for line in left[start:end] if line in lines]
        at = lines.index(changed[0]) if changed else _place_of(lines, was[:first])
        lines = [line for line in lines if line not in changed]
        lines[at:at] = missing
    return "\n".join(lines)


def _place_of(lines: Sequence[str], before: Sequence[str]) -> int:
    """Return where in lines something stands that came after these."""
    for line in reversed(before):
        if line in lines:
            return lines.index(line) + 1
    return 0
