"""A memory whose text says "tomorrow" shows the day that was meant, and is found by it."""

from __future__ import annotations

import json
from datetime import date, timedelta

DAY = timedelta(days=1)


def test_the_day_that_a_text_names_is_shown_and_searched(shell) -> None:
    today = date.today()  # noqa: DTZ011 - the user's own day
    meant = today + DAY
    shown = f"({meant.day} {meant:%b} {meant.year})"
    done = shell("remember", "Tomorrow the auditors come")
    assert f"Tomorrow the auditors come {shown}" in " ".join(done.stdout.split())
    assert f"Tomorrow the auditors come {shown} [" in shell("context").stdout
    assert f"Tomorrow the auditors come {shown}" in shell("search", "auditors").stdout
    for day in (today, meant):  # when it was learnt, and when it happens
        listed = shell("list", "--since", str(day), "--until", str(day), "--json").stdout
        assert 1 == len(json.loads(listed)["results"])
    before = shell("list", "--until", str(today - DAY), "--json").stdout
    assert [] == json.loads(before)["results"]


def test_an_edit_dates_the_new_text_only(shell) -> None:
    stored = json.loads(shell("remember", "Tomorrow the auditors come", "--json").stdout)
    shell("update", stored["id"], "--content", "The auditors come.")
    assert "The auditors come. [" in shell("context").stdout
