"""Filters of recall for people and programs, not for models: topic, origin, session, state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.memory import PROVENANCES, check_choice
from aforesaid.domain.model.topic import near_path, normalise_name

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Filters, Visibility
    from aforesaid.ports import Store

    from .arguments import Arguments

FORGOTTEN = "forgotten"


def narrow(filters: Filters, arguments: Arguments, store: Store, visible: Visibility) -> Filters:
    """Return the filters with ``topic``, ``provenance``, ``session`` and ``state``, if given.

    Raises:
        InvalidInputError: a value is unknown.
        NotFoundError: there is no such topic.
    """
    if topic := arguments.get("topic"):
        filters = filters.replace(topics=_topic_keys(topic, store, visible))
    if origins := arguments.get("provenance"):
        chosen = (check_choice("provenance", part, PROVENANCES) for part in origins.split(","))
        filters = filters.replace(provenances=tuple(chosen))
    if session := arguments.get("session"):
        filters = filters.replace(sessions=(session,))
    if state := arguments.get("state"):
        check_choice("state", state, (FORGOTTEN,))
        filters = filters.replace(forgotten_only=True)
    return filters


def _topic_keys(path: str, store: Store, visible: Visibility) -> tuple[int, ...]:
    """Return the keys of the topics with a path, and of the concepts below them."""
    named = _normalised(path)
    topics = store.topics.of_projects(visible.projects)
    keys = tuple(topic.key for topic in topics if _normalised(topic.path)[: len(named)] == named)
    if not keys:
        near = near_path(path, [topic.path for topic in topics])
        hint = f"did you mean {near!r}?" if near else "explore_memory() lists topics"
        raise NotFoundError(f"there is no topic {path[:60]!r} here: {hint}")
    return keys


def _normalised(path: str) -> list[str]:
    return [normalise_name(name) for name in path.split("/")]
