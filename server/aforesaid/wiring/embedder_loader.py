"""Loads the embedding model of a process: the active one of its store, or the configured one.

Changing the model of a store: operations/reembed.py.
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from aforesaid.config import load_settings
from aforesaid.domain.errors import AforesaidError, NotFoundError, UnavailableError
from aforesaid.domain.model.embedding_model import (
    MULTILINGUAL,
    SERVING,
    SHIPPED_MODELS,
    is_shipped,
)

from . import factories

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.embedding_model import Model
    from aforesaid.ports import Embedder

MODEL_WAIT_SECONDS = 5.0  #: how long a call waits for a model that is being loaded
RETRY_SECONDS = 30.0  #: pause after a model could not be opened
SHIPPED = "shipped"
_SHIPPED_NAMES = {SHIPPED, "default", *SHIPPED_MODELS}
NEW_VECTORS = (
    "the embedding model that ships has changed, and new vectors are being computed in the "
    "background"
)
_APIS = ("voyage", "openai")


def models_folder(settings: Settings) -> str:
    """Return the folder of downloaded models, each in a folder named after it."""
    folder: str = settings["embedding.cache_dir"]
    if folder:
        return os.path.abspath(os.path.expanduser(folder))
    from platformdirs import user_cache_dir

    return os.path.join(user_cache_dir("aforesaid", appauthor=False), "models")


def configured_source(settings: Settings) -> str:
    """Return the source of the configured model, see ``read_source``.

    Raises:
        NotFoundError: there is no such model on this machine.
    """
    provider, model = settings["embedding.provider"], settings["embedding.model"]
    if provider != "local":
        return read_source(f"{provider}:{model}", settings)
    return read_source(model or SHIPPED, settings)


def read_source(name: str, settings: Settings) -> str:
    """Return the source from which a model is opened: a path, or ``provider:model``.

    It is empty for the shipped model.

    Args:
        name: ``shipped`` or ``default``, ``multilingual``, a folder, a downloaded model,
            ``voyage:MODEL`` or ``openai:MODEL``.
        settings: with the folder of downloads.

    Raises:
        NotFoundError: there is no model of this name.
    """
    if name in _SHIPPED_NAMES:
        return ""
    provider, _, model = name.partition(":")
    if provider in _APIS:
        from aforesaid.adapters.embedding.api import PROVIDERS

        return f"{provider}:{model or PROVIDERS[provider].model}"
    folders = [os.path.expanduser(name), downloaded_folder(name, settings)]
    for folder in folders[1:] if name == MULTILINGUAL else folders:
        if os.path.isdir(folder):
            return os.path.abspath(folder)
    if name == MULTILINGUAL:
        raise NotFoundError(
            "the multilingual model is not installed: `aforesaid model use multilingual` downloads "
            "it"
        )
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), (SHIPPED, MULTILINGUAL), 1)
    hint = (
        f"did you mean {near[0]!r}?"
        if near
        else "use a name from `aforesaid model list`, a folder, voyage:MODEL or openai:MODEL, or "
        "get one with `aforesaid model download NAME`"
    )
    raise NotFoundError(f"no model is called {name!r}: {hint}")


def source_name(source: str, settings: Settings) -> str:
    """Return what users call the model of a source."""
    if source == downloaded_folder(MULTILINGUAL, settings):
        return MULTILINGUAL
    return source or SHIPPED


def downloaded_folder(name: str, settings: Settings) -> str:
    """Return the folder of a downloaded model ``owner/name``.

    Raises:
        NotFoundError: the name is not valid.
    """
    folder_name = name.strip("/.").replace("/", "--")
    if not folder_name:
        raise NotFoundError(f"no model is called {name!r}: `aforesaid model list` shows the names")
    return os.path.join(models_folder(settings), folder_name)


def open_source(
    source: str,
    settings: Settings,
    environment: Mapping[str, str],
    dimensions: int = 0,
    *,
    patient: bool = False,
) -> Embedder:
    """Open the model of a source.

    Args:
        source: see ``read_source``.
        settings: with the options of APIs.
        environment: with the API keys.
        dimensions: of its vectors, if known; else 0.
        patient: retry an API for longer, as no caller is waiting.

    Raises:
        AforesaidError: the model cannot be opened.
    """
    provider, _, model = source.partition(":")
    if provider in _APIS:
        from aforesaid.adapters.embedding.api import ApiEmbedder, ApiOptions

        access = ApiOptions(
            url=settings["embedding.base_url"],
            api_key_env=settings["embedding.api_key_env"],
            dimensions=settings["embedding.dimensions"],
        )
        return ApiEmbedder(
            provider,
            model,
            access,
            environment,
            factories.make_outgoing_filter(settings),
            known_dimensions=dimensions,
            patient=patient,
        )
    from aforesaid.adapters.embedding.onnx import open_folder, open_shipped

    return open_folder(source) if source else open_shipped()


def is_remote(source: str) -> bool:
    """Return whether texts are sent to an API to be embedded."""
    return source.partition(":")[0] in _APIS


class EmbedderLoader:
    """Loads the active model at its first use, and again when another model becomes active.

    Until the new one is loaded, the old one stays in use with its own vectors.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._embedder: Embedder | None = None
        self._loaded = threading.Event()
        self._started = False
        self._load_lock = threading.Lock()
        self._settings: Settings | None = None
        self._active: Callable[[], Model | None] = self._read_active
        self._follows_store = False
        self._last_attempt: tuple[str, float] = ("", 0.0)  #: model, and when (monotonic seconds)
        self.remote = False  #: whether texts are sent to an API
        self.error = ""  #: why there is no embedder, or not that of the active model

    def follow(self, active: Callable[[], Model | None], settings: Settings) -> None:
        """Always use the active model of a store, which ``active`` returns."""
        self._active, self._settings, self._follows_store = active, settings, True

    def load(self) -> None:
        """Load the model."""
        self._started = True
        with self._load_lock:
            self._open()
        self._loaded.set()

    def start(self) -> None:
        """Load the model in a thread."""
        self._started = True
        threading.Thread(target=self.load, name="model", daemon=True).start()

    def get(self) -> Embedder | None:
        """Return the embedder, waiting a few seconds for its loading; None without one."""
        if not self._started:
            self.load()
        self._loaded.wait(MODEL_WAIT_SECONDS)
        if self._follows_store:
            self._reload_if_changed()
        return self._embedder

    def peek(self) -> Embedder | None:
        return self._embedder

    def peek_local(self) -> Embedder | None:
        """Return the embedder if it is loaded and calls no API."""
        return None if self.remote else self._embedder

    def _reload_if_changed(self) -> None:
        active = self._active()
        loaded = self._embedder
        if active is None:
            return
        if loaded is not None and loaded.model == active.name:
            self.error = ""
            return
        tried, tried_at = self._last_attempt
        if tried == active.name and time.monotonic() - tried_at < RETRY_SECONDS:
            return
        self._last_attempt = (active.name, time.monotonic())
        thread = threading.Thread(target=self.load, name="model", daemon=True)
        thread.start()
        if loaded is None:
            thread.join(MODEL_WAIT_SECONDS)

    def _open(self) -> None:
        try:
            settings = self._settings or load_settings(self._environment, lenient=True)
            active = self._active()
            source = configured_source(settings) if active is None else active.source
            loaded = self._embedder
            if loaded is not None and active is not None and loaded.model == active.name:
                return
            embedder = open_source(
                source,
                settings,
                self._environment,
                0 if active is None else active.dimensions,
            )
            self.error = ""
            if active is not None and embedder.model != active.name:
                self.error = (
                    f"the store's vectors are of {active.name}, but the installed model is "
                    f"{embedder.model}: `aforesaid model use` computes new vectors"
                )
                if is_shipped(active.name) and not source:
                    self.error = NEW_VECTORS
            self.remote = is_remote(source)
            self._embedder = embedder
        except AforesaidError as error:
            self.error = str(error)
        except Exception as error:  # noqa: BLE001 - onnxruntime's own errors have no common root
            self.error = f"the embedding model cannot be loaded: {error}"

    def _read_active(self) -> Model | None:
        """Return the active model of the configured store, which is not open yet."""
        settings = load_settings(self._environment, lenient=True)
        if not os.path.exists(settings.db_path):
            return None
        store = factories.open_store(settings, hook=True)
        try:
            return store.models.in_state(SERVING)
        finally:
            store.close()


