"""What a model folder says of itself: our own card, or what its makers left beside the weights.

A folder holds ``tokenizer.json`` and ``model.onnx`` (or ``onnx/model.onnx``). ``card.json`` or
``card.toml`` may say ``id``, ``model_file``, ``dimensions``, ``max_tokens``, ``pooling`` (mean,
cls, max, last; none where the graph pools), ``query_prefix``, ``document_prefix`` and, under
``files``, sha256 of each. What it leaves open comes from ``modules.json``, the pooling module's
``config.json``, ``sentence_bert_config.json`` and ``config_sentence_transformers.json``. Vectors
are always made one long, so that whether a model normalises is no question.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from typing import Any

from aforesaid.adapters.embedding.query_projection import FILE as QUERY_MAP
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
MAX_TOKENS = 8_192  #: that one run reads, whatever a folder says: memory grows with the square
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
    """What a model folder says of itself."""

    id: str
    dimensions: int  #: 0 where only the model itself can tell
    max_tokens: int
    model_sha256: str
    tokenizer_sha256: str
    query_map_sha256: str = ""  #: empty: questions are compared as they are
    pooling: str = "none"
    query_prefix: str = ""
    document_prefix: str = ""
    model_file: str = "model.onnx"
    version: str = ""  #: of the vectors, where more than the model's file decides about them

    @property
    def model(self) -> str:
        """Return the version to stamp on vectors: another file is another model."""
        return f"{self.id}@{self.version or self.model_sha256[:8]}"


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
        raise UnavailableError(
            f"{path} cannot be read ({error.strerror}), so texts get no vectors; recall works by "
            f"words alone. Install Aforesaid anew to get the file back."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise CorruptError(
            f"{path} does not describe a model ({error!r}), so texts get no vectors; recall "
            f"works by words alone. Install Aforesaid anew to get the card back."
        ) from error


def describe_folder(folder: str) -> ModelCard:
    """Return what a user's model folder is, its files' hashes taken now.

    Raises:
        NotFoundError: it holds no model and tokenizer.
        CorruptError: a card contradicts itself or the files.
    """
    told = _told(folder)
    model_file = next(
        (name for name in _named(told) if os.path.isfile(os.path.join(folder, name))), None
    )
    if model_file is None or not os.path.isfile(os.path.join(folder, "tokenizer.json")):
        raise NotFoundError(
            f"{folder} is no model folder: it needs tokenizer.json and model.onnx (or "
            "onnx/model.onnx); `aforesaid model list` shows those that are"
        )
    pooling = str(told.get("pooling", "mean"))
    try:
        max_tokens = int(told.get("max_tokens", DEFAULT_TOKENS))
        dimensions = int(told.get("dimensions", 0))
    except (TypeError, ValueError):
        max_tokens = dimensions = -1
    if pooling not in POOLINGS or max_tokens < MIN_TOKENS or dimensions < 0:
        raise CorruptError(
            f"{folder}: its card says pooling {pooling!r}, max_tokens {told.get('max_tokens')!r}, "
            f"dimensions {told.get('dimensions')!r}: use {', '.join(POOLINGS)} and numbers"
        )
    hashes = {name: hash_of(os.path.join(folder, name)) for name in (model_file, "tokenizer.json")}
    _compare(folder, told, hashes)
    query, document = (str(told.get(f"{kind}_prefix", "")) for kind in ("query", "document"))
    decides = (*hashes.values(), pooling, str(min(max_tokens, MAX_TOKENS)), query, document)
    return ModelCard(
        id=str(told.get("id") or os.path.basename(os.path.abspath(folder))),
        dimensions=dimensions,
        max_tokens=min(max_tokens, MAX_TOKENS),
        model_sha256=hashes[model_file],
        tokenizer_sha256=hashes["tokenizer.json"],
        pooling=pooling,
        query_prefix=query,
        document_prefix=document,
        model_file=model_file,
        version=hashlib.sha256("\0".join(decides).encode()).hexdigest()[:8],
    )


def _named(told: dict[str, Any]) -> tuple[str, ...]:
    """Return where a model's file may be: where its card says, inside the folder, or as usual."""
    name = str(told.get("model_file", ""))
    parts = name.split("/")
    if not name or name.startswith("/") or any(one in {"", ".."} or "\\" in one for one in parts):
        return _MODELS
    return (os.path.join(*parts),)


