"""Why a memory answers, in words that a person understands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fusion import Candidate

_TOLD = 0.3  #: a signal below it moved nothing worth telling


def explain(candidate: Candidate) -> str:
    """Return what spoke for a candidate and how much, in words."""
    parts = [
        f"{what} {'best' if rank == 1 else f'rank {rank}'} ({value:.2f})"
        for what, rank, value in (
            ("words", candidate.words_rank, candidate.words),
            ("meaning", candidate.meaning_rank, candidate.meaning),
        )
        if rank and value > 0
    ]
    around = candidate.window - candidate.coverage
    for what, value in (
        ("says what is asked", candidate.coverage),
        ("said beside a match", max(around, 0.0 if candidate.words_rank else candidate.beside)),
        ("in a session that matches", candidate.session),
        ("follows such a question", candidate.answering),
    ):
        if value >= _TOLD:
            parts.append(f"{what} ({value:.2f})")
    for what, value in (
        ("names a time or number, as asked", candidate.fitting),
        ("said by who is named", candidate.named),
        ("states a rule, as asked", candidate.ruling),
    ):
        if value:
            parts.append(what)
    for what, gain in (("kept well", candidate.kept), ("pinned", candidate.pinned)):
        if round(gain, 2) > 0:
            parts.append(f"{what} +{gain:.2f}")
    if candidate.about:
        parts.append(f"about {candidate.about}")
    if candidate.matched != candidate.head:
        parts.append("an older version matched")
    return ", ".join(parts)
