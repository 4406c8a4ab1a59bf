"""Scores (query, text) pairs with a cross-encoder in a folder (``tokenizer.json``, ``model.onnx``).

The model returns one number for a pair, or two of which the second means "relevant". Pairs are run
one at a time until the time limit.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import Any

from aforesaid.adapters.embedding.model_card import describe_folder
from aforesaid.adapters.embedding.onnx import open_model
from aforesaid.domain.errors import UnavailableError

MAX_TOKENS = 512  #: of a pair; the longer of query and text is truncated first
_QUERY_CHARS = 1_000
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


class OnnxReranker:
    """A ``Reranker`` that runs the model of a folder; thread-safe."""

    def __init__(self, folder: str) -> None:
        """Load the model.

        Raises:
            NotFoundError: the folder has no model or tokenizer.
            CorruptError: its files contradict its card.
            UnavailableError: a Python package is missing, or the model does not score pairs.
        """
        card = describe_folder(folder)
        self._numpy, self._session, self._tokenizer = open_model(
            os.path.join(folder, card.model_file), os.path.join(folder, "tokenizer.json")
        )
        self._inputs = [tensor.name for tensor in self._session.get_inputs()]
        self._output = self._session.get_outputs()[0].name
        if not set(self._inputs) <= _INPUTS:
            raise UnavailableError(
                f"the model in {folder} has the inputs {', '.join(self._inputs)}, but a reranker "
                f"may only have {', '.join(sorted(_INPUTS))}: choose another model"
            )
        max_tokens = min(card.max_tokens, MAX_TOKENS) if card.max_tokens else MAX_TOKENS
        self._tokenizer.enable_truncation(max_tokens, strategy="longest_first")
        self._lock = threading.Lock()
        outputs = self._run("a", "b").size
        if outputs not in {1, 2}:
            raise UnavailableError(
                f"the model in {folder} returns {outputs} numbers for a pair, but a reranker "
                "returns 1 or 2: choose another model"
            )

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """Return the scores of the texts, higher is better; fewer if the time runs out.

        Raises:
            UnavailableError: the model failed.
        """
        deadline = time.monotonic() + seconds
        scores: list[float] = []
        for text in texts:
            if time.monotonic() > deadline:
                break
            try:
                output = self._run(query[:_QUERY_CHARS], text).ravel()
            except Exception as error:  # the packages' errors have no common base class
                raise UnavailableError(f"the reranker failed: {error}") from error
            scores.append(float(output[-1] - (output[0] if output.size > 1 else 0.0)))
        return scores

    def _run(self, query: str, text: str) -> Any:
        """Return the model's output for one pair."""
        pair = (part.encode("utf-8", "replace").decode("utf-8") for part in (query, text))
        with self._lock:  # a tokenizer with truncation is not thread-safe
            encoded = self._tokenizer.encode(*pair)
        values = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        feed = {name: self._numpy.array([values[name]], dtype="int64") for name in self._inputs}
        return self._session.run([self._output], feed)[0]
