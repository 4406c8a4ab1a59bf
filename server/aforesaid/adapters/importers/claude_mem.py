"""claude-mem: its database ``claude-mem.db``, or the JSON that its export writes.

Source of the form: thedotmack/claude-mem, tables of version 13. Columns are asked for, since
they grew; prompts, queues, indexes and its own observer's sessions are left out.
"""

from __future__ import annotations

from aforesaid.domain.model.import_item import ImportItem, SkipCounter, wrong_format_error
from aforesaid.domain.model.statement import Statement

from .bounded_files import parse, read_json
from .parsing import bounded, kept, listed, one_line, to_ms
from .sqlite_source import Tables, is_sqlite

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

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


def read(path: str, left_out: SkipCounter) -> Iterator[ImportItem]:
    """Yield a memory for each observation and each session's summary."""
    if is_sqlite(path):
        with Tables(path) as tables:
            if not tables.columns("observations"):
                raise wrong_format_error(path, FORM, "it has no table `observations`")
            _skip_prompts(tables.count("user_prompts"), left_out)
            order = "created_at_epoch"
            yield from _observations(tables.rows("observations", left_out, order), left_out)
            yield from _summaries(tables.rows("session_summaries", left_out), left_out)
        return
    export = read_json(path, left_out)
    if not isinstance(export, dict) or not isinstance(export.get("observations"), list):
        raise wrong_format_error(path, FORM, "it is neither its database nor its export")
    _skip_prompts(len(_rows(export, "prompts")), left_out)
    yield from _observations(_rows(export, "observations"), left_out)
    yield from _summaries(_rows(export, "summaries"), left_out)


def _skip_prompts(count: int, left_out: SkipCounter) -> None:
    if count:
        left_out.add("user prompts", count)


def _rows(export: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found = export.get(name)
    return [row for row in found if isinstance(row, dict)] if isinstance(found, list) else []


def _observations(rows: Iterable[dict[str, Any]], left_out: SkipCounter) -> Iterator[ImportItem]:
    for row in rows:
        project = _project(row)
        if project == _OWN_PROJECT:
            left_out.add("its own observer's sessions")
            continue
        title = one_line(str(row.get("title") or ""), 300)
        facts = _list(row.get("facts"))
        body = str(row.get("narrative") or row.get("text") or row.get("subtitle") or "").strip()
        content = "\n".join(filter(None, (title, body, *(f"- {fact}" for fact in facts))))
        if not content.strip():
            left_out.add("observations without text")
            continue
        concepts = _list(row.get("concepts"))
        said = str(row.get("type") or "")
        yield ImportItem(
            name=_name("observation", row),
            project=project,
            statement=Statement(
                content=bounded(content),
                summary=title or None,
                type=_type(said, concepts),
                tags=tuple(dict.fromkeys(tag[:60] for tag in (FORM, said, *concepts) if tag))[:20],
                anchors=tuple(_files(row))[:20],
                created_at=_at(row),
                metadata=_about(row),
            ),
        )


def _summaries(rows: Iterable[dict[str, Any]], left_out: SkipCounter) -> Iterator[ImportItem]:
    for row in rows:
        project = _project(row)
        if project == _OWN_PROJECT:
            left_out.add("its own observer's sessions")
            continue
        said = [
            f"{label}: {text}"
            for field, label in _SUMMARY
            if (text := str(row.get(field) or "").strip())
        ]
        if not said:
            left_out.add("summaries without text")
            continue
        fields = tuple(field for field, _ in _SUMMARY)
        yield ImportItem(
            name=_name("summary", row),
            project=project,
            statement=Statement(
                content=bounded("\n".join(said)),
                summary=one_line(str(row.get("completed") or row.get("request") or said[0]), 300),
                type="episodic",
                tags=(FORM, "session-summary"),
                created_at=_at(row),
                metadata=_about(row, fields),
            ),
        )


def _type(said: str, concepts: list[str]) -> str:
    if not _PRACTICES.isdisjoint(concepts):
        return "procedural"
    return "episodic" if said in _EVENTS else "semantic"


def _name(what: str, row: dict[str, Any]) -> str:
    """Return a name that two of its databases do not share."""
    session, at, number = (
        row.get(field, "") for field in ("memory_session_id", "created_at_epoch", "id")
    )
    return f"{FORM} {what} {session} {at} {number}"


def _project(row: dict[str, Any]) -> str | None:
    """Return the project; of a worktree (``parent/worktree``) its parent."""
    name = str(row.get("merged_into_project") or row.get("project") or "")
    return name.partition("/")[0].strip()[:120] or None


def _at(row: dict[str, Any]) -> int | None:
    return to_ms(row.get("created_at_epoch")) or to_ms(row.get("created_at"))


def _list(value: Any) -> list[str]:
    """Return a JSON array of texts; what does not parse is one text."""
    if isinstance(value, str):
        read_value = parse(value)
        value = read_value if isinstance(read_value, list) else [value]
    if not isinstance(value, list):
        return []
    return [text for one in value[:100] if (text := str(one).strip())]


def _files(row: dict[str, Any]) -> list[str]:
    found = [*_list(row.get("files_modified")), *_list(row.get("files_edited"))]
    return list(dict.fromkeys([*found, *_list(row.get("files_read"))]))


def _about(row: dict[str, Any], taken: tuple[str, ...] = ()) -> dict[str, Any]:
    files = listed(_files(row))
    about = {"source": FORM, **kept(row, (*_TEXTS, *_PLACES, *_TIMES, *taken))}
    return {**about, "files": files[:50]} if files else about
