"""Which embedding model a process uses: the one that serves in its store, or will in a new one.

Here: what settings and names mean, opening a model, the slot that a process keeps it in, what is
embedded with in a store. Not here: changing one for another (operations/reembed.py).
"""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

from aforesaid.config import load_settings
from aforesaid.domain.errors import AforesaidError, NotFoundError, UnavailableError
from aforesaid.domain.model.embedding_model import SERVING

from . import factories

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.embedding_model import Model
    from aforesaid.ports import Embedder

MODEL_WAIT_SECONDS = 5.0  #: how long a call waits for the model that is being loaded
TRY_AGAIN_SECONDS = 30.0  #: after a model could not be opened
SHIPPED = "shipped"
_APIS = ("voyage", "openai")


def models_folder(settings: Settings) -> str:
    """Return where downloaded models are, each in a folder of its name."""
    named: str = settings["embedding.cache_dir"]
    if named:
        return os.path.abspath(os.path.expanduser(named))
    from platformdirs import user_cache_dir

    return os.path.join(user_cache_dir("aforesaid", appauthor=False), "models")


def chosen_source(settings: Settings) -> str:
    """Return what opens the model that the settings name; empty for the shipped one.

    Raises:
        NotFoundError: there is no such model here.
    """
    provider, model = settings["embedding.provider"], settings["embedding.model"]
    if provider != "local":
        return read_source(f"{provider}:{model}", settings)
    return read_source(model or SHIPPED, settings)


def read_source(name: str, settings: Settings) -> str:
    """Return what opens the model that a name means; empty for the shipped one.

    Args:
        name: ``shipped``, a folder, a downloaded model, ``voyage:MODEL`` or ``openai:MODEL``.
        settings: say where downloads are.

    Raises:
        NotFoundError: it names none.
    """
    from aforesaid.adapters.embedding.onnx import SHIPPED_FOLDER

    if name in {SHIPPED, os.path.basename(SHIPPED_FOLDER)}:
        return ""
    provider, _, model = name.partition(":")
    if provider in _APIS:
        from aforesaid.adapters.embedding.api import PROVIDERS

        return f"{provider}:{model or PROVIDERS[provider].model}"
    for folder in (os.path.expanduser(name), downloaded_folder(name, settings)):
        if os.path.isdir(folder):
            return os.path.abspath(folder)
    raise NotFoundError(
        f"no model is called {name!r}: `aforesaid model list` shows those that are here, "
        "`aforesaid model download NAME` brings one; a folder, voyage:MODEL and openai:MODEL go too"
    )


def downloaded_folder(name: str, settings: Settings) -> str:
    """Return the folder of a downloaded model: ``owner/name`` without its slash.

    Raises:
        NotFoundError: no model can be called so.
    """
    plain = name.strip("/.").replace("/", "--")
    if not plain:
        raise NotFoundError(f"no model is called {name!r}: `aforesaid model list` has the names")
    return os.path.join(models_folder(settings), plain)


