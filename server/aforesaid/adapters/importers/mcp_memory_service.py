"""Reads mcp-memory-service's database ``sqlite_vec.db``, or its JSON export.

Source of the format: mcp-memory-service 12, schema 19. There, a new version of a memory is a new
row; here it supersedes the old one. Deleted rows are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import parse, read_json
from .parsing import bounded, extra_fields, predicate, split_list, to_ms
from .sqlite_source import Tables, is_sqlite

FORM = "mcp-memory-service"
_TYPES = {
    **dict.fromkeys(("learning", "pattern"), "procedural"),
    **dict.fromkeys(("error", "meeting", "session"), "episodic"),
    "stakeholder": "entity",
}
_USED_FIELDS = (
    "id", "content", "content_hash", "tags", "memory_type", "metadata", "created_at", "updated_at",
    "created_at_iso", "updated_at_iso", "deleted_at", "parent_id", "superseded_by", "version",
    "embedding_pending", "last_accessed", "confidence",
)  # fmt: skip
_PROJECT = "proj:"


def read(path: str, skipped: SkipCounter) -> Iterator[ImportItem]:
    """Yield each memory that is not deleted, older versions before newer ones."""
    links: dict[str, list[tuple[str, str]]] = {}
    if is_sqlite(path):
        with Tables(path) as tables:
            if not {"content", "content_hash"} <= set(tables.columns("memories")):
                raise wrong_format_error(
                    path, FORM, "it has no table `memories` with a content_hash"
                )
            rows = list(tables.rows("memories", skipped))
            for edge in tables.rows("memory_graph", skipped):
                kind = predicate(str(edge.get("relationship_type") or "related"))
                link = ("related_to" if kind == "related" else kind, _name(edge["target_hash"]))
                links.setdefault(str(edge["source_hash"]), []).append(link)
    else:
        export = read_json(path, skipped)
        memories = export.get("memories") if isinstance(export, dict) else None
        if not isinstance(memories, list):
            raise wrong_format_error(path, FORM, "it is neither a database nor an export of it")
        rows = [row for row in memories if isinstance(row, dict)]
    yield from _items(rows, links, skipped)


def _items(
    rows: Sequence[dict[str, Any]], links: dict[str, list[tuple[str, str]]], skipped: SkipCounter
) -> Iterator[ImportItem]:
    predecessors: dict[str, str] = {}  # hash to the hash that it replaced
    for row in rows:
        successor = row.get("superseded_by") or _metadata(row).get("superseded_by")
        if successor:
            predecessors[str(successor)] = str(row.get("content_hash"))
    for row in sorted(rows, key=_at_of):
        if row.get("deleted_at") is not None:
            skipped.add("deleted memories")
            continue
        content = str(row.get("content") or "").strip()
        if not content:
            skipped.add("memories without text")
            continue
        name = str(row.get("content_hash") or content)
        predecessor = str(row.get("parent_id") or "") or predecessors.get(name, "")
        tags = [tag for tag in split_list(row.get("tags")) if tag != "untagged"]
        project = next((tag.removeprefix(_PROJECT) for tag in tags if tag.startswith(_PROJECT)), "")
        yield ImportItem(
            name=_name(name),
            project=project[:120] or None,
            links=tuple(links.get(name, ())),
            replaces=(_name(predecessor),) if predecessor and predecessor != name else (),
            statement=_statement(row, content, tags),
        )


def _statement(row: dict[str, Any], content: str, tags: list[str]) -> Statement:
    metadata = _metadata(row)
    extra = {
        "source": FORM,
        **extra_fields(row, _USED_FIELDS),
        **extra_fields(metadata, ("superseded_by",)),
    }
    kind = str(row.get("memory_type") or "")
    confidence = row.get("confidence")
    has_confidence = isinstance(confidence, (int, float)) and not isinstance(confidence, bool)
    return Statement(
        content=bounded(content),
        type=_TYPES.get(kind.partition("/")[0], "semantic"),
        tags=tuple(dict.fromkeys(tag for tag in (FORM, kind, *tags) if tag))[:30],
        confidence=min(max(float(confidence or 0), 0.0), 1.0) if has_confidence else 1.0,
        created_at=_at_of(row) or None,
        metadata=extra,
    )


def _name(content_hash: object) -> str:
    return f"{FORM} {content_hash}"


def _at_of(row: dict[str, Any]) -> int:
    return to_ms(row.get("created_at"), seconds=True) or to_ms(row.get("created_at_iso")) or 0


def _metadata(row: dict[str, Any]) -> dict[str, Any]:
    value = row.get("metadata")
    if isinstance(value, str):
        value = parse(value)
    return value if isinstance(value, dict) else {}
