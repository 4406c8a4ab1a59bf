"""Answers prompts, in the server or in the hook: project, recall, record of what was shown.

Not here: the socket (adapters/prompt_socket.py), what is recalled
(services/sessions/prompt_recall.py).
"""

from __future__ import annotations

import time

from aforesaid.domain.model.memory import Session
from aforesaid.domain.text.sanitize import strip_private
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.wiring import factories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.domain.projects.detection import WorkspaceFacts
    from aforesaid.services.sessions.late_digests import LateDigests
    from aforesaid.services.sessions.prompt_recall import PromptRecall

#: A prompt waits for awaited digests until this long after the session's start ...
_AFTER_START_MS = 1_500
#: ... but never longer than this.
_MAX_WAIT_MS = 1_000
_POLL_SECONDS = 0.01
_MAX_SESSIONS = 10  #: latest sessions of the client that a fork may continue


class DigestPendingError(Exception):
    """An awaited digest is about to be written, and this process must not wait for it."""


class PromptReply:
    """The text shown with one prompt."""

    __slots__ = ("_awaited", "_keys", "_prompts", "_session", "_when_empty", "text")

    def __init__(
        self,
        prompts: PromptHandler,
        text: str = "",
        keys: tuple[int, ...] = (),
        session: Session | None = None,
        awaited: tuple[str, ...] = (),
        when_empty: Callable[[], None] | None = None,
    ) -> None:
        self.text = text  #: empty if nothing is relevant
        self._prompts = prompts
        self._keys = keys
        self._session = session
        self._awaited = awaited  #: sessions whose digests are still to come
        self._when_empty = when_empty

    def record_shown(self) -> None:
        """Record that it was shown, so that the session is not shown the same again.

        Raises:
            UnavailableError: The store cannot be written now.
        """
        if self._session is not None and (
            self._keys or self._awaited != self._session.awaited_digests
        ):
            tokens = count_tokens(self.text)
            self._prompts.record_shown(self._session, self._keys, tokens, self._awaited)
        elif self._when_empty is not None and not self.text:
            self._when_empty()


