"""The changes that were made in this viewer and can be undone, latest last."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .services import Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request
    from starlette.responses import RedirectResponse

    from .views import Visit

    UndoStep = Callable[[Request], None]

MAX_CHANGES = 100
PATH = "/undo"


class Change(NamedTuple):
    """A change, and the steps that undo it."""

    text: str
    steps: Sequence[UndoStep]
    moved: tuple[str, str] = ("", "")  #: a page that undoing empties, and the one to see instead


def redirect_with_undo(
    visit: Visit, path: str, text: str, *steps: UndoStep, moved: tuple[str, str] = ("", "")
) -> RedirectResponse:
    """Return a redirect to a page that tells what was done, with the way back.

    Args:
        visit: of the change.
        path: where to go on.
        text: what was done.
        *steps: that undo it; none if it cannot be undone.
        moved: a page that undoing it empties, and the page to see instead.
    """
    changes = visit.services.changes
    if not steps:
        return visit.go(path, Notice(text))
    changes.append(Change(text, steps, moved))
    del changes[:-MAX_CHANGES]
    return visit.go(path, Notice(text, undo=PATH))


def undo_last(visit: Visit) -> Change | None:
    """Undo the last change; return it, None if there is none.

    Raises:
        AforesaidError: a later change prevents it, which stays the last one.
    """
    changes = visit.services.changes
    if not changes:
        return None
    steps = changes[-1].steps
    if len(steps) == 1:  # which may embed a text: not inside a transaction
        steps[0](visit.request)
    else:
        with visit.core.store.transaction():
            for step in reversed(steps):
                step(visit.request)
    return changes.pop()


def undo_in_turn(steps: Sequence[UndoStep], request: Request) -> None:
    """Run steps from the last to the first, each in its own transaction."""
    for step in reversed(steps):
        step(request)
