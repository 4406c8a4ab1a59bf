"""Answers actions in the server: recalls memories, and tracks what each conversation was shown.

A rule that the session's start or a prompt showed is shown again with the first action that it
applies to, where it helps most; after that, not again in the conversation. Other memories that it
was shown are not repeated.
"""

from __future__ import annotations

from functools import partial

from aforesaid.config import is_hook_enabled
from aforesaid.domain.context.action_context import Action, ShownBefore
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.wiring import factories

from .action_hook import ASK_END
from .prompt_silence import mark_actions_silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.domain.model.memory import CallContext, Session
    from aforesaid.services.sessions.action_recall import ActionRecall

    from .prompt_handler import PromptHandler


class ActionReply:
    """The answer to one action."""

    __slots__ = ("record_shown", "text")

    def __init__(
        self, text: str = "", ask: str = "", record_shown: Callable[[], None] = lambda: None
    ) -> None:
        #: As the hook reads it: the reason to ask the user, if any, then the model's text.
        self.text = f"{ask}{ASK_END}{text}" if ask else text
        self.record_shown = record_shown  #: to be called once it was shown


class ActionHandler:
    """Answers the actions of one client."""

    def __init__(
        self,
        store: SqliteStore,
        environment: Mapping[str, str],
        prompts: PromptHandler,
        recall: ActionRecall,
    ) -> None:
        """Set up the handler.

        Args:
            store: The store.
            environment: The environment variables.
            prompts: Knows the sessions, and records what they were shown.
            recall: Finds the memories for an action.
        """
        self._store = store
        self._environment = environment
        self._prompts = prompts
        self._recall = recall
        #: Keys shown with actions, by session, time of its last start, and subagent.
        self._shown: dict[tuple[str, int, str], set[int]] = {}
        self._created: dict[str, set[str]] = {}  #: files made, by session
        self._told_to_subagent: dict[tuple[str, str], Collection[int]] = {}

    def answer(self, fields: Mapping[str, str]) -> ActionReply:
        """Return the text for an action, as the hook sent it."""
        settings = self._prompts.settings
        session, facts, context = self._prompts.locate(fields["session"], fields["folder"])
        if factories.is_off(context, settings):
            return ActionReply()
        # a compaction is a start, too: the conversation no longer contains what was shown
        conversation = (session.id, session.opened_at, fields["agent"])
        shown_before = self._shown.setdefault(conversation, set())
        action = Action(
            folder=fields["folder"],
            path=fields["path"],
            added=fields.get("added", ""),
            command=fields["command"],
            error=fields["error"],
        )
        created = self._created.setdefault(session.id, set())
        told = partial(self._told, session, fields["agent"], context)
        answer = self._recall.render(
            action, context, ShownBefore(shown=shown_before, created=created, told=told)
        )
        shown = answer.context

        def record() -> None:
            shown_before.update(shown.keys)
            created.update(answer.created)
            if not shown.text:
                mark_actions_silent(self._store, settings, self._environment, context, facts)
            elif not fields["agent"]:  # else only the subagent has seen it
                tokens = count_tokens(shown.text)
                awaited = session.awaited_digests
                self._prompts.record_shown(session, shown.keys, tokens, awaited)

        return ActionReply(shown.text, answer.ask, record)

    def _told(self, session: Session, agent: str, context: CallContext) -> Collection[int]:
        """Return what a conversation was shown at its start, or with prompts."""
        if not agent:
            return self._prompts.shown_in(session)
        key = (session.id, agent)
        if key not in self._told_to_subagent:
            settings = self._prompts.settings
            is_told = is_hook_enabled("subagent_start", settings, self._environment)
            builder = factories.make_context_builder(self._store, settings)
            self._told_to_subagent[key] = (
                builder.build_for_subagent(context).keys if is_told else ()
            )
        return self._told_to_subagent[key]
