"""Everything in the store that repeats a memory: what forgetting hides and erasing removes.

By links: all versions, and what maintenance derived from them. By text: sentences of digests,
summaries and other memories written automatically from sessions, titles and ids of tasks.
Memories that were stored independently are listed with the fields that repeat it, but left alone.
Nothing here changes the store; forget.py does. What counts as repeating is decided in
domain/text/distinctive_phrases.py.
"""

from __future__ import annotations

import json

from aforesaid.domain.maintenance.summary import SUMMARY, is_derived
from aforesaid.domain.model.memory import CANDIDATE_TAG, DIGEST_TAG, EXTRACTED_TAG, stored_cues
from aforesaid.domain.model.text_fields import StoredText
from aforesaid.domain.text.distinctive_phrases import Marks, words_of
from aforesaid.domain.value import Value

from .derived import derived_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import Store


#: Metadata that is not free text.
FIXED = frozenset(
    ("session_id", "event_date", "made_by", "category", "summariser", "entity_type", "named_days")
)
_CUES = frozenset(("cues", "trigger"))
_PAGE = 500


class Mention(Value):
    """A memory that is kept, and its fields that repeat some of what is forgotten."""

    memory: Memory
    fields: tuple[str, ...]
    texts: tuple[str, ...]  #: of these fields

    @property
    def state(self) -> str:
        """Return why the memory is not in force; empty if it is."""
        if self.memory.forgotten_at is not None:
            return "forgotten"
        if self.memory.superseded_by is not None:
            return "replaced"
        return "archived" if self.memory.archived_at is not None else ""


def find_mentions(
    store: Store,
    marks: Marks,
    excluded: Collection[int],
    tags: tuple[str, ...],
    *,
    details: bool = True,
) -> Iterator[Mention]:
    """Yield the memories of all projects that repeat something in any field.

    Args:
        store: where to search.
        marks: the phrases to search for.
        excluded: keys of memories to leave out.
        tags: memories with one of these tags are compared even if the index finds no phrase.
        details: whether to search metadata, tags and links, too.
    """
    links: dict[int, list[str]] = {}
    keys = set(store.erasure.memories_quoting(marks.phrases(), tags))
    if details:
        for source, target, kind in store.erasure.links_quoting(marks):
            if target not in excluded:
                links.setdefault(source, []).append(kind)
        keys |= {*store.erasure.details_quoting(marks), *links}
    candidates = sorted(keys - set(excluded))
    for start in range(0, len(candidates), _PAGE):
        for memory in store.memories.get(candidates[start : start + _PAGE]):
            fields = {**fields_of(memory), "link": tuple(links.get(memory.key, ()))}
            repeating = {
                name: texts for name, texts in fields.items() if any(map(marks.repeated_by, texts))
            }
            if repeating:
                texts = tuple(text for texts in repeating.values() for text in texts)
                yield Mention(memory=memory, fields=tuple(repeating), texts=texts)


def fields_of(memory: Memory) -> dict[str, tuple[str, ...]]:
    """Return the fields of a memory that hold free text."""
    cues = set(stored_cues(memory.metadata))
    metadata = {
        name: value
        for name, value in memory.metadata.items()
        if name not in FIXED and name not in _CUES
    }
    return {
        "content": (memory.content,),
        "summary": (memory.summary or "",),
        "cues": (*sorted(cues), *_strings_in(memory.metadata.get("trigger"))),
        "tags": memory.tags,
        "metadata": (to_json(metadata),) if metadata else (),
    }


def words_in(value: Any) -> Iterator[str]:
    """Yield the free texts of a memory's metadata, or of a value in it."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name not in FIXED:
                yield from words_in(item)
    else:
        yield from _strings_in(value)


def _strings_in(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from words_in(item)


def to_json(value: object) -> str:
    """Return a value in the form in which the store keeps it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


