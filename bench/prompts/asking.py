"""Prompts asked of the store of bench/agent_memories, as a session's hook or server would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.agent_memories import ASKED_AT
from bench.agent_memories.dataset import StoppedClock, milliseconds

from aforesaid.domain.context.prompt_context import is_standing_wish
from aforesaid.domain.projects.call_context import Place
from aforesaid.services.sessions.prompt_recall import PromptRecall

if TYPE_CHECKING:
    from bench.agent_memories.dataset import Shelf

    from aforesaid.domain.context.session_context import Shown
    from aforesaid.services.sessions.prompt_recall import Candidate


class Asking:
    """One way of recall at the prompt, over one shelf."""

    def __init__(self, shelf: Shelf, *, words_only: bool) -> None:
        self._shelf = shelf
        self._clock = StoppedClock(milliseconds(ASKED_AT))
        embedder = None if words_only else shelf.core.embedder.get
        self._recall = PromptRecall(shelf.core.store, self._clock, embedder)

    def shown(self, text: str, project: str | None) -> Shown:
        """Return what a new session is shown with a prompt."""
        return self._recall.shown(text, self._place(project), ())

    def candidates(self, text: str, project: str | None) -> list[Candidate]:
        """Return what may be called for, likeliest first, standing wishes left out."""
        found, _vectors = self._recall.candidates(text, self._place(project))
        return [one for one in found if not is_standing_wish(one.memory)]

    def ids(self, candidate: Candidate) -> list[str]:
        """Return the set's ids of a candidate."""
        return self._shelf.ids([candidate.memory.key])

    def _place(self, project: str | None) -> Place:
        if project is None:
            return Place(project=self._shelf.core.projects.default())
        return self._shelf.place(project)
