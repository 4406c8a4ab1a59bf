"""Everything in the store that says what a memory says: what a forget hides and an erase removes.

By links: all versions, and what maintenance made of them. By text: sentences of digests, summaries
and whatever else was written out of sessions by itself, titles and ids of tasks. What somebody
stored independently is listed and left alone (mentions.py). Here: finding it, which changes
nothing. Not here: hiding and erasing it (forget.py), what counts as repeating
(domain/text/distinctive_phrases.py).
"""

from __future__ import annotations

from aforesaid.domain.maintenance.summary import SUMMARY, is_made
from aforesaid.domain.model.memory import CANDIDATE_TAG, DIGEST_TAG, EXTRACTED_TAG
from aforesaid.domain.model.text_fields import StoredText
from aforesaid.domain.text.distinctive_phrases import Marks, words_of
from aforesaid.domain.value import Value

from .derived import derived_from
from .mentions import FIXED, fields_of, find_mentions, to_json, words_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import Store

    from .mentions import Mention

_UNTITLED = "Session"
_DIGEST_HEAD = 2  #: lines of a digest that say nothing of themselves: title and date


class Edit(Value):
    """A text that loses what repeats a memory."""

    text: StoredText  #: as it is
    after: str
    removed: tuple[str, ...] = ()  #: the sentences that go


class Footprint(Value):
    """What says what a memory says."""

    versions: tuple[Memory, ...]  #: of all that is to go, oldest first
    derived: tuple[Memory, ...]  #: made of it, or saying nothing else
    edits: tuple[Edit, ...]
    mentions: tuple[Mention, ...]  #: stored independently; they stay
    tasks: tuple[Task, ...]  #: whose title or id repeats it
    marks: Marks  #: what only it says

    @property
    def rewritten(self) -> tuple[int, ...]:
        """Return the keys of the memories that lose sentences."""
        found = {one.text.memory: None for one in self.edits if one.text.memory is not None}
        return tuple(found)


def find_footprint(
    store: Store, memories: Sequence[Memory], visible: Visibility, *, by_text: bool = True
) -> Footprint:
    """Return everything that says what these memories say, as far as the caller sees it.

    Args:
        store: where to look.
        memories: any versions of what is to be forgotten or erased.
        visible: what the caller may see; nothing else is touched.
        by_text: whether to look for what repeats them; else links alone count.
    """
    versions: dict[int, Memory] = {}
    derived: dict[int, Memory] = {}
    for memory in memories:
        versions |= {one.key: one for one in store.memories.chain(memory.key)}
        derived |= {one.key: one for one in derived_from(store, memory, forgotten=True)}
    versions = {key: one for key, one in versions.items() if one.project in visible.projects}
    derived = {
        key: one
        for key, one in derived.items()
        if key not in versions and one.project in visible.projects
    }
    marks = Marks(
        [text for one in versions.values() for text in (one.content, one.summary or "")],
        [text for one in versions.values() for text in words_in(one.metadata)],
    )
    if not by_text:
        marks = Marks(())
    mentions: list[Mention] = []
    repeating: list[Mention] = []
    # a digest or a summary repeats others itself: what is made of it is known by links
    compiled = any(_is_compiled(one) for one in memories)
    known = {*versions, *derived}
    for found in find_mentions(store, marks, known, (DIGEST_TAG,)) if by_text else ():
        if found.memory.project in visible.projects:  # else nobody may learn of it here
            edited = not compiled and _is_written_by_itself(found.memory)
            (repeating if edited else mentions).append(found)
    for found in mentions:
        if found.memory.in_force:
            _subtract(marks, found.memory)
    edits: list[Edit] = []
    for found in repeating:
        changed = edits_of(found.memory, marks)
        if changed is None:
            derived[found.memory.key] = found.memory
            continue
        edits += changed
        if {"tags", "link"} & set(found.fields):
            mentions.append(found)
    tasks, task_edits = _of_tasks(store, list(versions.values()), marks, visible)
    return Footprint(
        versions=tuple(sorted(versions.values(), key=lambda one: one.id)),
        derived=tuple(derived.values()),
        edits=(*edits, *(task_edits if by_text else ())),
        mentions=tuple(mentions),
        tasks=tuple(tasks if by_text else ()),
        marks=marks,
    )