_UNTITLED = "Session"
_DIGEST_HEAD = 2  #: first lines of a digest, title and date, which are no content


class Edit(Value):
    """A text from which the sentences that repeat a memory are removed."""

    text: StoredText  #: as it is
    after: str
    removed: tuple[str, ...] = ()  #: sentences


class Footprint(Value):
    """Everything that repeats a memory."""

    versions: tuple[Memory, ...]  #: to be forgotten, oldest first
    derived: tuple[Memory, ...]  #: derived from it, or consisting only of repetitions
    edits: tuple[Edit, ...]
    mentions: tuple[Mention, ...]  #: stored independently; they stay
    tasks: tuple[Task, ...]  #: whose title or id repeats it
    marks: Marks  #: phrases that only it contains

    @property
    def rewritten(self) -> tuple[int, ...]:
        """Return the keys of the memories that lose sentences."""
        keys = {edit.text.memory: None for edit in self.edits if edit.text.memory is not None}
        return tuple(keys)


def find_footprint(
    store: Store, memories: Sequence[Memory], visible: Visibility, *, by_text: bool = True
) -> Footprint:
    """Return everything that repeats these memories, as far as the caller may see it.

    Args:
        store: where to search.
        memories: any versions of what is to be forgotten or erased.
        visible: what the caller may see; nothing else is touched.
        by_text: whether to search texts; otherwise only links count.
    """
    versions: dict[int, Memory] = {}
    derived: dict[int, Memory] = {}
    for memory in memories:
        versions |= {version.key: version for version in store.memories.chain(memory.key)}
        derived |= {item.key: item for item in derived_from(store, memory, forgotten=True)}
    versions = {key: item for key, item in versions.items() if item.project in visible.projects}
    derived = {
        key: item
        for key, item in derived.items()
        if key not in versions and item.project in visible.projects
    }
    marks = _marks_of(versions.values()) if by_text else Marks(())
    # digests and summaries repeat others themselves: what is derived from them is known by links
    compiled = any(_is_compiled(memory) for memory in memories)
    excluded = {*versions, *derived}
    mentions: list[Mention] = []
    automatic: list[Mention] = []
    for mention in find_mentions(store, marks, excluded, (DIGEST_TAG,)) if by_text else ():
        if mention.memory.project in visible.projects:  # others must not be disclosed here
            edited = not compiled and _is_automatic(mention.memory)
            (automatic if edited else mentions).append(mention)
    for mention in mentions:
        if mention.memory.in_force:
            _subtract(marks, mention.memory)
    edits: list[Edit] = []
    for mention in automatic:
        memory_edits = edits_of(mention.memory, marks)
        if memory_edits is None:
            derived[mention.memory.key] = mention.memory
            continue
        edits += memory_edits
        if {"tags", "link"} & set(mention.fields):
            mentions.append(mention)
    tasks, task_edits = (
        _repeating_tasks(store, list(versions.values()), marks, visible) if by_text else ([], [])
    )
    return Footprint(
        versions=tuple(sorted(versions.values(), key=lambda version: version.id)),
        derived=tuple(derived.values()),
        edits=(*edits, *task_edits),
        mentions=tuple(mentions),
        tasks=tuple(tasks),
        marks=marks,
    )


def _marks_of(versions: Iterable[Memory]) -> Marks:
    versions = list(versions)
    return Marks(
        [text for version in versions for text in (version.content, version.summary or "")],
        [text for version in versions for text in words_in(version.metadata)],
    )


def forgotten_marks(store: Store, projects: Sequence[int]) -> Marks:
    """Return the phrases of forgotten memories of these projects, which no digest may repeat."""
    keys = store.erasure.memories_quoting((), ())
    forgotten = [
        memory
        for memory in store.memories.get(keys)
        if memory.forgotten_at is not None
        and memory.project in projects
        and not _is_compiled(memory)
    ]
    marks = Marks([memory.content for memory in forgotten])
    excluded = {memory.key for memory in forgotten}
    for mention in find_mentions(store, marks, excluded, (DIGEST_TAG,), details=False):
        if not _is_automatic(mention.memory):
            _subtract(marks, mention.memory)
    return marks


