"""Train a small cross-encoder on pairs, as a folder that ``retrieval.reranker`` reads.

``python bench/models/train_reranker.py --weights FOLDER --pairs FILES --out FOLDER``, in an
environment of its own (torch 2.13.0 for the processor, onnx, onnxscript, tokenizers, safetensors):
neither the product nor any other bench needs torch. Pairs are what reranker_pairs.py writes; the
folder with the weights has model.safetensors and tokenizer.json of all-MiniLM-L6-v2
(tools/build_model.py tells where from).

The lower layers stay as they are and read question and text apart, so each is run once for all
pairs; the upper ones read both together and learn. A score weighs three things: the cosine of both
sides' means, how near each token of the question is to its nearest in the text, and what the first
token has learned to say. It begins near the embedder's, so few examples do not make it worse.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import sys
import time
from dataclasses import dataclass
from typing import Any

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import nn
from torch.nn import functional

SIZE, HEADS, INNER, LAYERS, PLACES, WORDS = 384, 12, 1536, 6, 512, 30522
EPSILON = 1e-12
APART = 4  #: lower layers, in which neither side sees the other
MASKED = -1e9  #: added to what is not to be attended to
MOST_TOKENS = 80  #: of a text in training
TEXTS = 6  #: of a question in a step: one or two answer, the others came first for the product
QUESTIONS = 3  #: in a step
RATE, HEAD_RATE = 1e-4, 1e-3
WARM = 0.05  #: share of the training in which the rate rises
HALVED = torch.autocast("cpu", torch.bfloat16)  #: products of matrices in half the bits


class CrossEncoder(nn.Module):
    """The network; scores ``(batch, 1)`` of pairs, higher is better."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(WORDS, SIZE)
        self.places = nn.Embedding(PLACES, SIZE)
        self.norm = nn.LayerNorm(SIZE, EPSILON)
        shape = (SIZE, HEADS, INNER, 0.1, functional.gelu, EPSILON)
        layers = [nn.TransformerEncoderLayer(*shape, batch_first=True) for _ in range(LAYERS)]
        self.lower, self.upper = nn.ModuleList(layers[:APART]), nn.ModuleList(layers[APART:])
        self.learned = nn.Linear(SIZE, 1)
        self.weights = nn.Parameter(torch.tensor([10.0, 10.0]))

    def load(self, weights: dict[str, torch.Tensor]) -> None:
        """Take the weights of the embedder; the lower ones are to stay as they are."""
        side = weights["embeddings.token_type_embeddings.weight"][0]
        self.words.weight.data.copy_(weights["embeddings.word_embeddings.weight"] + side)
        self.places.weight.data.copy_(weights["embeddings.position_embeddings.weight"])
        _copy(self.norm, weights, "embeddings.LayerNorm")
        for number, layer in enumerate([*self.lower, *self.upper]):
            at = f"encoder.layer.{number}"
            for kind in ("weight", "bias"):
                three = [weights[f"{at}.attention.self.{one}.{kind}"] for one in _THREE]
                getattr(layer.self_attn, f"in_proj_{kind}").data.copy_(torch.cat(three))
            _copy(layer.self_attn.out_proj, weights, f"{at}.attention.output.dense")
            _copy(layer.norm1, weights, f"{at}.attention.output.LayerNorm")
            _copy(layer.linear1, weights, f"{at}.intermediate.dense")
            _copy(layer.linear2, weights, f"{at}.output.dense")
            _copy(layer.norm2, weights, f"{at}.output.LayerNorm")
        nn.init.zeros_(self.learned.weight)
        for part in (self.words, self.places, self.norm, self.lower):
            part.requires_grad_(False)

    def forward(self, ids: torch.Tensor, mask: torch.Tensor, sides: torch.Tensor) -> torch.Tensor:
        """Return the score of each pair.

        Args:
            ids: of tokens, shape (batch, tokens), as the other two.
            mask: 1 where there is a token.
            sides: 0 in the question, 1 in the text, whose places are counted from 0 again.
        """
        asked = (mask * (1 - sides)).sum(1, keepdim=True)
        where = torch.arange(ids.shape[1], device=ids.device) - sides * asked
        hidden = self.norm(self.words(ids) + self.places(where))
        seen = (sides.unsqueeze(1) == sides.unsqueeze(2)) & (mask.unsqueeze(1) == 1)
        unseen = (~seen).float().mul(MASKED).repeat_interleave(HEADS, 0)
        for layer in self.lower:
            hidden = layer(hidden, src_mask=unseen)
        return self.together(hidden, mask, sides)

    def alone(self, ids: torch.Tensor) -> torch.Tensor:
        """Return what the lower layers make of one side, ``(tokens, SIZE)``."""
        hidden = self.norm(self.words(ids) + self.places.weight[: len(ids)]).unsqueeze(0)
        for layer in self.lower:
            hidden = layer(hidden)
        return hidden.squeeze(0)

    def together(
        self, hidden: torch.Tensor, mask: torch.Tensor, sides: torch.Tensor
    ) -> torch.Tensor:
        """Return the scores of what the lower layers made of both sides."""
        for layer in self.upper:
            hidden = layer(hidden, src_key_padding_mask=(1 - mask).float() * MASKED)
        text = (sides * mask).float().unsqueeze(-1)
        asked = ((1 - sides) * mask).float().unsqueeze(-1)
        means = [
            functional.normalize((hidden * side).sum(1) / side.sum(1), dim=-1)
            for side in (asked, text)
        ]
        cosine = (means[0] * means[1]).sum(-1)
        each = functional.normalize(hidden, dim=-1)
        near = (each @ each.transpose(1, 2) - 2 * (1 - text.transpose(1, 2))).amax(-1)
        nearest = (near * asked.squeeze(-1)).sum(1) / asked.squeeze(-1).sum(1)
        told = torch.stack([cosine, nearest], -1) @ self.weights
        return told.unsqueeze(-1) + self.learned(hidden[:, 0])


