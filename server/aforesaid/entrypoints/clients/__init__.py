"""How each client is told to start Aforesaid, or where to reach it; and what its agent is told.

Here: the clients, what each reads and in which form. Not here: how the server is started here
(start.py), the command that prints it (cli/client_config.py). Sources and what was tried with each
client: docs/CLIENTS.md; why: docs/adr/0035.
"""

from __future__ import annotations

import os

from .formats import FORMS
from .launch import NAME, HttpEndpoint, StdioLaunch, start_here
from .registry import CLIENTS, Client

__all__ = [
    "CLIENTS",
    "NAME",
    "Client",
    "HttpEndpoint",
    "StdioLaunch",
    "instructions",
    "snippet",
    "start_here",
]


def snippet(client: Client, how: StdioLaunch | HttpEndpoint) -> str:
    """Return what goes into the client's configuration."""
    entry = client.over_http(how) if isinstance(how, HttpEndpoint) else client.stdio(how)
    return FORMS[client.form](entry)


def instructions(client: Client) -> str:
    """Return what the client's agent is told, for the file that it reads."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text.replace("{tools}", client.tools)
