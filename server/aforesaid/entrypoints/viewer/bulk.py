"""Changing many memories at once: all or none, with exact counts, and undone at once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.datastructures import QueryParams
from starlette.routing import Route

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.sanitize import clean_text

from .changes import forget, move_back, reporting, restore, set_fields, set_origin, update
from .search import find
from .services import Notice
from .undo import done
from .views import Visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import HTMLResponse, Response

    from aforesaid.domain.model.memory import Memory

    Step = Callable[[Request], None]

MAX_MEMORIES = 2_000  #: changed at once
LISTED = 50  #: on the page that asks
#: By action: what it does, with the number of memories; whether it needs a value.
ACTIONS = {
    "confirm": ("Accept", "Accepted", ""),
    "pin": ("Pin", "Pinned", ""),
    "unpin": ("Unpin", "Unpinned", ""),
    "tag": ("Tag", "Tagged", "tag"),
    "untag": ("Remove the tag from", "Removed the tag from", "tag"),
    "global": ("Make global", "Made global", ""),
    "move": ("Move", "Moved", "project"),
    "restore": ("Restore", "Restored", ""),
    "forget": ("Forget", "Forgotten", ""),
}


def change_many(request: Request) -> Response:
    """Change the selected memories; first ask about what is not all to be seen on the page."""
    visit = Visit(request)
    action, value = visit.form.get("action", ""), visit.form.get("value", "").strip()
    if action not in ACTIONS:
        raise InvalidInputError("choose what to do with the selected memories")
    needed = ACTIONS[action][2]
    if needed and not value:
        raise InvalidInputError(f"name the {needed}")
    ids = _ids(visit)
    if not ids:
        raise InvalidInputError("select memories first: tick them, or press x on each")
    if len(ids) > MAX_MEMORIES:
        raise InvalidInputError(f"{len(ids)} memories: {MAX_MEMORIES} at most at once")
    if visit.form.get("agreed") != "yes" and (action == "forget" or "all" in visit.form):
        return _ask(visit, ids, action, value)
    steps: list[Step] = []
    changed = 0
    with visit.core.store.transaction():
        for memory_id in ids:
            own_visit, memory = Visit.of_memory(request, memory_id)
            step = _CHANGES[action](own_visit, memory, value)
            if step is not None:
                changed += 1
                steps.append(step)
    visit.core.writer.embed_changed()
    text = f"{ACTIONS[action][1]} {pluralize(changed, 'memory', 'memories')}"
    text += f" ({value})" if needed else ""
    unchanged = len(ids) - changed
    text += f"; {unchanged} had nothing to change." if unchanged else "."
    path = visit.form.get("next", "/search")
    return done(visit, path, text, *steps) if steps else visit.go(path, Notice(text))


def _ids(visit: Visit) -> list[str]:
    """Return the ids of the selected memories, or of all that match the filters of the page."""
    if "all" not in visit.form:
        return list(dict.fromkeys(visit.fields("ids")))
    filters = [pair for pair in parse_qsl(visit.form["all"]) if pair[0] not in {"q", "n", "cursor"}]
    ids: list[str] = []
    cursor: str | None = ""
    while cursor is not None and len(ids) <= MAX_MEMORIES:
        page = [*filters, ("n", "50"), *([("cursor", cursor)] if cursor else [])]
        answer = find(visit, QueryParams(page))
        ids += [hit.memory.id for hit in answer.results]
        cursor = answer.next_cursor
    return ids


def _ask(visit: Visit, ids: list[str], action: str, value: str) -> HTMLResponse:
    """Show how many memories would be changed, and what else would go with them."""
    memories = [Visit.of_memory(visit.request, memory_id)[1] for memory_id in ids]
    versions: set[int] = set()
    derived: dict[int, Memory] = {}
    rewritten: set[int] = set()
    for memory in memories if action == "forget" else []:
        own_visit, _memory = Visit.of_memory(visit.request, memory.id)
        arguments = {"id": memory.id, "preview": True}
        footprint = own_visit.operations.forget(arguments, own_visit.context).footprint
        versions |= {version.key for version in footprint.versions}
        derived |= {made.key: made for made in footprint.derived}
        rewritten |= set(footprint.rewritten)
    values = {
        "ids": ids,
        "memories": memories[:LISTED],
        "action": action,
        "verb": ACTIONS[action][0],
        "value": value,
        "versions": len(versions),
        "derived": [made for key, made in derived.items() if made.id not in ids],
        "rewritten": len(rewritten),
        "next_path": visit.form.get("next", "/search"),
    }
    return visit.page("bulk_ask.html", values)


# -- what is done with one of them; None if there is nothing to do


def _confirm(visit: Visit, memory: Memory, _value: str) -> Step:
    visit.call("confirm_memories", check=False, ids=[memory.id])
    return partial(set_origin, memory.id, memory.provenance, memory.confidence)


def _pin(visit: Visit, memory: Memory, _value: str, *, pinned: bool = True) -> Step | None:
    if memory.pinned == pinned:
        return None
    update(visit, memory.id, pinned=pinned)
    return partial(set_fields, memory.id, {"pinned": memory.pinned})


def _tag(visit: Visit, memory: Memory, value: str, *, remove: bool = False) -> Step | None:
    value = clean_text(value).strip()
    if not value or "," in value:
        raise InvalidInputError("a tag is one word or a few, without a comma")
    tags = [tag for tag in memory.tags if tag != value]
    if not remove:
        tags.append(value)
    if set(tags) == set(memory.tags):
        return None
    update(visit, memory.id, tags=tags)
    return partial(set_fields, memory.id, {"tags": list(memory.tags)})


def _move(visit: Visit, memory: Memory, value: str) -> Step | None:
    target = visit.core.projects.get(value)
    if memory.project == target.key:
        return None
    update(visit, memory.id, project=target.identity)
    return partial(move_back, memory.id, memory.project, memory.scope)


def _make_global(visit: Visit, memory: Memory, _value: str) -> Step | None:
    if memory.scope == "global":
        return None
    update(visit, memory.id, scope="global")
    return partial(move_back, memory.id, memory.project, memory.scope)


def _restore(visit: Visit, memory: Memory, _value: str) -> Step | None:
    if memory.forgotten_at is None:
        return None
    visit.operations.update({"id": memory.id, "restore": True}, visit.context)
    return partial(forget, memory.id)


def _forget(visit: Visit, memory: Memory, _value: str) -> Step | None:
    if memory.forgotten_at is not None:
        return None
    visit.operations.forget({"id": memory.id}, visit.context)
    return partial(restore, memory.id)


_CHANGES: dict[str, Callable[[Visit, Memory, str], Step | None]] = {
    "confirm": _confirm,
    "pin": _pin,
    "unpin": partial(_pin, pinned=False),
    "tag": _tag,
    "untag": partial(_tag, remove=True),
    "global": _make_global,
    "move": _move,
    "restore": _restore,
    "forget": _forget,
}
ROUTES = (Route("/bulk", reporting(change_many), methods=["POST"]),)
