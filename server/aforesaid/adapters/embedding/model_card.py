"""Describes the model in a folder, by our own card or the sentence-transformers files beside it.

A folder contains ``tokenizer.json`` and ``model.onnx`` (or ``onnx/model.onnx``). ``card.json`` or
``card.toml`` may set ``id``, ``model_file``, ``dimensions``, ``max_tokens``, ``pooling`` (mean,
cls, max, last; none if the graph pools), ``query_prefix``, ``document_prefix`` and, under
``files``, the sha256 of each file. Missing values come from ``modules.json``, the pooling module's
``config.json``, ``sentence_bert_config.json`` and ``config_sentence_transformers.json``. Vectors
are always normalised, so the card does not say whether the model does it.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from typing import Any

from aforesaid.adapters.system.user_files import open_regular, read_bytes
from aforesaid.domain.errors import (
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.value import Value

POOLINGS = ("mean", "cls", "max", "last", "none")
DEFAULT_TOKENS = 256
MIN_TOKENS = 8
MAX_TOKENS = 8_192  #: of one run, because memory use grows with the square
_MODELS = ("model.onnx", os.path.join("onnx", "model.onnx"))
_MODES = {
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_lasttoken": "last",
}
_MAX_CARD_BYTES = 1 << 22
_MAX_MODEL_BYTES = 1 << 36


class ModelCard(Value):
    """The description of a model folder."""

    id: str
    dimensions: int  #: 0 if only running the model can tell
    max_tokens: int
    model_sha256: str
    tokenizer_sha256: str
    pooling: str = "none"
    query_prefix: str = ""
    document_prefix: str = ""
    model_file: str = "model.onnx"
    version: str = ""  #: of the vectors, if they depend on more than the model's file

    @property
    def model(self) -> str:
        """Name stored with vectors; another file counts as another model."""
        return f"{self.id}@{self.version or self.model_sha256[:8]}"


def read_card(folder: str) -> ModelCard:
    """Return the content of a folder's card.json, without loading the model.

    Raises:
        UnavailableError: there is no card.
        CorruptError: the card is incomplete.
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
        )
    except OSError as error:
        raise UnavailableError(
            f"cannot read {path} ({error.strerror}), so texts get no vectors, and recall uses "
            "words only. Reinstall Aforesaid to restore the file."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptError(
            f"{path} does not describe a model ({error!r}), so texts get no vectors, and recall "
            "uses words only. Reinstall Aforesaid to restore the card."
        ) from error


def describe_folder(folder: str) -> ModelCard:
    """Return the description of a user's model folder, with its files' current checksums.

    Raises:
        NotFoundError: it has no model or tokenizer.
        CorruptError: the card is invalid or contradicts the files.
    """
    fields = _read_fields(folder)
    model_file = next(
        (name for name in _model_files(fields) if os.path.isfile(os.path.join(folder, name))), None
    )
    if model_file is None or not os.path.isfile(os.path.join(folder, "tokenizer.json")):
        raise NotFoundError(
            f"{folder} is not a model folder: it needs tokenizer.json and model.onnx (or "
            "onnx/model.onnx); `aforesaid model list` shows the folders that are"
        )
    pooling = str(fields.get("pooling", "mean"))
    try:
        max_tokens = int(fields.get("max_tokens", DEFAULT_TOKENS))
        dimensions = int(fields.get("dimensions", 0))
    except (TypeError, ValueError):
        max_tokens = dimensions = -1
    if pooling not in POOLINGS or max_tokens < MIN_TOKENS or dimensions < 0:
        raise CorruptError(
            f"the card in {folder} has pooling {pooling!r}, max_tokens "
            f"{fields.get('max_tokens')!r} and dimensions {fields.get('dimensions')!r}: pooling "
            f"must be one of {', '.join(POOLINGS)}, max_tokens a number of at least {MIN_TOKENS}, "
            "dimensions a number"
        )
    hashes = {name: hash_of(os.path.join(folder, name)) for name in (model_file, "tokenizer.json")}
    _check_hashes(folder, fields, hashes)
    query, document = (str(fields.get(f"{kind}_prefix", "")) for kind in ("query", "document"))
    identity = (*hashes.values(), pooling, str(min(max_tokens, MAX_TOKENS)), query, document)
    return ModelCard(
        id=str(fields.get("id") or os.path.basename(os.path.abspath(folder))),
        dimensions=dimensions,
        max_tokens=min(max_tokens, MAX_TOKENS),
        model_sha256=hashes[model_file],
        tokenizer_sha256=hashes["tokenizer.json"],
        pooling=pooling,
        query_prefix=query,
        document_prefix=document,
        model_file=model_file,
        version=hashlib.sha256("\0".join(identity).encode()).hexdigest()[:8],
    )


def _model_files(fields: dict[str, Any]) -> tuple[str, ...]:
    """Return where the model's file may be: the card's path, if inside the folder, or the usual."""
    name = str(fields.get("model_file", ""))
    parts = name.split("/")
    if name.startswith("/") or any(part in {"", ".."} or "\\" in part for part in parts):
        return _MODELS
    return (os.path.join(*parts),)


def hash_of(path: str) -> str:
    """Return the sha256 of a file.

    Raises:
        UnavailableError: the file cannot be read.
    """
    try:
        with open_regular(path, _MAX_MODEL_BYTES) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (NotFoundError, InvalidInputError) as error:
        raise UnavailableError(str(error)) from error
    except OSError as error:
        raise UnavailableError(f"cannot read {path} ({error.strerror})") from error


def _check_hashes(folder: str, fields: dict[str, Any], hashes: dict[str, str]) -> None:
    files = fields.get("files")
    for name, actual in hashes.items():
        entry = files.get(name) if isinstance(files, dict) else None
        expected = entry.get("sha256") if isinstance(entry, dict) else entry
        if expected is not None and expected != actual:
            raise CorruptError(
                f"{os.path.join(folder, name)} has sha256 {actual}, but the card says {expected}: "
                "it is damaged or altered and is not used; download it again with "
                "`aforesaid model download`"
            )


def _read_fields(folder: str) -> dict[str, Any]:
    """Return the fields of our card, completed from the sentence-transformers files."""
    fields: dict[str, Any] = {}
    limits = _json(folder, "sentence_bert_config.json") or _json(folder, "tokenizer_config.json")
    for name in ("max_seq_length", "model_max_length"):
        limit = limits.get(name)  # 1e30 if the tokenizer has no limit
        if isinstance(limit, (int, float)) and MIN_TOKENS <= limit <= MAX_TOKENS:
            fields["max_tokens"] = int(limit)
    pooling = _json(folder, os.path.join(_pooling_folder(folder), "config.json"))
    modes = [name for mode, name in _MODES.items() if pooling.get(mode) is True]
    if modes:
        fields["pooling"] = modes[0]
    if isinstance(pooling.get("word_embedding_dimension"), int):
        fields["dimensions"] = pooling["word_embedding_dimension"]
    prompts = _json(folder, "config_sentence_transformers.json").get("prompts")
    if isinstance(prompts, dict):
        fields["query_prefix"] = prompts.get("query") or ""
        fields["document_prefix"] = prompts.get("document") or prompts.get("passage") or ""
    return {**fields, **_card(folder)}


def _card(folder: str) -> dict[str, Any]:
    path = os.path.join(folder, "card.toml")
    try:
        return tomllib.loads(read_bytes(path, _MAX_CARD_BYTES).decode("utf-8"))
    except NotFoundError:
        return _json(folder, "card.json")
    except (UnavailableError, InvalidInputError, ValueError) as error:
        raise CorruptError(f"{path} is not a valid model card: {error}") from error


def _pooling_folder(folder: str) -> str:
    modules = _read_json(folder, "modules.json")
    for module in modules if isinstance(modules, list) else ():
        if isinstance(module, dict) and str(module.get("type", "")).endswith("Pooling"):
            name = str(module.get("path", ""))
            return name if name and os.path.basename(name) == name else "1_Pooling"
    return "1_Pooling"


def _json(folder: str, name: str) -> dict[str, Any]:
    value = _read_json(folder, name)
    return value if isinstance(value, dict) else {}


def _read_json(folder: str, name: str) -> Any:
    path = os.path.join(folder, name)
    try:
        return json.loads(read_bytes(path, _MAX_CARD_BYTES))
    except NotFoundError:
        return None
    except (UnavailableError, InvalidInputError, ValueError, RecursionError) as error:
        raise CorruptError(f"cannot read {path} as JSON: {error}") from error
