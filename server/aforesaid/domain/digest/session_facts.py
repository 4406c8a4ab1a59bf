"""What happened in a session: its statements and its activity."""

from __future__ import annotations

from aforesaid.domain.digest import activity
from aforesaid.domain.digest.erasure_filter import without_erased
from aforesaid.domain.digest.exchanges import exchanges_of
from aforesaid.domain.digest.memory_candidates import MemoryCandidate, without_corrected_text
from aforesaid.domain.digest.model import SessionFacts, SessionStatement
from aforesaid.domain.digest.sentence_classifier import is_small_talk, words_of
from aforesaid.domain.digest.statement_extractor import StatementExtractor
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
        commits: those that the git reader found; commits seen in the conversation are added.
    """
    conversation = without_erased(conversation)
    statements = StatementExtractor(conversation)
    for exchange in exchanges_of(conversation):
        statements.add_exchange(exchange)
    statements.close()
    work = activity.activity_of(conversation, commits)
    for open_item in work.open_items:
        statements.open_items.put(open_item)
    prompts = [turn for turn in conversation.turns if isinstance(turn, Prompt)]
    acted = any(isinstance(turn, ToolUse | UserChoice) for turn in conversation.turns)
    small = all(is_small_talk(prompt.text) for prompt in prompts)
    return SessionFacts(
        session_id=conversation.session_id,
        branch=conversation.branch,
        title=conversation.title,
        started_ms=conversation.started_ms,
        ended_ms=conversation.ended_ms,
        trivial=not prompts or (small and not acted),
        asked=statements.asked.statements,
        decisions=statements.decisions.statements,
        corrections=_without_decided(statements.corrections, statements.decisions),
        preferences=statements.preferences.statements,
        facts=statements.facts.statements,
        done=statements.done.statements,
        findings=statements.findings.statements,
        errors=activity.with_solutions(work.errors, statements.assistant_sentences),
        runs=work.runs,
        commits=work.commits,
        files=work.files,
        open_items=statements.open_items.statements,
        candidates=tuple(statements.candidates),
        ran=work.ran,
    )


def candidates_of(facts: SessionFacts, after_ms: int = 0) -> tuple[MemoryCandidate, ...]:
    """Return the memory candidates after a time, oldest first."""
    return tuple(candidate for candidate in facts.candidates if candidate.at_ms > after_ms)


def _without_decided(
    corrections: StatementSet, decisions: StatementSet
) -> tuple[SessionStatement, ...]:
    """Return the corrections that no decision of the same prompt repeats."""
    remaining = []
    for correction in corrections.statements:
        words = words_of(without_corrected_text(correction.text))
        decided = [
            decision.text for decision in decisions.statements if decision.at_ms == correction.at_ms
        ]
        if not any(words <= words_of(text) for text in decided):
            remaining.append(correction)
    return tuple(remaining)
