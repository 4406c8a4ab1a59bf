"""The digest of a session as a store keeps it: without what was erased or forgotten there.

Its text: domain/digest/render.py. When it is written and stored: digester.py.
"""

from __future__ import annotations

from aforesaid.domain.digest import revise_digest, write_digest
from aforesaid.domain.model.memory import GLOBAL_PROJECT
from aforesaid.domain.text.distinctive_phrases import sentences_of
from aforesaid.domain.text.hashing import keyed_hash
from aforesaid.services.memories.footprint import forgotten_marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.digest import Digest, SessionFacts
    from aforesaid.ports import Store

_TYPES = ("semantic", "procedural")
_MAX_REMEMBERED = 150  #: memories of each project that may tell a decision of the session, too


def write_kept_digest(
    store: Store, facts: SessionFacts, max_tokens: int, projects: Sequence[int]
) -> Digest | None:
    """Return the digest of a session; None if nothing happened in it.

    Args:
        store: whose memories may say what was decided, too.
        facts: what happened.
        max_tokens: limit of its text.
        projects: keys of the projects, besides the global one, in which something was forgotten.
    """
    scopes = (GLOBAL_PROJECT, *projects)
    remembered = [
        memory.content
        for project in scopes
        for memory in store.memories.most_important(project, _TYPES, _MAX_REMEMBERED)
    ]
    digest = write_digest(facts, max_tokens=max_tokens, remembered=remembered)
    if digest is None:
        return None
    secret = store.meta("install_secret") or ""
    forgotten = forgotten_marks(store, scopes)

    def is_removed(text: str) -> bool:
        parts = {text, *sentences_of(text)}
        erased = any(store.memories.is_erased(keyed_hash(part, secret)) for part in parts)
        return erased or forgotten.repeated_by(text)

    return revise_digest(digest, lambda item: None if is_removed(item.text) else item)
