"""When something is due, wherever the reader is."""

from __future__ import annotations

import time
from datetime import datetime

import pytest

from aforesaid.domain.text.date_range import read_iso
from aforesaid.domain.text.timestamps import day_label, due_text, local_due_text

ZONES = (
    "Pacific/Honolulu", "America/Los_Angeles", "America/New_York", "America/St_Johns", "UTC",
    "Europe/Berlin", "Asia/Kolkata", "Asia/Tokyo", "Pacific/Auckland", "Pacific/Chatham",
)  # fmt: skip


@pytest.fixture
def move(monkeypatch):
    def to(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield to
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("stated_in", ZONES)
@pytest.mark.parametrize("day", ["2026-11-27", "2026-07-01"])
def test_a_date_stays_that_date_in_every_zone(move, stated_in, day) -> None:
    move(stated_in)
    due = read_iso(day).last

    for zone in ZONES:
        move(zone)
        assert (day, day) == (due_text(due), local_due_text(due))


@pytest.mark.parametrize("zone", ["Pacific/Pago_Pago", "Pacific/Kiritimati"])
def test_the_user_s_own_dates_are_right_beyond_the_zones_that_can_be_told_apart(move, zone) -> None:
    move(zone)

    assert "2026-11-27" == local_due_text(read_iso("2026-11-27").last)


def test_a_time_is_utc_for_programs_and_local_for_people(move) -> None:
    move("America/New_York")
    due = read_iso("2026-11-27T17:00:00").start

    assert "2026-11-27T22:00:00Z" == due_text(due)
    assert "2026-11-27 17:00" == local_due_text(due)


def test_a_line_s_date_is_the_reader_s_day(move) -> None:
    move("Europe/Berlin")
    midnight = int(datetime(2027, 1, 1).timestamp() * 1000)  # noqa: DTZ001 - the zone above

    assert "1 Jan 2027" == day_label(midnight, midnight - 1)
    assert "1 Jan" == day_label(midnight, midnight)