def _subtract(marks: Marks, memory: Memory) -> None:
    """Remove the phrases of a memory that stays."""
    for texts in fields_of(memory).values():
        for text in texts:
            marks.subtract(text)


def edits_of(memory: Memory, marks: Marks) -> list[Edit] | None:
    """Return the edits that remove repetitions from a memory; None if nothing would be left."""
    edits = []
    content, removed = marks.removed_from(memory.content)
    if removed:
        is_digest = DIGEST_TAG in memory.tags
        title = memory.content.partition("\n")[0]
        if is_digest and marks.repeated_by(title):
            content = f"{_UNTITLED}\n{content}"
        body = content.split("\n")[_DIGEST_HEAD if is_digest else 0 :]
        if not any(words_of(line) for line in body):
            return None
        edits.append(_edit(memory, "content", memory.content, content, removed))
    summary, removed = marks.removed_from(memory.summary or "")
    if removed:
        edits.append(_edit(memory, "summary", memory.summary or "", summary, removed))
    metadata = {name: _without(name, value, marks) for name, value in memory.metadata.items()}
    if metadata != memory.metadata:
        edits.append(_edit(memory, "metadata", to_json(memory.metadata), to_json(metadata)))
    return edits


def _edit(
    memory: Memory, column: str, before: str, after: str, removed: Sequence[str] = ()
) -> Edit:
    text = StoredText(
        table="memories", column=column, key=(memory.key,), text=before,
        is_json=column == "metadata", memory=memory.key,
    )  # fmt: skip
    return Edit(text=text, after=after, removed=tuple(removed))


def _without(name: str, value: Any, marks: Marks) -> Any:
    """Return a value of a memory's metadata without repetitions."""
    if name in FIXED:
        return value
    if isinstance(value, str):
        return marks.removed_from(value)[0] or (_UNTITLED if name == "title" and value else "")
    if isinstance(value, list):
        items = (_without("", item, marks) for item in value)
        return [item for item, old in zip(items, value, strict=True) if item or not old]
    if isinstance(value, dict):
        return {key: _without(key, item, marks) for key, item in value.items()}
    return value


def _is_compiled(memory: Memory) -> bool:
    """Tell whether a memory was compiled from other memories or from a session."""
    return (
        is_derived(memory)
        or memory.metadata.get(SUMMARY) is True
        or (DIGEST_TAG in memory.tags and "session_id" in memory.metadata)
    )


def _is_automatic(memory: Memory) -> bool:
    """Tell whether a memory was written automatically, without anyone asking to store it."""
    return (
        _is_compiled(memory)
        or EXTRACTED_TAG in memory.tags
        or (CANDIDATE_TAG in memory.tags and "category" in memory.metadata)
    )


def _repeating_tasks(
    store: Store, versions: Sequence[Memory], marks: Marks, visible: Visibility
) -> tuple[list[Task], list[Edit]]:
    """Return tasks whose title or id repeats something, and the edits of these texts."""
    task_keys = {version.task for version in versions}
    keys = {version.key for version in versions}
    tasks: list[Task] = []
    edits: list[Edit] = []
    for task in store.tasks.find(visible.projects):
        linked = task.key in task_keys or task.objective in keys
        task_edits = [
            Edit(
                text=StoredText(table="tasks", column=column, key=(task.key,), text=text),
                after=replacement,
                removed=(text,),
            )
            for column, text, replacement in (
                ("title", task.title, ""),
                ("task_id", task.task_id, f"task-{task.key}"),
            )
            if marks.repeated_by(text) or (linked and marks.holds(text))
        ]
        if task_edits:
            tasks.append(task)
            edits += task_edits
    return tasks, edits
