"""Embedding models in a folder, run by onnxruntime: the one that ships, and any of the user's.

Here: loading a model by its card, and text to vectors. Not here: what a folder says of itself
(model_card.py), how the shipped file was made (tools/build_model.py), nor when it is loaded (the
server does, in a thread; no hook ever). Next: docs/adr/0004-embedding-model.md has the choice and
the figures.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.embedding.chunking import MAX_CHARACTERS, cut_windows
from aforesaid.adapters.embedding.model_card import ModelCard, describe_folder, hash_of, read_card
from aforesaid.adapters.embedding.query_projection import FILE as QUERY_MAP
from aforesaid.adapters.embedding.query_projection import QueryProjection
from aforesaid.domain.errors import CorruptError, UnavailableError

if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIPPED_FOLDER = os.path.join(_PACKAGE, "models", "all-minilm-l6-v2-int8")

OVERLAP_TOKENS = 32
_INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
_OF_TEXTS = 2  #: dimensions of an output that has a vector for each text, not for each token
#: Outputs that are one vector for the whole text, by the names that exporters give them.
_POOLED = ("embedding", "sentence_embedding", "pooled_embedding")


class OnnxEmbedder:
    """Embeds with the model of a folder; an ``Embedder``, safe to share among threads.

    One text is one vector whatever is embedded beside it: windows are run one at a time, since
    the model quantises activations per batch. That is also the fastest (ADR 0004).
    """

    def __init__(self, folder: str, card: ModelCard | None = None) -> None:
        """Load the model; a third of a second for the shipped one.

        Args:
            folder: where its files are.
            card: what they are; read from card.json where it is not given.

        Raises:
            UnavailableError: A file or a Python package is missing.
            CorruptError: A file is not the one that the card names.
        """
        self._shipped = card is None
        self._card = card or read_card(folder)
        model = os.path.join(folder, self._card.model_file)
        tokenizer = os.path.join(folder, "tokenizer.json")
        if card is None:  # else the hashes were taken from the files just now
            _verify(model, self._card.model_sha256)
            _verify(tokenizer, self._card.tokenizer_sha256)
        query_map = os.path.join(folder, QUERY_MAP)
        if self._card.query_map_sha256:
            _verify(query_map, self._card.query_map_sha256)
        self._numpy, self._session, self._tokenizer = open_model(model, tokenizer)
        self._inputs = [one.name for one in self._session.get_inputs()]
        if not set(self._inputs) <= _INPUTS:
            raise UnavailableError(
                f"the model in {folder} asks for {', '.join(self._inputs)}, and a model of texts "
                f"asks for {', '.join(sorted(_INPUTS))} alone: choose another"
            )
        self._output = _choose_output(self._session)
        sample = self._tokenizer.encode("a")
        inside = [place for place, mask in enumerate(sample.special_tokens_mask) if not mask]
        self._before = sample.ids[: inside[0]]
        self._after = sample.ids[inside[-1] + 1 :]
        self.query_map: QueryProjection | None = None
        if self._card.query_map_sha256:
            with open(query_map, "rb") as file:
                self.query_map = QueryProjection(self._numpy, file.read(), self._card.dimensions)
        self._dimensions = self._card.dimensions or len(self._vector([], "")) // 4

    @property
    def model(self) -> str:
        """Return the name and hash of the model, such as ``all-minilm-l6-v2-int8@3dfa25b5``."""
        return self._card.model

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self._dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of the text's first window, as the query map turns it."""
        prefix = self._card.query_prefix
        vector = self._vector(self._windows(text, prefix)[0], prefix)
        return vector if self.query_map is None else self.query_map.apply(vector)

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector per window of the text, in order; at least one, at most 64."""
        prefix = self._card.document_prefix
        return [self._vector(window, prefix) for window in self._windows(text, prefix)]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text, in the order of the texts."""
        return [self.embed_document(text) for text in texts]

    def _windows(self, text: str, prefix: str = "") -> list[list[int]]:
        """Return the token ids of each window, without prefix and special tokens."""
        # A lone surrogate, as a damaged transcript may hold, is no text to the tokenizer.
        clean = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        encoded = self._tokenizer.encode(clean, add_special_tokens=False)
        ids: list[int] = encoded.ids
        around = len(self._before) + len(self._after) + len(self._ids(prefix))
        size = max(self._card.max_tokens - around, 1)
        if len(ids) <= size:
            return [ids]
        places = encoded.offsets
        # What follows a gap begins a word; parts of a word, and its punctuation, stay together.
        opens_word = [True] + [after[0] > before[1] for before, after in pairwise(places)]
        overlap = min(OVERLAP_TOKENS, size // 4)
        windows = cut_windows(opens_word, size=size, overlap=overlap)
        return [ids[start:end] for start, end in windows]

    def _ids(self, prefix: str) -> list[int]:
        if not prefix:
            return []
        ids: list[int] = self._tokenizer.encode(prefix, add_special_tokens=False).ids
        return ids

    def _vector(self, window: list[int], prefix: str) -> bytes:
        """Return the window's vector, ``(dimensions,)`` float32, L2-normalised."""
        np = self._numpy
        tokens = [*self._before, *self._ids(prefix), *window, *self._after]
        ids = np.array([tokens], dtype="int64")
        given = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.arange(ids.shape[1], dtype="int64")[None],
        }
        (answer,) = self._session.run([self._output], {name: given[name] for name in self._inputs})
        pooled = answer[0] if answer.ndim == _OF_TEXTS else _pool(answer[0], self._card.pooling)
        if self._shipped:
            return bytes(pooled.astype("<f4").tobytes())  # the graph made it one long
        long = np.linalg.norm(pooled.astype("float64"))
        if not long:  # no direction: one of its own, near to nothing else
            pooled, long = np.eye(1, pooled.shape[-1])[0], 1.0
        return bytes((pooled / long).astype("<f4").tobytes())


