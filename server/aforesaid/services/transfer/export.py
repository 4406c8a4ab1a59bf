"""Exporting: memories in force as records, with names in place of keys, or the whole store.

A whole store is exported as lines of JSON and imported again: lossless, checksummed, deterministic.
The first line names the format; the last one has the number of rows and their checksum.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any

from aforesaid.domain.errors import CorruptError, InvalidInputError
from aforesaid.domain.model.export_record import Record
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, Visibility
from aforesaid.domain.text.sanitize import remove_invisible, remove_invisible_in
from aforesaid.ports import Store

_PAGE = 200


def read_records(store: Store, project: int) -> Iterator[Record]:
    """Yield the memories in force of one project as records, oldest first.

    Args:
        store: The store.
        project: The key of the project; 0 for global memories.
    """
    names = _NameResolver(store, project)
    for page in _pages(store, project):
        yield from names.records(page)


def read_by_topic(store: Store, project: int) -> Iterator[tuple[str, Record]]:
    """Yield the memories in force of one project with their topics, ordered by topic.

    Unfiled ones come last, ordered by type. Only keys are kept in memory, not texts.
    """
    names = _NameResolver(store, project)
    keys: dict[tuple[bool, str], list[int]] = {}
    for page in _pages(store, project):
        for memory in page:
            topic = names.topics.get(memory.topic or 0)
            keys.setdefault((topic is None, topic or memory.type), []).append(memory.key)
    for (_unfiled, heading), filed in sorted(keys.items()):
        for start in range(0, len(filed), _PAGE):
            for record in names.records(store.memories.get(filed[start : start + _PAGE])):
                yield heading, record


def _pages(store: Store, project: int) -> Iterator[list[Memory]]:
    after = 0
    while page := store.memories.in_force_after(project, after, _PAGE):
        yield page
        after = page[-1].key


class _NameResolver:
    """Resolves the keys in one project's memories to names."""

    def __init__(self, store: Store, project: int) -> None:
        self._store = store
        self._owner = store.projects.get(project) if project != GLOBAL_PROJECT else None
        self._visible = Visibility(projects=tuple(dict.fromkeys((GLOBAL_PROJECT, project))))
        self.topics = {
            topic.key: remove_invisible(topic.path) for topic in store.topics.of_projects([project])
        }

    def records(self, page: Sequence[Memory]) -> Iterator[Record]:
        store, owner = self._store, self._owner
        heads = [memory.key for memory in page]
        links = [
            link for link in store.relations.of(heads, self._visible) if link.direction == "out"
        ]
        targets = store.memories.get(sorted({link.other for link in links}))
        ids = {target.key: target.id for target in targets}
        task_keys = [memory.task for memory in page if memory.task]
        tasks = {task.key: task.task_id for task in store.tasks.get(task_keys)}
        for memory in page:
            entity = None if memory.entity is None else store.entities.get(memory.entity)
            record = Record(
                id=memory.id,
                content=memory.content,
                type=memory.type,
                scope=memory.scope,
                project=None if owner is None else owner.name,
                project_key=None if owner is None else owner.identity,
                task_id=None if memory.task is None else tasks.get(memory.task),
                topic=None if memory.topic is None else self.topics.get(memory.topic),
                entity=None if entity is None else entity.name,
                summary=memory.summary,
                session=memory.session,
                tags=memory.tags,
                importance=memory.importance,
                confidence=memory.confidence,
                pinned=memory.pinned,
                provenance=memory.provenance,
                metadata=memory.metadata,
                valid_from=memory.valid_from,
                valid_to=memory.valid_to,
                event_at=memory.event_at,
                archived_at=memory.archived_at,
                created_at=memory.created_at,
                updated_at=memory.updated_at,
                links=tuple(
                    (link.kind, ids[link.other])
                    for link in links
                    if link.head == memory.key and link.other in ids
                ),
            )
            yield remove_invisible_in(record)


FORMAT_VERSION = 1
LINE_BYTES = 4_000_000  #: three times what 32,000 escaped characters take
MAX_ROWS = 20_000_000


def is_export(first_line: str) -> bool:
    """Whether a file with this first line is an export."""
    try:
        head = json.loads(first_line)
    except (ValueError, RecursionError):
        return False
    return isinstance(head, dict) and "aforesaid_export" in head


def export_lines(store: Store) -> Iterator[str]:
    """Yield the lines of an export, each with its newline."""
    checksum = sha256()
    count = 0
    yield _line({"aforesaid_export": FORMAT_VERSION})
    for table, row in store.dump.rows():
        line = _line({"table": table, "row": row})
        checksum.update(line.encode())
        count += 1
        yield line
    yield _line({"rows": count, "sha256": checksum.hexdigest()})


def import_export(store: Store, lines: Iterable[str]) -> dict[str, int]:
    """Load an export into an empty store, all of it or nothing; return the rows of each table.

    Raises:
        ConflictError: The store is not empty.
        CorruptError: The file is truncated or altered; nothing was stored.
        InvalidInputError: It is not an export, or one of a newer version.
    """
    return store.dump.load(_rows(iter(lines)))


def _rows(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    head = _read(next(lines, ""), 1)
    if head.get("aforesaid_export") != FORMAT_VERSION:
        raise InvalidInputError(
            f"cannot read this export: its format is {head.get('aforesaid_export')!r}, but this "
            f"version reads {FORMAT_VERSION}. Update Aforesaid"
        )
    checksum = sha256()
    count = 0
    for number, line in enumerate(lines, 2):
        if len(line) > LINE_BYTES or number > MAX_ROWS:
            raise CorruptError(
                f"line {number} of the export is longer than {LINE_BYTES} bytes, or the export "
                f"has more than {MAX_ROWS} rows; nothing was stored"
            )
        record = _read(line, number)
        if "sha256" in record:
            if (count, checksum.hexdigest()) != (record.get("rows"), record["sha256"]):
                raise CorruptError(
                    f"the export was altered: it has {count} rows instead of {record.get('rows')}, "
                    "or its checksum differs; nothing was stored"
                )
            return
        checksum.update(line.encode())
        count += 1
        row = record.get("row")
        if not isinstance(row, dict) or any(map(_is_bad, row.values())):
            raise CorruptError(f"line {number} of the export is not a row; nothing was stored")
        yield str(record.get("table")), row
    raise CorruptError(f"the export is truncated after {count} rows; nothing was stored")


def _is_bad(value: object) -> bool:
    """Whether a value cannot be in a column, or is JSON too deeply nested to be read later."""
    if isinstance(value, (list, dict)):
        return True
    if not isinstance(value, str) or value[:1] not in {"{", "["}:
        return False
    try:
        json.loads(value)
    except RecursionError:
        return True
    except ValueError:
        return False  # ordinary text that starts with a bracket
    return False


def _read(line: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise CorruptError(f"line {number} of the export is not a JSON object; nothing was stored")
    return record


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"
