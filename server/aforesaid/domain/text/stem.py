"""Words without their endings."""

from __future__ import annotations

STEM_CHARS = 4  #: what an ending may not cut into
_ENDINGS = (
    "ations", "ation", "ings", "ing", "ments", "ment", "ied", "ies", "ers", "er", "ed", "es",
    "ly", "s", "e", "y",
)  # fmt: skip
_MAX_STEMS = 20_000
_stems: dict[str, str] = {}  #: of words that were asked for: the same come again and again


def stem(word: str) -> str:
    """Return a lower-case word without a common English ending, at least four letters of it."""
    known = _stems.get(word)
    if known is None:
        if len(_stems) >= _MAX_STEMS:
            _stems.clear()
        known = _stems[word] = _cut(word)
    return known


def _cut(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_CHARS:
            return word[: -len(ending)]
    return word
