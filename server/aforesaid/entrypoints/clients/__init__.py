"""Configuration snippets and agent instructions for MCP clients.

Here: the clients and their formats. Not here: the command that prints them
(cli/client_config.py). Sources, and what was tested with each client: docs/CLIENTS.md; reasons:
docs/adr/0035.
"""

from __future__ import annotations

import os

from .formats import FORMATS
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


def snippet(client: Client, server: StdioLaunch | HttpEndpoint) -> str:
    """Return the text for the client's configuration file."""
    entry = client.over_http(server) if isinstance(server, HttpEndpoint) else client.stdio(server)
    return FORMATS[client.syntax](entry)


def instructions(client: Client) -> str:
    """Return the instructions for the client's agent, for the file that it reads."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "instructions.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return text.replace("{tools}", client.tools)
