"""The store as a prompt's hook opens it: a hook's, with the search of words."""

from __future__ import annotations

from .hook_store import HookStore
from .search import SearchIndex


class WordsStore(SearchIndex, HookStore):
    """A hook's store that finds words, and becomes the whole one when more is asked of it."""