class PromptHandler:
    """Answers the prompts of one client."""

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
        """Set up the handler.

        Args:
            store: The store.
            settings: The settings.
            environment: The environment variables.
            recall: Finds the memories for a prompt.
            client: The client's process id.
            can_wait: Whether a prompt may wait for a digest in this process.
        """
        self._store = store
        self.settings = settings  #: a server replaces them at each prompt
        self._environment = environment
        self._recall = recall
        self._client = client
        self._can_wait = can_wait
        self._offered: set[str] = set()  #: sessions that were offered a project
        self._unsaved: dict[str, set[int]] = {}  #: keys shown but not stored yet, by session

    def answer(self, session_id: str, folder: str, prompt: str) -> PromptReply:
        """Return the text for a prompt of a session.

        Raises:
            DigestPendingError: A digest is pending, and this process cannot wait.
        """
        session, facts, context = self.locate(session_id, folder)
        if factories.is_off(context, self.settings):
            return PromptReply(
                self, when_empty=lambda: self._mark_silent(context, facts, is_off=True)
            )
        prompt = _without_private(prompt, self.settings["privacy.private_tag"])
        known = self.shown_in(session)
        texts: list[str] = []
        keys: tuple[int, ...] = ()
        awaited = session.awaited_digests
        if awaited:
            late = self._late_digests(session, context, known)
            texts, keys, awaited = [late.shown.text], late.shown.keys, late.awaited
        shown = self._recall.render(
            prompt,
            context,
            known.union(keys),
            budget_tokens=self.settings["hooks.prompt_token_budget"],
        )
        offer = (
            ""
            if not context.is_unclear or self._can_wait
            else self._offer_project(session_id, prompt, context)
        )
        text = "\n".join(filter(None, (*texts, shown.text, offer)))
        return PromptReply(
            self, text, (*keys, *shown.keys), _with_project(session, context), awaited,
            lambda: self._mark_silent(context, facts),
        )  # fmt: skip

    def locate(self, session_id: str, folder: str) -> tuple[Session, WorkspaceFacts, CallContext]:
        """Return a session, the facts about its folder, and the context of its calls."""
        session = self._store.sessions.get(session_id) or self._new_session(session_id, folder)
        facts = factories.read_workspace(session.folder or folder, self.settings, self._environment)
        context = factories.make_projects(self._store, self.settings).resolve(facts, session)
        return session, facts, context

    def shown_in(self, session: Session) -> set[int]:
        """Return the keys of what a session was shown."""
        return {*session.shown, *self._unsaved.get(session.id, ())}

    def _mark_silent(
        self, context: CallContext, facts: WorkspaceFacts, *, is_off: bool = False
    ) -> None:
        from .prompt_silence import mark_silent

        mark_silent(self._store, self.settings, self._environment, context, facts, is_off=is_off)

    def _offer_project(self, session_id: str, prompt: str, context: CallContext) -> str:
        """Return the suggestion of a project that a prompt names, once a session; servers only."""
        if session_id in self._offered:
            return ""
        from aforesaid.services.projects.named_project import offer_named_project

        text = offer_named_project(self._store, prompt, context.project.key)
        if text:
            self._offered.add(session_id)
        return text

    def _late_digests(self, session: Session, context: CallContext, known: set[int]) -> LateDigests:
        """Return the awaited digests that are written; right after the start, wait for them."""
        from aforesaid.adapters.system.machine import SystemClock
        from aforesaid.services.sessions.late_digests import find_late_digests

        clock = SystemClock()
        wait_ms = min(session.opened_at + _AFTER_START_MS - clock.now(), _MAX_WAIT_MS)
        deadline = time.monotonic() + wait_ms / 1_000
        while True:
            late = find_late_digests(self._store, clock, session, context, known)
            left = deadline - time.monotonic()
            if not late.awaited or left <= 0:
                return late
            if not self._can_wait:
                raise DigestPendingError
            time.sleep(min(_POLL_SECONDS, left))

    def record_shown(
        self, session: Session, keys: tuple[int, ...], tokens: int, awaited: tuple[str, ...] = ()
    ) -> None:
        """Record which memories a session was shown, their tokens, and the digests it awaits.

        Raises:
            UnavailableError: The store cannot be written now; this process remembers the keys.
        """
        self._unsaved.setdefault(session.id, set()).update(keys)
        with self._store.transaction():
            current = self._store.sessions.get(session.id) or session
            shown = dict.fromkeys((*current.shown, *self._unsaved[session.id]))
            self._store.sessions.put(
                current.replace(
                    shown=tuple(shown),
                    shown_tokens=current.shown_tokens + tokens,
                    awaited_digests=tuple(
                        digest for digest in current.awaited_digests if digest in awaited
                    ),
                )
            )
        del self._unsaved[session.id]

    def _new_session(self, session_id: str, folder: str) -> Session:
        """Return a session without a registered start: its hook is switched off, or failed.

        It may also be a fork: client 2.1.197 reports a fork's start under the id of the session
        that it continues, whose shown memories are part of the fork's conversation.
        """
        from aforesaid.adapters.system.machine import SystemClock, process_start

        now = SystemClock().now()
        start = process_start(self._client)
        recent = self._store.sessions.of_client(self._client, start, _MAX_SESSIONS)
        origin = next((session for session in recent if session.folder == folder), None)
        if origin is not None and not (
            origin.transcript_path and self.settings["hooks.session_start"]
        ):
            origin = None
        return Session(
            id=session_id,
            client_pid=self._client,
            client_start=start,
            folder=folder,
            started_at=now,
            opened_at=now,
            shown=() if origin is None else origin.shown,
            shown_at=None if origin is None else origin.shown_at,
        )


def _without_private(prompt: str, tag: str) -> str:
    """Return a prompt without its private spans; skip the pattern if there can be none."""
    if prompt.isascii() and tag.lower() not in prompt.lower():
        return prompt
    return strip_private(prompt, tag)[0]


def _with_project(session: Session, context: CallContext) -> Session:
    if session.project is not None or not context.has_project:
        return session
    return session.replace(project=context.project.key)
