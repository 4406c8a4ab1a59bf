"""What happened in a session: its statements and its activity.

Texts that were erased in a conversation are removed first, so that no digest repeats them. The
transcript's reader knows what was erased.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import activity
from aforesaid.domain.model.transcript import MEMORY, AssistantTurn, Prompt, ToolUse, UserChoice

from .agreements import find_agreements, restates, shared_words
from .dead_ends import find_dead_ends
from .failures import find_failures
from .memory_candidates import AGREEMENT, DECISION, MemoryCandidate, without_corrected_text
from .message_text import sentences
from .model import ASSISTANT, USER, ResolvedError, SessionFacts, SessionStatement
from .outcome import STILL_FAILS, UNDID
from .reply_resolution import exchanges_of
from .sentence_classifier import is_small_talk, matches, overlap, stems_of, words_of
from .statement_extractor import StatementExtractor
from .statement_set import StatementSet, names_rejected_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aforesaid.domain.model.transcript import Conversation, Turn

    from .dead_ends import DeadEnd
    from .failed_attempt import Failure
    from .lasting import SentenceJudge
    from .reply_resolution import Exchange


#: Overlap of words from which a sentence repeats an erased text.
_REPEATS_AT = 0.4
#: Share of an agreement's words that the user said, from which the user's own words suffice.
_MIN_SAID_SHARE = 0.6
_FORGET_COMMAND = "aforesaid:forget"
_STORES = "store_memory"  #: end of the name of the tool, which each client prefixes


def without_erased(conversation: Conversation) -> Conversation:
    """Return a conversation without sentences that repeat a text erased in it.

    A prompt that contains nothing else is removed with the memory calls that it led to. The
    command that erases is removed with its answers.
    """
    erased = [stems for text in conversation.erased if (stems := stems_of(text))]
    turns: list[Turn] = []
    prompt_removed = is_forget_command = False
    for turn in conversation.turns:
        if isinstance(turn, Prompt):
            is_forget_command = turn.command == _FORGET_COMMAND
            text = "" if is_forget_command else _without_repeats(turn.text, erased)
            prompt_removed = not text
            turns += [turn.replace(text=text)] if text else []
        elif isinstance(turn, AssistantTurn):
            text = "" if is_forget_command else _without_repeats(turn.text, erased)
            turns += [turn.replace(text=text)] if text or not prompt_removed else []
        elif isinstance(turn, UserChoice):
            turns += [] if _repeats(f"{turn.question} {turn.answer}", erased) else [turn]
        elif not (prompt_removed and isinstance(turn, ToolUse) and turn.kind == MEMORY):
            turns.append(turn)
    title = _without_repeats(conversation.title, erased)
    return conversation.replace(turns=tuple(turns), title=title)


def _without_repeats(text: str, erased: Sequence[frozenset[str]]) -> str:
    if not erased:
        return text
    lines = []
    for line in text.split("\n"):
        line_sentences = sentences([line])
        remaining = [sentence for sentence in line_sentences if not _repeats(sentence, erased)]
        if len(remaining) == len(line_sentences):
            lines.append(line)
        elif remaining:
            lines.append(" ".join(remaining))
    return "\n".join(lines).strip()


def _repeats(sentence: str, erased: Sequence[frozenset[str]]) -> bool:
    stems = stems_of(sentence)
    return any(overlap(stems, erased_stems) >= _REPEATS_AT for erased_stems in erased)


def facts_of(
    conversation: Conversation,
    commits: Iterable[activity.CommitLike] = (),
    judge: SentenceJudge | None = None,
) -> SessionFacts:
    """Return what happened in a conversation.

    Args:
        conversation: one session.
        commits: those that the git reader found; commits seen in the conversation are added.
        judge: judges which sentences last; None leaves that to rules.
    """
    conversation = without_erased(conversation)
    statements = StatementExtractor(conversation, judge)
    exchanges = exchanges_of(conversation)
    for exchange in exchanges:
        statements.add_exchange(exchange)
    statements.close()
    decisions = statements.decisions.statements
    work = activity.activity_of(conversation, commits)
    dismissed = [item for item in work.open_items if _is_dismissed(item, exchanges)]
    for open_item in (item for item in work.open_items if item not in dismissed):
        statements.open_items.put(open_item)
    if work.undone:
        statements.done.add(
            UNDID + activity.name_some(work.undone), conversation.ended_ms, ASSISTANT, 0.7
        )
    dead_ends = find_dead_ends(conversation)
    for dead_end in dead_ends:
        statements.done.drop(dead_end.attempt)
    uses = [turn for turn in conversation.turns if isinstance(turn, ToolUse)]
    return SessionFacts(
        session_id=conversation.session_id,
        branch=conversation.branch,
        title=conversation.title,
        started_ms=conversation.started_ms,
        ended_ms=conversation.ended_ms,
        is_trivial=_is_trivial(conversation),
        asked=statements.asked.statements,
        decisions=tuple(each for each in decisions if not _is_reversed(each, statements)),
        corrections=_without_decided(statements.corrections, statements.decisions),
        preferences=statements.preferences.statements,
        facts=statements.facts.statements,
        done=statements.done.statements,
        findings=statements.findings.statements,
        errors=activity.with_solutions(work.errors, statements.assistant_sentences),
        runs=activity.without_failures(work.runs, {item.at_ms for item in dismissed}),
        commits=work.commits,
        files=work.files,
        open_items=_open_items(statements, uses),
        candidates=tuple(_with_agreements(statements, exchanges)),
        changes=tuple(statements.changes),
        failures=(
            *_explained(find_failures(uses, conversation.cwd), statements),
            *dead_ends,
        ),
        command_heads=work.command_heads,
    )


def _open_items(
    statements: StatementExtractor, uses: Sequence[ToolUse]
) -> tuple[SessionStatement, ...]:
    """Return what the session left open; without the user's words if the agent stored memories.

    What the user put off is then a memory or a task, in clearer words.
    """
    stores = any(use.kind == MEMORY and use.name.endswith(_STORES) for use in uses)
    return tuple(
        item for item in statements.open_items.statements if not (stores and item.by == USER)
    )


def _is_trivial(conversation: Conversation) -> bool:
    """Tell whether nothing was asked for or done."""
    prompts = [turn for turn in conversation.turns if isinstance(turn, Prompt)]
    acted = any(isinstance(turn, ToolUse | UserChoice) for turn in conversation.turns)
    small = all(is_small_talk(prompt.text) for prompt in prompts)
    return not prompts or (small and not acted)


def _is_dismissed(item: SessionStatement, exchanges: Sequence[Exchange]) -> bool:
    """Tell whether the user dismissed a failure, naming it or right after it ("ignore it")."""
    later = [
        exchange.prompt
        for exchange in exchanges
        if exchange.prompt is not None and exchange.prompt.at_ms > item.at_ms
    ]
    return STILL_FAILS in item.text and any(
        matches(sentence, "dismisses")
        and (prompt is later[0] or bool(words_of(sentence) & _names_in(item.text)))
        for prompt in later
        for sentence in sentences([prompt.text])
    )


def _names_in(text: str) -> frozenset[str]:
    """Return the words of a text, and the parts of names ("Test.case:52")."""
    return words_of(text) | frozenset(re.findall(r"\w+", text.lower())) - words_of(STILL_FAILS)


def candidates_of(facts: SessionFacts, after_ms: int = 0) -> tuple[MemoryCandidate, ...]:
    """Return the memory candidates after a time, oldest first."""
    return tuple(candidate for candidate in facts.candidates if candidate.at_ms > after_ms)


def remarks_of(facts: SessionFacts, after_ms: int = 0) -> tuple[MemoryCandidate, ...]:
    """Return the memory candidates after a time, and remarks that may end an earlier memory."""
    remarks = [*candidates_of(facts, after_ms)]
    remarks += [change for change in facts.changes if change.at_ms > after_ms]
    return tuple(sorted(remarks, key=lambda remark: remark.at_ms))


def failures_of(facts: SessionFacts, after_ms: int = 0) -> tuple[Failure | DeadEnd, ...]:
    """Return the failures that were fixed, given up or rejected after a time."""
    return tuple(failure for failure in facts.failures if failure.until_ms > after_ms)


def _explained(failures: Iterable[Failure], statements: StatementExtractor) -> Iterable[Failure]:
    """Yield failures with what the assistant said about what fixed them."""
    for failure in failures:
        error = ResolvedError(error=failure.error, at_ms=failure.at_ms, until_ms=failure.until_ms)
        (explained,) = activity.with_solutions([error], statements.assistant_sentences)
        yield failure.replace(explanation=explained.solution[:1] if failure.is_fixed else ())


def _is_reversed(
    decision: SessionStatement | MemoryCandidate, statements: StatementExtractor
) -> bool:
    """Tell whether a later decision or correction of the session rejects a decision."""
    return any(
        decision.at_ms < other.at_ms and names_rejected_value(decision.text, other.text)
        for other in (*statements.decisions.statements, *statements.corrections.statements)
    )


def _with_agreements(
    statements: StatementExtractor, exchanges: Sequence[Exchange]
) -> list[MemoryCandidate]:
    """Return candidates that were not reversed, nor restated by an agreement, and agreements.

    What the user wants in all projects stays in the user's words: agreements belong to a project.
    """
    agreements = find_agreements(exchanges)
    remaining = [
        candidate
        for candidate in statements.candidates
        if not (candidate.kind == DECISION and _is_reversed(candidate, statements))
        and (
            candidate.scope == "global"
            or not any(
                candidate.at_ms <= agreement.at_ms and restates(candidate.text, agreement.text)
                for agreement in agreements
            )
        )
    ]
    user_text = " ".join(candidate.text for candidate in remaining)
    remaining += [
        MemoryCandidate(
            text=agreement.text, at_ms=agreement.at_ms, kind=AGREEMENT, scope="project",
            amends=agreement.amends,
        )
        for agreement in agreements
        if shared_words(agreement.text, user_text) < _MIN_SAID_SHARE
    ]  # fmt: skip
    return sorted(remaining, key=lambda candidate: candidate.at_ms)


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
