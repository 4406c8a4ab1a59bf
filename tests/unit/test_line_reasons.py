"""Why a line is in the session context, in words."""

from __future__ import annotations

import pytest

from aforesaid.domain.context.line_reasons import SECTION_REASONS, explain_line
from aforesaid.domain.context.session_context import TITLES
from factories import NOON, make_memory


def test_each_section_has_a_reason():
    assert set(TITLES) == set(SECTION_REASONS)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"pinned": True}, "pinned: always among the first"),
        ({"importance": 0.9}, "important"),
        ({"importance": 0.9, "provenance": "user"}, "stated by you"),
        ({"access_count": 1}, "recalled 1 time"),
        ({}, "new: not recalled yet, shown while there is room"),
    ],
)
def test_what_put_a_memory_in_its_place_is_told(fields, reason):
    reasons = explain_line("project", make_memory(1, **fields), NOON)
    assert "of this project" == reasons[0]
    assert reason in reasons
    assert reasons[-1].startswith("strength ")


def test_what_has_been_used_is_not_called_new():
    reasons = explain_line("user", make_memory(1, access_count=2, last_accessed_at=NOON), NOON)
    assert reasons[1].startswith("recalled 2 times, last on ")
    assert not any(reason.startswith("new") for reason in reasons)


def test_a_digest_is_explained_by_its_work_and_not_by_strength():
    reasons = explain_line("sessions", make_memory(1, metadata={"work": 3}), NOON)
    assert (SECTION_REASONS["sessions"], "work in that session: 3") == reasons


def test_a_line_that_shows_no_memory_has_the_reason_of_its_section():
    assert ("needs a decision of yours",) == explain_line("attention", None, NOON)
