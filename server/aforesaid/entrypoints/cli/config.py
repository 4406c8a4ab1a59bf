"""``config``: every setting with where its value came from, and a file to begin with."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import ConflictError

from .app import aforesaid
from .common import as_json, echo_wrapped, show_json, show_table

if TYPE_CHECKING:
    from aforesaid.config import Settings

#: Variables of ours that are no settings.
_OTHER_VARIABLES = (
    "COMMAND", "CWD", "DB", "ENV", "HANDOVER", "HINT", "LOCK", "OFF", "PROJECT", "PYTHON",
    "PYTHON_FOUND", "START",
)  # fmt: skip


def _clients(begun: str) -> list[str]:
    """Return the names of clients that begin so, for the shell to complete."""
    from aforesaid.entrypoints.clients import CLIENTS

    return [name for name in ("list", *CLIENTS) if name.startswith(begun)]


@aforesaid.group(invoke_without_command=True)
@click.option(
    "--client",
    shell_complete=lambda _context, _option, begun: _clients(begun),
    help="Print what this client needs to start Aforesaid, or `list` them.",
)
@click.option("--instructions", is_flag=True, help="Print what its agent is to be told instead.")
@click.option("--project", help="The project that the client's sessions are about (--client).")
@click.option("--http", is_flag=True, help="Reach `aforesaid serve --http`; holds the token.")
@click.option("--uvx", is_flag=True, help="Start the published package (--client).")
@as_json
@click.pass_context
def config(
    context: click.Context,
    *,
    client: str | None,
    instructions: bool,
    project: str | None,
    http: bool,
    uvx: bool,
    as_json: bool,
) -> None:
    """Show every setting, and where its value comes from.

    That is the default, a line of the file, or a variable.

    With --client or --instructions: what goes into another client's configuration, on standard
    output, and how it is used, on standard error.

    Exits with 2 where something in the file or the environment is not in force.
    """
    if context.invoked_subcommand is not None:
        return
    if client is not None or instructions:
        from .client_config import show_client

        show_client(client, told=instructions, project=project, http=http, uvx=uvx, as_json=as_json)
        return
    if project or http or uvx:
        raise click.UsageError("--project, --http and --uvx go with --client")
    from aforesaid.config import load_settings

    settings = load_settings(os.environ, lenient=True)
    rows = _rows(settings)
    unknown, replaced = _unknown_variables()
    problems, notes = [*settings.problems, *unknown], [*settings.notes, *replaced]
    if as_json:
        show_json(
            {
                "file": settings.config_file,
                "settings": rows,
                "problems": problems,
                "notes": notes,
            }
        )
    else:
        shown = [{**row, "value": _said(row["value"])} for row in rows]
        show_table(shown, ("setting", "value", "from"))
        there = (
            "" if os.path.exists(settings.config_file) else " (not there: aforesaid config init)"
        )
        echo_wrapped(f"\nfile  {settings.config_file}{there}", hang=6)
        for note in notes:
            echo_wrapped(note, hang=2, err=True)
        for problem in problems:
            echo_wrapped(f"not in force: {problem}", hang=2, err=True)
    if problems:
        raise SystemExit(2)


@config.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@as_json
def init(file: str | None, *, as_json: bool) -> None:
    """Write an example with every key commented out.

    It goes to FILE, or where settings are read from.

    A file that is there is never overwritten; `-` prints the example.
    """
    from aforesaid.bootstrap.paths import make_private_folder
    from aforesaid.config import load_settings
    from aforesaid.config.file import example

    if file == "-":
        if as_json:
            show_json({"example": example()})
        else:
            click.echo(example(), nl=False)
        return
    path = os.path.abspath(file or load_settings(os.environ, lenient=True).config_file)
    make_private_folder(os.path.dirname(path))
    try:
        with open(path, "x", encoding="utf-8", newline="\n") as target:
            try:
                target.write(example())
                target.flush()
            except OSError:
                os.unlink(path)
                raise
    except FileExistsError:
        raise ConflictError(
            f"{path} is there already and stays as it is: `aforesaid config init -` prints the "
            "example"
        ) from None
    if as_json:
        show_json({"written": path})
    else:
        click.echo(f"{path} written")


def _rows(settings: Settings) -> list[dict[str, Any]]:
    from aforesaid.config.file import ConfigFile
    from aforesaid.config.schema import KEYS

    file = ConfigFile(settings.config_file)
    return [
        {
            "setting": name,
            "value": settings[name],
            "from": file.where(name)
            if settings.sources[name] == settings.config_file
            else settings.sources[name],
            "meaning": key.meaning,
        }
        for name, key in KEYS.items()
    ]


def _said(value: Any) -> str:
    from aforesaid.config.schema import as_toml

    return as_toml(value)


def _unknown_variables() -> tuple[list[str], list[str]]:
    """Return what is wrong with variables that look like settings, and what has no effect."""
    from aforesaid.config.file import without_effect
    from aforesaid.config.schema import KEYS, REPLACED, variable_of

    known = [variable_of(name) for name in KEYS]
    known += [f"AFORESAID_{name}" for name in _OTHER_VARIABLES]
    replaced = {variable_of(name): name for name in REPLACED}
    wrong, notes = [], []
    for name in sorted(os.environ):
        if name in replaced:
            notes.append(f"{name}: {without_effect(replaced[name])}")
        elif name.startswith("AFORESAID_") and name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, 1)
            meant = f"did you mean {near[0]}?" if near else "no setting is called so"
            wrong.append(f"{name} is no variable of ours: {meant}")
    return wrong, notes
