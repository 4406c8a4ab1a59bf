"""``doctor``: what does not work, and secrets that stand in the store."""

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


@aforesaid.command()
@click.option("--secrets", is_flag=True, help="Look for secrets in everything that is stored.")
@click.option("--fix", is_flag=True, help="With --secrets: take them out, after asking.")
@click.option("--yes", is_flag=True, help="Take them out unasked.")
@as_json
def doctor(*, secrets: bool, fix: bool, yes: bool, as_json: bool) -> None:
    """Say what does not work here; exit with 1 if anything does not.

    With --secrets every stored text passes the filter that new ones pass: a store may be older than
    what the filter knows. Nothing that is found is ever shown.
    """
    from aforesaid.wiring.core import Core

    core = Core(os.environ)
    try:
        if secrets:
            _secrets(core, fix=fix, yes=yes, as_json=as_json)
            return
        if fix or yes:
            raise click.UsageError("--fix and --yes need --secrets")
        core.embedder.load()
        wrong = core.health()
    finally:
        core.close()
    if as_json:
        show_json({"wrong": wrong})
    else:
        click.echo("\n".join(wrong) or "Everything works.")
    if wrong:
        raise SystemExit(1)


def _secrets(core: Core, *, fix: bool, yes: bool, as_json: bool) -> None:
    from aforesaid.adapters.secrets import SecretRules
    from aforesaid.services.tending.secret_scan import SecretScan

    scan = SecretScan(core.store, core.clock, SecretRules())
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
