"""``doctor``: checks the installation and the store, and finds secrets in stored texts."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, confirm, echo_wrapped, open_services, show_json, show_table
from .progress import progress, status_line
from .terminal import terminal_width, wrap

if TYPE_CHECKING:
    from aforesaid.operations.doctor import CheckResult
    from aforesaid.services.maintenance.secret_scan import SecretMatch
    from aforesaid.wiring.container import ServiceContainer


_SIGNS = {"ok": ("ok", "green"), "note": ("--", "yellow"), "wrong": ("!!", "red")}
_INDENT = 16  #: of a finding's text


@aforesaid.command()
@click.option("--deep", is_flag=True, help="Also check every text, word and vector; takes longer.")
@click.option("--fix", is_flag=True, help="Fix whatever can be fixed without losing data.")
@click.option("--secrets", is_flag=True, help="Search everything stored for secrets.")
@click.option("--yes", is_flag=True, help="With --secrets --fix: remove them without asking.")
@click.option("--dismiss-losses", is_flag=True, help="Stop reporting that memories are missing.")
@as_json
def doctor(
    *, deep: bool, fix: bool, secrets: bool, yes: bool, dismiss_losses: bool, as_json: bool
) -> None:
    """Find problems, and name the command that fixes each.

    The exit code is 1 if there is a problem.

    It checks versions, settings, permissions, disk space and the log; the store, its full-text
    index and its vectors; that a memory can be written, recalled and erased; and hooks and server
    as the client uses them.

    If acknowledged memories are missing because the store's log was cut or deleted, it reports how
    many and since when, until you run it with --dismiss-losses.

    With --secrets, every stored text is searched for secrets with the current rules, some of which
    may be newer than the text; --fix removes the secrets, after asking. Secrets are never printed.
    """
    if dismiss_losses:
        if secrets or deep or fix or yes:
            raise click.UsageError("--dismiss-losses cannot be combined with other options")
        _dismiss_losses(as_json=as_json)
    elif secrets:
        if deep:
            raise click.UsageError("--secrets can only be combined with --fix")
        with open_services() as core:
            _scan_secrets(core, fix=fix, yes=yes, as_json=as_json)
    elif yes:
        raise click.UsageError("--yes requires --secrets --fix")
    else:
        _check_up(deep=deep, fix=fix, as_json=as_json)


def _dismiss_losses(*, as_json: bool) -> None:
    with open_services() as core:
        losses = core.losses()
        if losses:
            core.dismiss_losses()
    if as_json:
        show_json({"dismissed": losses})
    else:
        echo_wrapped(f"Dismissed: {losses}." if losses else "No missing memories are reported.")


def _check_up(*, deep: bool, fix: bool, as_json: bool) -> None:
    from aforesaid.operations.doctor import WRONG, check_up

    findings = []
    with status_line() as show:
        for finding in check_up(
            os.environ, deep=deep, fix=fix, progress=lambda check: show(f"  … {check}")
        ):
            findings.append(finding)
            show("")
            if not as_json:
                _show_finding(finding)
    problems = [finding.says for finding in findings if finding.state == WRONG]
    if as_json:
        show_json({"wrong": problems, "findings": [finding.as_row() for finding in findings]})
    else:
        click.echo(f"{pluralize(len(problems), 'problem') if problems else 'No problems'} found.")
    if problems:
        raise SystemExit(1)


def _show_finding(finding: CheckResult) -> None:
    sign, color = _SIGNS[finding.state]
    first, *rest = wrap(f"{sign} {finding.area:<11}  {finding.says}", terminal_width(), _INDENT)
    click.echo(click.style(sign, fg=color) + first.removeprefix(sign))
    for line in rest:
        click.echo(line)
    if finding.fix:
        click.echo(f"{'':<{_INDENT}}{click.style(finding.fix, bold=True)}")


def _scan_secrets(core: ServiceContainer, *, fix: bool, yes: bool, as_json: bool) -> None:
    from aforesaid.adapters.secrets import SecretRedactor
    from aforesaid.services.maintenance.secret_scan import SecretScan

    redactor = SecretRedactor(core.settings["privacy.extra_patterns"])
    scan = SecretScan(core.store, core.clock, redactor)
    with progress("Scanning", scan.count()) as bar:
        texts = scan.scan(lambda position: bar.update(position - bar.pos))
    if not as_json:
        _show_secrets(texts)
    changed = 0
    if texts and fix:
        question = f"Remove the secrets from {pluralize(len(texts), 'text')} for good?"
        confirm(question, yes=yes, reason="removing secrets cannot be undone")
        changed = scan.fix(texts)
        core.writer.embed_missing(sys.maxsize)
    copies = core.store.erasure.copies() if texts else []
    if as_json:
        rows = [{name: getattr(text, name) for name in ("where", "memory", "kinds", "shown")}
                for text in texts]  # fmt: skip
        show_json({"found": rows, "taken_out": changed, "copies": copies})
    else:
        if changed:
            click.echo(f"Secrets removed from {pluralize(changed, 'text')}.")
        if copies:
            paths = ", ".join(copies)
            echo_wrapped(f"Older copies of the store still contain them: {paths}", err=True)
    if len(texts) > changed:
        raise SystemExit(1)


def _show_secrets(texts: list[SecretMatch]) -> None:
    rows = [
        {"memory": text.memory or "", "where": text.where, "kinds": sorted(set(text.kinds)),
         "context": text.shown}
        for text in texts
    ]  # fmt: skip
    show_table(rows, ("memory", "where", "kinds", "context"))
    if not texts:
        click.echo("No secrets found.")
