"""Ranges of characters, for character classes of regular expressions."""

from __future__ import annotations

#: Kana and Han, which have no spaces between words.
KANA_AND_HAN = "\u3040-\u30ff\u3400-\u9fff"
