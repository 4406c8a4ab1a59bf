"""Questions with a slip of the keyboard: what else is looked for, and how the answer says so.

Not here: which words are near (the store), how a slip counts (domain/retrieval).
"""

from __future__ import annotations

from aforesaid.domain.text.tokenize import SPELT_CHARS, query_groups, spelt_words
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.memory import Visibility
    from aforesaid.ports import Store

MAX_ASKED = 8  #: words of a question that are looked up


class Spelling(Value):
    """What words of a question may have meant: each written nowhere, with near ones that are."""

    near: dict[str, list[str]] = {}

    @property
    def terms(self) -> list[str]:
        """What is looked for as well."""
        return list(dict.fromkeys(one for found in self.near.values() for one in found))

    def told(self, texts: Iterable[str]) -> list[str]:
        """Return, for a person, which words were read as others that these texts hold."""
        held = {word for text in texts for word in spelt_words(text)} if self.near else set()
        return [
            f'also read "{word}" as "{one}"'
            for word, found in self.near.items()
            for one in found
            if one in held
        ]


def read_spelling(store: Store, query: str, visible: Visibility) -> Spelling:
    """Return what the words of a question may have meant, as far as the caller sees it."""
    words = [
        group[0]
        for group in query_groups(query)
        if len(group) == 1 and len(group[0]) >= SPELT_CHARS and group[0].isalpha()
    ]
    return Spelling(near=store.search.near_words(words[:MAX_ASKED], visible) if words else {})