def hash_of(path: str) -> str:
    """Return the sha256 of a file.

    Raises:
        UnavailableError: it cannot be read.
    """
    try:
        with open_regular(path, _MAX_MODEL_BYTES) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (NotFoundError, InvalidInputError) as error:
        raise UnavailableError(str(error)) from error
    except OSError as error:
        raise UnavailableError(f"{path} cannot be read ({error.strerror})") from error


def _compare(folder: str, told: dict[str, Any], hashes: dict[str, str]) -> None:
    files = told.get("files")
    for name, actual in hashes.items():
        said = files.get(name) if isinstance(files, dict) else None
        expected = said.get("sha256") if isinstance(said, dict) else said
        if expected is not None and expected != actual:
            raise CorruptError(
                f"{os.path.join(folder, name)} has sha256 {actual}, but the card says {expected}: "
                "it is damaged or altered and is not used; `aforesaid model download` gets it anew"
            )


def _told(folder: str) -> dict[str, Any]:
    """Return what our card says, and for what it leaves open what the makers' files say."""
    told: dict[str, Any] = {}
    limits = _json(folder, "sentence_bert_config.json") or _json(folder, "tokenizer_config.json")
    for name in ("max_seq_length", "model_max_length"):
        # a tokenizer without a limit says 1e30
        if isinstance(limits.get(name), (int, float)) and (
            MIN_TOKENS <= limits[name] <= MAX_TOKENS
        ):
            told["max_tokens"] = int(limits[name])
    pooling = _json(folder, os.path.join(_pooling_folder(folder), "config.json"))
    modes = [said for mode, said in _MODES.items() if pooling.get(mode) is True]
    if modes:
        told["pooling"] = modes[0]
    if isinstance(pooling.get("word_embedding_dimension"), int):
        told["dimensions"] = pooling["word_embedding_dimension"]
    prompts = _json(folder, "config_sentence_transformers.json").get("prompts")
    if isinstance(prompts, dict):
        told["query_prefix"] = prompts.get("query") or ""
        told["document_prefix"] = prompts.get("document") or prompts.get("passage") or ""
    return {**told, **_card(folder)}


def _card(folder: str) -> dict[str, Any]:
    path = os.path.join(folder, "card.toml")
    try:
        return tomllib.loads(read_bytes(path, _MAX_CARD_BYTES).decode("utf-8"))
    except NotFoundError:
        return _json(folder, "card.json")
    except (UnavailableError, InvalidInputError, ValueError) as error:
        raise CorruptError(f"{path} is no card: {error}") from error


def _pooling_folder(folder: str) -> str:
    for module in _json_list(folder, "modules.json"):
        if isinstance(module, dict) and str(module.get("type", "")).endswith("Pooling"):
            name = str(module.get("path", ""))
            return name if name and os.path.basename(name) == name else "1_Pooling"
    return "1_Pooling"


def _json(folder: str, name: str) -> dict[str, Any]:
    found = _read_json(folder, name)
    return found if isinstance(found, dict) else {}


def _json_list(folder: str, name: str) -> list[Any]:
    found = _read_json(folder, name)
    return found if isinstance(found, list) else []


def _read_json(folder: str, name: str) -> Any:
    path = os.path.join(folder, name)
    try:
        return json.loads(read_bytes(path, _MAX_CARD_BYTES))
    except NotFoundError:
        return None
    except (UnavailableError, InvalidInputError, ValueError, RecursionError) as error:
        raise CorruptError(f"{path} is not read as JSON: {error}") from error
