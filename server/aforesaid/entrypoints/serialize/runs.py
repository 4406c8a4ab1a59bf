"""Runs of maintenance in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.maintenance.run import Run

#: By phase, words for people for changes whose name in JSON is less clear.
_CHANGES = {
    "topics": {"told anew": "summarised"},
    "links": {"faded": "expired", "offered": "suggested"},
    "compaction": {"summed up": "compacted"},
    "promotion": {"offered": "suggested"},
}
#: By phase, what it does and why.
PURPOSES = {
    "retention": "Counts how well memories are retained; it changes nothing.",
    "topics": "Keeps the topic tree in order: files memories, merges topics, summarises them.",
    "links": "Links facts of similar topics, and removes automatic links that expired.",
    "compaction": "Summarises old events by week; the events themselves stay stored.",
    "promotion": "Turns events that repeat into one fact, which they support.",
    "contradictions": "Marks memories that contradict each other, for you to decide.",
    "anchors": "Follows cited files and lines that moved.",
    "freshness": "Counts memories whose cited files changed; it changes nothing.",
    "branches": "Removes the mark of merged branches; facts of abandoned branches fade.",
    "archive": "Archives what faded without use; search still finds it, as a last resort.",
}


def change_word(phase: str, name: str) -> str:
    """Return the word for a change of a phase."""
    return _CHANGES.get(phase, {}).get(name, name)


def describe_counts(phase: str, counts: Mapping[str, int]) -> str:
    """Return how often a phase made each change."""
    return ", ".join(f"{count} {change_word(phase, name)}" for name, count in counts.items())


def state_of(run: Run) -> str:
    """Return whether a run is done."""
    if run.undone_at is not None:
        return "undone"
    return "done" if run.finished else "stopped" if run.ended_at is None else "abandoned"
