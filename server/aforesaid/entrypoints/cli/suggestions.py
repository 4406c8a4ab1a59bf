"""``offers``: what maintenance found and leaves to the user."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from .app import aforesaid
from .common import as_json, show_json, show_table

if TYPE_CHECKING:
    from aforesaid.services.maintenance.suggestions import SuggestionService


_LINES = 3  #: of what an offer says


@aforesaid.group(invoke_without_command=True)
@as_json
@click.pass_context
def offers(context: click.Context, *, as_json: bool) -> None:
    """List what maintenance offers in this project.

    Nothing is done until it is accepted.

    Commands that recur may become a procedure, a fact that holds in another project may hold
    everywhere, entities that come up together may be linked.
    """
    if context.invoked_subcommand is not None:
        return
    from aforesaid.domain.model.suggestion import in_words

    def listed(answer: SuggestionService, core: Any, place: Any) -> list[dict[str, Any]]:
        found = answer.listed(place)
        short = core.store.memories.short_ids({key for one in found for key in one.memories})
        return [
            {
                "offer": one.key,
                "kind": one.kind,
                "memories": [short[key] for key in one.memories if key in short],
                "what": in_words(one, short),
            }
            for one in found
        ]

    rows = _with(listed)
    if as_json:
        show_json({"offers": rows})
        return
    show_table(rows, ("offer", "kind", "what"), lines=_LINES)
    click.echo("aforesaid offers accept N, or decline N" if rows else "Nothing is offered here.")


@offers.command()
@click.argument("number", metavar="N", type=int)
@as_json
def accept(number: int, *, as_json: bool) -> None:
    """Do what offer N says."""
    _with(lambda answer, _core, place: answer.accept(number, place))
    _answered(number, "accepted", f"Offer {number} is carried out.", as_json=as_json)


@offers.command()
@click.argument("number", metavar="N", type=int)
@as_json
def decline(number: int, *, as_json: bool) -> None:
    """Let offer N be: it is not made again."""
    _with(lambda answer, _core, place: answer.decline(number, place))
    _answered(number, "declined", f"Offer {number} is declined.", as_json=as_json)


def _answered(number: int, answer: str, said: str, *, as_json: bool) -> None:
    if as_json:
        show_json({"offer": number, "answer": answer})
    else:
        click.echo(said)


def _with(work: Any) -> Any:
    """Return what work does with the offers of the working directory's project."""
    from aforesaid.operations.client_connection import ClientConnection
    from aforesaid.services.maintenance.suggestions import SuggestionService

    conversation = ClientConnection(os.environ)
    core = conversation.core
    try:
        answer = SuggestionService(core.store, core.clock, core.remember, core.curate)
        return work(answer, core, conversation.place())
    finally:
        core.close()
