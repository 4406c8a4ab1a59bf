"""Why a memory answers, in words that a person understands."""

from __future__ import annotations

from .ranking_features import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fusion import SearchCandidate

_MIN_SIGNAL = 0.3  #: a signal below it moved nothing worth telling


def explain(candidate: SearchCandidate) -> str:
    """Return what spoke for a candidate and how much, in words."""
    parts = [
        f"{what} {'best' if rank == 1 else f'rank {rank}'} ({value:.2f})"
        for what, rank, value in (
            ("words", candidate.words_rank, candidate.words),
            ("meaning", candidate.meaning_rank, candidate.meaning),
        )
        if rank and value > 0
    ]
    if candidate.signals:
        parts += _told(dict(zip(NAMES, candidate.signals, strict=True)), candidate)
    for what, gain in (("kept well", candidate.kept), ("pinned", candidate.pinned)):
        if round(gain, 2) > 0:
            parts.append(f"{what} +{gain:.2f}")
    if candidate.about:
        parts.append(f"about {candidate.about}")
    if candidate.matched != candidate.head:
        parts.append("an older version matched")
    return ", ".join(parts)


def _told(signals: dict[str, float], candidate: SearchCandidate) -> list[str]:
    """Return what the signals say that moved the memory enough to tell."""
    around = signals["window"] - signals["coverage"]
    beside = 0.0 if candidate.words_rank else signals["beside"]
    parts = [
        f"{what} ({value:.2f})"
        for what, value in (
            ("says what is asked", signals["coverage"]),
            ("says it in other words", signals["akin"]),
            ("said beside a match", max(around, beside)),
            ("in a session that matches", signals["session"]),
            ("follows such a question", signals["answering"]),
        )
        if value >= _MIN_SIGNAL
    ]
    parts += [
        what
        for what, value in (
            ("names a time or number, as asked", signals["fitting"]),
            ("said by who is named", signals["named"]),
            ("states a rule, as asked", signals["ruling"]),
        )
        if value
    ]
    return parts
