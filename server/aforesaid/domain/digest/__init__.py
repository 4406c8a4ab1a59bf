"""The digest of one session, written without a language model.

`facts_of` reads a conversation, `write_digest` writes its digest, `revise_digest` rewrites it from
fewer items, `candidates_of` and `failures_of` return what outlives the session. Statements:
statement_extractor.py, sentence_classifier.py, memory_candidates.py, message_text.py. Activity:
activity.py, run_log.py, commands.py, shell_line.py, failures.py, retries.py, dead_ends.py,
error_signature.py.
Erased text: session_facts.py. Wording: render.py, outcome.py.
Reasons: docs/adr/0006-digest-without-an-llm.md.
"""

from __future__ import annotations

from aforesaid.domain.digest.failed_attempt import Failure
from aforesaid.domain.digest.memory_candidates import MemoryCandidate
from aforesaid.domain.digest.model import Digest, DigestItem, SessionFacts
from aforesaid.domain.digest.render import render, revise_digest, write_digest
from aforesaid.domain.digest.session_facts import (
    candidates_of,
    facts_of,
    failures_of,
    remarks_of,
    without_erased,
)

__all__ = [
    "Digest",
    "DigestItem",
    "Failure",
    "MemoryCandidate",
    "SessionFacts",
    "candidates_of",
    "facts_of",
    "failures_of",
    "remarks_of",
    "render",
    "revise_digest",
    "without_erased",
    "write_digest",
]
