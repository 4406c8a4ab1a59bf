"""How far long work is: one line of standard error, where a person sits at it, gone at the end."""

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
def progress(label: str, length: int = 1, **more: Any) -> Iterator[Any]:
    """Give a bar that ``update(count)`` moves towards ``length``, or that is iterated."""
    hidden = not sys.stderr.isatty() or is_dumb()
    try:
        with click.progressbar(
            length=length, label=label, file=sys.stderr, hidden=hidden, **more
        ) as bar:
            yield bar
    finally:
        if not hidden:  # the bar ends its line
            _write("\x1b[A" + _CLEAR)


@contextmanager
def tally() -> Iterator[Callable[[str], None]]:
    """Give what says how far work is whose length nobody knows: each text replaces the last."""
    room = 0 if is_dumb() else terminal_width(sys.stderr)

    def tell(text: str) -> None:
        if room:
            _write(_CLEAR + truncate(text, room - 1))

    try:
        yield tell
    finally:
        if room:
            _write(_CLEAR)


def _write(text: str) -> None:
    click.echo(text, nl=False, err=True, color=True)  # clearing a line is no colour
