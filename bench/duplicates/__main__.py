"""Measure the duplicate gate's judgement on the labelled pairs.

Run from the root of the repository: ``python -m bench.duplicates``. Exits with 1 on a false merge.
"""

from __future__ import annotations

import argparse
import array
import hashlib
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.domain.dedup import differences, same_statement  # noqa: E402

THRESHOLD = 0.92  # the cosine that proposes (docs/adr/0007)


def read_pairs() -> list[dict[str, str]]:
    with open(os.path.join(HERE, "pairs.jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def part_of(pair: dict[str, str]) -> str:
    """Return ``test`` or ``dev``, by the hash of the id: no pair is moved by hand."""
    return "test" if hashlib.sha256(pair["id"].encode()).digest()[0] % 2 else "dev"


def cosines(pairs: list[dict[str, str]]) -> list[float] | None:
    """Return the cosine of each pair on the shipped model, or None without it."""
    try:
        from aforesaid.adapters.embedding import onnx  # noqa: PLC0415  # optional, and slow

        embedder = onnx.open_shipped()
    except Exception as error:  # noqa: BLE001  # an optional column: any reason is shown, none stops
        print(f"(no cosine column: {type(error).__name__}: {error})", file=sys.stderr)
        return None

    def vector(text: str) -> array.array[float]:
        return array.array("f", embedder.embed_document(text)[0])

    return [
        sum(x * y for x, y in zip(vector(pair["a"]), vector(pair["b"]), strict=True))
        for pair in pairs
    ]


def judge(pairs: list[dict[str, str]]) -> list[bool]:
    """Return for each pair whether it would be merged, and print how long one takes."""
    start = time.perf_counter()
    merged = [same_statement(pair["a"], pair["b"]) for pair in pairs]
    took = 1000 * (time.perf_counter() - start) / len(pairs)
    print(f"{len(pairs)} pairs, {took:.2f} ms a pair")
    return merged


def report(pairs: list[dict[str, str]], merged: list[bool], near: list[float] | None) -> int:
    """Print the figures; return how many differing pairs were merged."""
    false_merges = 0
    for part in ("dev", "test"):
        mine = [index for index, pair in enumerate(pairs) if part_of(pair) == part]
        repeats = [index for index in mine if pairs[index]["label"] == "same"]
        others = [index for index in mine if pairs[index]["label"] == "different"]
        caught, wrong = (sum(merged[index] for index in group) for group in (repeats, others))
        false_merges += wrong
        print(
            f"{part:5} differing pairs merged {wrong} of {len(others)}; "
            f"repeats caught {caught} of {len(repeats)} ({100 * caught / len(repeats):.0f} %)"
        )
        if near:
            proposed = [index for index in mine if near[index] > THRESHOLD]
            print(
                f"      cosine > {THRESHOLD} alone would merge "
                f"{sum(index in proposed for index in others)} differing pairs, "
                f"and propose {sum(index in proposed for index in repeats)} repeats, "
                f"{sum(merged[index] for index in proposed)} of them caught"
            )
    print(
        f"\n{'category':14}{'label':11}{'pairs':>6}{'merged':>8}{'  cosine > .92' if near else ''}"
    )
    groups: dict[tuple[str, str], list[int]] = {}
    for index, pair in enumerate(pairs):
        groups.setdefault((pair["label"], pair["category"]), []).append(index)
    for (label, category), indexes in sorted(groups.items()):
        line = f"{category:14}{label:11}{len(indexes):6}{sum(merged[i] for i in indexes):8}"
        if near:
            line += f"{sum(near[i] > THRESHOLD for i in indexes):14}"
        print(line)
    return false_merges


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.duplicates", description=__doc__)
    parser.add_argument("--failures", action="store_true", help="list what goes wrong on dev")
    parser.add_argument("--cosine", action="store_true", help="add the embedding model's opinion")
    options = parser.parse_args()
    pairs = read_pairs()
    merged = judge(pairs)
    false_merges = report(pairs, merged, cosines(pairs) if options.cosine else None)
    if options.failures:
        for pair, same in zip(pairs, merged, strict=True):
            if part_of(pair) == "dev" and same != (pair["label"] == "same"):
                why = "; ".join(differences(pair["a"], pair["b"])) or "judged the same"
                print(f"{pair['id']} {pair['category']}: {pair['a']} | {pair['b']} -> {why}")
    return 1 if false_merges else 0


if __name__ == "__main__":
    sys.exit(main())
