"""``completion``: what a shell needs to complete our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .asking import as_json, show_json
from .group import aforesaid

SHELLS = ("bash", "zsh", "fish")
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
    """Print what SHELL needs to complete commands and options.

    For one session: eval "$(aforesaid completion bash)".
    """
    found = get_completion_class(shell)
    assert found is not None  # the shells of SHELLS are the library's own
    script = found(aforesaid, {}, "aforesaid", "_AFORESAID_COMPLETE").source()
    if as_json:
        show_json({"shell": shell, "script": script, "keep": _KEEP[shell]})
    else:
        click.echo(script)
