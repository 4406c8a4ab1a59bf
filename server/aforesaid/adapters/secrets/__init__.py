"""Redacts secrets from every text that is stored (docs/adr/0008-secret-filter.md).

filter.py runs the rules, table.py has formats and patterns, values.py judges a value, multiline.py
finds what spans lines, and has the result type.
"""

from __future__ import annotations

from .filter import SecretRedactor

__all__ = ["SecretRedactor"]
