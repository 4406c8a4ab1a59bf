"""A change that does not say what it replaces, of a fact about something of the same kind."""

from __future__ import annotations

import pytest

from aforesaid.domain.conflict.akin import akin_names, replaces_akin
from aforesaid.domain.conflict.supersession import ParsedStatement


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We use Jira", "We switched to Linear"),
        ("We host on AWS.", "We moved to Hetzner."),
        ("Our chat is Slack", "We have switched to Discord now"),
    ],
)
def test_a_name_of_the_same_kind_is_replaced(older, newer):
    assert replaces_akin(ParsedStatement(older), ParsedStatement(newer))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("We use Postgres", "We switched to Linear"),  # of another kind
        ("We use Jira", "We use Linear"),  # states no change
        ("We use Jira", "We switched from Trello to Linear"),  # says what it replaces
        ("We use Jira", "The roadmap moved to Linear"),  # says what changed
        ("We use Jira", "Have we switched to Linear?"),
        ("We use Linear", "We switched to Linear"),
        ("We moved to Jira in May", "We switched to Linear"),  # a change itself
        ("Our board shows every bug", "We switched to Linear"),  # no name
        ("We use Jira and Linear", "We switched to Linear"),
        ("We use Jira except for bugs", "We switched to Linear"),
    ],
)
def test_anything_else_is_not(older, newer):
    assert not replaces_akin(ParsedStatement(older), ParsedStatement(newer))


def test_names_of_the_same_kind_are_looked_up_for_a_bare_change_only():
    assert "jira" in akin_names(ParsedStatement("We switched to Linear"))
    assert not akin_names(ParsedStatement("We use Linear"))
    assert not akin_names(ParsedStatement("We switched to something else"))
