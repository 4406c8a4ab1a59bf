"""The store as a prompt's hook opens it: a hook's, with the search of words."""

from __future__ import annotations

from .hook_store import HookStore
from .search import SearchIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .store import SqliteStore


class WordsStore(SearchIndex, HookStore):
    """A hook's store that finds words, and becomes the whole one when more is asked of it."""


def open_words_store(path: str) -> SqliteStore:
    """Return the store, with as little of it as finds words."""
    store: Any = WordsStore(path)
    opened: SqliteStore = store
    return opened
