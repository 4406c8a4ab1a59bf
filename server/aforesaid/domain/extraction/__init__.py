"""Extraction of memories from a session by a summariser.

batches.py cuts the session into batches, prompt.py writes the prompt, response.py parses the
answer, grounding.py decides how far each item is trusted and makes statements of them. The model
is in adapters/llm. Reasons: docs/adr/0029-summariser.md.
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
from aforesaid.domain.extraction.prompt import INSTRUCTION, PromptBackground, build_prompt
from aforesaid.domain.extraction.response import ExtractionResponse, Item, read_answer

__all__ = [
    "INSTRUCTION",
    "ExtractionResponse",
    "Grounding",
    "Item",
    "PromptBackground",
    "TurnBatch",
    "assess_grounding",
    "build_prompt",
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
