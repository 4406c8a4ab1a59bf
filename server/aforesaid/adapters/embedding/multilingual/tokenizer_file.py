"""Writes the tokenizer.json of multilingual-e5-small: a unigram model with XLM-RoBERTa's rules."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .packed_weights import PackedFile

_SPACE = "\u2581"  #: SentencePiece's mark of a space


def write_tokenizer(weights: PackedFile) -> bytes:
    """Return the file.

    Upstream's normaliser is a table of characters made from NMT's rules and NFKC. With the two
    rules instead, every character but two (U+FF5E and U+1F23B) gives the same text.
    """
    begin, end, padding, unknown = weights.special
    special = [
        {
            "id": number,
            "content": weights.pieces[number],
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
            "normalized": False,
            "special": True,
        }
        for number in sorted((begin, end, padding, unknown))
    ]
    content: dict[str, Any] = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": special,
        "normalizer": {
            "type": "Sequence",
            "normalizers": [
                {"type": "Nmt"},
                {"type": "NFKC"},
                {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "},
            ],
        },
        "pre_tokenizer": {
            "type": "Metaspace", "replacement": _SPACE, "prepend_scheme": "always", "split": True,
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_token(weights, begin), {"Sequence": {"id": "A", "type_id": 0}},
                       _token(weights, end)],
            "pair": [_token(weights, begin), {"Sequence": {"id": "A", "type_id": 0}},
                     _token(weights, end), {"Sequence": {"id": "B", "type_id": 0}},
                     _token(weights, end)],
            "special_tokens": {
                weights.pieces[number]: {
                    "id": weights.pieces[number],
                    "ids": [number],
                    "tokens": [weights.pieces[number]],
                }
                for number in (begin, end)
            },
        },
        "decoder": None,
        "model": {
            "type": "Unigram",
            "unk_id": unknown,
            "vocab": list(zip(weights.pieces, weights.scores, strict=True)),
            "byte_fallback": False,
        },
    }  # fmt: skip
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def _token(weights: PackedFile, number: int) -> dict[str, Any]:
    return {"SpecialToken": {"id": weights.pieces[number], "type_id": 0}}