_THREE = ("query", "key", "value")


def _copy(into: Any, weights: dict[str, torch.Tensor], name: str) -> None:
    into.weight.data.copy_(weights[f"{name}.weight"])
    into.bias.data.copy_(weights[f"{name}.bias"])


@dataclass
class Sides:
    """What the lower layers make of texts, each run once."""

    model: CrossEncoder
    tokenizer: Tokenizer

    def __post_init__(self) -> None:
        self._known: dict[tuple[str, bool], torch.Tensor] = {}

    def pairs(self, pairs: list[tuple[str, str]]) -> tuple[torch.Tensor, ...]:
        """Return hidden states, mask and sides of pairs, padded to the longest."""
        both = [(self._one(one, asked=True), self._one(two, asked=False)) for one, two in pairs]
        most = max(len(one) + len(two) for one, two in both)
        hidden = torch.zeros(len(both), most, SIZE)
        mask, sides = (torch.zeros(len(both), most, dtype=torch.int64) for _ in range(2))
        for row, (one, two) in enumerate(both):
            end = len(one) + len(two)
            hidden[row, :end] = torch.cat([one, two])
            mask[row, :end] = 1
            sides[row, len(one) : end] = 1
        return hidden, mask, sides

    def _one(self, text: str, *, asked: bool) -> torch.Tensor:
        """Return the states of a question, or of a text: it has no first token of its own."""
        if (text, asked) not in self._known:
            ids = self.tokenizer.encode(text).ids[0 if asked else 1 :]
            with torch.no_grad(), HALVED:
                made = self.model.alone(torch.tensor(ids))
            self._known[text, asked] = made.half()
        return self._known[text, asked].float()


def choose(example: dict[str, Any], chance: random.Random) -> tuple[list[int], int]:
    """Return places of texts to read, what answers first, and how many of them answer."""
    right = example["answers"]
    wrong = [place for place in range(len(example["texts"])) if place not in right]
    some = chance.sample(right, min(len(right), 2))
    return some + chance.sample(wrong, min(len(wrong), TEXTS - len(some))), len(some)


