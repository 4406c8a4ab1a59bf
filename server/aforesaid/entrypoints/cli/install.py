"""``install`` and ``uninstall``: memory for Codex, Gemini CLI and OpenCode, with hooks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from aforesaid.bootstrap.paths import state_folder
from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.sanitize import remove_invisible
from aforesaid.operations import client_plugin

from .app import aforesaid
from .common import confirm, echo_wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.entrypoints.clients.installer import FileChange, Installer

_CLIENT = click.option(
    "--client", "name", default="", help="The client: codex, gemini or opencode."
)
_MAX_NEW_LINES = 30  #: of a new file whose text is shown; of a longer one only its name
_YES = click.option("--yes", is_flag=True, help="Do not ask.")


def _installer(name: str, plugin_command: str) -> Installer:
    """Return the installer of a client; ``plugin_command`` does the same for Claude Code."""
    from aforesaid.entrypoints.clients import CLIENTS, start_here
    from aforesaid.entrypoints.clients.installer import Installer
    from aforesaid.entrypoints.clients.integrations import INTEGRATIONS

    name = name.strip().lower()
    if name not in INTEGRATIONS:
        known = ", ".join(INTEGRATIONS)
        if not name:
            raise InvalidInputError(
                f"which client? Give --client with one of {known}. For Claude Code: "
                f"{plugin_command}"
            )
        if name == "claude-code":
            hint = f"for Claude Code, use the plugin: {plugin_command}"
        elif name in CLIENTS:
            hint = f"{CLIENTS[name].title} has no hooks: use `aforesaid config --client {name}`"
        else:
            hint = f"use one of {known}"
        raise NotFoundError(f"{name!r} is not a client with hooks: {hint}")
    return Installer(name, start_here(os.environ), os.environ, state_folder())


@aforesaid.command()
@_CLIENT
@_YES
def install(name: str, *, yes: bool) -> None:
    """Add memory to another client: the MCP server and the hooks.

    It first shows the changes to the client's files, and asks. A backup of each changed file is
    kept beside it. Nothing else is touched; `aforesaid uninstall` reverts everything.
    """
    installer = _installer(name, client_plugin.install_command())
    title = installer.integration.title
    changes = installer.plan_install()
    if not changes:
        echo_wrapped(f"Aforesaid is already installed in {title}.")
    else:
        _apply(changes, installer.install, f"Install Aforesaid into {title}?", yes=yes)
        written = pluralize(len(changes), "file")
        echo_wrapped(f"Installed in {title}: {written} written. Restart it.")
    for note in installer.integration.notes:
        echo_wrapped(f"- {note}", hang=2)


@aforesaid.command()
@_CLIENT
@_YES
def uninstall(name: str, *, yes: bool) -> None:
    """Remove Aforesaid from another client; the memories are kept.

    It first shows the changes, and asks. A file that was not edited since is restored byte for
    byte; from other files, only Aforesaid's entries are removed.
    """
    installer = _installer(name, client_plugin.UNINSTALL)
    title = installer.integration.title
    if not installer.is_installed:
        echo_wrapped(f"Aforesaid is not installed in {title}.")
        return
    changes = installer.plan_uninstall()
    _apply(changes, installer.uninstall, f"Remove Aforesaid from {title}?", yes=yes)
    echo_wrapped(
        f"Removed from {title}. The memories are kept; `aforesaid reset` starts without them."
    )


def _apply(
    changes: list[FileChange],
    write: Callable[[list[FileChange]], None],
    question: str,
    *,
    yes: bool,
) -> None:
    for change in changes:
        lines = (change.after or "").count("\n")
        if change.before is None and lines > _MAX_NEW_LINES:
            echo_wrapped(f"new file {change.path}, {lines} lines", hang=2, fg="green")
            continue
        for line in _diff(change):
            color = {"+": "green", "-": "red"}.get(line[:1])
            echo_wrapped(remove_invisible(line), hang=2, fg=color)
    confirm(question, yes=yes, reason="nothing was changed")
    write(changes)


def _diff(change: FileChange) -> Sequence[str]:
    import difflib

    return list(
        difflib.unified_diff(
            (change.before or "").splitlines(),
            (change.after or "").splitlines(),
            change.path if change.before is not None else "/dev/null",
            change.path if change.after is not None else "/dev/null",
            lineterm="",
        )
    )
