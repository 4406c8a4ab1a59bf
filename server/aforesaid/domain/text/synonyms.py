"""Which words stand for each other, by the groups in lexicon/synonyms.py."""

from __future__ import annotations

from .tokenize import stem

_NO_SYNONYMS: frozenset[str] = frozenset()
_synonyms: dict[str, frozenset[str]] = {}  #: by stem; filled at the first question


def synonyms_of(term: str) -> frozenset[str]:
    """Return the stems of the words that share a group with a word, without its own."""
    if not _synonyms:
        _synonyms.update(_by_stem())
    return _synonyms.get(stem(term), _NO_SYNONYMS)


def _by_stem() -> dict[str, frozenset[str]]:
    from aforesaid.lexicon.synonyms import GROUPS  # a prompt by words alone needs none

    groups: dict[str, set[str]] = {}
    for line in GROUPS.splitlines():
        group = {stem(word) for word in line.split()}
        for word in group:
            groups.setdefault(word, set()).update(group)
    return {word: frozenset(group - {word}) for word, group in groups.items()}
