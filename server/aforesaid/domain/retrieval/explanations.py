"""Explains the rank of a result in words."""

from __future__ import annotations

from .ranking_features import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fusion import SearchCandidate

_MIN_SIGNAL = 0.3  #: features below are not mentioned


def explain(candidate: SearchCandidate) -> str:
    """Return the features that contributed to a candidate's rank, with their values."""
    parts = [
        f"{label} {'best' if rank == 1 else f'rank {rank}'} ({value:.2f})"
        for label, rank, value in (
            ("words", candidate.words_rank, candidate.words),
            ("meaning", candidate.meaning_rank, candidate.meaning),
        )
        if rank and value > 0
    ]
    if candidate.signals:
        parts += _describe(dict(zip(NAMES, candidate.signals, strict=True)), candidate)
    for label, gain in (("retention", candidate.retained), ("pinned", candidate.pinned)):
        if round(gain, 2) > 0:
            parts.append(f"{label} +{gain:.2f}")
    if candidate.about:
        parts.append(f"about {candidate.about}")
    if candidate.matched != candidate.head:
        parts.append("an older version matched")
    return ", ".join(parts)


def _describe(signals: dict[str, float], candidate: SearchCandidate) -> list[str]:
    window_gain = signals["window"] - signals["coverage"]
    neighbour = 0.0 if candidate.words_rank else signals["beside"]
    parts = [
        f"{label} ({value:.2f})"
        for label, value in (
            ("has the query's words", signals["coverage"]),
            ("has synonyms of them", signals["akin"]),
            ("stored next to a match", max(window_gain, neighbour)),
            ("in a matching session", signals["session"]),
            ("follows a similar question", signals["answering"]),
        )
        if value >= _MIN_SIGNAL
    ]
    parts += [
        label
        for label, value in (
            ("has a time or number, as asked for", signals["fitting"]),
            ("said by the person in the query", signals["named"]),
            ("states a rule, as asked for", signals["ruling"]),
        )
        if value
    ]
    return parts
