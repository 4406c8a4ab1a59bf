"""Thresholds of maintenance, named like their settings in ``[maintenance]``.

Defaults are starting values; docs/adr/0032 and 0033 have the measurements. Meanings and bounds:
config/schema.py.
"""

from __future__ import annotations

from aforesaid.domain.model.decay import Factors


class Thresholds(Factors):
    """Factors and thresholds of maintenance."""

    topic_merge: float = 0.9
    filing: float = 0.6
    new_topic: int = 3
    topic_link: float = 0.8
    link: float = 0.7
    links_each: int = 5
    link_floor: float = 0.15
    entity_pair: int = 3
    compact_days: int = 30
    compact_least: int = 5
    promote: float = 0.88
    promote_least: int = 3
    archive_activation: float = 0.02
    archive_days: int = 60
    archive_faded: float = 0.01
    archive_faded_days: int = 90
    archive_junk_days: int = 7
    archive_subject: float = 0.8
    cleanup_confidence: float = 0.05
    cleanup_days: int = 90
