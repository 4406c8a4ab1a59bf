"""How much text costs, and how much of it fits."""

from __future__ import annotations

from aforesaid.domain.value import Value

CHARS_PER_TOKEN = 4
CUT_MARK = " … [cut: read it whole by its id]"


def count_tokens(text: str) -> int:
    """Return the estimated tokens of a text: a quarter of its characters, rounded up.

    Source: DESIGN of recall (section "Read path"); within 15 % for English and code, and the
    same everywhere, which is what budgets need.
    """
    return -(-len(text) // CHARS_PER_TOKEN)


def cut_to_tokens(text: str, budget_tokens: int) -> str:
    """Return the text, or as much as fits with a mark that it was cut."""
    chars = budget_tokens * CHARS_PER_TOKEN
    if len(text) <= chars:
        return text
    room = max(chars - len(CUT_MARK), 0)
    head = text[:room]
    blank = head.rfind(" ")
    if blank > room * 3 // 4:
        head = head[:blank]
    return head.rstrip() + CUT_MARK


class SummaryLimits(Value):
    """What one question to a summariser may cost."""

    seconds: float = 120.0
    input_chars: int = 60_000  #: text and instruction together
    output_tokens: int = 4_000
