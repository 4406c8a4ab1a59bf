"""Redacts secrets from every text that is stored (docs/adr/0008-secret-filter.md).

filter.py runs the rules, table.py has formats and patterns, values.py judges a value, blocks.py and
tables.py find what spans lines, spans.py has the result type.
"""

from __future__ import annotations

from .filter import SecretRedactor

__all__ = ["SecretRedactor"]
