"""Spans of a text that hold a secret, and finding literals."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator


class Span(namedtuple("Span", ("start", "end", "rank", "kind"))):  # noqa: PYI024 - no typing in the sweep
    """A secret from ``start`` to ``end``; the more specific the rule, the lower its rank."""

    __slots__ = ()


def find_literal(text: str, literal: str) -> Iterator[int]:
    """Yield each index at which a literal occurs in a text."""
    index = text.find(literal)
    while index >= 0:
        yield index
        index = text.find(literal, index + 1)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order; overlapping ones are joined and keep the lowest rank's kind."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            best = min(last, span, key=lambda candidate: candidate.rank)
            merged[-1] = best._replace(start=last.start, end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged
