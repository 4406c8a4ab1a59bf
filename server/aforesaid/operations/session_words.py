"""The words of a session that a memory comes from, read in the session's transcript."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.transcript import AssistantTurn, Prompt, UserChoice
from aforesaid.domain.text.passage import cut_to_passage
from aforesaid.domain.text.tokenize import query_terms, stem
from aforesaid.domain.value import Value
from aforesaid.wiring.factories import make_secret_filter
from aforesaid.wiring.session_sources import Transcripts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Session
    from aforesaid.wiring.container import ServiceContainer

PASSAGE_TOKENS = 220  #: of the turn that the memory comes from
BESIDE_TOKENS = 80  #: of the turns before and after
MIN_SHARE = 0.4  #: of the memory's terms that a turn must have


class SpokenTurn(Value):
    """What one side said."""

    by: str  #: ``you`` or ``assistant``
    at: int  #: ms
    text: str
    is_source: bool = False  #: the turn that has most of the memory's words


class SessionWords(Value):
    """The turns around the one that a memory comes from."""

    turns: tuple[SpokenTurn, ...] = ()
    missing: str = ""  #: why there are none


def find_words(core: ServiceContainer, memory: Memory, session: Session | None) -> SessionWords:
    """Return the part of a session's transcript that a memory comes from.

    Args:
        core: the services.
        memory: of which the words are wanted.
        session: that stored it; None if unknown.
    """
    if session is None:
        return SessionWords(
            missing="no session is recorded: the memory was stored outside a session"
        )
    transcripts = Transcripts(
        make_secret_filter(core.settings), core.settings["privacy.private_tag"], core.environment
    )
    path = session.transcript_path or transcripts.find(session.id)
    if not path:
        return SessionWords(missing="the client's transcript of that session is not known")
    try:
        conversation = transcripts.read(path)
    except (AforesaidError, OSError) as error:
        return SessionWords(missing=f"the transcript cannot be read: {error}")
    spoken = [
        turn for turn in map(_spoken, conversation.turns) if turn is not None and turn.text.strip()
    ]
    source = _find_source(spoken, memory)
    if source is None:
        return SessionWords(missing="no single message of that session contains this text")
    return SessionWords(turns=tuple(_around(spoken, source, memory.content)))


def _spoken(turn: object) -> SpokenTurn | None:
    if isinstance(turn, Prompt):
        return SpokenTurn(by="you", at=turn.at_ms, text=turn.text)
    if isinstance(turn, AssistantTurn):
        return SpokenTurn(by="assistant", at=turn.at_ms, text=turn.text)
    if isinstance(turn, UserChoice):
        return SpokenTurn(by="you", at=turn.at_ms, text=f"{turn.question} → {turn.answer}")
    return None


def _find_source(spoken: Sequence[SpokenTurn], memory: Memory) -> int | None:
    """Return the index of the turn with most of the memory's terms; the user's before others."""
    wanted = {stem(term) for term in query_terms(memory.content)}
    if not wanted:
        return None
    shares = [
        len(wanted & {stem(term) for term in query_terms(turn.text)}) / len(wanted)
        for turn in spoken
    ]
    best = max(
        range(len(spoken)),
        key=lambda index: (round(shares[index], 1), spoken[index].by == "you", shares[index]),
        default=None,
    )
    return best if best is not None and shares[best] >= MIN_SHARE else None


def _around(spoken: Sequence[SpokenTurn], source: int, content: str) -> list[SpokenTurn]:
    return [
        turn.replace(
            text=cut_to_passage(
                turn.text, content, PASSAGE_TOKENS if index == source else BESIDE_TOKENS, "…"
            ),
            is_source=index == source,
        )
        for index, turn in enumerate(spoken)
        if abs(index - source) <= 1
    ]
