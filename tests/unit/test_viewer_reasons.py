"""Why a search found a memory, as the viewer tells a person."""

from __future__ import annotations

import pytest

from aforesaid.domain.retrieval.ranking import NAMES, SearchCandidate, explain
from aforesaid.domain.retrieval.relevance import RelevanceFeatures
from aforesaid.entrypoints.viewer.reasons import (
    PHRASES,
    certainty,
    importance_word,
    percent,
    reasons_of,
)
from aforesaid.services.recall.query import RecallHit
from factories import make_memory

#: What recall tells agents of every result, or what the words tell already.
LEFT_OUT = ("words rank", "has the query's words", "retention +", "an older version matched")


def hit(why, words=(), **fields):
    signals = RelevanceFeatures(names=words)
    return RecallHit(memory=make_memory(1), why=why, signals=signals, **fields)


def test_the_words_come_first_and_no_number_of_the_ranking_is_told():
    why = "says retried, words best (1.00), meaning rank 4 (0.29), has the query's words (1.00)"
    assert ["contains “retried”", "matches your words best", "close in meaning"] == reasons_of(
        hit(f"{why}, retention +0.05", ("retried",))
    )


def test_every_reason_of_the_ranking_has_a_phrase_or_is_left_out():
    candidate = SearchCandidate(
        head=1, matched=1, words=0.0, meaning=0.5, meaning_rank=1, about="NATS",
        signals=tuple(2.0 if name == "window" else 1.0 for name in NAMES),
        retained=0.05, pinned=0.1,
    )  # fmt: skip
    why = explain(candidate).replace(", as asked", "; as asked")
    for reason in (part.replace("; as", ", as") for part in why.split(", ")):
        told = any(pattern.search(reason) for pattern, _phrase in PHRASES)
        assert told or reason.startswith(LEFT_OUT), reason


def test_an_older_version_and_a_branch_are_told_last():
    found = hit("", superseded_query_hit=True, branch="on branch main")
    assert ["an older version matched", "on branch main"] == reasons_of(found)


@pytest.mark.parametrize(
    ("share", "text"), [(1.0, "100%"), (0.333, "33%"), (0.004, "under 1%"), (0.0, "under 1%")]
)
def test_a_share_is_a_percentage(share, text):
    assert text == percent(share)


def test_an_importance_has_the_word_of_the_form():
    assert ["high", "medium", "65%"] == [importance_word(value) for value in (0.9, 0.5, 0.65)]


def test_a_certainty_that_faded_tells_both():
    assert "100%" == certainty(1.0, 0.999)
    assert "96%, 100% when it was last confirmed" == certainty(1.0, 0.96)
