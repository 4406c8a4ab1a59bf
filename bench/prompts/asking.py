"""Prompts asked of the store of bench/agent_memories, as a session's hook or server would."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.agent_memories import ASKED_AT
from bench.agent_memories.dataset import StoppedClock, milliseconds

from aforesaid.domain.context.prompt_context import is_global_preference
from aforesaid.domain.model.memory import CallContext
from aforesaid.services.sessions.prompt_recall import PromptRecall

if TYPE_CHECKING:
    from bench.agent_memories.dataset import Shelf

    from aforesaid.domain.context.session_context import RenderedContext
    from aforesaid.services.sessions.prompt_recall import PromptCandidate


class Asking:
    """One way of recall at the prompt, over one shelf."""

    def __init__(self, shelf: Shelf, *, words_only: bool) -> None:
        self._shelf = shelf
        self._clock = StoppedClock(milliseconds(ASKED_AT))
        embedder = None if words_only else shelf.core.embedder.get
        self._recall = PromptRecall(shelf.core.store, self._clock, embedder)

    def shown(self, text: str, project: str | None) -> RenderedContext:
        """Return what a new session is shown with a prompt."""
        return self._recall.render(text, self._place(project), ())

    def candidates(self, text: str, project: str | None) -> list[PromptCandidate]:
        """Return what may be called for, likeliest first, standing wishes left out."""
        found, _vectors = self._recall.candidates(text, self._place(project))
        return [one for one in found if not is_global_preference(one.memory)]

    def ids(self, candidate: PromptCandidate) -> list[str]:
        """Return the set's ids of a candidate."""
        return self._shelf.ids([candidate.memory.key])

    def _place(self, project: str | None) -> CallContext:
        if project is None:
            return CallContext(project=self._shelf.core.projects.default())
        return self._shelf.place(project)
