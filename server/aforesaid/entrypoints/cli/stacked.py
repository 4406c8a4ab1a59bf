"""Prints a table whose rows each have further lines below them, for text too long for a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .terminal import GAP, column_widths, table_line, truncate

if TYPE_CHECKING:
    from collections.abc import Sequence


def show_stacked(
    rows: Sequence[Sequence[str]],
    numeric: Sequence[bool],
    texts: Sequence[Sequence[str]],
    limit: int,
) -> None:
    """Print a table, with indented lines below each row.

    Args:
        rows: the heading, then the cells of each row.
        numeric: whether a column is right-aligned.
        texts: the lines below each row.
        limit: the cells of a line.
    """
    widths = column_widths(rows, limit)
    click.secho(table_line(rows[0], widths, numeric, limit), bold=True)
    for row, lines in zip(rows[1:], texts, strict=True):
        click.echo(table_line(row, widths, numeric, limit))
        for line in filter(None, lines):
            click.echo(truncate(" " * GAP + line, limit))
