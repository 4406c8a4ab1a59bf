"""Strips English endings from words, for search."""

from __future__ import annotations

STEM_CHARS = 4  #: letters that always remain
_ENDINGS = (
    "ations", "ation", "ings", "ing", "ments", "ment", "ied", "ies", "ers", "er", "ed", "es",
    "ly", "s", "e", "y",
)  # fmt: skip
_MAX_STEMS = 20_000
_stems: dict[str, str] = {}  #: cache: the same words come again and again


def stem(word: str) -> str:
    """Return a lower-case word without a common English ending, at least four letters long."""
    stemmed = _stems.get(word)
    if stemmed is None:
        if len(_stems) >= _MAX_STEMS:
            _stems.clear()
        stemmed = _stems[word] = _cut(word)
    return stemmed


def _cut(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_CHARS:
            return word[: -len(ending)]
    return word
