"""How memories fade: the figures of the specification, and what must never happen."""

from __future__ import annotations

from math import e, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.model.decay import (
    Factors,
    activation,
    confidence_in_force,
    days_between,
    retention,
)
from factories import DAY, NOON, make_memory


@pytest.mark.parametrize(
    ("kind", "left"), [("episodic", 0.95), ("semantic", 0.99), ("entity", 0.99)]
)
def test_a_week_without_use_costs_its_share_of_confidence(kind: str, left: float) -> None:
    memory = make_memory(at=NOON, type=kind, confidence=0.8)

    assert pytest.approx(0.8) == confidence_in_force(memory, NOON)
    assert pytest.approx(0.8 * left) == confidence_in_force(memory, NOON + 7 * DAY)
    assert pytest.approx(0.8 * left**2) == confidence_in_force(memory, NOON + 14 * DAY)


def test_activation_grows_with_use_and_fades_with_time_unless_important() -> None:
    fresh = make_memory(at=NOON, importance=0.5)
    used = fresh.replace(access_count=3)
    vital = fresh.replace(importance=1.0)
    later = NOON + 30 * DAY

    assert pytest.approx(0.5) == activation(fresh, NOON)
    assert pytest.approx(0.5 * (1 + log(4))) == activation(used, NOON)
    assert pytest.approx(0.5 * e ** (-0.07 * 0.5 * 30)) == activation(fresh, later)
    assert activation(vital, NOON) == activation(vital, later)


@given(
    st.floats(0, 1), st.floats(0, 1), st.integers(0, 10_000), st.integers(-4000 * DAY, 4000 * DAY)
)
def test_whatever_the_clock_did_every_figure_stays_in_its_range(
    importance: float, confidence: float, count: int, passed: int
) -> None:
    memory = make_memory(at=NOON, importance=importance, confidence=confidence, access_count=count)

    assert 0 <= retention(memory, NOON + passed) <= 1
    assert 0 <= confidence_in_force(memory, NOON + passed) <= confidence
    assert 0 <= activation(memory, NOON + passed)


def test_time_never_runs_backwards() -> None:
    assert (0.0, 0.5) == (days_between(NOON, NOON - DAY), days_between(NOON, NOON + DAY // 2))


def test_how_fast_memories_fade_is_a_setting() -> None:
    memory = make_memory(importance=0.5, confidence=1.0)
    later = memory.last_reinforced_at + 7 * DAY
    slow = Factors(decay_rate=0.0, keep_others=1.0, retention_floor=0.1)
    assert (0.5, 1.0) == (activation(memory, later, slow), confidence_in_force(memory, later, slow))
    assert pytest.approx(0.55) == retention(memory, later, slow)
    event = make_memory(type="episodic", confidence=1.0)
    assert 0.5 == confidence_in_force(event, later, Factors(keep_events=0.5))
