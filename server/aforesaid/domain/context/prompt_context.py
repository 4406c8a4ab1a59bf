"""The text shown with a prompt: the query of a prompt, triggers in words, why a memory matched.

Searching: services/sessions/prompt_recall.py. Relevance: domain/retrieval/prompt_relevance.py.
"""

from __future__ import annotations

from aforesaid.domain.model.memory import COMMAND_LINE, GLOBAL_PROJECT
from aforesaid.domain.retrieval.term_matching import TermMatcher
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value
from aforesaid.lexicon.stop_words import GENERIC_WORDS, TRIGGER_FILLERS

from .session_context import CONTEXT_CHARS, RenderedContext, fence, start_label

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.retrieval.prompt_relevance import PromptFeatures

PROMPT_TOKENS = 400  #: budget for everything shown with one prompt, fence included
PROMPT_CHARS = 2_000  #: of a longer prompt, the query is its first and last half of this
MAX_SHOWN = 3  #: memories per prompt
FIRST_SHARE = 0.6  #: maximum share of the budget for the first of several memories
PASSAGE_TOKENS = 150  #: of a memory that is longer than the budget
MIN_TOKENS = 40  #: a memory that would get fewer is left out
_HEADER = "Stored memories related to this prompt. Some of them may be out of date."
_PREFERENCE = "preference"
_ALL_WORDS = 0.99  #: coverage of a trigger's words that counts as all of them
_REASON_WORDS = 4
REASON_CHARS = 60  #: of a cue or trigger shown as the reason
_TRIGGER_BREAKS = (",", ";", "|", "/", "\n")


class PromptMatch(Value):
    """A memory that matches a prompt, and the reason."""

    memory: Memory
    reason: str


def with_notes(matches: Sequence[PromptMatch], notes: Mapping[int, str]) -> list[PromptMatch]:
    """Return matches with a note on the branch of a memory as its reason, after those without one.

    Args:
        matches: best first.
        notes: by key of the memory.
    """
    noted = [
        match.replace(reason=notes[match.memory.key])
        for match in matches
        if match.memory.key in notes
    ]
    return [*(match for match in matches if match.memory.key not in notes), *noted]


def prompt_query(prompt: str) -> str:
    """Return the query for a prompt; empty if it is a slash command without arguments.

    The name of a slash command is dropped. Of a long prompt, which mostly contains pasted text, the
    beginning and the end are used.
    """
    text = prompt.strip()
    if text.startswith("/"):
        _name, _, text = text.partition(" ")
    if len(text) > PROMPT_CHARS:
        half = PROMPT_CHARS // 2
        text = f"{text[:half]} {text[-half:]}"
    return text.strip()


def is_global_preference(memory: Memory) -> bool:
    """Return whether a memory is a global preference, which the session context shows already."""
    category = str(memory.metadata.get("category", "")).lower()
    return memory.project == GLOBAL_PROJECT and (
        category == _PREFERENCE or _PREFERENCE in memory.tags
    )


def names_trigger(prompt: str, trigger: str) -> bool:
    """Return whether a prompt contains all relevant words of one of a procedure's triggers.

    Commands are shown when they are run.
    """
    lines = (line for line in trigger.splitlines() if not line.startswith(COMMAND_LINE))
    return any(count_contained(prompt, part) for line in lines for part in trigger_parts(line))


def trigger_parts(trigger: str) -> list[str]:
    """Return the alternatives that a trigger lists."""
    parts = [trigger]
    for separator in _TRIGGER_BREAKS:
        parts = [piece for part in parts for piece in part.split(separator)]
    return parts


def count_contained(text: str, part: str) -> int:
    """Return the number of relevant words of a trigger's part if a text has all; else 0."""
    words = " ".join(word for word in part.split() if word.lower() not in TRIGGER_FILLERS)
    matcher = TermMatcher(words, {0: text})
    return len(matcher.terms) if matcher.coverage[0] >= _ALL_WORDS else 0


def match_reason(prompt: str, memory: Memory, features: PromptFeatures) -> str:
    """Return in a few words why a memory matches a prompt: common words, else the closest cue."""
    matcher = TermMatcher(prompt, {0: f"{memory.content}\n{memory.summary or ''}"})
    matched_terms = [
        term for term in matcher.terms if matcher.holds(0, term) and term not in GENERIC_WORDS
    ]
    parts = [f"names {', '.join(matched_terms[:_REASON_WORDS])}"] if matched_terms else []
    if memory.cues and not matched_terms:
        coverage = TermMatcher(prompt, dict(enumerate(memory.cues))).coverage
        best = max(coverage, key=lambda index: coverage[index])
        if coverage[best] > 0:
            parts.append(f"matching cue: {memory.cues[best][:REASON_CHARS]}")
    if features.meaning > 0:
        parts.append(f"meaning {features.meaning:.2f}")
    return "; ".join(parts)


def render_matches(
    matches: Sequence[PromptMatch],
    short_ids: dict[int, str],
    now: int,
    secret: str,
    *,
    query: str = "",
    budget_tokens: int = PROMPT_TOKENS,
    header: str = _HEADER,
) -> RenderedContext:
    """Return the text to show with a prompt or an action, each memory with its reason and date.

    Of a long memory, the passage that the prompt matches is shown.

    It is empty if not even the best match fits the budget.

    Args:
        matches: best first.
        short_ids: by key of the memory.
        now: ms since the epoch.
        secret: the secret of this installation, for a fence that no content can close.
        query: of the prompt.
        budget_tokens: for everything, fence included.
        header: the first line.
    """
    room = min(budget_tokens * 4, CONTEXT_CHARS) - len(fence([header], (), secret).text)
    lines: list[str] = []
    keys: list[int] = []
    for match in matches[:MAX_SHOWN]:
        date = start_label(match.memory, now)
        text = match.memory.content
        suffix = f" [{short_ids[match.memory.key]} · {date} · {match.reason}]"
        note = match.memory.days_note(text)
        max_tokens = (room - len(note) - len(suffix) - len("\n- ")) // 4
        if not lines and len(matches) > 1:
            max_tokens = max(int(max_tokens * FIRST_SHARE), min(max_tokens, MIN_TOKENS))
        if max_tokens < MIN_TOKENS:
            break
        if count_tokens(text) > max_tokens:
            from aforesaid.domain.text.passage import cut_to_passage  # most are short

            if query and match.memory.type != "procedural":  # its steps belong together
                max_tokens = min(max_tokens, PASSAGE_TOKENS)
            text = cut_to_passage(text, query, max_tokens)
        lines.append(f"- {' '.join(text.split())}{match.memory.days_note(text)}{suffix}")
        keys.append(match.memory.key)
        room -= len(lines[-1]) + 1
    return fence([header, *lines], tuple(keys), secret) if lines else RenderedContext(text="")
