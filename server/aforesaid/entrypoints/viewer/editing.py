"""Editing a memory, and what erasing it would remove; other changes are in changes.py."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.memory import GLOBAL_PROJECT, IMPORTANCE_WORDS, TYPES, stored_cues

from .changes import move_back, revert, set_fields, update
from .services import Notice
from .statuses import message_of, status_of
from .times import day
from .undo import redirect_with_undo, undo_in_turn
from .views import Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, Response

    from aforesaid.domain.model.memory import Memory

    from .undo import UndoStep

GLOBAL = "global"  #: in place of a project's key
_LISTS = {"tags": ",", "cues": ";"}  #: fields with several values, and what separates them
_CLEARED = "never"  #: what clears a date
#: What the form calls its fields of one line.
LABELS = {
    "topic": "Topic", "entity": "About (entity)", "tags": "Tags", "cues": "Other words for it",
    "valid_from": "True since", "valid_to": "True until", "summary": "Summary",
}  # fmt: skip
_CHANGED_MEANWHILE = (
    "This memory was changed in the meantime. The form has your values: save again to keep them, "
    "or open the memory to see the others."
)


def show_form(request: Request) -> Response:
    """Show the form that edits a memory."""
    visit, memory = Visit.of_memory(request, request.path_params["id"])
    if memory.forgotten_at is not None:
        return visit.go(f"/memory/{memory.id}")
    return _form(visit, memory, read_values(visit, memory))


def edit(request: Request) -> Response:
    """Change what the form changed; new text or type makes a version."""
    visit, memory = Visit.of_memory(request, request.path_params["id"])
    former = read_values(visit, memory)
    values = {name: visit.form.get(name, value) for name, value in former.items()}
    values["content"] = values["content"].replace("\r\n", "\n")
    values["pinned"] = "yes" if "pinned" in visit.form else ""
    changed = {name: value for name, value in values.items() if value.strip() != former[name]}
    if not changed:
        return visit.go(f"/memory/{memory.id}", Notice("Nothing was changed."))
    if visit.form.get("seen", _fingerprint(former)) != _fingerprint(former):
        return _form(
            visit, memory, values, notice=Notice(_CHANGED_MEANWHILE, failed=True), status=409
        )
    steps: list[UndoStep] = []
    try:
        known = {project.identity for project in visit.core.store.projects.list_all()}
        if changed.get("home", GLOBAL) not in {GLOBAL, *known}:
            raise InvalidInputError("there is no such project: choose one from the list")
        current = _apply(visit, memory, changed, former, steps)
    except AforesaidError as error:
        if steps:  # the text was changed, only the move failed
            return redirect_with_undo(
                visit, visit.path.rpartition("/")[0], str(error), partial(undo_in_turn, steps)
            )
        return _form(
            visit, memory, values, notice=Notice(message_of(error), failed=True),
            status=status_of(error), wrong=_wrong_field(error),
        )  # fmt: skip
    is_new = current.id != memory.id
    text = "Saved as a new version." if is_new else f"Changed: {', '.join(sorted(changed))}."
    moved = (f"/memory/{current.id}", f"/memory/{memory.id}") if is_new else ("", "")
    return redirect_with_undo(
        visit, f"/memory/{current.id}", text, partial(undo_in_turn, steps), moved=moved
    )


def _apply(
    visit: Visit,
    memory: Memory,
    changed: dict[str, str],
    former: dict[str, str],
    steps: list[UndoStep],
) -> Memory:
    """Make the changes, and add the steps that undo them."""
    current = memory
    home = changed.pop("home", None)
    if changed:
        result = update(visit, memory.id, **_arguments(changed))
        current = result.memory
        if result.superseded is not None:
            steps.append(partial(revert, current.id, memory.id))
        else:
            before = _arguments({name: former[name] for name in changed})
            steps.append(partial(set_fields, memory.id, before))
    if home is not None:
        fields = {"scope": GLOBAL} if home == GLOBAL else {"project": home}
        steps.append(partial(move_back, current.id, memory.project, memory.scope))
        current = update(visit, current.id, **fields).memory
        changed["home"] = home
    return current


def read_values(visit: Visit, memory: Memory) -> dict[str, str]:
    """Return what the fields of the form contain for a memory as it is."""
    project = visit.core.store.projects.get(memory.project)
    words = {value: word for word, value in IMPORTANCE_WORDS.items()}
    return {
        "content": memory.content.strip(),
        "type": memory.type,
        "home": GLOBAL if memory.project == GLOBAL_PROJECT or project is None else project.identity,
        "summary": memory.summary or "",
        "topic": visit.names.topic(memory.topic),
        "entity": visit.names.entity(memory.entity) or "",
        "tags": ", ".join(memory.tags),
        "cues": "; ".join(stored_cues(memory.metadata)),
        "importance": words.get(memory.importance, f"{memory.importance:g}"),
        "valid_from": day(memory.valid_from),
        "valid_to": day(memory.valid_to),
        "pinned": "yes" if memory.pinned else "",
    }


def _fingerprint(values: dict[str, str]) -> str:
    """Return what identifies the values that a form was made from."""
    return sha256(repr(sorted(values.items())).encode("utf-8", "replace")).hexdigest()


def _arguments(values: dict[str, str]) -> dict[str, Any]:
    """Return the arguments of update_memory for values of the form."""
    arguments: dict[str, Any] = dict(values)
    for name, separator in _LISTS.items():
        if name in arguments:
            parts = (part.strip() for part in values[name].split(separator))
            arguments[name] = [part for part in parts if part]
    for name in ("valid_from", "valid_to"):
        if name in arguments:
            arguments[name] = values[name].strip() or _CLEARED
    if "pinned" in arguments:
        arguments["pinned"] = bool(values["pinned"])
    return arguments


def _wrong_field(error: AforesaidError) -> tuple[str, str]:
    """Return which field an error is about, and what to say beside it; empty if it names none."""
    name, _blank, rest = str(error).partition(" ")
    name = name.rstrip(":")
    if name == "content":
        return name, message_of(error)
    return (name, f"{LABELS[name]}: {rest}") if name in LABELS else ("", "")


def _form(
    visit: Visit,
    memory: Memory,
    values: dict[str, str],
    *,
    notice: Notice | None = None,
    status: int = 200,
    wrong: tuple[str, str] = ("", ""),
) -> HTMLResponse:
    store = visit.core.store
    choices = {
        "memory": memory,
        "short": visit.names.short(memory.key),
        "values": values,
        "labels": LABELS,
        "wrong": {"field": wrong[0], "text": wrong[1]},
        "seen": _fingerprint(read_values(visit, memory)),
        "types": TYPES,
        "importances": tuple(IMPORTANCE_WORDS),
        "topics": sorted(
            {topic.path for topic in store.topics.of_projects(visit.context.visible.projects)}
        ),
    }
    if wrong[0] and notice is not None:
        notice = notice._replace(form=visit.request.url.path)  # said beside the field instead
    return visit.page("memory_edit.html", choices, status=status, notice=notice)


def show_erasure(request: Request) -> HTMLResponse:
    """Show what erasing a memory would remove, and ask."""
    visit, memory = Visit.of_memory(request, request.path_params["id"])
    arguments = {"id": memory.id, "erase": True, "preview": True}
    result = visit.operations.forget(arguments, visit.context)
    values = {"memory": memory, "short": visit.names.short(memory.key), "result": result}
    return visit.page("memory_erase.html", values)


ROUTES = (
    Route("/memory/{id}/edit", show_form, methods=["GET"]),
    Route("/memory/{id}/edit", edit, methods=["POST"]),
    Route("/memory/{id}/erase", show_erasure, methods=["GET"]),
)
