"""``digest``: what the sweep does by itself, now and in sight."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import echo_wrapped, show_json

if TYPE_CHECKING:
    from aforesaid.wiring.container import ServiceContainer


@aforesaid.command()
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
def digest(*, as_json: bool) -> None:
    """Digest the sessions that ended.

    The summariser reads them, too, if one is chosen.

    It happens by itself when a session ends or starts; this shows what came of it.
    """
    from aforesaid.operations.llm_extraction import extract_waiting
    from aforesaid.operations.session_sweep import digest_ended
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        digests = digest_ended(core.store, core.settings, os.environ, retry_all=True)
        batches = extract_waiting(core.store, core.settings, os.environ, core.embed)
        told = {"digests": digests, **_reading(core, batches)}
    finally:
        core.close()
    if as_json:
        show_json(told)
        return
    click.echo(f"{pluralize(digests, 'session')} digested")
    if "summariser" in told:
        echo_wrapped(
            f"{pluralize(batches, 'batch', 'batches')} read by {told['summariser']}, "
            f"{pluralize(told['waiting'], 'session waits', 'sessions wait')}; "
            f"{told['calls_today']} of {core.settings['digest.daily_calls']} questions today"
        )
        if told["failure"]:
            echo_wrapped(f"It was not read: {told['failure']}", err=True)


def _reading(core: ServiceContainer, batches: int) -> dict[str, Any]:
    """Return how the summariser fares; empty where none is chosen."""
    from aforesaid.domain.model.extraction_progress import CALLS, FAILURE, calls_of_day
    from aforesaid.operations.llm_extraction import make_summariser

    summariser = make_summariser(core.settings, os.environ)
    if summariser is None:
        return {}
    return {
        "summariser": summariser.name,
        "batches": batches,
        "waiting": len(core.store.extractions.pending()),
        "calls_today": calls_of_day(core.store.meta(CALLS) or "", core.clock.now()),
        "failure": (core.store.meta(FAILURE) or "").partition(" ")[2],
    }
