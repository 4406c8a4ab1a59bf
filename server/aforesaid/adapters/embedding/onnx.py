"""The embedding model that ships with the package, run by onnxruntime.

Here: loading a model folder by its card, and text to vectors. Not here: how the file was made
(tools/build_model.py) nor when it is loaded (the server does, in a thread; no hook ever).
Next: docs/adr/0004-embedding-model.md has the choice and the figures.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.embedding.query_map import FILE as QUERY_MAP
from aforesaid.adapters.embedding.query_map import QueryMap
from aforesaid.adapters.embedding.windows import MOST_CHARACTERS, cut_windows
from aforesaid.domain.errors import CorruptError, UnavailableError
from aforesaid.domain.value import Value

if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIPPED_FOLDER = os.path.join(_PACKAGE, "models", "all-minilm-l6-v2-int8")

OVERLAP_TOKENS = 32
#: [CLS] before and [SEP] after each window.
SPECIAL_TOKENS = 2


class ModelCard(Value):
    """What a model folder says of itself in card.json."""

    id: str
    dimensions: int
    max_tokens: int
    model_sha256: str
    tokenizer_sha256: str
    query_map_sha256: str = ""  #: empty: questions are compared as they are

    @property
    def model(self) -> str:
        """Return the version to stamp on vectors: another file is another model."""
        return f"{self.id}@{self.model_sha256[:8]}"


class OnnxEmbedder:
    """Embeds with the model of a folder; an ``Embedder``, safe to share among threads.

    One text is one vector whatever is embedded beside it: windows are run one at a time, since
    the model quantises activations per batch. That is also the fastest (ADR 0004).
    """

    def __init__(self, folder: str) -> None:
        """Load the model; a third of a second.

        Raises:
            UnavailableError: A file or a Python package is missing.
            CorruptError: A file is not the one that the card names.
        """
        self._card = read_card(folder)
        model = os.path.join(folder, "model.onnx")
        tokenizer = os.path.join(folder, "tokenizer.json")
        _verify(model, self._card.model_sha256)
        _verify(tokenizer, self._card.tokenizer_sha256)
        # numpy's BLAS has one small product to make, yet starts a thread per core (45 ms) unless
        # told otherwise.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        # Official builds from 1.29 on report to Microsoft from the moment of import: a thread, a
        # device id and a database in the user's cache. Nothing here may leave the machine.
        os.environ["ORT_DISABLE_TELEMETRY"] = "1"
        self._numpy: Any = _import("numpy")
        self._session = _open_session(_import("onnxruntime"), model)
        self._tokenizer = _import("tokenizers").Tokenizer.from_file(tokenizer)
        # Upstream's file cuts at 128 tokens and pads everything to 128.
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._first = self._tokenizer.token_to_id("[CLS]")
        self._last = self._tokenizer.token_to_id("[SEP]")
        self.query_map: QueryMap | None = None
        if self._card.query_map_sha256:
            path = os.path.join(folder, QUERY_MAP)
            _verify(path, self._card.query_map_sha256)
            with open(path, "rb") as file:
                self.query_map = QueryMap(self._numpy, file.read(), self._card.dimensions)

    @property
    def model(self) -> str:
        """Return the name and hash of the model, such as ``all-minilm-l6-v2-int8@3dfa25b5``."""
        return self._card.model

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self._card.dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of the text's first window, as the query map turns it."""
        vector = self._vector(self._windows(text)[0])
        return vector if self.query_map is None else self.query_map.apply(vector)

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector per window of the text, in order; at least one, at most 64."""
        return [self._vector(window) for window in self._windows(text)]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text, in the order of the texts."""
        return [self.embed_document(text) for text in texts]

    def _windows(self, text: str) -> list[list[int]]:
        """Return the token ids of each window, without special tokens."""
        # A lone surrogate, as a damaged transcript may hold, is no text to the tokenizer.
        clean = text[:MOST_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        encoded = self._tokenizer.encode(clean, add_special_tokens=False)
        ids: list[int] = encoded.ids
        size = self._card.max_tokens - SPECIAL_TOKENS
        if len(ids) <= size:
            return [ids]
        places = encoded.offsets
        # What follows a gap begins a word; parts of a word, and its punctuation, stay together.
        opens_word = [True] + [after[0] > before[1] for before, after in pairwise(places)]
        windows = cut_windows(opens_word, size=size, overlap=OVERLAP_TOKENS)
        return [ids[start:end] for start, end in windows]

    def _vector(self, window: list[int]) -> bytes:
        """Return the window's vector, ``(dimensions,)`` float32, L2-normalised by the graph."""
        ids = self._numpy.array([[self._first, *window, self._last]], dtype="int64")
        inputs = {"input_ids": ids, "attention_mask": self._numpy.ones_like(ids)}
        (vectors,) = self._session.run(["embedding"], inputs)
        vector: bytes = vectors[0].astype("<f4").tobytes()
        return vector


def open_shipped() -> OnnxEmbedder:
    """Return the embedder that ships with the package.

    Raises:
        UnavailableError: A file or a Python package is missing.
        CorruptError: A file is not the one that was shipped.
    """
    return OnnxEmbedder(SHIPPED_FOLDER)


def read_card(folder: str) -> ModelCard:
    """Return what the folder's card.json says, without loading the model.

    Raises:
        UnavailableError: There is no card.
        CorruptError: The card lacks something.
    """
    path = os.path.join(folder, "card.json")
    try:
        with open(path, encoding="utf-8") as file:
            card = json.load(file)
        return ModelCard(
            id=str(card["id"]),
            dimensions=int(card["dimensions"]),
            max_tokens=int(card["max_tokens"]),
            model_sha256=str(card["files"]["model.onnx"]["sha256"]),
            tokenizer_sha256=str(card["files"]["tokenizer.json"]["sha256"]),
            query_map_sha256=str(card["files"].get(QUERY_MAP, {}).get("sha256", "")),
        )
    except OSError as error:
        raise _unreadable(path, error) from error
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptError(
            f"{path} does not describe a model ({error!r}), so texts get no vectors; recall "
            f"works by words alone. Install Aforesaid anew to get the card back."
        ) from error


def _verify(path: str, expected: str) -> None:
    """Raise unless the file has this sha256."""
    try:
        with open(path, "rb") as file:
            actual = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error
    if actual != expected:
        raise CorruptError(
            f"{path} has sha256 {actual}, but its card.json says {expected}: it is damaged or "
            f"altered and is not used; recall works by words alone. Install Aforesaid anew to "
            f"get the file back."
        )


def _unreadable(path: str, error: OSError) -> UnavailableError:
    return UnavailableError(
        f"{path} cannot be read ({error.strerror}), so texts get no vectors; recall works by "
        f"words alone. Install Aforesaid anew to get the file back."
    )


def _import(name: str) -> ModuleType:
    """Return the package, which set-up installs where the platform has it."""
    # By name at run time, so that importing this module costs nothing.
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise UnavailableError(
            f"The Python package {name} cannot be imported ({error}), so texts get no vectors; "
            f"recall works by words alone. Run `aforesaid setup` to install it; if it says that "
            f"there is no such package for this platform, words are all there is."
        ) from error


def _open_session(runtime: Any, path: str) -> Any:
    """Return a session on one thread that does not spin: cores belong to the user's own work."""
    runtime.disable_telemetry_events()  # the variable does not reach Windows' own tracing
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only: stderr is the client's
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