def open_shipped() -> OnnxEmbedder:
    """Return the embedder that ships with the package.

    Raises:
        UnavailableError: A file or a Python package is missing.
        CorruptError: A file is not the one that was shipped.
    """
    return OnnxEmbedder(SHIPPED_FOLDER)


def open_folder(folder: str) -> OnnxEmbedder:
    """Return the embedder of a user's model folder.

    Raises:
        NotFoundError: it holds no model and tokenizer.
        CorruptError: its files contradict its card.
        UnavailableError: a Python package is missing, or the runtime cannot read the model.
    """
    return OnnxEmbedder(folder, describe_folder(folder))


def open_model(model: str, tokenizer: str) -> tuple[Any, Any, Any]:
    """Return numpy, a session of the runtime, and the tokenizer without cutting and padding.

    Raises:
        UnavailableError: a package is missing, or a file cannot be read by it.
    """
    # numpy's BLAS has one small product to make, yet starts a thread per core (45 ms) unless
    # told otherwise.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Official builds from 1.29 on report to Microsoft from the moment of import: a thread, a
    # device id and a database in the user's cache. Nothing here may leave the machine.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    numpy: Any = _import("numpy")
    runtime = _import("onnxruntime")
    tokenizers = _import("tokenizers")
    try:
        session = _open_session(runtime, model)
        reader = tokenizers.Tokenizer.from_file(tokenizer)
    except Exception as error:  # neither package's errors have a root of their own
        raise UnavailableError(
            f"the model in {os.path.dirname(tokenizer)} cannot be loaded: {str(error)[:300]}"
        ) from error
    # Files as published cut at 128 tokens and pad everything to 128.
    reader.no_padding()
    reader.no_truncation()
    return numpy, session, reader


def _choose_output(session: Any) -> str:
    """Return the name of the output to take: a vector for the text if there is one."""
    names: list[str] = [one.name for one in session.get_outputs()]
    return next((name for name in _POOLED if name in names), names[0])


def _pool(tokens: Any, pooling: str) -> Any:
    """Return one vector of those of the tokens, ``(tokens, dimensions)``; none is padding."""
    if pooling == "cls":
        return tokens[0]
    if pooling == "last":
        return tokens[-1]
    return tokens.max(axis=0) if pooling == "max" else tokens.mean(axis=0)


def _verify(path: str, expected: str) -> None:
    """Raise unless the file has this sha256."""
    try:
        actual = hash_of(path)
    except UnavailableError as error:
        raise UnavailableError(
            f"{error}, so texts get no vectors; recall works by words alone. Install Aforesaid "
            f"anew to get the file back."
        ) from error
    if actual != expected:
        raise CorruptError(
            f"{path} has sha256 {actual}, but its card.json says {expected}: it is damaged or "
            f"altered and is not used; recall works by words alone. Install Aforesaid anew to "
            f"get the file back."
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
