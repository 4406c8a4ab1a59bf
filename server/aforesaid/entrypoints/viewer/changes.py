"""Every change of memories that a page offers: a POST that goes back to the page, with a notice.

What a change does is in entrypoints/api; here is only which form asks for it and what undoes it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.suggestion import GUARD, LINK
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.api import corrections
from aforesaid.entrypoints.api.program_arguments import read_program_arguments
from aforesaid.services.maintenance.suggestions import RELATED

from .services import Notice
from .statuses import message_of
from .undo import redirect_with_undo, undo_last
from .views import REFUSED, Visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import RedirectResponse, Response

    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.memories.editor import UpdateResult

    from .undo import UndoStep

_ONLY_A_PERSON = (
    "an agent started this viewer without a browser, and only you can put guards in force: "
    "run `aforesaid ui` in a terminal of your own"
)


def update(visit: Visit, memory_id: str, **fields: Any) -> UpdateResult:
    """Change a memory as update_memory does."""
    arguments = read_program_arguments("update_memory", {"id": memory_id, **fields}, visit.core)
    return visit.operations.update(arguments, visit.context)


# -- steps that undo a change


def set_fields(memory_id: str, fields: dict[str, Any], request: Request) -> None:
    """Set fields of a memory to their former values."""
    visit, memory = Visit.of_memory(request, memory_id)
    update(visit, memory.id, **fields)


def set_origin(memory_id: str, provenance: str, confidence: float, request: Request) -> None:
    """Set who a memory was stated by, and how certain it was, before it was accepted."""
    visit, memory = Visit.of_memory(request, memory_id)
    former = {"provenance": provenance, "confidence": confidence}
    visit.operations.update({"id": memory.id, **former}, visit.context)


def restore(memory_id: str, request: Request) -> None:
    """Bring a memory back."""
    visit, memory = Visit.of_memory(request, memory_id)
    visit.operations.update({"id": memory.id, "restore": True}, visit.context)


def forget(memory_id: str, request: Request) -> None:
    """Forget a memory again."""
    visit, memory = Visit.of_memory(request, memory_id)
    visit.operations.forget({"id": memory.id}, visit.context)


def revert(new: str, old: str, request: Request) -> None:
    """Put the version before an edit in force again."""
    visit, _memory = Visit.of_memory(request, old)
    corrections.revert_edit(visit.core, new, old, visit.context)


def set_link(source: str, kind: str, target: str, remove: bool, request: Request) -> None:
    """Add or remove a link."""
    visit, _memory = Visit.of_memory(request, source)
    visit.operations.link(
        {"source_id": source, "kind": kind, "target_id": target, "remove": remove}, visit.context
    )


def remove_guard(memory_id: str, request: Request) -> None:
    """Stop checking a rule that was accepted as a guard."""
    visit, memory = Visit.of_memory(request, memory_id)
    visit.core.guards.remove(memory.id, visit.context)


def move_back(memory_id: str, project: int, scope: str, request: Request) -> None:
    """Move a memory back to its former project and scope."""
    visit, memory = Visit.of_memory(request, memory_id)
    former = visit.core.store.projects.get(project)
    fields: dict[str, Any] = {"scope": "global"}
    if scope != "global" and former is not None:
        fields = {"scope": scope}
        if memory.project != project:
            fields = {"project": former.identity}
    visit.operations.update({"id": memory.id, **fields}, visit.context)


# -- changes of one memory


def pin(request: Request) -> RedirectResponse:
    """Pin a memory, or unpin it."""
    visit, memory = _memory_of(request)
    update(visit, memory.id, pinned=not memory.pinned)
    text = f"{'Unpinned' if memory.pinned else 'Pinned'}: {memory.preview}"
    return _done(visit, text, partial(set_fields, memory.id, {"pinned": memory.pinned}))


def confirm(request: Request) -> RedirectResponse:
    """Accept a memory: it becomes the user's own certain statement."""
    visit, memory = _memory_of(request)
    visit.call("confirm_memories", check=False, ids=[memory.id])
    return _done(visit, f"Accepted: {memory.preview}", _unconfirm(memory))


def _unconfirm(memory: Memory) -> UndoStep:
    return partial(set_origin, memory.id, memory.provenance, memory.confidence)


def forget_memory(request: Request) -> RedirectResponse:
    """Forget a memory and what repeats it."""
    visit, memory = _memory_of(request)
    result = visit.operations.forget(
        {"id": memory.id, "reason": visit.form.get("reason") or None}, visit.context
    )
    others = len(result.footprint.derived)
    also = f", with {pluralize(others, 'memory', 'memories')} made from it" if others else ""
    return _done(visit, f"Forgotten: {memory.preview}{also}", partial(restore, memory.id))


def restore_memory(request: Request) -> RedirectResponse:
    """Bring a forgotten or archived memory back."""
    visit, memory = _memory_of(request)
    was_forgotten = memory.forgotten_at is not None
    result = visit.operations.update({"id": memory.id, "restore": True}, visit.context)
    steps = [partial(forget, memory.id)] if was_forgotten else []
    return _done(visit, f"In force again: {result.memory.preview}", *steps)


def erase(request: Request) -> RedirectResponse:
    """Remove every trace of a memory; the page that asks shows what that is."""
    visit, memory = _memory_of(request)
    if visit.form.get("agreed") != "yes":
        raise InvalidInputError("tick the box to erase: it cannot be undone")
    answer = visit.call(
        "forget_memory", check=False, id=memory.id, erase=True,
        also=visit.fields("also"), backups=visit.form.get("backups") == "yes",
    )  # fmt: skip
    return visit.go("/", Notice(f"{answer['message']}. {answer.get('note', '')}".strip()))


