"""Embedding models in a folder, run by onnxruntime: the shipped one or the user's.

Not here: the description of a folder (model_card.py), building the shipped file
(tools/build_model.py), when it is loaded (the server loads it in a thread, a hook never does).
Choice and figures: docs/adr/0004-embedding-model.md.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.embedding.chunking import MAX_CHARACTERS, cut_windows
from aforesaid.adapters.embedding.model_card import ModelCard, describe_folder, hash_of, read_card
from aforesaid.domain.errors import CorruptError, UnavailableError
from aforesaid.domain.model.embedding_model import SHIPPED_MODEL

if TYPE_CHECKING:
    from types import ModuleType

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHIPPED_FOLDER = os.path.join(_PACKAGE, "models", SHIPPED_MODEL)

OVERLAP_TOKENS = 32
_INPUTS = {"input_ids", "attention_mask", "token_type_ids", "position_ids"}
_POOLED_RANK = 2  #: of an output with a vector for each text instead of each token
#: Names that exporters give to an output with one vector for the whole text.
_POOLED = ("embedding", "sentence_embedding", "pooled_embedding")


class OnnxEmbedder:
    """An ``Embedder`` that runs the model of a folder; thread-safe.

    Chunks are run one at a time: the model quantises activations per batch, so that a vector would
    otherwise depend on the rest of the batch. This is also the fastest way (ADR 0004).
    """

    def __init__(self, folder: str, card: ModelCard | None = None) -> None:
        """Load the model, which takes a third of a second for the shipped one.

        Args:
            folder: the model's folder.
            card: its description; by default card.json is read.

        Raises:
            UnavailableError: a file or a Python package is missing.
            CorruptError: a file's checksum differs from the card's.
        """
        self._shipped = card is None
        self._card = card or read_card(folder)
        model = os.path.join(folder, self._card.model_file)
        tokenizer = os.path.join(folder, "tokenizer.json")
        if card is None:  # else the checksums were just computed from the files
            _verify(model, self._card.model_sha256)
            _verify(tokenizer, self._card.tokenizer_sha256)
        self._numpy, self._session, self._tokenizer = open_model(model, tokenizer)
        self._inputs = [tensor.name for tensor in self._session.get_inputs()]
        if not set(self._inputs) <= _INPUTS:
            raise UnavailableError(
                f"the model in {folder} has the inputs {', '.join(self._inputs)}, but a text model "
                f"may only have {', '.join(sorted(_INPUTS))}: choose another model"
            )
        self._output = _choose_output(self._session)
        sample = self._tokenizer.encode("a")
        inside = [index for index, mask in enumerate(sample.special_tokens_mask) if not mask]
        self._before = sample.ids[: inside[0]]
        self._after = sample.ids[inside[-1] + 1 :]
        self._dimensions = self._card.dimensions or len(self._vector([], "")) // 4

    @property
    def model(self) -> str:
        """Name and hash of the model, such as ``aforesaid-minilm-int8@ce43ac15``."""
        return self._card.model

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of the text's first chunk."""
        prefix = self._card.query_prefix
        return self._vector(self._windows(text, prefix)[0], prefix)

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector for each chunk of a text, in order: at least one, at most 64."""
        prefix = self._card.document_prefix
        return [self._vector(window, prefix) for window in self._windows(text, prefix)]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the vectors of each text's chunks, in the order of the texts."""
        return [self.embed_document(text) for text in texts]

    def _windows(self, text: str, prefix: str = "") -> list[list[int]]:
        """Return the token ids of each chunk, without prefix and special tokens."""
        # the tokenizer rejects lone surrogates, which damaged transcripts may contain
        clean = text[:MAX_CHARACTERS].encode("utf-8", "replace").decode("utf-8")
        encoded = self._tokenizer.encode(clean, add_special_tokens=False)
        ids: list[int] = encoded.ids
        around = len(self._before) + len(self._after) + len(self._ids(prefix))
        size = max(self._card.max_tokens - around, 1)
        if len(ids) <= size:
            return [ids]
        # a token after a gap starts a word; the parts of a word and its punctuation stay together
        opens_word = [True] + [after[0] > before[1] for before, after in pairwise(encoded.offsets)]
        overlap = min(OVERLAP_TOKENS, size // 4)
        windows = cut_windows(opens_word, size=size, overlap=overlap)
        return [ids[start:end] for start, end in windows]

    def _ids(self, prefix: str) -> list[int]:
        if not prefix:
            return []
        ids: list[int] = self._tokenizer.encode(prefix, add_special_tokens=False).ids
        return ids

    def _vector(self, window: list[int], prefix: str) -> bytes:
        """Return the chunk's vector, ``(dimensions,)`` float32, L2-normalised."""
        np = self._numpy
        tokens = [*self._before, *self._ids(prefix), *window, *self._after]
        ids = np.array([tokens], dtype="int64")
        values = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
            "position_ids": np.arange(ids.shape[1], dtype="int64")[None],
        }
        feed = {name: values[name] for name in self._inputs}
        (output,) = self._session.run([self._output], feed)
        is_pooled = output.ndim == _POOLED_RANK
        pooled = output[0] if is_pooled else _pool(output[0], self._card.pooling)
        if self._shipped:
            return bytes(pooled.astype("<f4").tobytes())  # normalised by the graph
        length = np.linalg.norm(pooled.astype("float64"))
        if not length:  # use an arbitrary direction
            pooled, length = np.eye(1, pooled.shape[-1])[0], 1.0
        return bytes((pooled / length).astype("<f4").tobytes())


