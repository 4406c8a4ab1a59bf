"""What texts mean which time, and which phrases of a question are clear."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import datetime

import pytest

from aforesaid.adapters.date_parser import Dates
from aforesaid.domain.errors import InvalidInputError
from aforesaid.services.recall.filters import find_time_phrase

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Sunday:
    """Sunday, 22 November 2026, half past three in the afternoon, where the machine is."""

    def now(self) -> int:
        return int(datetime(2026, 11, 22, 15, 30).timestamp() * 1000)  # noqa: DTZ001


DATES = Dates(Sunday())


def days(text: str, **options) -> str:
    return DATES.read(text, "since", **options).label


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("2026", "2026-01-01 to 2026-12-31"),
        ("1970", "1970-01-01 to 1970-12-31"),
        ("2026-10", "2026-10-01 to 2026-10-31"),
        ("2026-W46", "2026-11-09 to 2026-11-15"),
        ("2026-11-20", "2026-11-20"),
        ("20261120", "2026-11-20"),
        ("2026-11-20T10:00:00", "2026-11-20"),
        ("today", "2026-11-22"),
        ("Yesterday", "2026-11-21"),
        ("the day before yesterday", "2026-11-20"),
        ("last week", "2026-11-09 to 2026-11-15"),
        ("this week", "2026-11-16 to 2026-11-22"),
        ("last month", "2026-10-01 to 2026-10-31"),
        ("previous month", "2026-10-01 to 2026-10-31"),
        ("last year", "2025-01-01 to 2025-12-31"),
        ("in October", "2026-10-01 to 2026-10-31"),
        ("last October", "2026-10-01 to 2026-10-31"),
        ("October 2025", "2025-10-01 to 2025-10-31"),
        ("12 October", "2026-10-12"),
        ("autumn 2022", "2022-09-01 to 2022-11-30"),
        ("in the summer of 2024", "2024-06-01 to 2024-08-31"),
        ("Winter 2023", "2023-12-01 to 2024-02-29"),
        ("second week of October", "2026-10-08 to 2026-10-14"),
        ("the 1st week in March 2025", "2025-03-01 to 2025-03-07"),
        ("last week of Feb 2024", "2024-02-23 to 2024-02-29"),
        ("since Monday", "2026-11-16"),
        ("on friday", "2026-11-20"),
        ("3 days ago", "2026-11-19"),
        ("a few days ago", "2026-11-19"),
        ("two weeks ago", "2026-11-08"),
        ("the last 3 days", "2026-11-19 to 2026-11-22"),
        ("past month", "2026-10-22 to 2026-11-22"),
        ("last weekend", "2026-11-14 to 2026-11-15"),
        ("last night", "2026-11-21 to 2026-11-22"),
        ("this morning", "2026-11-22"),
    ],
)
def test_a_text_names_its_days(text, meant) -> None:
    assert meant == days(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("friday", "2026-11-27"),
        ("this friday", "2026-11-20"),
        ("next friday", "2026-11-27"),
        ("tomorrow", "2026-11-23"),
        ("in two weeks", "2026-12-06"),
        ("December", "2026-12-01 to 2026-12-31"),
        ("end of the month", "2026-11-30"),
    ],
)
def test_what_lies_ahead_is_the_next_of_its_name(text, meant) -> None:
    assert meant == days(text, ahead=True)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("05.12.2026", "2026-12-05"),
        ("5.12.26", "2026-12-05"),
        ("05.12.", "2026-12-05"),
        ("5. 12. 2026", "2026-12-05"),
        ("05.12.2026 17:30", "2026-12-05"),
        ("30/11/2026", "2026-11-30"),
        ("12/13/2026", "2026-12-13"),
        ("13-12-2026", "2026-12-13"),
        ("5/5/27", "2027-05-05"),
        ("2026/05/12", "2026-05-12"),
    ],
)
def test_a_date_in_figures_has_its_day_first_after_dots_and_where_only_that_is_possible(
    text, meant
) -> None:
    assert meant == days(text, ahead=True)


@pytest.mark.parametrize(
    "text", ["05/12/2026", "since 5/12/2026", "5-12-2026", "05/12/26", "5/12", "5/12/2026 17:30"]
)
def test_a_date_whose_day_may_be_its_month_is_refused_with_both_meanings(text) -> None:
    with pytest.raises(InvalidInputError, match="write 2026-12-05 or 2026-05-12"):
        DATES.read(text, "due", ahead=True)


def test_weeks_ago_in_a_question_mean_the_whole_week() -> None:
    assert "2026-11-02 to 2026-11-08" == days("two weeks ago", loose=True)


def test_a_day_counts_whole_and_a_moment_ends_what_was_before_it() -> None:
    day = DATES.read("2026-11-20", "until")
    moment = DATES.read("2026-11-20T10:00:00Z", "until")

    assert 86_400_000 == day.bound - day.start
    assert moment.start == moment.bound == 1_795_168_800_000
    assert 999 == moment.last - moment.start


def test_a_time_without_a_zone_is_the_machine_s() -> None:
    start = DATES.read("2026-11-20T10:00:00", "since").start

    assert "10:00" == time.strftime("%H:%M", time.localtime(start / 1000))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "11",
        "lst week",
        "9999",
        "0000",
        "last 999999 years",
        "x" * 1000,
        "2026-13-01",
        "12.31.2026",
        "31/31/2026",
    ],
)
def test_what_is_no_date_is_refused_with_examples(text) -> None:
    with pytest.raises(InvalidInputError):
        DATES.read(text, "since")


@pytest.mark.parametrize(
    ("question", "text", "rest"),
    [
        ("What did we discuss last week?", "last week", "What did we discuss ?"),
        ("what did we decide on queues in October", "October", "what did we decide on queues"),
        ("last week", "last week", ""),
        ("notes from yesterday", "yesterday", "notes"),
        ("who was hired 3 days ago", "3 days ago", "who was hired"),
        ("show memories of the past 2 weeks", "the past 2 weeks", "show memories of"),
        ("what happened in May?", "May", "what happened ?"),
        ("why was it slow on 12 October 2025", "12 October 2025", "why was it slow"),
    ],
)
def test_a_clear_phrase_of_a_question_is_found(question, text, rest) -> None:
    phrase = find_time_phrase(question)

    assert phrase is not None
    assert (text, rest, False) == (phrase.text, phrase.rest, phrase.open)


def test_since_opens_a_phrase_towards_now() -> None:
    phrase = find_time_phrase("what changed since Monday")

    assert phrase is not None
    assert ("Monday", True) == (phrase.text, phrase.open)


@pytest.mark.parametrize(
    "question",
    [
        "What should I do today?",
        "deploy on Friday",
        "what may we do",
        "we march on Rome",
        "last week's release notes",
        "what runs every Monday",
        "did we meet on 12 October or on 13 October",
        "which port does app-2025 use",
    ],
)
def test_what_is_not_clearly_a_time_in_the_past_is_no_filter(question) -> None:
    assert None is find_time_phrase(question)


def test_the_parser_is_loaded_only_for_words() -> None:
    program = (
        "import sys; sys.path.insert(0, 'server');"
        "from aforesaid.adapters.date_parser import Dates;"
        "from aforesaid.adapters.system.machine import SystemClock;"
        "d = Dates(SystemClock()); d.read('2026-11-20', 'since');"
        "print('dateparser' in sys.modules); d.read('yesterday', 'since');"
        "print('dateparser' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert ["False", "True"] == done.stdout.split()


@pytest.mark.parametrize("zone", ["JST-9", "Nowhere/At_All"])
def test_words_are_read_in_a_zone_that_has_no_name(zone) -> None:
    program = (
        "import sys; sys.path.insert(0, 'server');"
        "from aforesaid.adapters.date_parser import Dates;"
        "from datetime import datetime;"
        "now = datetime(2026, 11, 22, 15, 30).timestamp() * 1000;"
        "d = Dates(type('Clock', (), {'now': lambda self: int(now)})());"
        "print(d.read('yesterday', 'since').label, d.read('3 hours ago', 'since').start - now)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        capture_output=True, text=True, cwd=ROOT, check=True, env={**os.environ, "TZ": zone},
    )  # fmt: skip
    assert ["2026-11-21", "-10800000.0"] == done.stdout.split()
