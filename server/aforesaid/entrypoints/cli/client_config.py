"""``config --client`` and ``config --instructions``: what other clients are told."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from aforesaid.domain.errors import NotFoundError
from aforesaid.entrypoints.clients import CLIENTS, HttpEndpoint, instructions, snippet, start_here

from .common import echo_wrapped, show_json, show_table

if TYPE_CHECKING:
    from aforesaid.entrypoints.clients import Client

#: A server over HTTP is in none of its clients' folders.
_PLACE_OVER_HTTP = (
    "the folder that it tells as an MCP root, if it does so; else --project names one, or "
    "set_project is called"
)


def show_client(
    name: str | None, *, told: bool, project: str | None, http: bool, uvx: bool, as_json: bool
) -> None:
    """Print what goes into a client's configuration, or what its agent is told (``told``)."""
    if name == "list":
        _list(as_json=as_json)
        return
    client = _client(name or "generic")
    if told:
        text, goes = instructions(client), client.told_in
    else:
        how = _over_http(project) if http else start_here(os.environ, uvx=uvx, project=project)
        text, goes = snippet(client, how), client.file
    notes = [] if told else _notes(client, project, http=http, uvx=uvx)
    if as_json:
        form = "markdown" if told else client.form
        show_json(
            {"client": name or "generic", "file": goes, "form": form, "text": text, "notes": notes}
        )
        return
    click.echo(text, nl=False)
    for note in [f"{client.title}: into {goes}", *notes]:
        echo_wrapped(note, hang=2, err=True)


def _notes(client: Client, project: str | None, *, http: bool, uvx: bool) -> list[str]:
    from aforesaid.bootstrap.path_link import moves_with_updates, stable_launcher

    place = _PLACE_OVER_HTTP if http else client.place
    notes = [f"its project: {project or place}", *client.notes]
    if not http and not uvx and moves_with_updates() and not os.path.islink(stable_launcher()):
        notes.append(
            "an update of the plugin moves this command: run  aforesaid setup --on-path  first, "
            "then this again"
        )
    return notes


def _client(name: str) -> Client:
    found = CLIENTS.get(name.strip().lower())
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(name, CLIENTS, 1)
        meant = f"did you mean {near[0]}?" if near else f"use {', '.join(CLIENTS)}"
        raise NotFoundError(f"no client is called {name!r}: {meant}")
    return found


def _list(*, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"client": name, "is": one.title, "file": one.file, "instructions": one.told_in}
        for name, one in CLIENTS.items()
    ]
    if as_json:
        show_json({"clients": rows})
    else:
        show_table(rows, ("client", "is", "file"))


def _over_http(project: str | None) -> HttpEndpoint:
    from aforesaid.adapters.system.auth_token import read_token
    from aforesaid.bootstrap.paths import token_path
    from aforesaid.config import load_settings

    settings = load_settings(os.environ)
    host = settings["server.host"]
    shown = f"[{host}]" if ":" in host else host
    headers = {"Authorization": f"Bearer {read_token(token_path())}"}
    if project:
        headers["Aforesaid-Project"] = quote(project, safe="/ ")
    return HttpEndpoint(address=f"http://{shown}:{settings['server.port']}/mcp", headers=headers)
