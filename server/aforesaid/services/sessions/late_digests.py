"""Digests that a session's start came too early for: shown with its next prompt, once.

Lean enough for a hook's process. Not here: which sessions are awaited
(operations/pending_digests.py).
"""

from __future__ import annotations

from aforesaid.domain.context.session_context import RenderedContext, digest_line, fence
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from aforesaid.domain.model.memory import Memory, Session
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, Store

MAX_TOKENS = 400  #: of the whole text, fence included
_HEADER = "Sessions that ended shortly before this one:"


class LateDigests(Value):
    """What is shown with one prompt."""

    shown: RenderedContext
    awaited: tuple[str, ...]  #: sessions that have no digest yet


def find_late_digests(
    store: Store, clock: Clock, session: Session, place: CallContext, known: Collection[int]
) -> LateDigests:
    """Return the digests of the sessions that this one awaits, as far as they are written.

    Args:
        store: where sessions and memories are.
        clock: the present time.
        session: the one that awaits them.
        place: the session's.
        known: keys of what the session was shown before.
    """
    digests: list[Memory] = []
    awaited = []
    for session_id in session.awaited:
        ended = store.sessions.get(session_id)
        if ended is None or ended.ended_at is None:
            awaited.append(session_id)
        elif ended.digest is not None and ended.digest not in known:
            digests += [
                one
                for one in store.memories.get([ended.digest])
                if one.in_force and one.project == place.project.key
            ]
    return LateDigests(shown=_compose(store, clock, digests), awaited=tuple(awaited))


def _compose(store: Store, clock: Clock, digests: list[Memory]) -> RenderedContext:
    """Return the newest digests that fit, one line each."""
    if not digests:
        return RenderedContext(text="")
    short = store.memories.short_ids([one.key for one in digests])
    secret = store.meta("install_secret") or ""
    shown = RenderedContext(text="")
    lines: list[str] = [_HEADER]
    keys: list[int] = []
    for one in sorted(digests, key=lambda one: -one.created_at):
        lines.append(digest_line(one, short[one.key], clock.now()).text)
        keys.append(one.key)
        longer = fence(lines, tuple(keys), secret)
        if count_tokens(longer.text) > MAX_TOKENS:
            break
        shown = longer
    return shown
