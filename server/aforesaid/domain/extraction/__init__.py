"""What a summariser makes of a session: which turns it is given, what is asked, what is believed.

Here: the door. Turns cut into batches: batches.py. The question: prompt.py. The answer, read
strictly: response.py. What of it becomes a statement, and how far it is trusted: grounding.py.
Not here: the model (adapters/llm), the store (services/sessions/llm_extraction.py).
Why so: docs/adr/0029-summariser.md.
"""

from __future__ import annotations

from aforesaid.domain.extraction.batches import Batch, cut_batches
from aforesaid.domain.extraction.digest_text import compose, summary_of, told_in, told_tokens
from aforesaid.domain.extraction.grounding import (
    Evidence,
    details_of,
    is_grounded,
    statement_of,
    weigh,
)
from aforesaid.domain.extraction.prompt import INSTRUCTION, KnownHere, ask
from aforesaid.domain.extraction.response import Answer, Item, read_answer

__all__ = [
    "INSTRUCTION",
    "Answer",
    "Batch",
    "Evidence",
    "Item",
    "KnownHere",
    "ask",
    "compose",
    "cut_batches",
    "details_of",
    "is_grounded",
    "read_answer",
    "statement_of",
    "summary_of",
    "told_in",
    "told_tokens",
    "weigh",
]
