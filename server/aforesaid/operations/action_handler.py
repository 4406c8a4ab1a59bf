"""Answers actions in the server: recalls memories, and tracks what each conversation was shown.

A memory that the session's start or a prompt showed is shown again with the first action that it
applies to, where it helps most. After that, this server does not show it again in the conversation.
"""

from __future__ import annotations

from aforesaid.domain.context.action_context import Action
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.wiring import factories

from .action_hook import ASK_END
from .prompt_silence import mark_actions_silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
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
        shown, ask = self._recall.render(action, context, shown_before)

        def record() -> None:
            shown_before.update(shown.keys)
            if not shown.text:
                mark_actions_silent(self._store, settings, self._environment, context, facts)
            elif not fields["agent"]:  # else only the subagent has seen it
                tokens = count_tokens(shown.text)
                awaited = session.awaited_digests
                self._prompts.record_shown(session, shown.keys, tokens, awaited)

        return ActionReply(shown.text, ask, record)
