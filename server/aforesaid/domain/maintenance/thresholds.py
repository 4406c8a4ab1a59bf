"""Every factor and threshold of maintenance, by the name of its setting in ``[maintenance]``.

Starting points, as required; what was measured since is in docs/adr/0032 and 0033.
"""

from __future__ import annotations

from aforesaid.domain.model.decay import Factors


class Thresholds(Factors):
    """The numbers that maintenance goes by."""

    topic_merge: float = 0.9  #: cosine of two nodes above which they may be one
    filing: float = 0.6  #: cosine at which one neighbour says where a memory belongs
    new_topic: int = 3  #: unfiled memories that speak of one thing, and make a topic
    topic_link: float = 0.8  #: cosine of two topics above which their facts may be linked
    link: float = 0.7  #: cosine of two facts of different topics above which they are linked
    links_each: int = 5  #: that one memory may have
    link_floor: float = 0.15  #: weight below which a link goes
    entity_pair: int = 3  #: memories in which two entities recur together
    compact_days: int = 30  #: age of an event that is summed up
    compact_least: int = 5  #: events of a week that are summed up
    promote: float = 0.88  #: cosine above which events may tell the same
    promote_least: int = 3  #: events that tell the same, or sessions that ran the same commands
    archive_activation: float = 0.02  #: below it, what was never recalled is set aside ...
    archive_days: int = 60  #: ... once it is so old
    archive_faded: float = 0.01  #: below it, anything is set aside ...
    archive_faded_days: int = 90  #: ... once it is so old
    archive_junk_days: int = 7  #: what says too little and was never recalled goes after so long
    archive_subject: float = 0.8  #: cosine at which two events are on one subject
    cleanup_confidence: float = 0.05  #: in force, below which cleanup erases ...
    cleanup_days: int = 90  #: ... what was not recalled for so long