def open_shipped() -> OnnxEmbedder:
    """Return the embedder of the shipped model.

    Raises:
        UnavailableError: a file or a Python package is missing.
        CorruptError: a file was altered.
    """
    return OnnxEmbedder(SHIPPED_FOLDER)


def open_folder(folder: str) -> OnnxEmbedder:
    """Return the embedder of a user's model folder.

    Raises:
        NotFoundError: the folder has no model or tokenizer.
        CorruptError: its files contradict its card.
        UnavailableError: a Python package is missing, or the runtime cannot load the model.
    """
    return OnnxEmbedder(folder, describe_folder(folder))


def open_model(model: str, tokenizer: str) -> tuple[Any, Any, Any]:
    """Return numpy, a runtime session, and the tokenizer without truncation and padding.

    Raises:
        UnavailableError: a package is missing, or cannot load its file.
    """
    # by default numpy's BLAS starts a thread per core (45 ms), for one small product
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # official builds from 1.29 on send telemetry to Microsoft as soon as they are imported (a
    # thread, a device id, a database in the user's cache); nothing may leave the machine
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    numpy: Any = _import("numpy")
    runtime = _import("onnxruntime")
    tokenizers = _import("tokenizers")
    try:
        session = _open_session(runtime, model)
        reader = tokenizers.Tokenizer.from_file(tokenizer)
    except Exception as error:  # the packages' errors have no common base class
        raise UnavailableError(
            f"cannot load the model in {os.path.dirname(tokenizer)}: {str(error)[:300]}"
        ) from error
    # published files truncate and pad to 128 tokens
    reader.no_padding()
    reader.no_truncation()
    return numpy, session, reader


def _choose_output(session: Any) -> str:
    """Return the name of the output to use: one vector for the text, if available."""
    names: list[str] = [tensor.name for tensor in session.get_outputs()]
    return next((name for name in _POOLED if name in names), names[0])


def _pool(tokens: Any, pooling: str) -> Any:
    """Pool the vectors of tokens, ``(tokens, dimensions)``, without padding."""
    if pooling == "cls":
        return tokens[0]
    if pooling == "last":
        return tokens[-1]
    return tokens.max(axis=0) if pooling == "max" else tokens.mean(axis=0)


def _verify(path: str, expected: str) -> None:
    """Raise unless a file has this sha256."""
    try:
        actual = hash_of(path)
    except UnavailableError as error:
        raise UnavailableError(
            f"{error}, so texts get no vectors, and recall uses words only. Reinstall Aforesaid to "
            "restore the file."
        ) from error
    if actual != expected:
        raise CorruptError(
            f"{path} has sha256 {actual}, but its card.json says {expected}: it is damaged or "
            "altered and is not used, and recall uses words only. Reinstall Aforesaid to restore "
            "the file."
        )


def _import(name: str) -> ModuleType:
    """Return a package, which set-up installs if the platform has it."""
    # imported by name at run time, so that importing this module is fast
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise UnavailableError(
            f"cannot import the Python package {name} ({error}), so texts get no vectors, and "
            "recall uses words only. Run `aforesaid setup` to install it; if it reports that the "
            "package does not exist for this platform, vector search is not available here."
        ) from error


def _open_session(runtime: Any, path: str) -> Any:
    """Return a session with one thread that does not spin, to leave the cores to the user."""
    runtime.disable_telemetry_events()  # the variable does not cover Windows tracing
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3  # errors only, because the client reads stderr
    return runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
