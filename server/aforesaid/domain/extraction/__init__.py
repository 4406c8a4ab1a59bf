"""What a summariser makes of a session: which turns it is given, what is asked, what is believed.

Here: the door. Turns cut into batches: batches.py. The question: prompt.py. The answer, read
strictly: response.py. What of it becomes a statement, and how far it is trusted: grounding.py.
Not here: the model (adapters/llm), the store (services/sessions/llm_extraction.py).
Why so: docs/adr/0029-summariser.md.
"""

from __future__ import annotations

from aforesaid.domain.extraction.batches import TurnBatch, cut_batches
from aforesaid.domain.extraction.digest_text import (
    compose,
    llm_text_in,
    llm_token_share,
    summary_of,
)
from aforesaid.domain.extraction.grounding import (
    Grounding,
    assess_grounding,
    details_of,
    is_grounded,
    statement_of,
)
from aforesaid.domain.extraction.prompt import INSTRUCTION, PromptBackground, ask
from aforesaid.domain.extraction.response import ExtractionResponse, Item, read_answer

__all__ = [
    "INSTRUCTION",
    "ExtractionResponse",
    "Grounding",
    "Item",
    "PromptBackground",
    "TurnBatch",
    "ask",
    "assess_grounding",
    "compose",
    "cut_batches",
    "details_of",
    "is_grounded",
    "llm_text_in",
    "llm_token_share",
    "read_answer",
    "statement_of",
    "summary_of",
]
