"""The digest of a session with a summariser's text above the facts from domain/digest."""

from __future__ import annotations

from aforesaid.domain.digest.message_text import truncate
from aforesaid.domain.text.token_budget import CHARS_PER_TOKEN

#: Above it stands a model's text, below it quoted facts.
FACTS_MARK = "By the transcript:"
_SUMMARY_CHARS = 160


def llm_token_share(max_tokens: int) -> int:
    """Return the tokens of a digest that a summariser's text may have: a third."""
    return max_tokens // 3


def compose(title: str, summary: str, facts: str, max_tokens: int) -> str:
    """Return the digest's text, of at most ``max_tokens``.

    Args:
        title: by the summariser.
        summary: its text about the session.
        facts: the digest without a summariser, within what ``llm_token_share`` leaves.
        max_tokens: limit of the whole text.
    """
    room = llm_token_share(max_tokens) * CHARS_PER_TOKEN - len(FACTS_MARK) - 2
    title = truncate(title, room // 3)
    summary = truncate(summary, room - len(title) - 1)
    return "\n".join(part for part in (title, summary, FACTS_MARK, facts) if part)


def llm_text_in(content: str) -> str:
    """Return the summariser's text in a digest, empty if it has none."""
    text, mark, _ = content.partition(f"\n{FACTS_MARK}\n")
    return text.partition("\n")[2] if mark else ""


def summary_of(text: str) -> str:
    """Return the one line that stands for a session in lists."""
    return truncate(text, _SUMMARY_CHARS)
