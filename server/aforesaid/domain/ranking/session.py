"""What a memory's session adds: its neighbours' scores, and how much the session found at all.

An answer often stands beside the sentence that holds the question's words: "When did you get it?"
"Last Tuesday!" Here: scores spread to neighbours. Not here: who is one (the store knows).
"""

from __future__ import annotations

from .fusion import Candidate, best_first
from .weights import WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.memory import Surroundings

    from .weights import Weights

SESSION_BEST = 3  #: of a session's memories count


def in_session(
    candidates: Sequence[Candidate],
    surroundings: Sequence[Surroundings],
    limit: int,
    weights: Weights = WEIGHTS,
) -> list[Candidate]:
    """Return the best candidates by their own score and their session's, at most ``limit``.

    Neighbours that neither words nor meaning found become candidates too.

    Args:
        candidates: fused.
        surroundings: of those that a session stored.
        limit: how many to return.
        weights: what the signals weigh.
    """
    found = {one.head: one for one in candidates}
    beside: dict[int, float] = {}
    near: dict[int, float] = {}
    session_of: dict[int, str] = {}
    in_sessions: dict[str, list[float]] = {}
    for place in surroundings:
        score = found[place.key].score
        in_sessions.setdefault(place.session, []).append(score)
        session_of[place.key] = place.session
        for side in (place.before, place.after):
            for key, gain in zip(side, (beside, near), strict=False):
                session_of.setdefault(key, place.session)
                if score > gain.get(key, 0.0):
                    gain[key] = score
    sums = {name: sum(sorted(each)[-SESSION_BEST:]) for name, each in in_sessions.items()}
    best = max(sums.values(), default=0.0) or 1.0
    scored = []
    for head in {**found, **session_of}:
        own = found[head].score if head in found else 0.0
        share = sums.get(session_of.get(head, ""), 0.0) / best
        gained = weights.beside * beside.get(head, 0.0) + weights.near * near.get(head, 0.0)
        scored.append((own + gained + weights.session * share, head, share))
    scored.sort(key=lambda entry: (-entry[0], entry[1]))
    return sorted(
        (
            (found.get(head) or Candidate(head=head, matched=head)).replace(
                beside=beside.get(head, 0.0),
                near=near.get(head, 0.0),
                session=share,
                score=score,
            )
            for score, head, share in scored[:limit]
        ),
        key=best_first,
    )
