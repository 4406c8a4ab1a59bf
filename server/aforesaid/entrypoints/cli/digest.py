"""``digest``: runs the session sweep in the foreground."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, echo_wrapped, open_services, show_json

if TYPE_CHECKING:
    from aforesaid.wiring.container import ServiceContainer


@aforesaid.command()
@as_json
def digest(*, as_json: bool) -> None:
    """Digest the sessions that have ended.

    If a summariser is configured, it reads them too.

    This also happens in the background when a session ends or starts.
    """
    from aforesaid.operations.llm_extraction import extract_pending
    from aforesaid.operations.session_sweep import digest_ended

    with open_services(storing=True) as core:
        digests = digest_ended(core.store, core.settings, os.environ, retry_all=True)
        batches = extract_pending(core.store, core.settings, os.environ, core.get_embedder)
        result = {"digests": digests, **_extraction_status(core, batches)}
    if as_json:
        show_json(result)
        return
    click.echo(f"{pluralize(digests, 'session')} digested")
    if "summariser" in result:
        echo_wrapped(
            f"{pluralize(batches, 'batch', 'batches')} read by {result['summariser']}, "
            f"{pluralize(result['waiting'], 'session')} waiting; "
            f"{result['calls_today']} of {core.settings['digest.daily_calls']} calls used today"
        )
        if result["failure"]:
            echo_wrapped(f"The summariser failed: {result['failure']}", err=True)


def _extraction_status(core: ServiceContainer, batches: int) -> dict[str, Any]:
    """Return the summariser's progress; empty if none is configured."""
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
