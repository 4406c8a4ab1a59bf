"""Put memories with their questions into pairs.jsonl, leaving out what a test part asks as well.

Run from the root of the repository: ``python -m bench.paraphrases FILES``. A question or prompt is
left out where it shares half of its content words, as stems, with one of a test part, and so is
what stands twice; a memory where nothing is left.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories import load  # noqa: E402
from bench.agent_memories.words import content_stems  # noqa: E402
from bench.paraphrases import PAIRS  # noqa: E402
from bench.prompts import load_prompts  # noqa: E402

ALIKE = 0.5  #: of two texts' stems, from here on they are too near
ASKED = ("questions", "prompts", "near")


def measured_stems() -> list[set[str]]:
    """Return the stems of each question and prompt of a test part."""
    texts = [one.text for one in load()[1] if one.part == "test"]
    texts += [one.text for one in load_prompts("test")]
    return [set(content_stems(text)) for text in texts]


def is_near(text: str, tested: list[set[str]]) -> bool:
    """Tell whether a text shares too many words with one that is measured."""
    stems = set(content_stems(text))
    return any(len(stems & one) >= ALIKE * len(stems | one) for one in tested if stems and one)


def main() -> int:
    """Write the file."""
    parser = argparse.ArgumentParser(prog="python -m bench.paraphrases", description=__doc__)
    parser.add_argument("files", nargs="+", help="JSON Lines, as in README.md")
    tested = measured_stems()
    known: set[str] = set()
    left_out = 0
    kept = []
    for path in parser.parse_args().files:
        with open(path, encoding="utf-8") as lines:
            read = [json.loads(line) for line in lines if line.strip()]
        for one in read:
            for name in ASKED:
                wanted = [
                    text for text in one[name] if text not in known and not is_near(text, tested)
                ]
                left_out += len(one[name]) - len(wanted)
                known.update(wanted)
                one[name] = wanted
            if one["memory"] not in known and (one["questions"] or one["prompts"]):
                known.add(one["memory"])
                kept.append({"type": "fact", **one})
    with open(PAIRS, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in kept)
    counts = ", ".join(f"{sum(len(one[name]) for one in kept)} {name}" for name in ASKED)
    print(f"{len(kept)} memories, {counts}; {left_out} texts left out")
    return 0


if __name__ == "__main__":
    sys.exit(main())
