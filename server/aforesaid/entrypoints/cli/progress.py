"""How far long work is: one line of standard error, where a person sits at it, gone at the end."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from .layout import cut, room_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CLEAR = "\r\x1b[K"


@contextmanager
def progress(label: str, length: int = 1, **more: Any) -> Iterator[Any]:
    """Give a bar that ``update(count)`` moves towards ``length``, or that is iterated."""
    hidden = not sys.stderr.isatty()
    try:
        with click.progressbar(
            length=length, label=label, file=sys.stderr, hidden=hidden, **more
        ) as bar:
            yield bar
    finally:
        if not hidden:  # the bar ends its line
            click.echo("\x1b[A" + _CLEAR, nl=False, err=True)


@contextmanager
def tally() -> Iterator[Callable[[str], None]]:
    """Give what says how far work is whose length nobody knows: each text replaces the last."""
    room = room_of(sys.stderr)

    def tell(text: str) -> None:
        if room:
            click.echo(_CLEAR + cut(text, room - 1), nl=False, err=True)

    try:
        yield tell
    finally:
        if room:
            click.echo(_CLEAR, nl=False, err=True)
