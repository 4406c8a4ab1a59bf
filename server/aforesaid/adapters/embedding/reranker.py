"""A cross-encoder of a user's folder: ``tokenizer.json`` and ``model.onnx``, as published ones are.

It reads question and text together and answers with one number, or with two of which the second
says yes. One pair is run at a time, until the time is over.
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

MAX_TOKENS = 512  #: of a pair; the text is cut, the question only where it takes over half
_QUERY_CHARS = 1_000
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}


class OnnxReranker:
    """Scores pairs with the model of a folder; a ``Reranker``, safe to share among threads."""

    def __init__(self, folder: str) -> None:
        """Load the model.

        Raises:
            NotFoundError: the folder holds no model and tokenizer.
            CorruptError: its files contradict its card.
            UnavailableError: a Python package is missing, or the model is none that reads pairs.
        """
        card = describe_folder(folder)
        self._numpy, self._session, self._tokenizer = open_model(
            os.path.join(folder, card.model_file), os.path.join(folder, "tokenizer.json")
        )
        self._inputs = [one.name for one in self._session.get_inputs()]
        self._output = self._session.get_outputs()[0].name
        if not set(self._inputs) <= _INPUTS:
            raise UnavailableError(
                f"the model in {folder} asks for {', '.join(self._inputs)}, and one that reads "
                f"pairs asks for {', '.join(sorted(_INPUTS))} alone: choose another"
            )
        most = min(card.max_tokens, MAX_TOKENS) if card.max_tokens else MAX_TOKENS
        self._tokenizer.enable_truncation(most, strategy="longest_first")
        self._lock = threading.Lock()
        numbers = self._run("a", "b").size
        if numbers not in {1, 2}:
            raise UnavailableError(
                f"the model in {folder} answers a pair with {numbers} numbers, and one that tells "
                "how well a text answers has 1 or 2: choose another"
            )

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """Return the score of each text, higher is better; fewer where time is over before.

        Raises:
            UnavailableError: the model does not take what it is given.
        """
        end = time.monotonic() + seconds
        found: list[float] = []
        for text in texts:
            if time.monotonic() > end:
                break
            try:
                answer = self._run(query[:_QUERY_CHARS], text).ravel()
            except Exception as error:  # neither package's errors have a root of their own
                raise UnavailableError(f"the reranker cannot read this: {error}") from error
            found.append(float(answer[-1] - (answer[0] if answer.size > 1 else 0.0)))
        return found

    def _run(self, query: str, text: str) -> Any:
        """Return what the model says to one pair."""
        one, other = (each.encode("utf-8", "replace").decode("utf-8") for each in (query, text))
        with self._lock:  # a tokenizer that cuts is not for two threads at once
            encoded = self._tokenizer.encode(one, other)
        given = {
            "input_ids": encoded.ids,
            "attention_mask": encoded.attention_mask,
            "token_type_ids": encoded.type_ids,
        }
        feed = {name: self._numpy.array([given[name]], dtype="int64") for name in self._inputs}
        return self._session.run([self._output], feed)[0]
