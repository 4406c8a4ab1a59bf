"""Why a memory answers, in words that a person understands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .fusion import Candidate

_TOLD = 0.3  #: what a session adds below it moved nothing worth telling


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
    nearest = max(candidate.beside, candidate.near)
    if nearest >= _TOLD:
        parts.append(f"said beside a match ({nearest:.2f})")
    if candidate.session >= _TOLD:
        parts.append(f"in a session that matches ({candidate.session:.2f})")
    for what, gain in (("kept well", candidate.kept), ("pinned", candidate.pinned)):
        if round(gain, 2) > 0:
            parts.append(f"{what} +{gain:.2f}")
    if candidate.about:
        parts.append(f"about {candidate.about}")
    if candidate.matched != candidate.head:
        parts.append("an older version matched")
    return ", ".join(parts)
