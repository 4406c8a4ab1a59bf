"""The reliability diagram: what relevance says against how often it is right, as an SVG.

Written by hand: one picture is not worth a plotting library. A dot is a bin, its area its number
of results; on the diagonal, relevance says the truth.
"""

from __future__ import annotations

from typing import Any

_SIDE, _MARGIN = 360, 56
_COLOURS = {"with vectors": "#1f6f8b", "words only": "#c8553d"}


def draw(parts: dict[str, dict[str, Any]]) -> str:
    """Return the picture of the calibration of each part, side by side."""
    width = len(parts) * (_SIDE + _MARGIN) + _MARGIN
    height = _SIDE + 2 * _MARGIN
    drawn = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="12">'
        ),
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for place, (part, settings) in enumerate(parts.items()):
        left = _MARGIN + place * (_SIDE + _MARGIN)
        drawn += _frame(left, part)
        for row, (name, found) in enumerate(settings.items()):
            drawn += _dots(left, row, name, found)
    return "\n".join([*drawn, "</svg>", ""])


def _frame(left: int, part: str) -> list[str]:
    bottom = _MARGIN + _SIDE
    middle = left + _SIDE / 2
    lines = [
        _box(left, _MARGIN, _SIDE),
        _line(left, bottom, left + _SIDE, _MARGIN),
        _text(middle, _MARGIN - 16, f"{part} part"),
        _text(middle, bottom + 40, "relevance"),
        _text(left + 44, _MARGIN + 64, "share that answers, upwards", anchor="start"),
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        at = tick * _SIDE
        lines.append(_text(left + at, bottom + 18, f"{tick:g}"))
        lines.append(_text(left - 6, bottom - at + 4, f"{tick:g}", anchor="end"))
    return lines


def _dots(left: int, row: int, name: str, found: dict[str, Any]) -> list[str]:
    colour, bottom = _COLOURS[name], _MARGIN + _SIDE
    points = [
        (left + one["relevance"] * _SIDE, bottom - one["answers"] * _SIDE, one["results"])
        for one in found["bins"]
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in points)
    told = f"{name}: mean error {found['ece']:.3f}"
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>',
        *(_dot(x, y, count, colour) for x, y, count in points),
        _text(left + 10, _MARGIN + 20 + 18 * row, told, anchor="start", colour=colour),
    ]


def _box(x: float, y: float, side: float) -> str:
    return f'<rect x="{x}" y="{y}" width="{side}" height="{side}" fill="none" stroke="#999"/>'


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#999" stroke-dasharray="4"/>'


def _dot(x: float, y: float, count: int, colour: str) -> str:
    radius = max(count**0.5 / 3, 2)
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="{colour}" opacity="0.5"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "middle", colour: str = "#333") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
