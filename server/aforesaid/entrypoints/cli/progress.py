"""Progress of long operations: a line on standard error, only on a terminal, cleared at the end."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .terminal import is_dumb, terminal_width, truncate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLEAR = "\r\x1b[K"


@contextmanager
def progress(label: str, length: int = 1, **options: Any) -> Iterator[Any]:
    """Yield a progress bar, to be advanced by ``update(count)`` or iterated."""
    hidden = not sys.stderr.isatty() or is_dumb()
    try:
        with click.progressbar(
            length=length, label=label, file=sys.stderr, hidden=hidden, **options
        ) as bar:
            yield bar
    finally:
        if not hidden:  # the bar has ended its line
            _write("\x1b[A" + _CLEAR)


@contextmanager
def status_line() -> Iterator[Callable[[str], None]]:
    """Yield a function that replaces the line's text, for work of unknown length."""
    width = 0 if is_dumb() else terminal_width(sys.stderr)

    def show(text: str) -> None:
        if width:
            _write(_CLEAR + truncate(text, width - 1))

    try:
        yield show
    finally:
        if width:
            _write(_CLEAR)


def _write(text: str) -> None:
    click.echo(text, nl=False, err=True, color=True)  # else click strips the escape codes
