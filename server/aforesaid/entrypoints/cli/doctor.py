"""``doctor``: what works and what does not, and secrets that stand in the store."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from aforesaid.domain.errors import InvalidInputError

from .asking import as_json, show_json, show_table
from .group import aforesaid

if TYPE_CHECKING:
    from aforesaid.services.tending.secret_scan import Found, SecretScan
    from aforesaid.wiring.core import Core


_SIGNS = {"ok": ("ok", "green"), "note": ("--", "yellow"), "wrong": ("!!", "red")}


@aforesaid.command()
@click.option("--deep", is_flag=True, help="Read every text, word and vector; takes longer.")
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing anything.")
@click.option("--secrets", is_flag=True, help="Look for secrets in all that is stored.")
@click.option("--yes", is_flag=True, help="With --secrets --fix: take them out unasked.")
@as_json
def doctor(*, deep: bool, fix: bool, secrets: bool, yes: bool, as_json: bool) -> None:
    """Say what works and what does not, with the command that mends it; 1 if anything is wrong.

    Versions, settings, rights, disk, log; the store, its words and vectors; a memory written,
    recalled and erased; hooks and server as the client meets them.

    With --secrets every stored text passes the filter that new ones pass: a store may be older than
    what the filter knows; --fix takes them out, after asking. Nothing that is found is ever shown.
    """
    if secrets and deep:
        raise click.UsageError("--secrets stands alone, or with --fix")
    if secrets:
        from aforesaid.wiring.core import Core

        core = Core(os.environ)
        try:
            _secrets(core, fix=fix, yes=yes, as_json=as_json)
        finally:
            core.close()
        return
    if yes:
        raise click.UsageError("--yes needs --secrets --fix")
    _check_up(deep=deep, fix=fix, as_json=as_json)


def _check_up(*, deep: bool, fix: bool, as_json: bool) -> None:
    from aforesaid.wiring.checkup import WRONG, check_up

    found = []
    on_terminal = sys.stderr.isatty() and not as_json

    def tell(what: str) -> None:
        if on_terminal:
            click.echo(f"\r\x1b[K  … {what}", nl=False, err=True)

    for finding in check_up(os.environ, deep=deep, fix=fix, progress=tell):
        found.append(finding)
        if on_terminal:
            click.echo("\r\x1b[K", nl=False, err=True)
        if not as_json:
            sign, colour = _SIGNS[finding.state]
            click.echo(f"{click.style(sign, fg=colour)} {finding.area:<9}  {finding.says}")
            if finding.fix:
                click.echo(f"{'':<14}{click.style(finding.fix, bold=True)}")
    wrong = [one.says for one in found if one.state == WRONG]
    if as_json:
        show_json({"wrong": wrong, "findings": [one.as_row() for one in found]})
    else:
        click.echo("Everything works." if not wrong else f"{len(wrong)} wrong.")
    if wrong:
        raise SystemExit(1)


def _secrets(core: Core, *, fix: bool, yes: bool, as_json: bool) -> None:
    from aforesaid.adapters.secrets import SecretRules
    from aforesaid.services.tending.secret_scan import SecretScan

    scan = SecretScan(core.store, core.clock, SecretRules(core.settings["privacy.extra_patterns"]))
    found = _look(scan)
    if not as_json:
        _show(found)
    changed = 0
    if found and fix:
        if not yes:
            if not sys.stdin.isatty():
                raise InvalidInputError("what is taken out is gone: add --yes to do it unasked")
            click.confirm(f"Take {len(found)} out for good?", abort=True, err=True)
        changed = scan.fix(found)
        core.remember.embed_missing(sys.maxsize)
    copies = core.store.copies() if found else []
    if as_json:
        listed = [{name: getattr(one, name) for name in ("where", "memory", "kinds", "shown")}
                  for one in found]  # fmt: skip
        show_json({"found": listed, "taken_out": changed, "copies": copies})
    else:
        if changed:
            click.echo(f"{changed} taken out")
        if copies:
            click.echo(f"Older copies of the file still hold them: {', '.join(copies)}", err=True)
    if len(found) > changed:
        raise SystemExit(1)


def _look(scan: SecretScan) -> list[Found]:
    hidden = not sys.stderr.isatty()
    with click.progressbar(
        length=scan.count(), label="Looking", file=sys.stderr, hidden=hidden
    ) as bar:
        return scan.scan(lambda rows: bar.update(rows - bar.pos))


def _show(found: list[Found]) -> None:
    rows = [
        {"memory": one.memory or "", "where": one.where, "kinds": sorted(set(one.kinds)),
         "around": one.shown}
        for one in found
    ]  # fmt: skip
    show_table(rows, ("memory", "where", "kinds", "around"))
    if not found:
        click.echo("No secret was found.")
