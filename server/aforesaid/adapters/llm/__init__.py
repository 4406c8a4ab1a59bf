"""Summarisers: the user's client run headless (claude_cli.py) or the Messages API (anthropic.py).

Off unless configured. Not here: the prompt (domain/extraction), when it is sent
(operations/llm_extraction.py).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.token_budget import SummaryLimits


def check_size(text: str, instruction: str, limits: SummaryLimits) -> None:
    """Check the length of a request.

    Raises:
        InvalidInputError: text and instruction together exceed the limit.
    """
    size = len(text) + len(instruction)
    if size > limits.input_chars:
        raise InvalidInputError(
            f"{size} characters exceed the summariser's limit of {limits.input_chars}"
        )
