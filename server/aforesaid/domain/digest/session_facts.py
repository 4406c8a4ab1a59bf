"""What happened in a session, from its turns.

Here: what was said (statement_extractor.py) and what was done (activity.py), put together. Not
here: wording (render.py).
"""

from __future__ import annotations

from aforesaid.domain.digest import activity, sentence_classifier, statement_extractor
from aforesaid.domain.digest.erasure_filter import without_erased
from aforesaid.domain.digest.exchanges import exchanges_of
from aforesaid.domain.digest.memory_candidates import MemoryCandidate, without_wrong
from aforesaid.domain.digest.model import SessionFacts, SessionStatement
from aforesaid.domain.digest.statement_set import StatementSet
from aforesaid.domain.model.transcript import Prompt, ToolUse, UserChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.transcript import Conversation


def facts_of(
    conversation: Conversation, commits: Iterable[activity.CommitLike] = ()
) -> SessionFacts:
    """Return what happened in a conversation.

    Args:
        conversation: one session.
        commits: commits made during it, as the git reader tells them (`id`, `subject`, `at_ms`);
            commits seen in the conversation are added to them.
    """
    conversation = without_erased(conversation)
    listener = statement_extractor.StatementExtractor(conversation)
    for exchange in exchanges_of(conversation):
        listener.add_exchange(exchange)
    listener.close()
    done_work = activity.work_of(conversation, commits)
    for left in done_work.open_ends:
        listener.open_ends.put(left)
    prompts = [turn for turn in conversation.turns if isinstance(turn, Prompt)]
    acted = any(isinstance(turn, ToolUse | UserChoice) for turn in conversation.turns)
    small = all(sentence_classifier.is_small_talk(prompt.text) for prompt in prompts)
    return SessionFacts(
        session_id=conversation.session_id,
        branch=conversation.branch,
        title=conversation.title,
        started_ms=conversation.started_ms,
        ended_ms=conversation.ended_ms,
        trivial=not prompts or (small and not acted),
        asked=listener.asked.statements,
        decisions=listener.decisions.statements,
        corrections=_more_than_said(listener.corrections, listener.decisions),
        preferences=listener.preferences.statements,
        facts=listener.facts.statements,
        done=listener.done.statements,
        found=listener.found.statements,
        errors=listener.solved(done_work),
        runs=done_work.runs,
        commits=done_work.commits,
        files=done_work.files,
        open_ends=listener.open_ends.statements,
        candidates=tuple(listener.candidates),
        ran=done_work.ran,
    )


def candidates_of(facts: SessionFacts, after_ms: int = 0) -> tuple[MemoryCandidate, ...]:
    """Return what the user said after a time that outlives the session, oldest first."""
    return tuple(one for one in facts.candidates if one.at_ms > after_ms)


def _more_than_said(
    corrections: StatementSet, decisions: StatementSet
) -> tuple[SessionStatement, ...]:
    """Leave out the "no, not that" of a prompt that goes on to decide."""
    kept = []
    for one in corrections.statements:
        words = sentence_classifier.words_of(without_wrong(one.text))
        told = [other for other in decisions.statements if other.at_ms == one.at_ms]
        if not any(words <= sentence_classifier.words_of(other.text) for other in told):
            kept.append(one)
    return tuple(kept)
