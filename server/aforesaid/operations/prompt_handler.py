"""What a prompt is answered with, in whichever process: settled place, recall, what was shown.

Here: one prompt from place to note, and the server's thread that answers hooks. Not here: the
socket (adapters/prompt_socket.py), what is recalled (services/sessions/prompt_recall.py).
"""

from __future__ import annotations

import time

from aforesaid.domain.model.memory import Session
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.wiring import factories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.services.sessions.late_digests import LateDigests
    from aforesaid.services.sessions.prompt_recall import PromptRecall

#: A prompt that follows a session's start at once waits for awaited digests until so long after
#: the start, and never longer than the second.
_AFTER_START_MS, _MAX_WAIT_MS = 1_500, 1_000
_POLL_SECONDS = 0.01


class DigestPendingError(Exception):
    """An awaited digest is about to be written, and this process must not wait for it."""


_FORKED_OF = 10  #: the client's last sessions, among which the one is that a fork continues


class PromptReply:
    """What is shown with one prompt."""

    __slots__ = ("_awaited", "_keys", "_prompts", "_session", "text")

    def __init__(
        self,
        prompts: PromptHandler,
        text: str = "",
        keys: tuple[int, ...] = (),
        session: Session | None = None,
        awaited: tuple[str, ...] = (),
    ) -> None:
        self.text = text  #: empty where nothing is called for
        self._prompts = prompts
        self._keys = keys
        self._session = session
        self._awaited = awaited  #: sessions whose digests are still to come

    def note(self) -> None:
        """Note that it was shown, so that this session is never shown the same again.

        Raises:
            UnavailableError: the store cannot be written now.
        """
        if self._session is not None and (self._keys or self._awaited != self._session.awaited):
            tokens = count_tokens(self.text)
            self._prompts.note(self._session, self._keys, tokens, self._awaited)


class PromptHandler:
    """The prompts of one client."""

    def __init__(
        self,
        store: SqliteStore,
        settings: Settings,
        environment: Mapping[str, str],
        recall: PromptRecall,
        client: int,
        *,
        can_wait: bool = False,
    ) -> None:
        """Join them to their world.

        Args:
            store: where memories and sessions are.
            settings: in force.
            environment: the process's.
            recall: finds what a prompt calls for.
            client: the client's pid.
            can_wait: whether a prompt may wait for a digest here.
        """
        self._store = store
        self.settings = settings  #: a server reads them anew at each prompt
        self._environment = environment
        self._recall = recall
        self._client = client
        self._can_wait = can_wait
        self._noted: dict[str, set[int]] = {}  #: by session, what the store did not take yet

    def answer(self, session_id: str, folder: str, prompt: str) -> PromptReply:
        """Return what is shown with a prompt of a session.

        Raises:
            DigestPendingError: see ``can_wait``.
        """
        session = self._store.sessions.get(session_id) or self._new_session(session_id, folder)
        seen = factories.read_workspace(session.folder or folder, self.settings, self._environment)
        place = factories.make_projects(self._store, self.settings).settle(seen, session)
        if factories.is_off(place, self.settings):
            return PromptReply(self)
        prompt = _without_private(prompt, self.settings["privacy.private_tag"])
        known = {*session.shown, *self._noted.get(session_id, ())}
        texts: list[str] = []
        keys: tuple[int, ...] = ()
        awaited = session.awaited
        if awaited:
            late = self._late_digests(session, place, known)
            texts, keys, awaited = [late.shown.text], late.shown.keys, late.awaited
        shown = self._recall.shown(
            prompt,
            place,
            known.union(keys),
            budget_tokens=self.settings["hooks.prompt_token_budget"],
        )
        text = "\n".join(one for one in (*texts, shown.text) if one)
        return PromptReply(self, text, (*keys, *shown.keys), _placed(session, place), awaited)

    def _late_digests(self, session: Session, place: CallContext, known: set[int]) -> LateDigests:
        """Return the awaited digests that are written, waiting for them right after the start."""
        from aforesaid.adapters.system.machine import SystemClock
        from aforesaid.services.sessions.late_digests import find_late_digests

        clock = SystemClock()
        wait_ms = min(session.opened_at + _AFTER_START_MS - clock.now(), _MAX_WAIT_MS)
        deadline = time.monotonic() + wait_ms / 1_000
        while True:
            late = find_late_digests(self._store, clock, session, place, known)
            left = deadline - time.monotonic()
            if not late.awaited or left <= 0:
                return late
            if not self._can_wait:
                raise DigestPendingError
            time.sleep(min(_POLL_SECONDS, left))

    def note(
        self, session: Session, keys: tuple[int, ...], tokens: int, awaited: tuple[str, ...] = ()
    ) -> None:
        """Keep that a session was shown these memories, in so many tokens, and what it awaits.

        Raises:
            UnavailableError: the store cannot be written now; it is known here all the same.
        """
        self._noted.setdefault(session.id, set()).update(keys)
        with self._store.transaction():
            current = self._store.sessions.get(session.id) or session
            told = dict.fromkeys((*current.shown, *self._noted[session.id]))
            spent = current.shown_tokens + tokens
            still = tuple(one for one in current.awaited if one in awaited)
            self._store.sessions.put(
                current.replace(shown=tuple(told), shown_tokens=spent, awaited=still)
            )
        del self._noted[session.id]

    def _new_session(self, session_id: str, folder: str) -> Session:
        """Return a session that no start told of: its hook is switched off, or failed.

        Or it is a fork: client 2.1.197 tells its start as that of the session which it continues,
        and what that one was shown stands in its conversation.
        """
        from aforesaid.adapters.system.machine import SystemClock, process_start

        now = SystemClock().now()
        start = process_start(self._client)
        recent = self._store.sessions.of_client(self._client, start, _FORKED_OF)
        told = next((one for one in recent if one.folder == folder), None)
        forked = told is not None and told.transcript_path and self.settings["hooks.session_start"]
        return Session(
            id=session_id,
            client_pid=self._client,
            client_start=start,
            folder=folder,
            started_at=now,
            opened_at=now,
            shown=told.shown if told is not None and forked else (),
            shown_at=told.shown_at if told is not None and forked else None,
        )


def _without_private(prompt: str, tag: str) -> str:
    """Return a prompt without its private spans; most have none, and need no pattern to tell."""
    if prompt.isascii() and tag.lower() not in prompt.lower():
        return prompt
    from aforesaid.domain.text.sanitize import strip_private

    return strip_private(prompt, tag)[0]


def _placed(session: Session, place: CallContext) -> Session:
    if session.project is not None or not place.known:
        return session
    return session.replace(project=place.project.key)
