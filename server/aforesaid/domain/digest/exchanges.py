"""A conversation as prompts with what followed each.

Here: the cut. Not here: what is heard in it (statement_extractor.py).
"""

from __future__ import annotations

from aforesaid.domain.model import transcript as said
from aforesaid.domain.model.transcript import AssistantTurn, Interruption, Prompt, ToolUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.transcript import Conversation

#: Answers before a prompt that it may reply to.
_REPLIED_TO = 3


class Exchange:
    """A prompt and all that followed it until the next one."""

    def __init__(self, prompt: Prompt | None) -> None:
        self.prompt = prompt
        self.turns: list[object] = []

    @property
    def answers(self) -> list[AssistantTurn]:
        """What the agent wrote, oldest first."""
        return [turn for turn in self.turns if isinstance(turn, AssistantTurn)]

    @property
    def told(self) -> list[str]:
        """The last that the agent wrote, newest first: what a reply may be to."""
        return [answer.text for answer in reversed(self.answers[-_REPLIED_TO:])]

    @property
    def interrupted(self) -> bool:
        """Whether the person stopped the agent."""
        return any(isinstance(turn, Interruption) for turn in self.turns)

    @property
    def looked(self) -> bool:
        """Whether the agent looked at something or ran something."""
        return any(isinstance(turn, ToolUse) and turn.kind != said.MEMORY for turn in self.turns)

    @property
    def worked(self) -> bool:
        """Whether something was changed or run."""
        return any(
            isinstance(turn, ToolUse) and turn.kind in {said.RUN, said.EDIT} for turn in self.turns
        )


def exchanges_of(conversation: Conversation) -> list[Exchange]:
    """Return the conversation as prompts with what followed each."""
    exchanges: list[Exchange] = []
    for turn in conversation.turns:
        if isinstance(turn, Prompt):
            exchanges.append(Exchange(turn))
        else:
            if not exchanges:
                exchanges.append(Exchange(None))
            exchanges[-1].turns.append(turn)
    return exchanges
