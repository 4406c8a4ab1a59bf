"""What each signal weighs: the one place. Chosen by ``python -m bench.retrieval.choose``.

Source of every figure: docs/adr/0012-ranking.md. One setting for every kind of store.
"""

from __future__ import annotations

from aforesaid.domain.value import Value


class Weights(Value):
    """How much each signal adds to a score; words and meaning together add 1 at most."""

    dense: float = 0.5  #: share of meaning in the fused score; the rest is words
    floor: float = 0.2  #: cosines below it say nothing on the shipped model
    beside: float = 0.45  #: of the better direct neighbour's fused score
    near: float = 0.2  #: of the better neighbour's but one
    session: float = 0.3  #: of how much its session found, as a share of the best session
    about: float = 0.3  #: share of being linked to an entity that is named (docs/adr/0016)
    retention: float = 0.05
    pinned: float = 0.02


WEIGHTS = Weights()

CANDIDATES = 100  #: taken from each of words and meaning
SPREADERS = 100  #: the best of them, whose neighbours in their session are looked at
REACH = 2  #: neighbours to each side
SHORTLIST = 64  #: the best by then, which are read
