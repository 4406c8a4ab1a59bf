"""``offers``: suggestions that maintenance made, to be accepted or declined."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from aforesaid.domain.model.suggestion import EVERYWHERE, GUARD, LINK, PROCEDURE
from aforesaid.entrypoints.api.person import require_person

from .app import aforesaid
from .common import as_json, echo_wrapped, open_connection, show_json, show_table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.memory import CallContext
    from aforesaid.services.maintenance.suggestions import SuggestionService
    from aforesaid.wiring.container import ServiceContainer


_MAX_LINES = 3  #: of one suggestion


@aforesaid.group(invoke_without_command=True)
@as_json
@click.pass_context
def offers(context: click.Context, *, as_json: bool) -> None:
    """List maintenance's suggestions for this project.

    Nothing happens until you accept one.

    Maintenance may suggest storing recurring commands as a procedure, making a fact that also holds
    in another project global, or linking memories that are often recalled together.
    """
    if context.invoked_subcommand is not None:
        return
    from aforesaid.domain.model.suggestion import describe_suggestion

    with _service() as (service, core, call_context):
        suggestions = service.list_open(call_context)
        short_ids = core.store.memories.short_ids(
            {key for suggestion in suggestions for key in suggestion.memories}
        )
    rows = [
        {
            "offer": suggestion.key,
            "kind": suggestion.kind,
            "memories": [short_ids[key] for key in suggestion.memories if key in short_ids],
            "what": describe_suggestion(suggestion, short_ids),
        }
        for suggestion in suggestions
    ]
    if as_json:
        show_json({"offers": rows})
        return
    labels = {"offer": "number", "what": "suggestion"}
    show_table(rows, ("offer", "kind", "what"), labels=labels, max_lines=_MAX_LINES)
    click.echo(
        "Answer with: aforesaid offers accept N, or aforesaid offers decline N"
        if rows
        else "No suggestions here."
    )


@offers.command()
@click.argument("number", metavar="N", type=int)
@click.option("--ask", is_flag=True, help="For a guard: ask me before an action that breaks it.")
@as_json
def accept(number: int, *, ask: bool, as_json: bool) -> None:
    """Accept suggestion N and carry it out.

    Only you can accept a guard, in your own terminal.
    """
    with _service() as (service, _core, call_context):
        open_suggestions = service.list_open(call_context)
        if any(offer.key == number and offer.kind == GUARD for offer in open_suggestions):
            require_person(os.environ)
        accepted = service.accept(number, call_context, asks=ask)
    effect = "you are asked first" if ask else "the agent is shown the rule"
    effects = {
        GUARD: f"From now on, when an action breaks it, {effect}.",
        PROCEDURE: "It was stored as a procedure.",
        EVERYWHERE: "It now holds in every project.",
        LINK: "The memories are linked now.",
    }
    _show_answer(number, "accepted", effects.get(accepted.kind, ""), as_json=as_json)


@offers.command()
@click.argument("number", metavar="N", type=int)
@as_json
def decline(number: int, *, as_json: bool) -> None:
    """Decline suggestion N; it is not made again."""
    with _service() as (service, _core, call_context):
        service.decline(number, call_context)
    _show_answer(number, "declined", "It is not made again.", as_json=as_json)


def _show_answer(number: int, answer: str, effect: str, *, as_json: bool) -> None:
    if as_json:
        show_json({"offer": number, "answer": answer})
    else:
        echo_wrapped(f"Suggestion {number} {answer}. {effect}".rstrip())


@contextmanager
def _service() -> Iterator[tuple[SuggestionService, ServiceContainer, CallContext]]:
    with open_connection() as connection:
        core = connection.core
        yield core.suggestions, core, connection.call_context()