def train(
    model: CrossEncoder, sides: Sides, examples: list[dict[str, Any]], minutes: float, epochs: int
) -> None:
    """Train until the time or the epochs are over; what answers is to be the likeliest."""
    chance = random.Random(1)
    head = [model.weights, *model.learned.parameters()]
    groups = [
        {"params": model.upper.parameters(), "lr": RATE},
        {"params": head, "lr": HEAD_RATE},
    ]
    descent = torch.optim.AdamW(groups, weight_decay=0.01)
    rates = [group["lr"] for group in descent.param_groups]
    steps = epochs * (len(examples) // QUESTIONS)
    began, losses = time.monotonic(), []
    order: list[dict[str, Any]] = []
    model.train()
    model.lower.eval()
    for done in range(steps):
        past = max(done / steps, (time.monotonic() - began) / (minutes * 60))
        if past >= 1:
            break
        for group, rate in zip(descent.param_groups, rates, strict=True):
            group["lr"] = rate * min((past + 1e-3) / WARM, 1.0) * (1 - past)
        if len(order) < QUESTIONS:
            order = chance.sample(examples, len(examples))
        loss = loss_of(model, sides, [order.pop() for _ in range(QUESTIONS)], chance)
        descent.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        descent.step()
        losses.append(loss.item())
        if len(losses) % 50 == 0:
            spent, mean = time.monotonic() - began, sum(losses[-50:]) / 50
            print(f"{done + 1} of {steps} steps, {spent:.0f} s, loss {mean:.3f}", flush=True)


def loss_of(
    model: CrossEncoder, sides: Sides, examples: list[dict[str, Any]], chance: random.Random
) -> torch.Tensor:
    """Return the mean of how unlikely what answers is among the texts of its question."""
    chosen = [choose(one, chance) for one in examples]
    pairs = [
        (one["query"], one["texts"][place])
        for one, (places, _) in zip(examples, chosen, strict=True)
        for place in places
    ]
    given = sides.pairs(pairs)
    with HALVED:
        scores = model.together(*given).squeeze(-1).float()
    each = scores.split([len(places) for places, _ in chosen])
    losses = [
        one.logsumexp(0) - one[:right].logsumexp(0)
        for one, (_, right) in zip(each, chosen, strict=True)
    ]
    return torch.stack(losses).mean()


def export(model: CrossEncoder, weights: str, out: str) -> None:
    """Write the folder: network, tokenizer, and how long a pair may be."""
    os.makedirs(out, exist_ok=True)
    model.eval()
    torch.backends.mha.set_fastpath_enabled(False)
    names = ["input_ids", "attention_mask", "token_type_ids"]
    given = tuple(torch.ones((2, 16), dtype=torch.int64) for _ in names)
    given[2][:, :8] = 0
    shape = {0: torch.export.Dim("batch"), 1: torch.export.Dim("tokens", max=PLACES)}
    torch.onnx.export(
        model,
        given,
        os.path.join(out, "model.onnx"),
        input_names=names,
        output_names=["logits"],
        dynamic_shapes=(shape,) * len(names),
        external_data=False,
    )
    shutil.copyfile(os.path.join(weights, "tokenizer.json"), os.path.join(out, "tokenizer.json"))
    with open(os.path.join(out, "tokenizer_config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_max_length": PLACES}, file)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--weights", required=True, help="folder of the embedder's weights")
    parser.add_argument("--pairs", nargs="+", required=True, help="files of pairs")
    parser.add_argument("--out", required=True, help="folder to write")
    parser.add_argument("--minutes", type=float, default=40)
    parser.add_argument("--epochs", type=int, default=3)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    tokenizer = Tokenizer.from_file(os.path.join(options.weights, "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MOST_TOKENS)
    examples = []
    for path in options.pairs:
        with open(path, encoding="utf-8") as lines:
            examples += [json.loads(line) for line in lines]
    examples = [one for one in examples if len(one["answers"]) < len(one["texts"])]
    model = CrossEncoder()
    model.load(load_file(os.path.join(options.weights, "model.safetensors")))
    train(model, Sides(model, tokenizer), examples, options.minutes, options.epochs)
    export(model, options.weights, options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
