"""Language models that write digests, each behind the Summariser port; off unless configured.

Here: the door of each is its module: claude_cli.py (the user's own client, headless), anthropic.py
(the official SDK, an extra). Not here: what is asked (domain/extraction), when
(services/sessions/llm_extraction).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.text.token_budget import SummaryLimits


def check_size(text: str, instruction: str, limits: SummaryLimits) -> None:
    """Refuse what is too long to be sent.

    Raises:
        InvalidInputError: text and instruction are longer than the limits allow.
    """
    size = len(text) + len(instruction)
    if size > limits.input_chars:
        raise InvalidInputError(
            f"{size} characters are too many for the summariser, {limits.input_chars} at most"
        )
