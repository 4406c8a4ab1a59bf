"""Print each question with its gold and the best lexical hits that are not gold, for human eyes.

Run from the root of the repository: ``python -m bench.agent_memories.review``. It looks for missed
gold by plain BM25; it is no ranking of the product and tunes nothing.
"""

from __future__ import annotations

import collections
import math
import sys

from bench.agent_memories import AgentMemory, load, out_of_force
from bench.agent_memories.words import content_stems

_K1, _B = 1.2, 0.75
_SHOWN = 3


class Shelf:
    """Memories that one project sees, ready to be asked for words."""

    def __init__(self, memories: list[AgentMemory]) -> None:
        """Count the words of each."""
        self._memories = memories
        self._bags = [collections.Counter(content_stems(one.content)) for one in memories]
        self._average = sum(bag.total() for bag in self._bags) / len(memories)
        self._holders = collections.Counter(stem for bag in self._bags for stem in bag)

    def rank(self, text: str) -> list[tuple[float, AgentMemory]]:
        """Return what shares words with the text, with its BM25 score, best first."""
        asked = set(content_stems(text))
        scored = [
            (sum(self._weigh(stem, bag) for stem in asked & bag.keys()), memory)
            for memory, bag in zip(self._memories, self._bags, strict=True)
        ]
        found = [(score, memory) for score, memory in scored if score]
        return sorted(found, key=lambda one: (-one[0], one[1].id))

    def _weigh(self, stem: str, bag: collections.Counter[str]) -> float:
        """Return what one word adds. Source: Robertson and Zaragoza (2009), BM25."""
        holders = self._holders[stem]
        rarity = math.log(1 + (len(self._bags) - holders + 0.5) / (holders + 0.5))
        often = bag[stem]
        norm = _K1 * (1 - _B + _B * bag.total() / self._average)
        return rarity * often * (_K1 + 1) / (often + norm)


def main() -> int:
    """Print the review."""
    memories, questions = load()
    gone = out_of_force(memories)
    shelves = {
        project: Shelf([one for one in memories if one.project in {None, project}])
        for project in {question.project for question in questions}
    }
    for question in questions:
        hits = shelves[question.project].rank(question.text)
        place = {memory.id: rank for rank, (_, memory) in enumerate(hits, 1)}
        gold = " ".join(f"{one}@{place.get(one, '-')}" for one in question.gold) or "(none)"
        print(f"{question.id} [{question.category}] {question.project}: {question.text}  -> {gold}")
        others = [hit for hit in hits if hit[1].id not in question.gold]
        for score, memory in others[:_SHOWN]:
            mark = " (replaced)" if memory.id in gone else ""
            print(f"    {score:5.1f} {memory.id}{mark} {memory.content[:150]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
