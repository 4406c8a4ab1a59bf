"""Prints a table whose rows each have further lines below them, for text too long for a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .terminal import GAP, column_widths, pad, truncate

if TYPE_CHECKING:
    from collections.abc import Sequence


def show_stacked(
    heading: Sequence[str],
    body: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    lines: Sequence[Sequence[str]],
    limit: int,
) -> None:
    """Print rows as a table, each with indented lines below it.

    Args:
        heading: the titles of the columns.
        body: the cells of each row.
        numeric: whether a column is right-aligned.
        lines: those below each row.
        limit: the cells of a line.
    """
    widths = column_widths([heading, *body], limit)

    def line(cells: Sequence[str]) -> str:
        padded = [
            pad(truncate(text, width), width, right=right)
            for text, width, right in zip(cells, widths, numeric, strict=False)
        ]
        return truncate((" " * GAP).join(padded).rstrip(), limit)

    click.secho(line(heading), bold=True)
    for row, below in zip(body, lines, strict=True):
        click.echo(line(row))
        for text in filter(None, below):
            click.echo(" " * GAP + truncate(text, limit - GAP))
