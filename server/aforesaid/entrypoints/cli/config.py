"""``config``: shows every setting and its source, and writes an example file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from aforesaid.bootstrap.paths import make_private_folder
from aforesaid.config import load_settings, variable_of
from aforesaid.config.file import example, no_effect_note
from aforesaid.config.schema import KEYS, REPLACED, as_toml
from aforesaid.domain.errors import AforesaidError, ConflictError

from .app import aforesaid
from .common import as_json, echo_wrapped, show_json, show_table

if TYPE_CHECKING:
    from aforesaid.config import Settings

#: Variables AFORESAID_… that are not settings.
_OTHER_VARIABLES = (
    "COMMAND", "CWD", "DB", "ENV", "HANDOVER", "HINT", "LOCK", "OFF", "PROJECT", "PYTHON",
    "PYTHON_FOUND", "START",
)  # fmt: skip


def _complete_client(prefix: str) -> list[str]:
    from aforesaid.entrypoints.clients import CLIENTS

    return [name for name in ("list", *CLIENTS) if name.startswith(prefix)]


@aforesaid.group(invoke_without_command=True)
@click.option(
    "--client",
    shell_complete=lambda _context, _option, prefix: _complete_client(prefix),
    help="Print the configuration that this client needs; `list` shows the clients.",
)
@click.option("--instructions", is_flag=True, help="Print the instructions for its agent instead.")
@click.option("--project", help="With --client: the project of its sessions.")
@click.option(
    "--http",
    is_flag=True,
    help="With --client: connect to `aforesaid serve --http`; the output contains the token.",
)
@click.option("--uvx", is_flag=True, help="With --client: start the published package.")
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
    """Show every setting and where its value comes from.

    The source is the default, a line of the file, or an environment variable.

    With --client or --instructions, print the text for another client's configuration to standard
    output, and how to use it to standard error.

    The exit code is 2 if anything in the file or the environment is invalid.
    """
    if context.invoked_subcommand is not None:
        return
    if client is not None or instructions:
        from .client_config import show_client

        show_client(
            client,
            instructions=instructions,
            project=project,
            http=http,
            uvx=uvx,
            as_json=as_json,
        )
        return
    if project or http or uvx:
        raise click.UsageError("--project, --http and --uvx require --client")
    _show_settings(as_json=as_json)


def _show_settings(*, as_json: bool) -> None:
    from aforesaid.entrypoints.api.settings import describe_settings

    settings = load_settings(os.environ, lenient=True)
    rows = describe_settings(settings)
    unknown, replaced = _check_variables()
    problems, notes = (
        [*settings.problems, *unknown],
        [*settings.notes, *replaced, *_unknown_projects(settings)],
    )
    if as_json:
        path = settings.config_file
        show_json({"file": path, "settings": rows, "problems": problems, "notes": notes})
    else:
        show_table(
            [{**row, "value": as_toml(row["value"])} for row in rows], ("setting", "value", "from")
        )
        exists = os.path.exists(settings.config_file)
        hint = "" if exists else " (does not exist; create it with: aforesaid config init)"
        echo_wrapped(f"\nfile  {settings.config_file}{hint}", hang=6)
        for note in notes:
            echo_wrapped(note, hang=2, err=True)
        for problem in problems:
            echo_wrapped(f"ignored: {problem}", hang=2, err=True)
    if problems:
        raise SystemExit(2)


@config.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@as_json
def init(file: str | None, *, as_json: bool) -> None:
    """Write an example file with every setting commented out.

    The default FILE is the one that settings are read from.

    An existing file is never overwritten; `-` prints the example.
    """
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
            f"{path} exists and was not overwritten: `aforesaid config init -` prints the example"
        ) from None
    if as_json:
        show_json({"written": path})
    else:
        click.echo(f"{path} written")


@config.command("get")
@click.argument("setting")
@as_json
def get_setting(setting: str, *, as_json: bool) -> None:
    """Print the value of one SETTING."""
    from aforesaid.entrypoints.api.settings import describe_settings, known_setting

    name = known_setting(setting)
    rows = describe_settings(load_settings(os.environ, lenient=True))
    row = next(row for row in rows if row["setting"] == name)
    if as_json:
        show_json(row)
    else:
        value = row["value"]
        click.echo(value if isinstance(value, str) else as_toml(value))


@config.command("set")
@click.argument("setting")
@click.argument("value")
@as_json
def set_setting(setting: str, value: str, *, as_json: bool) -> None:
    """Change one SETTING in the configuration file.

    The file is created if it is missing.
    """
    from aforesaid.entrypoints.api.settings import change_setting, fixing_variable

    read, path = change_setting(os.environ, setting, value)
    name, shadowed = setting, fixing_variable(os.environ, setting)
    if as_json:
        show_json({"setting": name, "value": read, "written": path})
    else:
        click.echo(f"{name} = {as_toml(read)} written to {path}")
    for note in _unknown_projects(load_settings(os.environ, lenient=True)):
        echo_wrapped(note, hang=2, err=True)
    if shadowed:
        echo_wrapped(f"{shadowed} is set and takes precedence.", err=True)


@config.command()
@click.argument("setting")
@as_json
def unset(setting: str, *, as_json: bool) -> None:
    """Remove SETTING from the file, so that its default applies."""
    from aforesaid.entrypoints.api.settings import reset_setting

    path = reset_setting(os.environ, setting)
    if as_json:
        show_json({"setting": setting, "written": path})
    else:
        click.echo(f"{setting} removed from {path}; default: {as_toml(KEYS[setting].default)}")


def _unknown_projects(settings: Settings) -> list[str]:
    """Return notes on names in ``project.off`` that no project has, if there is a store."""
    if not settings["project.off"] or not os.path.exists(settings.db_path):
        return []
    from aforesaid.wiring.factories import open_store, unknown_off

    try:
        return unknown_off(open_store(settings), settings)
    except AforesaidError:
        return []  # the doctor reports a store that does not open


def _check_variables() -> tuple[list[str], list[str]]:
    """Return unknown variables AFORESAID_…, and those that no longer have an effect."""
    variables = [variable_of(name) for name in KEYS]
    variables += [f"AFORESAID_{name}" for name in _OTHER_VARIABLES]
    replaced = {variable_of(name): name for name in REPLACED}
    unknown, notes = [], []
    for name in sorted(os.environ):
        if name in replaced:
            notes.append(f"{name}: {no_effect_note(replaced[name])}")
        elif name.startswith("AFORESAID_") and name not in variables:
            from difflib import get_close_matches

            matches = get_close_matches(name, variables, 1)
            hint = f"did you mean {matches[0]}?" if matches else "`aforesaid config` lists settings"
            unknown.append(f"unknown variable {name}: {hint}")
    return unknown, notes
