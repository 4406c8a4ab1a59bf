"""Which days a text names relative to the day on which it was written."""

from __future__ import annotations

from datetime import date

import pytest

from aforesaid.domain.text.relative_dates import find_named_days

THURSDAY = date(2026, 11, 26)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("Tomorrow the auditors come", ["2026-11-27"]),
        ("We deployed v2 yesterday.", ["2026-11-25"]),
        ("The freeze starts next Friday", ["2026-12-04"]),
        ("Ken joined last Monday; the demo is this friday", ["2026-11-23", "2026-11-27"]),
        ("We met last Thursday", ["2026-11-19"]),
        ("Due the coming Monday", ["2026-11-30"]),
        ("The demo is the day after tomorrow", ["2026-11-28"]),
        ("It broke two weeks ago", ["2026-11-12"]),
        ("The audit is next week", ["2026-11-30/2026-12-06"]),
    ],
)
def test_a_day_is_found(text, days) -> None:
    assert days == [day.iso for day in find_named_days(text, THURSDAY)]


@pytest.mark.parametrize(
    "text",
    [
        "Never deploy before next Friday.",
        "Deploys happen on Fridays.",
        "On Monday we deploy.",
        "The last Friday of the month is a holiday",
        'The parser reads "tomorrow" and `last Monday`.',
        "If the build broke yesterday, it is red.",
        "The theme is tomorrow-night",
        "Tokens expire in 2 days.",
        "A rerun of a day within the last week deletes its rows.",
        "Yesterday's logs are kept in /var/log/yesterday",
    ],
)
def test_no_day_is_found_where_none_is_meant(text) -> None:
    assert [] == find_named_days(text, THURSDAY)
