"""Score recall at the prompt: what is shown with which prompts, by the server and by words alone.

Run from the root of the repository: ``python -m bench.prompts``. All memories of
bench/agent_memories lie in one store; each prompt is the first of a session whose start showed
nothing, so that the floor alone decides. Deterministic but for times; vectors are cached.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories.dataset import Shelf  # noqa: E402
from bench.prompts import KINDS, RELATED, LabelledPrompt, Part, load_prompts  # noqa: E402
from bench.prompts.asking import Asking  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.timing import describe_machine  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.text.token_budget import count_tokens  # noqa: E402

PARTS: tuple[Part, ...] = ("dev", "test")
WAYS = {"meaning and words": False, "words alone": True}


def score(shelf: Shelf, part: Part, *, words_only: bool) -> dict[str, dict[str, Any]]:
    """Return, for each kind of prompt and all related ones together, what was shown."""
    asking = Asking(shelf, words_only=words_only)
    prompts = load_prompts(part)
    shown = [(one, *_asked(shelf, asking, one)) for one in prompts]
    groups = {"related, all": RELATED, **{kind: (kind,) for kind in KINDS}}
    return {
        name: _figures([one for one in shown if one[0].kind in kinds])
        for name, kinds in groups.items()
    }


def _asked(shelf: Shelf, asking: Asking, one: LabelledPrompt) -> tuple[list[str], int, float]:
    """Return the ids that a prompt was shown, the tokens of all, the milliseconds it took."""
    began = time.perf_counter()
    shown = asking.shown(one.text, one.project)
    taken = (time.perf_counter() - began) * 1e3
    return shelf.ids(list(shown.keys)), count_tokens(shown.text), taken


def _figures(shown: list[tuple[LabelledPrompt, list[str], int, float]]) -> dict[str, Any]:
    answered = sum(not set(one.gold).isdisjoint(ids) for one, ids, _, _ in shown)
    with_any = [one for one in shown if one[1]]
    called = sum(len(set(one.gold).intersection(ids)) for one, ids, _, _ in with_any)
    memories = sum(len(ids) for _, ids, _, _ in with_any)
    return {
        "prompts": len(shown),
        "shown": round(len(with_any) / len(shown), 3),
        "answered": round(answered / len(shown), 3),
        "precision": round(called / memories, 3) if memories else None,
        "memories": round(memories / len(with_any), 2) if with_any else 0,
        "tokens": round(statistics.mean(one[2] for one in with_any)) if with_any else 0,
        "most_tokens": max((one[2] for one in shown), default=0),
        "p50_ms": round(statistics.median(one[3] for one in shown), 1),
    }


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.prompts", description=__doc__)
    parser.add_argument("--part", choices=PARTS, help="one part; default both")
    parser.add_argument("--cues", action="store_true", help="memories are stored with their cues")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    parts = (options.part,) if options.part else PARTS
    with private_places() as folder:
        shelf = Shelf(folder, open_cached(), cues=options.cues)
        report = {
            part: {name: score(shelf, part, words_only=only) for name, only in WAYS.items()}
            for part in parts
        }
    if options.json:
        print(json.dumps({"machine": describe_machine(), "parts": report}))
        return 0
    print(describe_machine())
    columns = ("prompts", "shown", "answered", "precision", "memories", "tokens", "most_tokens")
    for part, ways in report.items():
        for name, kinds in ways.items():
            print(f"\n{part}, {name:24}" + "".join(f"{column:>12}" for column in columns))
            for kind, figures in kinds.items():
                cells = "".join(f"{figures[column]!s:>12}" for column in columns)
                print(f"{kind:30}{cells}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
