"""Prints what an update changed: the former and the new value of each field."""

from __future__ import annotations

from typing import Any

from .common import echo_wrapped, text_of


def show_changes(answer: dict[str, Any]) -> None:
    """Print the changed values of an answer, and take them out of it."""
    before, after = answer.pop("before", {}), answer.pop("after", {})
    if before and answer.get("changed") == sorted(before):
        del answer["changed"]  # said in full
    for name, value in before.items():
        old, new = (text_of(each) or "none" for each in (value, after.get(name)))
        echo_wrapped(f"{name.replace('_', ' ')}: {old} -> {new}", hang=2)
