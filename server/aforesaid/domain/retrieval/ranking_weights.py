"""What each signal weighs: the one place. Made by ``python -m bench.retrieval.learn``.

Source of every figure: docs/adr/0024-signals.md. One setting for every kind of store.
"""

from __future__ import annotations

from aforesaid.domain.value import Value


class Weights(Value):
    """How much each signal adds to a score; meaning, coverage and window add 1 at most."""

    dense: float = 0.5  #: share of meaning where candidates are first ordered; the rest is words
    floor: float = 0.2  #: cosines below it say nothing on the shipped model
    near: float = 0.1  #: cosines below it are no candidates
    meaning: float = 0.16  #: cosine above the floor, as a share of the best
    coverage: float = 0.31  #: share of the question's weight in words that it says itself
    window: float = 0.53  #: the same, of what its session said around it as well
    beside: float = 0.16  #: the better direct neighbour's meaning
    session: float = 0.15  #: how much its session found, as a share of the best session
    fitting: float = 0.24  #: it names a time, or a number, where one is asked for
    named: float = 0.12  #: who said it is named in the question
    answering: float = 0.60  #: it follows a question, by how much that covers ours
    asking: float = -0.29  #: share of its sentences that ask themselves
    ruling: float = 0.13  #: it states a rule where one is asked for, later ones more
    unsaid: float = 0.28  #: meaning from ``near`` on, as far as no window says what is asked
    akin: float = 0.66  #: share of the question's weight in words that it says otherwise
    about: float = 0.3  #: share of being linked to an entity that is named (docs/adr/0016)
    relevance: float = 0.6  #: beside the score of all of these, once the first are judged
    retention: float = 0.05
    pinned: float = 0.02


WEIGHTS = Weights()
#: Beside a prompt nothing is a candidate that meaning alone finds below the floor.
UNASKED = WEIGHTS.replace(near=WEIGHTS.floor)

CANDIDATES = 100  #: taken from each of words and meaning
SPREADERS = 64  #: the best of them, which are read, and whose neighbours are looked at
REACH = 1  #: neighbours to each side
SHORTLIST = 64  #: candidates beside a prompt
JUDGED = 32  #: the best by then: each is read whole and told how likely it answers
