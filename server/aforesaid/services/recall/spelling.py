"""Misspelled words in queries: which similar words are searched as well.

How a corrected word counts is decided in domain/retrieval.
"""

from __future__ import annotations

from collections.abc import Iterable

from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.text.tokenize import SPELT_CHARS, query_groups, spelt_words
from aforesaid.domain.value import Value
from aforesaid.ports import Store

MAX_WORDS = 8  #: words of a query that are looked up


class Spelling(Value):
    """Words of a query that no memory contains, each with similar words that some do."""

    near: dict[str, list[str]] = {}

    @property
    def terms(self) -> list[str]:
        """The similar words, to be searched as well."""
        return list(dict.fromkeys(word for words in self.near.values() for word in words))

    def notes(self, texts: Iterable[str]) -> list[str]:
        """Return which corrections these texts contain, as notes for the reader."""
        present = {word for text in texts for word in spelt_words(text)} if self.near else set()
        return [
            f'also read "{misspelled}" as "{word}"'
            for misspelled, words in self.near.items()
            for word in words
            if word in present
        ]


def read_spelling(store: Store, query: str, visible: Visibility) -> Spelling:
    """Return corrections of a query's words, from memories that the caller may see."""
    words = [
        group[0]
        for group in query_groups(query)
        if len(group) == 1 and len(group[0]) >= SPELT_CHARS and group[0].isalpha()
    ]
    return Spelling(near=store.search.near_words(words[:MAX_WORDS], visible) if words else {})
