"""Digests that were not ready when a session started: shown with its next prompt, once.

Runs in hook processes. Which sessions are awaited: operations/pending_digests.py.
"""

from __future__ import annotations

from aforesaid.domain.context.session_context import (
    RenderedContext,
    digest_line,
    fence,
    is_worth_a_line,
)
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from aforesaid.domain.model.memory import CallContext, Memory, Session
    from aforesaid.ports import Clock, Store

MAX_TOKENS = 400  #: of the whole text, fence included
_HEADER = "Sessions that ended shortly before this one:"


class LateDigests(Value):
    """Late digests to show with one prompt."""

    shown: RenderedContext
    awaited: tuple[str, ...]  #: sessions that still have no digest


def find_late_digests(
    store: Store, clock: Clock, session: Session, context: CallContext, known: Collection[int]
) -> LateDigests:
    """Return the digests, as far as they exist, of the sessions that this one awaits.

    Args:
        store: where sessions and memories are.
        clock: the present time.
        session: the one that awaits them.
        context: of the session.
        known: keys of memories that the session was shown before.
    """
    digests: list[Memory] = []
    awaited = []
    for session_id in session.awaited_digests:
        ended = store.sessions.get(session_id)
        if ended is None or ended.ended_at is None:
            awaited.append(session_id)
        elif ended.digest is not None and ended.digest not in known:
            digests += [
                digest
                for digest in store.memories.get([ended.digest])
                if digest.in_force
                and digest.project == context.project.key
                and is_worth_a_line(digest)
            ]
    return LateDigests(shown=_render(store, clock, digests), awaited=tuple(awaited))


def _render(store: Store, clock: Clock, digests: list[Memory]) -> RenderedContext:
    """Return the newest digests that fit, one line each."""
    rendered = RenderedContext(text="")
    if not digests:
        return rendered
    short_ids = store.memories.short_ids([digest.key for digest in digests])
    secret = store.meta("install_secret") or ""
    lines: list[str] = [_HEADER]
    keys: list[int] = []
    for digest in sorted(digests, key=lambda digest: -digest.created_at):
        lines.append(digest_line(digest, short_ids[digest.key], clock.now()).text)
        keys.append(digest.key)
        longer = fence(lines, tuple(keys), secret)
        if count_tokens(longer.text) > MAX_TOKENS:
            break
        rendered = longer
    return rendered
