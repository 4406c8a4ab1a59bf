"""``doctor``: what works and what does not, and secrets that stand in the store."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from .app import aforesaid
from .common import as_json, confirm, echo_wrapped, show_json, show_table
from .progress import progress, tally
from .terminal import terminal_width, wrap

if TYPE_CHECKING:
    from aforesaid.operations.doctor import CheckResult
    from aforesaid.services.maintenance.secret_scan import Found, SecretScan
    from aforesaid.wiring.container import ServiceContainer


_SIGNS = {"ok": ("ok", "green"), "note": ("--", "yellow"), "wrong": ("!!", "red")}
_INDENT = 14  #: where what a finding says begins


@aforesaid.command()
@click.option("--deep", is_flag=True, help="Read every text, word and vector; takes longer.")
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing anything.")
@click.option("--secrets", is_flag=True, help="Look for secrets in all that is stored.")
@click.option("--yes", is_flag=True, help="With --secrets --fix: take them out unasked.")
@click.option("--dismiss-losses", is_flag=True, help="Say no more that memories are missing.")
@as_json
def doctor(
    *, deep: bool, fix: bool, secrets: bool, yes: bool, dismiss_losses: bool, as_json: bool
) -> None:
    """Say what works and what does not, and what mends it.

    The exit code is 1 if anything is wrong.

    Versions, settings, rights, disk, log; the store, its words and vectors; a memory written,
    recalled and erased; hooks and server as the client meets them.

    Where memories are missing that were acknowledged, because the store's log was cut or deleted,
    it says how many and since when, until --dismiss-losses.

    With --secrets every stored text passes the filter that new ones pass: a store may be older than
    what the filter knows; --fix takes them out, after asking. Nothing that is found is ever shown.
    """
    if dismiss_losses and (secrets or deep or fix or yes):
        raise click.UsageError("--dismiss-losses stands alone")
    if dismiss_losses:
        _dismiss_losses(as_json=as_json)
        return
    if secrets and deep:
        raise click.UsageError("--secrets stands alone, or with --fix")
    if secrets:
        from aforesaid.wiring.container import ServiceContainer

        core = ServiceContainer(os.environ)
        try:
            _secrets(core, fix=fix, yes=yes, as_json=as_json)
        finally:
            core.close()
        return
    if yes:
        raise click.UsageError("--yes needs --secrets --fix")
    _check_up(deep=deep, fix=fix, as_json=as_json)


def _dismiss_losses(*, as_json: bool) -> None:
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        lost = core.losses()
        if lost:
            core.dismiss_losses()
    finally:
        core.close()
    if as_json:
        show_json({"dismissed": lost})
    else:
        echo_wrapped(f"Dismissed: {lost}." if lost else "No memory is known to be missing.")


def _check_up(*, deep: bool, fix: bool, as_json: bool) -> None:
    from aforesaid.operations.doctor import WRONG, check_up

    found = []
    with tally() as tell:
        for finding in check_up(
            os.environ, deep=deep, fix=fix, progress=lambda what: tell(f"  … {what}")
        ):
            found.append(finding)
            tell("")
            if not as_json:
                _show_finding(finding)
    wrong = [one.says for one in found if one.state == WRONG]
    if as_json:
        show_json({"wrong": wrong, "findings": [one.as_row() for one in found]})
    else:
        click.echo("Everything works." if not wrong else f"{len(wrong)} wrong.")
    if wrong:
        raise SystemExit(1)


def _show_finding(finding: CheckResult) -> None:
    sign, colour = _SIGNS[finding.state]
    first, *more = wrap(f"{sign} {finding.area:<9}  {finding.says}", terminal_width(), _INDENT)
    click.echo(click.style(sign, fg=colour) + first.removeprefix(sign))
    for line in more:
        click.echo(line)
    if finding.fix:
        click.echo(f"{'':<{_INDENT}}{click.style(finding.fix, bold=True)}")


def _secrets(core: ServiceContainer, *, fix: bool, yes: bool, as_json: bool) -> None:
    from aforesaid.adapters.secrets import SecretRedactor
    from aforesaid.services.maintenance.secret_scan import SecretScan

    scan = SecretScan(
        core.store, core.clock, SecretRedactor(core.settings["privacy.extra_patterns"])
    )
    found = _look(scan)
    if not as_json:
        _show(found)
    changed = 0
    if found and fix:
        confirm(f"Take {len(found)} out for good?", yes=yes, why="what is taken out is gone")
        changed = scan.fix(found)
        core.remember.embed_missing(sys.maxsize)
    copies = core.store.erasure.copies() if found else []
    if as_json:
        listed = [{name: getattr(one, name) for name in ("where", "memory", "kinds", "shown")}
                  for one in found]  # fmt: skip
        show_json({"found": listed, "taken_out": changed, "copies": copies})
    else:
        if changed:
            click.echo(f"{changed} taken out")
        if copies:
            echo_wrapped(f"Older copies of the file still hold them: {', '.join(copies)}", err=True)
    if len(found) > changed:
        raise SystemExit(1)


def _look(scan: SecretScan) -> list[Found]:
    with progress("Looking", scan.count()) as bar:
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
