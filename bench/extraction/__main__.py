"""Measure what extraction sends of made transcripts, and which items it believes.

Run from the root of the repository: ``python -m bench.extraction``. No model is asked: the items in
items.txt are written by hand as a model would word them, from the dev part of bench/transcripts.
Half of the sessions, by the hash of their names, chose the share of words that must have been said;
the other half is what is reported.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.transcripts.client_lines import lines_of, written  # noqa: E402
from bench.transcripts.scripts import Script, read_scripts  # noqa: E402

from aforesaid.adapters.transcripts import read_conversation  # noqa: E402
from aforesaid.domain.digest import facts_of, write_digest  # noqa: E402
from aforesaid.domain.extraction import (  # noqa: E402
    Item,
    PromptBackground,
    TurnBatch,
    assess_grounding,
    build_prompt,
    cut_batches,
    grounding,
)

SHARES = (0.4, 0.5, 0.6, 0.7, 0.8)


def read_items() -> dict[str, list[tuple[bool, Item]]]:
    """Return (true?, item) by session; an invented item has the quote of the true one before."""
    found: dict[str, list[tuple[bool, Item]]] = {}
    with open(os.path.join(HERE, "items.txt"), encoding="utf-8") as file:
        for line in filter(None, map(str.strip, file)):
            mark, text = line.split(" ", 1)
            if mark == "===":
                held = found.setdefault(text, [])
                continue
            said, _, quote = text.partition(" | ")
            held.append((mark == "+", Item(text=said, quote=quote or held[0][1].quote)))
    return found


def sent_of(script: Script) -> tuple[list[TurnBatch], str]:
    """Return the batches of a session, and all that is asked about them."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "session.jsonl")
        with open(path, "wb") as file:
            file.write(written(lines_of(script)))
        conversation = read_conversation(path)
    digest = write_digest(facts_of(conversation))
    known = PromptBackground(facts="" if digest is None else digest.text)
    batches = cut_batches(conversation.turns, 0, 20, lambda _: True)
    return batches, "\n".join(build_prompt(batch.text, known, "0") for batch in batches)


def report_sent(scripts: list[Script]) -> dict[str, TurnBatch]:
    """Print how much of what was planted is sent; return each session's batch."""
    held = {}
    for part in ("dev", "test"):
        chosen = [script for script in scripts if script.part == part]
        planted = noise = found = noisy = 0
        for script in chosen:
            batches, question = sent_of(script)
            said = "\n".join(batch.text for batch in batches)
            planted += len(script.planted)
            found += sum(one.in_text(question) for one in script.planted)
            noise += len(script.noise)
            noisy += sum(one.in_text(said) for one in script.noise)
            held[script.name] = batches[0]
        print(
            f"{part}: {len(chosen)} sessions; planted facts in what is asked {found} of {planted}"
        )
        print(f"  noise in what is sent {noisy} of {noise}")
    return held


def chooses(session: str) -> bool:
    """Tell whether a session is of the half that chose the share."""
    return hashlib.sha256(f"extraction {session}".encode()).digest()[0] % 2 == 0


def report_trust(items: dict[str, list[tuple[bool, Item]]], batches: dict[str, TurnBatch]) -> None:
    """Print how many true, invented and strange items are believed."""
    set_share = grounding.GROUNDED_AT
    for half in (True, False):
        sessions = [name for name in items if chooses(name) is half]
        print("chose the share:" if half else "held out:")
        for share in SHARES if half else (set_share,):
            grounding.GROUNDED_AT = share
            counts = [[0, 0], [0, 0], [0, 0]]
            for name in sessions:
                quote = items[name][0][1].quote
                for true, item in items[name]:
                    _count(counts[0 if true else 1], item, batches[name])
                for other in sessions:
                    if other != name:
                        for _, item in items[other]:
                            _count(counts[2], item.replace(quote=quote), batches[name])
            told = [f"{got} of {of}" for got, of in counts]
            print(
                f"  {share:.1f} of the words said: believed of true items {told[0]}, "
                f"invented {told[1]}, of other sessions {told[2]}"
            )
    grounding.GROUNDED_AT = set_share


def _count(counted: list[int], item: Item, batch: TurnBatch) -> None:
    counted[0] += assess_grounding(item, batch).is_quoted
    counted[1] += 1


def main() -> int:
    report_trust(read_items(), report_sent(read_scripts()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
