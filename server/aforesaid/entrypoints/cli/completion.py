"""``completion``: prints the script with which a shell completes commands and options."""

from __future__ import annotations

import click

from aforesaid.entrypoints.fast_paths import SHELLS, script

from .app import aforesaid
from .common import as_json, show_json

#: Where each shell loads it from.
_PATHS = {
    "bash": "~/.local/share/bash-completion/completions/aforesaid",
    "zsh": "_aforesaid in a folder of your $fpath",
    "fish": "~/.config/fish/completions/aforesaid.fish",
}


@aforesaid.command(
    epilog="\b\n" + "\n".join(f"{shell:<5} save it as {path}" for shell, path in _PATHS.items())
)
@click.argument("shell", type=click.Choice(SHELLS))
@as_json
def completion(shell: str, *, as_json: bool) -> None:
    """Print the completion script for SHELL."""
    if as_json:
        show_json({"shell": shell, "script": script(shell), "keep": _PATHS[shell]})
    else:
        click.echo(script(shell), nl=False)
