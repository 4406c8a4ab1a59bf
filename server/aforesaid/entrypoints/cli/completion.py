"""``completion``: what a shell needs to complete our commands and options."""

from __future__ import annotations

import click

from aforesaid.entrypoints.fast_paths import SHELLS, script

from .app import aforesaid
from .common import as_json, show_json

#: Where each shell finds it at its next start.
_KEEP = {
    "bash": "~/.local/share/bash-completion/completions/aforesaid",
    "zsh": "a folder of your $fpath, as _aforesaid",
    "fish": "~/.config/fish/completions/aforesaid.fish",
}


@aforesaid.command(
    epilog="\b\n" + "\n".join(f"{shell:<5} keep it in {place}" for shell, place in _KEEP.items())
)
@click.argument("shell", type=click.Choice(SHELLS))
@as_json
def completion(shell: str, *, as_json: bool) -> None:
    """Print what SHELL needs to complete commands and options."""
    if as_json:
        show_json({"shell": shell, "script": script(shell), "keep": _KEEP[shell]})
    else:
        click.echo(script(shell), nl=False)
