"""The shipped model behind a cache on disk: benches embed thousands of texts, each once.

``AFORESAID_BENCH_MODEL=multilingual`` (or another model's name or folder) runs a bench with that
model. The cache lies outside the repository, in ``$AFORESAID_BENCH_CACHE`` or the user's cache
folder, one file per model. Delete it freely.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from aforesaid.config import load_settings
from aforesaid.wiring.embedder_loader import SHIPPED, EmbedderLoader, open_source, read_source

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

_QUERY, _DOCUMENT = "query", "document"


class CachedEmbedder:
    """An ``Embedder`` that asks another one only for texts that it has not seen."""

    def __init__(self, embedder: Embedder, folder: str | None = None) -> None:
        """Open the cache of this embedder's model.

        Args:
            embedder: makes the vectors.
            folder: where the cache lies, if not in the usual place.
        """
        self._embedder = embedder
        folder = folder or cache_folder()
        os.makedirs(folder, exist_ok=True)
        self._db = sqlite3.connect(
            os.path.join(folder, f"vectors-{embedder.model}.db"),
            isolation_level=None,
            timeout=60,
            check_same_thread=False,  # recall embeds beside its search
        )
        self._db.execute("PRAGMA journal_mode = wal")
        self._db.execute("PRAGMA synchronous = off")
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, windows BLOB)")

    @property
    def model(self) -> str:
        """Return the name stamped on vectors."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self._embedder.dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a question."""
        key = _key(_QUERY, text)
        found = self._find(key)
        if found is None:
            found = [self._embedder.embed_query(text)]
            self._keep(key, found)
        return found[0]

    def embed_document(self, text: str) -> list[bytes]:
        """Return the vectors of a text's windows."""
        key = _key(_DOCUMENT, text)
        found = self._find(key)
        if found is None:
            found = self._embedder.embed_documents([text])[0]
            self._keep(key, found)
        return found

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the vectors of each text's windows."""
        return [self.embed_document(text) for text in texts]

    def _find(self, key: bytes) -> list[bytes] | None:
        row = self._db.execute("SELECT windows FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        size = self.dimensions * 4
        return [row[0][at : at + size] for at in range(0, len(row[0]), size)]

    def _keep(self, key: bytes, windows: list[bytes]) -> None:
        self._db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (key, b"".join(windows)))


class ReadySlot(EmbedderLoader):
    """A slot that holds an embedder from the start."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__()
        self._embedder = embedder
        self._started = True
        self._loaded.set()


def open_cached() -> CachedEmbedder:
    """Return the model behind its cache."""
    settings = load_settings(os.environ)
    source = read_source(os.environ.get("AFORESAID_BENCH_MODEL") or SHIPPED, settings)
    return CachedEmbedder(open_source(source, settings, os.environ))


def cache_folder() -> str:
    """Return where caches of benches lie."""
    named = os.environ.get("AFORESAID_BENCH_CACHE")
    if named:
        return named
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "aforesaid-bench")


def _key(kind: str, text: str) -> bytes:
    return hashlib.sha256(f"{kind}\0{text}".encode("utf-8", "replace")).digest()
