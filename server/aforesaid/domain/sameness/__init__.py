"""Do two texts state the same thing? The judgement behind the duplicate gate.

Start in judgement.py; sentences.py and terms.py read a text, wording.py holds the word tables.
"""

from __future__ import annotations

from aforesaid.domain.sameness.judgement import differences, same_statement

__all__ = ["differences", "same_statement"]
