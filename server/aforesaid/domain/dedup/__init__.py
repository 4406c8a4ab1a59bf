"""Decides whether two texts state the same thing, for the duplicate gate.

compare.py normalises the wording of two texts and compares them; tokens.py splits a text and folds
its words. The word tables are in lexicon/vocabulary.py.
"""

from __future__ import annotations

from aforesaid.domain.dedup.compare import differences, same_statement

__all__ = ["differences", "same_statement"]
