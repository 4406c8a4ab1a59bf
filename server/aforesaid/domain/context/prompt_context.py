"""What a prompt calls for: which memories may answer it unasked, and how they are told.

Here: what of a prompt is asked, what is never shown with one, how a trigger is named, the text.
Not here: finding memories (services/sessions/prompt_recall.py), how likely one is called for
(domain/retrieval/prompt_relevance.py).
"""

from __future__ import annotations

from aforesaid.domain.model.memory import GLOBAL_PROJECT
from aforesaid.domain.retrieval.prompt_relevance import GENERIC_WORDS
from aforesaid.domain.retrieval.term_matching import TermMatcher
from aforesaid.domain.text.timestamps import day_label
from aforesaid.domain.text.token_budget import cut_to_tokens
from aforesaid.domain.value import Value

from .session_context import CONTEXT_CHARS, RenderedContext, fence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.retrieval.prompt_relevance import PromptFeatures

PROMPT_TOKENS = 400  #: of all that one prompt brings, fence included
PROMPT_CHARS = 2_000  #: of a longer prompt only its first and last half of these are asked
MAX_SHOWN = 3  #: memories with one prompt
FIRST_SHARE = 0.6  #: of the room, that the best takes at most where others follow
MIN_TOKENS = 40  #: a memory that gets less room than this is left out
_HEADER = "What was remembered about what this prompt names; it may be out of date."
_PREFERENCE = "preference"
_NAMED = 0.99  #: coverage of a trigger's words that counts as all of them
_REASON_WORDS = 4
REASON_CHARS = 60  #: of a cue or trigger, as a reason
#: Words of a trigger that say when and not what.
_TRIGGER_NOISE = frozenset(
    """asked asks ask user users wants want wanted need needs needed someone anyone anybody
    whenever time every always please task""".split()  # noqa: SIM905 - a list of words
)
_TRIGGER_BREAKS = (",", ";", "|", "/", "\n")


class PromptMatch(Value):
    """A memory that a prompt calls for, and why."""

    memory: Memory
    reason: str


def prompt_query(prompt: str) -> str:
    """Return what of a prompt is asked of memory; empty where it is a command of the client.

    A slash command's name is left out, what follows it is asked. Of a long prompt, which is mostly
    something pasted, the first and the last part are asked.
    """
    text = prompt.strip()
    if text.startswith("/"):
        _command, _, text = text.partition(" ")
    if len(text) > PROMPT_CHARS:
        half = PROMPT_CHARS // 2
        text = f"{text[:half]} {text[-half:]}"
    return text.strip()


def is_global_preference(memory: Memory) -> bool:
    """Tell whether a memory is a wish that holds for every session: the context shows these."""
    category = str(memory.metadata.get("category", "")).lower()
    return memory.project == GLOBAL_PROJECT and (
        category == _PREFERENCE or _PREFERENCE in memory.tags
    )


def names_trigger(prompt: str, trigger: str) -> bool:
    """Tell whether a prompt holds every word that matters of one of a procedure's triggers."""
    parts = [trigger]
    for mark in _TRIGGER_BREAKS:
        parts = [piece for part in parts for piece in part.split(mark)]
    return any(_names(prompt, part) for part in parts)


def _names(prompt: str, trigger: str) -> bool:
    wanted = " ".join(word for word in trigger.split() if word.lower() not in _TRIGGER_NOISE)
    words = TermMatcher(wanted, {0: prompt})
    return bool(words.terms) and words.coverage[0] >= _NAMED


def match_reason(prompt: str, memory: Memory, evidence: PromptFeatures) -> str:
    """Return in a few words what of a prompt a memory was found by: its words, else its cue."""
    words = TermMatcher(prompt, {0: f"{memory.content}\n{memory.summary or ''}"})
    held = [term for term in words.terms if words.holds(0, term) and term not in GENERIC_WORDS]
    parts = [f"names {', '.join(held[:_REASON_WORDS])}"] if held else []
    if memory.cues and not held:
        met = TermMatcher(prompt, dict(enumerate(memory.cues))).coverage
        best = max(met, key=lambda place: met[place])
        if met[best] > 0:
            parts.append(f"asked for as: {memory.cues[best][:REASON_CHARS]}")
    if evidence.meaning > 0:
        parts.append(f"meaning {evidence.meaning:.2f}")
    return "; ".join(parts)


def render_matches(
    found: Sequence[PromptMatch],
    short_ids: dict[int, str],
    now: int,
    secret: str,
    *,
    budget_tokens: int = PROMPT_TOKENS,
) -> RenderedContext:
    """Return what is shown with a prompt: at most so many tokens, each memory with its reason.

    Nothing at all where not even the best fits.

    Args:
        found: best first.
        short_ids: by key.
        now: ms since the epoch.
        secret: the install's, for the fence that no content can close.
        budget_tokens: for everything, fence included.
    """
    room = min(budget_tokens * 4, CONTEXT_CHARS) - len(fence([_HEADER], (), secret).text)
    lines: list[str] = []
    keys: list[int] = []
    for one in found[:MAX_SHOWN]:
        date = day_label(one.memory.valid_from or one.memory.created_at, now)
        end = f" [{short_ids[one.memory.key]} · {date} · {one.reason}]"
        left = (room - len(end) - len("\n- ")) // 4
        if not lines and len(found) > 1:
            left = max(int(left * FIRST_SHARE), min(left, MIN_TOKENS))
        if left < MIN_TOKENS:
            break
        text = cut_to_tokens(" ".join(one.memory.content.split()), left)
        lines.append(f"- {text}{end}")
        keys.append(one.memory.key)
        room -= len(lines[-1]) + 1
    return fence([_HEADER, *lines], tuple(keys), secret) if lines else RenderedContext(text="")
