"""What the next session in a project would be shown, line by line, with the reasons.

The steps are those of session_start.py; nothing is waited for or written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.config import is_hook_enabled
from aforesaid.domain.context.line_reasons import explain_line
from aforesaid.domain.context.session_context import TITLES, question_of
from aforesaid.domain.model.memory import Memory
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.domain.value import Value
from aforesaid.wiring import factories

from .session_start import find_waiting_sessions

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.wiring.container import ServiceContainer


class PreviewLine(Value):
    """One line, and why it is shown."""

    text: str
    tokens: int
    memory: Memory | None  #: that it shows; None if it only refers to memories
    short_id: str
    why: tuple[str, ...]  #: the main reason first


class PreviewSection(Value):
    """The lines of one section."""

    name: str
    title: str
    lines: tuple[PreviewLine, ...]


class SessionPreview(Value):
    """What a session that starts now would be shown."""

    text: str  #: exactly; empty if nothing
    tokens: int = 0
    budget_tokens: int = 0
    header: str = ""
    sections: tuple[PreviewSection, ...] = ()
    question: str = ""  #: what the agent is told to ask the user
    off: str = ""  #: why nothing is shown, if memory is switched off


def preview_session(core: ServiceContainer, context: CallContext) -> SessionPreview:
    """Return what a session that starts with this context would be shown."""
    settings, environment, store = core.settings, core.environment, core.store
    if factories.is_off(context, settings):
        return SessionPreview(text="", off=f"memory is switched off in {context.project.name}")
    if not is_hook_enabled("session_start", settings, environment):
        return SessionPreview(text="", off="the setting hooks.session_start is off")
    waiting = find_waiting_sessions(store, settings, environment, context, None)
    budget = int(settings["retrieval.preload_token_budget"])
    ask = context.is_unclear and context.project.asked_at is None
    rendered = core.context_builder.build_full(
        context, budget_tokens=budget, ask=ask, missing=waiting.message
    )
    memories = {memory.key: memory for memory in store.memories.get(rendered.keys)}
    short_ids = store.memories.short_ids(memories)
    now, factors = core.clock.now(), factories.factors_of(settings)
    sections = [
        PreviewSection(
            name=name,
            title=TITLES[name],
            lines=tuple(
                PreviewLine(
                    text=line.text.removeprefix("- "),
                    tokens=count_tokens(line.text + "\n"),
                    memory=memories.get(line.key),
                    short_id=short_ids.get(line.key, ""),
                    why=explain_line(name, memories.get(line.key), now, factors),
                )
                for line in lines
            ),
        )
        for name, lines in rendered.sections
    ]
    return SessionPreview(
        text=rendered.text,
        tokens=count_tokens(rendered.text),
        budget_tokens=budget,
        header=core.context_builder.header(context),
        sections=tuple(sections),
        question=question_of(context) if ask else "",
    )