def add_link(request: Request) -> RedirectResponse:
    """Link a memory to another."""
    return _link(request, remove=False)


def remove_link(request: Request) -> RedirectResponse:
    """Remove a link of a memory."""
    return _link(request, remove=True)


def _link(request: Request, *, remove: bool) -> RedirectResponse:
    visit, memory = _memory_of(request)
    kind, reference = visit.form.get("kind", ""), visit.form.get("target", "").strip(" []")
    _other_visit, other = Visit.of_memory(request, reference)
    source, target = memory, other
    if visit.form.get("direction") == "in":
        source, target = other, memory
    arguments = {"source_id": source.id, "kind": kind, "target_id": target.id, "remove": remove}
    result = visit.operations.link(arguments, visit.context)
    if not result.changed:
        return visit.go(_next(visit), Notice("Nothing changed."))
    verb = "Removed" if remove else "Linked"
    text = f"{verb}: “{source.preview}” {result.kind.replace('_', ' ')} “{target.preview}”"
    return _done(visit, text, partial(set_link, source.id, result.kind, target.id, not remove))


def renew_anchors(request: Request) -> RedirectResponse:
    """Record that a memory is still true although its files changed."""
    visit, memory = _memory_of(request)
    cited = corrections.renew_anchors(visit.core, memory, visit.context)
    where = ", ".join(cited) if cited else "no file now"
    return visit.go(_next(visit), Notice(f"Still true; it cites {where}: {memory.preview}"))


# -- decisions


def decide(request: Request) -> RedirectResponse:
    """Settle a contradiction: keep one memory, or both."""
    visit, kept = Visit.of_memory(request, request.path_params["id"])
    _other_visit, other = Visit.of_memory(request, visit.form.get("other", ""))
    if visit.form.get("keep") == "both":
        corrections.keep_both(visit.core, kept.id, other.id, visit.context)
        step = partial(set_link, kept.id, "contradicts", other.id, False)
        return _done(visit, "Both are kept; they no longer count as a contradiction.", step)
    corrections.keep_one(visit.core, kept.id, other.id, visit.context)
    step = partial(set_link, kept.id, "supersedes", other.id, True)
    return _done(visit, f"Kept: {kept.preview}", step)


_KEY_DIGITS = 18  #: of a key in the store


def answer_suggestion(request: Request) -> RedirectResponse:
    """Accept or decline a suggestion of maintenance."""
    visit = Visit(request)
    text, service = request.path_params["key"], visit.core.suggestions
    key = int(text) if text.isdecimal() and len(text) <= _KEY_DIGITS else 0
    if visit.form.get("answer") != "accept":
        service.decline(key, visit.context)
        return visit.go(_next(visit), Notice("Declined; it is not suggested again."))
    offered = [offer for offer in service.list_open(visit.context) if offer.key == key]
    if any(offer.kind == GUARD for offer in offered) and not visit.services.has_person:
        raise InvalidInputError(_ONLY_A_PERSON)
    accepted = service.accept(key, visit.context, asks=visit.form.get("ask") == "yes")
    memories = visit.core.store.memories.get(accepted.memories)
    steps: list[UndoStep] = []
    if accepted.kind == LINK:
        first, second = memories
        steps.append(partial(set_link, first.id, RELATED, second.id, True))
    elif accepted.kind == GUARD:
        steps.append(partial(remove_guard, memories[0].id))
    return _done(visit, "Accepted, and done.", *steps)


def undo(request: Request) -> RedirectResponse:
    """Undo the last change that was made in this viewer."""
    visit = Visit(request)
    change = undo_last(visit)
    visit.core.writer.embed_changed()
    if change is None:
        return visit.go(_next(visit), Notice("Nothing to undo."))
    emptied, instead = change.moved
    path = instead if emptied and _next(visit) == emptied else _next(visit)
    return visit.go(path, Notice(f"Undone: {change.text}"))


def _memory_of(request: Request) -> tuple[Visit, Memory]:
    return Visit.of_memory(request, request.path_params["id"])


def _next(visit: Visit) -> str:
    return visit.form.get("next", "/")


def _done(visit: Visit, text: str, *steps: UndoStep) -> RedirectResponse:
    return redirect_with_undo(visit, _next(visit), text, *steps)


def report_errors(change: Callable[[Request], Response]) -> Callable[[Request], Response]:
    """Return a change that goes back to its page with the message of an error.

    The page shows the message beside the form that was sent, which has its values again. A question
    before a change goes back to the page above its own path.
    """

    def changed(request: Request) -> Response:
        try:
            return change(request)
        except AforesaidError as error:
            visit, path = Visit(request), request.url.path
            asks = request.method == "GET"
            given = request.query_params.multi_items() if asks else request.state.form
            back = path.rpartition("/")[0] if asks else _next(visit)
            notice = Notice(message_of(error), failed=True, form=path, given=tuple(given))
            return visit.go(f"{back.partition('#')[0]}#{REFUSED}", notice)

    return changed


_OF_A_MEMORY: dict[str, Callable[[Request], RedirectResponse]] = {
    "pin": pin,
    "confirm": confirm,
    "forget": forget_memory,
    "restore": restore_memory,
    "erase": erase,
    "link": add_link,
    "unlink": remove_link,
    "renew": renew_anchors,
    "decide": decide,
}
ROUTES = (
    *(
        Route(f"/memory/{{id}}/{name}", report_errors(change), methods=["POST"])
        for name, change in _OF_A_MEMORY.items()
    ),
    Route("/suggestions/{key}", report_errors(answer_suggestion), methods=["POST"]),
    Route("/undo", report_errors(undo), methods=["POST"]),
)
