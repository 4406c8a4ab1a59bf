"""Splits a conversation into exchanges: a prompt and what followed it."""

from __future__ import annotations

from aforesaid.domain.model.transcript import (
    EDIT,
    MEMORY,
    RUN,
    AssistantTurn,
    Interruption,
    Prompt,
    ToolUse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.transcript import Conversation

#: Answers that the next prompt may reply to.
_MAX_REPLIED_TO = 3


class Exchange:
    """A prompt and the turns up to the next one."""

    def __init__(self, prompt: Prompt | None) -> None:
        self.prompt = prompt
        self.turns: list[object] = []

    @property
    def answers(self) -> list[AssistantTurn]:
        """The assistant's answers, oldest first."""
        return [turn for turn in self.turns if isinstance(turn, AssistantTurn)]

    @property
    def last_answers(self) -> list[str]:
        """The last answers, newest first: what a reply may refer to."""
        return [answer.text for answer in reversed(self.answers[-_MAX_REPLIED_TO:])]

    @property
    def interrupted(self) -> bool:
        """Whether the user stopped the assistant."""
        return any(isinstance(turn, Interruption) for turn in self.turns)

    @property
    def looked(self) -> bool:
        """Whether the assistant used a tool other than memory."""
        return any(isinstance(turn, ToolUse) and turn.kind != MEMORY for turn in self.turns)

    @property
    def worked(self) -> bool:
        """Whether the assistant changed or ran something."""
        return any(isinstance(turn, ToolUse) and turn.kind in {RUN, EDIT} for turn in self.turns)


def exchanges_of(conversation: Conversation) -> list[Exchange]:
    """Return the exchanges of a conversation, oldest first."""
    exchanges: list[Exchange] = []
    for turn in conversation.turns:
        if isinstance(turn, Prompt):
            exchanges.append(Exchange(turn))
        else:
            if not exchanges:
                exchanges.append(Exchange(None))
            exchanges[-1].turns.append(turn)
    return exchanges
