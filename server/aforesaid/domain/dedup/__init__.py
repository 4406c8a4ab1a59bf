"""Do two texts state the same thing? The judgement behind the duplicate gate.

Start in compare.py; normalize.py and tokens.py read a text, vocabulary.py holds the word tables.
"""

from __future__ import annotations

from aforesaid.domain.dedup.compare import differences, same_statement

__all__ = ["differences", "same_statement"]
