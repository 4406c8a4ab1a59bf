"""Secrets in text: the filter that every write passes (docs/adr/0008-secret-filter.md)."""

from __future__ import annotations

from .filter import SecretRedactor

__all__ = ["SecretRedactor"]
