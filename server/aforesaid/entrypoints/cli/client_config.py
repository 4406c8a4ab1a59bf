"""``config --client`` and ``--instructions``: snippets and instructions for other clients."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from aforesaid.domain.errors import NotFoundError
from aforesaid.entrypoints.clients import CLIENTS, HttpEndpoint, snippet, start_here
from aforesaid.entrypoints.clients import instructions as instructions_for

from .common import echo_wrapped, show_json, show_table

if TYPE_CHECKING:
    from aforesaid.entrypoints.clients import Client

#: A server over HTTP does not run in its clients' folders.
_MAX_LINES = 4  #: of a file in the list of clients
_PROJECT_OVER_HTTP = (
    "the folder that the client reports as an MCP root; without one, use --project or set_project"
)


def show_client(
    name: str | None,
    *,
    instructions: bool,
    project: str | None,
    http: bool,
    uvx: bool,
    as_json: bool,
) -> None:
    """Print the text for a client's configuration, or the ``instructions`` for its agent."""
    if name == "list":
        _list(as_json=as_json)
        return
    client = _client(name or "generic")
    notes: list[str] = []
    if instructions:
        text, file, syntax = instructions_for(client), client.instructions_file, "markdown"
    else:
        launch = (
            _http_endpoint(project) if http else start_here(os.environ, uvx=uvx, project=project)
        )
        text, file, syntax = snippet(client, launch), client.file, client.syntax
        notes = _notes(client, project, http=http, uvx=uvx)
    if as_json:
        show_json(
            {
                "client": name or "generic",
                "file": file,
                "form": syntax,
                "text": text,
                "notes": notes,
            }
        )
        return
    click.echo(text, nl=False)
    for note in [f"{client.title}: add this to {file}", *notes]:
        echo_wrapped(note, hang=2, err=True)


def _notes(client: Client, project: str | None, *, http: bool, uvx: bool) -> list[str]:
    from aforesaid.bootstrap.path_link import moves_with_updates, stable_launcher

    source = _PROJECT_OVER_HTTP if http else client.project_source
    notes = [f"project: {project or source}", *client.notes]
    if not http and not uvx and moves_with_updates() and not os.path.islink(stable_launcher()):
        notes.append(
            "an update of the plugin moves this command: run  aforesaid setup --on-path  first, "
            "then this command again"
        )
    return notes


def _client(name: str) -> Client:
    client = CLIENTS.get(name.strip().lower())
    if client is None:
        from difflib import get_close_matches

        matches = get_close_matches(name, CLIENTS, 1)
        hint = f"did you mean {matches[0]}?" if matches else f"use {', '.join(CLIENTS)}"
        raise NotFoundError(f"unknown client {name!r}: {hint}")
    return client


def _list(*, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {
            "client": name,
            "is": client.title,
            "file": client.file,
            "instructions": client.instructions_file,
        }
        for name, client in CLIENTS.items()
    ]
    if as_json:
        show_json({"clients": rows})
    else:
        columns = ("client", "is", "file")
        stack_below = max(len(row["file"]) for row in rows)  # a file is typed, so it is not cut
        show_table(
            rows, columns, labels={"is": "name"}, max_lines=_MAX_LINES, stack_below=stack_below
        )


def _http_endpoint(project: str | None) -> HttpEndpoint:
    from aforesaid.adapters.system.auth_token import read_token
    from aforesaid.bootstrap.paths import token_path
    from aforesaid.config import load_settings

    settings = load_settings(os.environ)
    host = settings["server.host"]
    url_host = f"[{host}]" if ":" in host else host
    headers = {"Authorization": f"Bearer {read_token(token_path())}"}
    if project:
        headers["Aforesaid-Project"] = quote(project, safe="/ ")
    return HttpEndpoint(address=f"http://{url_host}:{settings['server.port']}/mcp", headers=headers)