def open_source(
    source: str,
    settings: Settings,
    environment: Mapping[str, str],
    dimensions: int = 0,
    *,
    patient: bool = False,
) -> Embedder:
    """Return the model that a source means.

    Args:
        source: as ``read_source`` gives it.
        settings: of APIs.
        environment: holds their keys.
        dimensions: of its vectors, where they are known.
        patient: nobody waits for an answer.

    Raises:
        AforesaidError: it cannot be opened.
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
            factories.outgoing(settings),
            known_dimensions=dimensions,
            patient=patient,
        )
    from aforesaid.adapters.embedding.onnx import open_folder, open_shipped

    return open_folder(source) if source else open_shipped()


def is_remote(source: str) -> bool:
    """Tell whether texts leave the machine to be embedded."""
    return source.partition(":")[0] in _APIS


class EmbedderLoader:
    """The embedder of a process: that of the model which serves, loaded when it is first needed.

    Where another model serves from some moment on, it is loaded beside the old one, which goes on
    answering from its own vectors until then.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._environment = os.environ if environment is None else environment
        self._embedder: Embedder | None = None
        self._done = threading.Event()
        self._started = False
        self._loading = threading.Lock()
        self._settings: Settings | None = None
        self._serving: Callable[[], Model | None] = self._look
        self._follows = False
        self._tried: tuple[str, float] = ("", 0.0)  #: the model that could not be opened, and when
        self.remote = False  #: whether texts leave the machine
        self.error = ""  #: why there is none, or not the one that serves, in words

    def follow(self, serving: Callable[[], Model | None], settings: Settings) -> None:
        """Keep to the model that serves in a store."""
        self._serving, self._settings, self._follows = serving, settings, True

    def load(self) -> None:
        """Load the model now."""
        self._started = True
        with self._loading:
            self._open()
        self._done.set()

    def start(self) -> None:
        """Load the model in a thread."""
        self._started = True
        threading.Thread(target=self.load, name="model", daemon=True).start()

    def get(self) -> Embedder | None:
        """Return the embedder; waits a moment for one that is being loaded."""
        if not self._started:
            self.load()
        self._done.wait(MODEL_WAIT_SECONDS)
        if self._follows:
            self._notice()
        return self._embedder

    def peek(self) -> Embedder | None:
        """Return the embedder if it is there already."""
        return self._embedder

    def at_once(self) -> Embedder | None:
        """Return the embedder if it is there already, and on this machine."""
        return None if self.remote else self._embedder

    def _notice(self) -> None:
        """Have the model loaded that serves now, if it is another one."""
        serving = self._serving()
        loaded = self._embedder
        if serving is None:
            return
        if loaded is not None and loaded.model == serving.name:
            self.error = ""
            return
        tried, at = self._tried
        if tried == serving.name and time.monotonic() - at < TRY_AGAIN_SECONDS:
            return
        self._tried = (serving.name, time.monotonic())
        thread = threading.Thread(target=self.load, name="model", daemon=True)
        thread.start()
        if loaded is None:
            thread.join(MODEL_WAIT_SECONDS)

    def _open(self) -> None:
        try:
            settings = self._settings or load_settings(self._environment, lenient=True)
            serving = self._serving()
            source = chosen_source(settings) if serving is None else serving.source
            loaded = self._embedder
            if loaded is not None and serving is not None and loaded.model == serving.name:
                return
            embedder = open_source(
                source,
                settings,
                self._environment,
                0 if serving is None else serving.dimensions,
            )
            self.error = ""
            if serving is not None and embedder.model != serving.name:
                self.error = (
                    f"the vectors are by {serving.name}, and what is here now is {embedder.model}: "
                    "`aforesaid model use` embeds anew"
                )
            self.remote = is_remote(source)
            self._embedder = embedder
        except AforesaidError as error:
            self.error = str(error)
        except Exception as error:  # noqa: BLE001 - onnxruntime's own errors have no common root
            self.error = f"the embedding model cannot be loaded: {error}"

    def _look(self) -> Model | None:
        """Return the model that serves in the configured store, where that is not open yet."""
        settings = load_settings(self._environment, lenient=True)
        if not os.path.exists(settings.db_path):
            return None
        store = factories.open_store(settings, hook=True)
        try:
            return store.models.in_state(SERVING)
        finally:
            store.close()


class StoreBoundEmbedder:
    """A process's embedder for one store: in a new one, the chosen model serves from then on."""

    def __init__(self, slot: EmbedderLoader, store: SqliteStore, settings: Settings) -> None:
        self._slot = slot
        self._store = store
        self._settings = settings
        self._announced = False
        slot.follow(lambda: store.models.in_state(SERVING), settings)

    def get(self) -> Embedder | None:
        """Return the embedder; None while there is none, or a new store's API is down."""
        embedder = self._slot.get()
        if embedder is not None and not self._announced:
            self._announced = (
                self._store.read_only
                or self._store.models.in_state(SERVING) is not None
                or self._announce(embedder)
            )
        return embedder if self._announced else None

    def _announce(self, embedder: Embedder) -> bool:
        """Let the model that the settings name serve in a store that has none yet.

        False where its API is down: the next call tries again.
        """
        source = chosen_source(self._settings)
        if not source or not self._store.search.has_vectors:
            return True
        from aforesaid.services.maintenance.reembed import ChangeModel

        try:
            ChangeModel(self._store).start_reembedding(embedder, source)
        except UnavailableError as error:
            if not is_remote(source):
                raise
            self._slot.error = str(error)
            return False
        self._slot.error = ""
        return True


def embedder_of(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> StoreBoundEmbedder:
    """Return the embedder of a process that works with one store."""
    return StoreBoundEmbedder(EmbedderLoader(environment), store, settings)
