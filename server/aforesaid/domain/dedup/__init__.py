"""Decides whether two texts state the same thing, for the duplicate gate.

Start in compare.py. tokens.py and normalize.py read a text; the word tables are in
lexicon/vocabulary.py.
"""

from __future__ import annotations

from aforesaid.domain.dedup.compare import differences, same_statement

__all__ = ["differences", "same_statement"]
