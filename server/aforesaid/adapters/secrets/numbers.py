"""Finds secret numbers: of payment cards, and PINs. Other secrets: filter.py."""

from __future__ import annotations

from collections.abc import Iterator

from .multiline import Span
from .table import pattern

_RANK = 2
_BEFORE_CHARS = 40  #: in which a number without gaps is called a card, or a card a test card
_CARDS = ("card", "visa", "mastercard", "amex", "karte", "carte", "tarjeta")
_BASE = 10


def find_numbers(text: str, lowered: str) -> Iterator[Span]:
    """Yield PINs, and card numbers with a valid check digit that are not said to be for tests."""
    if "pin" in lowered:
        for match in pattern("pin").finditer(text):
            yield Span(match.start(1), match.end(1), _RANK, "pin")
    if not any(map(str.isdigit, text)):
        return
    for match in pattern("card").finditer(text):
        before = lowered[max(0, match.start() - _BEFORE_CHARS) : match.start()]
        has_gaps = not match[0].isdigit()
        if (has_gaps or any(word in before for word in _CARDS)) and "test" not in before:
            digits = [int(char) for char in match[0] if char.isdigit()]
            if _is_valid(digits):
                yield Span(match.start(), match.end(), _RANK, "card-number")


def _is_valid(digits: list[int]) -> bool:
    """Return whether the check digit of a card number is right (Luhn)."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = digit * (1 + place % 2)
        total += value // _BASE + value % _BASE
    return total % _BASE == 0
