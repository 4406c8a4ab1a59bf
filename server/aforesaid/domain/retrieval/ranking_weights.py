"""Weights of the ranking features, for all kinds of stores.

Printed by ``python -m bench.retrieval.learn``. Source of every figure: docs/adr/0024-signals.md.
"""

from __future__ import annotations

from aforesaid.domain.value import Value


class Weights(Value):
    """The weight of each feature; those of meaning, coverage and window add up to 1."""

    dense: float = 0.5  #: share of vectors in the fused score; the rest is full text
    floor: float = 0.2  #: cosines of the shipped model below it are not evidence
    near: float = 0.1  #: minimum cosine of a candidate
    meaning: float = 0.16  #: cosine above the floor, as a share of the best
    coverage: float = 0.31  #: share of the query's term weight that the text contains
    window: float = 0.53  #: the same, including its neighbours in the session
    beside: float = 0.16  #: ``meaning`` of the better direct neighbour
    session: float = 0.15  #: sum of scores in its session, as a share of the best session
    fitting: float = 0.24  #: it has a time or number, if one is asked for
    named: float = 0.12  #: its speaker is named in the query
    answering: float = 0.60  #: it follows a question: the coverage of that
    ruling: float = 0.13  #: it states a rule, if one is asked for; later ones more
    unsaid: float = 0.28  #: cosine above ``near``, as far as no window has the query's terms
    akin: float = 0.66  #: share of the query's term weight that it contains as synonyms
    about: float = 0.3  #: it is linked to an entity in the query (docs/adr/0016)
    relevance: float = 0.6  #: share of relevance in the final score
    retention: float = 0.05
    pinned: float = 0.02


WEIGHTS = Weights()
#: For prompts, the minimum cosine of a candidate is the floor.
PROMPT_WEIGHTS = WEIGHTS.replace(near=WEIGHTS.floor)

CANDIDATES = 100  #: results taken from each of full text and vectors
TEXTS_READ = 64  #: the best of these, whose texts and neighbours are read
REACH = 1  #: neighbours on each side
SHORTLIST = 64  #: candidates for a prompt
RELEVANCE_SCORED = 32  #: the best after ranking, whose relevance is computed