class StoreBoundEmbedder:
    """The embedder for one store. In a new store it makes the configured model the active one."""

    def __init__(self, loader: EmbedderLoader, store: SqliteStore, settings: Settings) -> None:
        self._loader = loader
        self._store = store
        self._settings = settings
        self._activated = False
        loader.follow(lambda: store.models.in_state(SERVING), settings)

    def get(self) -> Embedder | None:
        """Return the embedder; None without one, or if the API of a new store does not respond."""
        embedder = self._loader.get()
        if embedder is not None and not self._activated:
            self._activated = (
                self._store.read_only
                or self._store.models.in_state(SERVING) is not None
                or self._activate(embedder)
            )
        return embedder if self._activated else None

    def _activate(self, embedder: Embedder) -> bool:
        """Make the configured model active in a store without one.

        Returns False if its API does not respond; the next call tries again.
        """
        source = configured_source(self._settings)
        if not source or not self._store.search.has_vectors:
            return True
        from aforesaid.services.maintenance.reembed import ModelChanger

        try:
            ModelChanger(self._store).start_reembedding(embedder, source)
        except UnavailableError as error:
            if not is_remote(source):
                raise
            self._loader.error = str(error)
            return False
        self._loader.error = ""
        return True


def embedder_of(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> StoreBoundEmbedder:
    """Return the embedder for a process with one store."""
    return StoreBoundEmbedder(EmbedderLoader(environment), store, settings)
