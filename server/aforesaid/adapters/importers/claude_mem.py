"""Reads claude-mem's database ``claude-mem.db``, or its JSON export.

Source of the format: thedotmack/claude-mem, tables of version 13; older tables lack some columns.
User prompts, queues, indexes and the sessions of claude-mem's own observer are skipped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import parse, read_json
from .parsing import bounded, extra_fields, one_line, split_list, to_ms
from .sqlite_source import Tables, is_sqlite

FORM = "claude-mem"
_OWN_PROJECT = "observer-sessions"
_EVENTS = frozenset(("bugfix", "feature", "refactor", "change"))
_PRACTICES = frozenset(("gotcha", "pattern"))
_TEXTS = ("title", "subtitle", "narrative", "text", "facts", "concepts", "type")
_PLACES = ("project", "merged_into_project", "files_read", "files_modified", "files_edited")
_TIMES = ("created_at", "created_at_epoch")
_SUMMARY = (
    ("request", "Asked"),
    ("investigated", "Investigated"),
    ("learned", "Learned"),
    ("completed", "Done"),
    ("next_steps", "Next"),
    ("notes", "Notes"),
)


def read(path: str, skipped: SkipCounter) -> Iterator[ImportItem]:
    """Yield an item for each observation and each session summary."""
    if is_sqlite(path):
        with Tables(path) as tables:
            if not tables.columns("observations"):
                raise wrong_format_error(path, FORM, "it has no table `observations`")
            _skip_prompts(tables.count("user_prompts"), skipped)
            order = "created_at_epoch"
            yield from _observations(tables.rows("observations", skipped, order), skipped)
            yield from _summaries(tables.rows("session_summaries", skipped), skipped)
        return
    export = read_json(path, skipped)
    if not isinstance(export, dict) or not isinstance(export.get("observations"), list):
        raise wrong_format_error(path, FORM, "it is neither a database nor an export of it")
    _skip_prompts(len(_rows(export, "prompts")), skipped)
    yield from _observations(_rows(export, "observations"), skipped)
    yield from _summaries(_rows(export, "summaries"), skipped)


def _skip_prompts(count: int, skipped: SkipCounter) -> None:
    if count:
        skipped.add("user prompts", count)


def _rows(export: dict[str, Any], name: str) -> list[dict[str, Any]]:
    rows = export.get(name)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _observations(rows: Iterable[dict[str, Any]], skipped: SkipCounter) -> Iterator[ImportItem]:
    for row in rows:
        project = _project(row)
        if project == _OWN_PROJECT:
            skipped.add("sessions of claude-mem's own observer")
            continue
        title = one_line(str(row.get("title") or ""), 300)
        facts = _list(row.get("facts"))
        body = str(row.get("narrative") or row.get("text") or row.get("subtitle") or "").strip()
        content = "\n".join(filter(None, (title, body, *(f"- {fact}" for fact in facts))))
        if not content.strip():
            skipped.add("observations without text")
            continue
        concepts = _list(row.get("concepts"))
        kind = str(row.get("type") or "")
        yield ImportItem(
            name=_name("observation", row),
            project=project,
            statement=Statement(
                content=bounded(content),
                summary=title or None,
                type=_type(kind, concepts),
                tags=tuple(dict.fromkeys(tag[:60] for tag in (FORM, kind, *concepts) if tag))[:20],
                anchors=tuple(_files(row))[:20],
                created_at=_at(row),
                metadata=_about(row),
            ),
        )


def _summaries(rows: Iterable[dict[str, Any]], skipped: SkipCounter) -> Iterator[ImportItem]:
    for row in rows:
        project = _project(row)
        if project == _OWN_PROJECT:
            skipped.add("sessions of claude-mem's own observer")
            continue
        lines = [
            f"{label}: {text}"
            for field, label in _SUMMARY
            if (text := str(row.get(field) or "").strip())
        ]
        if not lines:
            skipped.add("summaries without text")
            continue
        fields = tuple(field for field, _ in _SUMMARY)
        yield ImportItem(
            name=_name("summary", row),
            project=project,
            statement=Statement(
                content=bounded("\n".join(lines)),
                summary=one_line(str(row.get("completed") or row.get("request") or lines[0]), 300),
                type="episodic",
                tags=(FORM, "session-summary"),
                created_at=_at(row),
                metadata=_about(row, fields),
            ),
        )


def _type(kind: str, concepts: list[str]) -> str:
    if not _PRACTICES.isdisjoint(concepts):
        return "procedural"
    return "episodic" if kind in _EVENTS else "semantic"


def _name(kind: str, row: dict[str, Any]) -> str:
    """Return a name that is unique among several databases."""
    session, at, number = (
        row.get(field, "") for field in ("memory_session_id", "created_at_epoch", "id")
    )
    return f"{FORM} {kind} {session} {at} {number}"


def _project(row: dict[str, Any]) -> str | None:
    """Return the project; for a worktree (``parent/worktree``) the parent."""
    name = str(row.get("merged_into_project") or row.get("project") or "")
    return name.partition("/")[0].strip()[:120] or None


def _at(row: dict[str, Any]) -> int | None:
    return to_ms(row.get("created_at_epoch")) or to_ms(row.get("created_at"))


def _list(value: Any) -> list[str]:
    """Return the texts of a JSON array; invalid JSON is one text."""
    if isinstance(value, str):
        parsed = parse(value)
        value = parsed if isinstance(parsed, list) else [value]
    if not isinstance(value, list):
        return []
    return [text for item in value[:100] if (text := str(item).strip())]


def _files(row: dict[str, Any]) -> list[str]:
    files = [*_list(row.get("files_modified")), *_list(row.get("files_edited"))]
    return list(dict.fromkeys([*files, *_list(row.get("files_read"))]))


def _about(row: dict[str, Any], used: tuple[str, ...] = ()) -> dict[str, Any]:
    files = split_list(_files(row))
    metadata = {"source": FORM, **extra_fields(row, (*_TEXTS, *_PLACES, *_TIMES, *used))}
    return {**metadata, "files": files[:50]} if files else metadata
