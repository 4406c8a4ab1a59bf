"""The digest of a session with what a summariser told about it; the facts by rules stay below.

Here: the text. Not here: the facts (domain/digest).
"""

from __future__ import annotations

from aforesaid.domain.digest.message_text import truncate

#: Above it a model speaks, below it rules quote.
FACTS_MARK = "By the transcript:"
_CHARS_PER_TOKEN = 4
_SUMMARY_CHARS = 160


def llm_token_share(max_tokens: int) -> int:
    """Return how many tokens of a digest a summariser's words may have: a third."""
    return max_tokens // 3


def compose(title: str, told: str, facts: str, max_tokens: int) -> str:
    """Return the digest's text, of at most ``max_tokens``.

    Args:
        title: the summariser's.
        told: what it says about the session.
        facts: the digest by rules, written within what ``llm_token_share`` leaves.
        max_tokens: of the whole.
    """
    room = llm_token_share(max_tokens) * _CHARS_PER_TOKEN - len(FACTS_MARK) - 2
    title = truncate(title, room // 3)
    told = truncate(told, room - len(title) - 1)
    return "\n".join(part for part in (title, told, FACTS_MARK, facts) if part)


def llm_text_in(content: str) -> str:
    """Return what a summariser told in a digest; empty where none did."""
    told, mark, _ = content.partition(f"\n{FACTS_MARK}\n")
    return told.partition("\n")[2] if mark else ""


def summary_of(told: str) -> str:
    """Return the one line that a session is shown by."""
    return truncate(told, _SUMMARY_CHARS)
