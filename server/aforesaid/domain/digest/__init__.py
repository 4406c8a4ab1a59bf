"""The digest of one session, written without a language model.

Here: the door. `facts_of` reads a conversation, `write_digest` writes it down, `revise_digest`
makes it anew from fewer items; `candidates_of` tells what outlives the session. What was said:
listening.py, language.py, durable.py, phrases/, prose.py. What was done: work.py, commands.py. What
must not be said again: erased.py. Wording: writing.py.
Not here: files, secrets, the store. Why so: docs/adr/0006-digest-without-an-llm.md.
"""

from __future__ import annotations

from aforesaid.domain.digest.durable import Candidate
from aforesaid.domain.digest.erased import without_erased
from aforesaid.domain.digest.facts import candidates_of, facts_of
from aforesaid.domain.digest.values import Digest, DigestItem, SessionFacts
from aforesaid.domain.digest.writing import render, revise_digest, write_digest

__all__ = [
    "Candidate",
    "Digest",
    "DigestItem",
    "SessionFacts",
    "candidates_of",
    "facts_of",
    "render",
    "revise_digest",
    "without_erased",
    "write_digest",
]
