"""The curves of a year as an SVG, written by hand as bench/agent_memories/diagram.py is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_WIDTH, _HEIGHT, _MARGIN = 250, 150, 48
_COLUMNS = 3
_COLOURS = {"untended": "#c8553d", "tended": "#1f6f8b"}
_LABELS = {"untended": "without maintenance", "tended": "maintained"}
#: What is drawn: the figure's name, its title, whether it is a share.
PANELS = (
    ("hit1", "current truth stands first", True),
    ("old_hit1", "old truth stands first, as of then", True),
    ("noise_top", "noise among the first five", True),
    ("context_noise", "noise in the context", True),
    ("context_outdated", "outdated in the context", True),
    ("in_force", "memories in force", False),
)


def draw(years: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the picture: a panel for each figure, a curve for each store.

    Args:
        years: for each store the figures of its months, in order.
    """
    rows = -(-len(PANELS) // _COLUMNS)
    width = _COLUMNS * (_WIDTH + _MARGIN) + _MARGIN
    height = rows * (_HEIGHT + _MARGIN) + _MARGIN
    drawn = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            'font-family="sans-serif" font-size="11">'
        ),
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    for number, name in enumerate(years):
        at = _MARGIN + number * 150
        drawn.append(_text(at, 16, _LABELS[name], anchor="start", colour=_COLOURS[name]))
    for place, (figure, title, share) in enumerate(PANELS):
        left = _MARGIN + place % _COLUMNS * (_WIDTH + _MARGIN)
        top = _MARGIN + place // _COLUMNS * (_HEIGHT + _MARGIN)
        most = max((float(one[figure]) for months in years.values() for one in months), default=0)
        top_value = _rounded(most, share=share)
        drawn += _frame(left, top, title, top_value, share=share)
        drawn += [
            _curve(left, top, [float(one[figure]) / top_value for one in months], _COLOURS[name])
            for name, months in years.items()
        ]
    return "\n".join([*drawn, "</svg>", ""])


def _rounded(most: float, *, share: bool) -> float:
    """Return where the scale ends: the next tenth of shares, the next thousand of counts."""
    step = 0.1 if share else 1_000.0
    return max(step, -(-round(most, 6) // step) * step)


def _frame(left: float, top: float, title: str, most: float, *, share: bool) -> list[str]:
    bottom = top + _HEIGHT
    told = [f"{most * part:.2g}" if share else f"{most * part:,.0f}" for part in (0, 0.5, 1)]
    return [
        (
            f'<rect x="{left}" y="{top}" width="{_WIDTH}" height="{_HEIGHT}" fill="none" '
            'stroke="#999"/>'
        ),
        _text(left + _WIDTH / 2, top - 6, title),
        *(
            _text(left - 4, bottom - part * _HEIGHT + 4, text, anchor="end")
            for part, text in zip((0, 0.5, 1), told, strict=True)
        ),
        *(_text(left + month / 12 * _WIDTH, bottom + 14, str(month)) for month in (3, 6, 9, 12)),
    ]


def _curve(left: float, top: float, heights: Sequence[float], colour: str) -> str:
    points = " ".join(
        f"{left + month / 12 * _WIDTH:.1f},{top + _HEIGHT * (1 - height):.1f}"
        for month, height in enumerate(heights, 1)
    )
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.8"/>'


def _text(x: float, y: float, text: str, *, anchor: str = "middle", colour: str = "#333") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'
