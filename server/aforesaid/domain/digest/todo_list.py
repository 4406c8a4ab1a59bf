"""The assistant's list of steps in a session, and what is left of it."""

from __future__ import annotations

from aforesaid.domain.digest.message_text import without_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.transcript import Todos

_MAX_NAMED = 5


class TodoList:
    """Steps by number, each with its state and text."""

    def __init__(self) -> None:
        self._steps: dict[str, tuple[str, str]] = {}

    def update(self, todos: Todos) -> None:
        """Take over a list of steps, or changes to some of them."""
        if todos.replaces_earlier:
            self._steps.clear()
        for number, state, text in todos.items:
            old_state, old_text = self._steps.get(number, ("", ""))
            self._steps[number] = (state or old_state, text or old_text)

    @property
    def left(self) -> str:
        """The steps that are not done, in one phrase; empty if all are."""
        left = [
            without_end(text)
            for state, text in self._steps.values()
            if text and state not in {"completed", "deleted", "cancelled"}
        ]
        hidden = len(left) - _MAX_NAMED
        more = f" and {hidden} more" if hidden > 0 else ""
        return f"{'; '.join(left[:_MAX_NAMED])}{more}"