def forgotten_marks(store: Store, projects: Sequence[int]) -> Marks:
    """Return what only forgotten memories of these projects say: it is not to be told again."""
    keys = store.erasure.memories_quoting((), ())
    forgotten = [
        one
        for one in store.memories.get(keys)
        if one.forgotten_at is not None and one.project in projects and not _is_compiled(one)
    ]
    marks = Marks([one.content for one in forgotten])
    known = {one.key for one in forgotten}
    for found in find_mentions(store, marks, known, (DIGEST_TAG,), details=False):
        if not _is_written_by_itself(found.memory):
            _subtract(marks, found.memory)
    return marks


def _subtract(marks: Marks, memory: Memory) -> None:
    """Drop what a memory says that stays."""
    for texts in fields_of(memory).values():
        for text in texts:
            marks.subtract(text)


def edits_of(memory: Memory, marks: Marks) -> list[Edit] | None:
    """Return what a memory loses that repeats something; None if nothing of it would be left."""
    content, removed = marks.removed_from(memory.content)
    is_digest = DIGEST_TAG in memory.tags
    if removed:
        first = memory.content.partition("\n")[0]
        if is_digest and marks.repeated_by(first):
            content = f"{_UNTITLED}\n{content}"
        body = content.split("\n")[_DIGEST_HEAD if is_digest else 0 :]
        if not any(words_of(line) for line in body):
            return None
    edits = [Edit(text=_text(memory, "content", memory.content), after=content,
                  removed=tuple(removed))] if removed else []  # fmt: skip
    summary, gone = marks.removed_from(memory.summary or "")
    if gone:
        edits.append(Edit(text=_text(memory, "summary", memory.summary or ""), after=summary,
                          removed=tuple(gone)))  # fmt: skip
    metadata = {name: _without(name, value, marks) for name, value in memory.metadata.items()}
    if metadata != memory.metadata:
        edits.append(
            Edit(text=_text(memory, "metadata", to_json(memory.metadata)), after=to_json(metadata))
        )
    return edits


def _text(memory: Memory, column: str, text: str) -> StoredText:
    return StoredText(
        table="memories", column=column, key=(memory.key,), text=text,
        is_json=column == "metadata", memory=memory.key,
    )  # fmt: skip


def _without(name: str, value: Any, marks: Marks) -> Any:
    """Return a value of a memory's metadata without what repeats something."""
    if name in FIXED:
        return value
    if isinstance(value, str):
        return marks.removed_from(value)[0] or (_UNTITLED if name == "title" and value else "")
    if isinstance(value, list):
        kept = (_without("", one, marks) for one in value)
        return [one for one, was in zip(kept, value, strict=True) if one or not was]
    if isinstance(value, dict):
        return {key: _without(key, one, marks) for key, one in value.items()}
    return value


def _is_compiled(memory: Memory) -> bool:
    """Tell whether a memory was compiled from what others, or a session, said."""
    return (
        is_made(memory)
        or memory.metadata.get(SUMMARY) is True
        or (DIGEST_TAG in memory.tags and "session_id" in memory.metadata)
    )


def _is_written_by_itself(memory: Memory) -> bool:
    """Tell whether nobody asked for a memory to be stored: it was written out of others."""
    return (
        _is_compiled(memory)
        or EXTRACTED_TAG in memory.tags
        or (CANDIDATE_TAG in memory.tags and "category" in memory.metadata)
    )


def _of_tasks(
    store: Store, versions: Sequence[Memory], marks: Marks, visible: Visibility
) -> tuple[list[Task], list[Edit]]:
    """Return tasks whose title or id repeats something, and their texts without it."""
    inside = {one.task for one in versions}
    keys = {one.key for one in versions}
    found: list[Task] = []
    edits: list[Edit] = []
    for task in store.tasks.find(visible.projects):
        linked = task.key in inside or task.objective in keys
        before = len(edits)
        for column, text, instead in (
            ("title", task.title, ""),
            ("task_id", task.task_id, f"task-{task.key}"),
        ):
            if marks.repeated_by(text) or (linked and marks.holds(text)):
                stored = StoredText(table="tasks", column=column, key=(task.key,), text=text)
                edits.append(Edit(text=stored, after=instead, removed=(text,)))
        if len(edits) > before:
            found.append(task)
    return found, edits
