"""English words that carry no meaning in the name of a topic."""
# ruff: noqa: SIM905 (a list of words reads better as text)

from __future__ import annotations

from aforesaid.lexicon.stop_words import STOP_WORDS

#: Words that add nothing to another word in a topic's name.
TOPIC_NAME_FILLERS = frozenset(
    """service system setup stuff notes handling management module flow general
    overview related things info""".split()
)
#: Words that many memories share and that cannot name a topic.
NO_TOPIC_NAMES = STOP_WORDS | frozenset(
    """use uses used using run runs running always never must need needs make makes made set
    sets get gets new old now want wants prefer prefers keep keeps first last one two day days week
    weeks time user project file files work works please still let lets go goes take takes put add
    adds added fix fixed change changed every each since without instead like right good
    thing things way""".split()
)
