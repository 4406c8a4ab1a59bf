"""Score the product on memories of coding agents: what it finds, and when it keeps silent.

Run from the root of the repository: ``python -m bench.agent_memories``. All memories lie in one
store on disk, stored by the real services with the times and replacements of the set; questions
are asked from their projects. Deterministic but for times; vectors are cached (bench/vectors.py).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories.dataset import Shelf  # noqa: E402
from bench.agent_memories.diagram import draw  # noqa: E402
from bench.agent_memories.scores import ARMS, RANKING, score_part  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.timing import describe_machine  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

_COLUMNS = (
    "hit@3",
    "recall",
    "recall, no paraphrases",
    "precision",
    "precision, no paraphrases",
    "results",
    "silent",
)


def show(part: str, figures: dict[str, Any]) -> None:
    """Print one part's figures as tables."""
    latency = figures["latency_ms"]
    print(
        f"\n{part}: {figures['questions']} questions, {figures['answerable']} of them answerable; "
        f"recall p50 {latency['p50']} ms, p95 {latency['p95']} ms without embedding"
    )
    print(f"\n{'ranking, uncut':20}{'n':>5}" + "".join(f"{arm:>32}" for arm in ARMS))
    print(" " * 25 + "".join(f"{name:>8}" for _ in ARMS for name in RANKING))
    for category, ours in figures["ranking"]["ours"].items():
        cells = "".join(
            f"{figures['ranking'][arm][category][name]:8.3f}" for arm in ARMS for name in RANKING
        )
        print(f"{category:20}{ours['questions']:5}{cells}")
    print(f"\n{'what is returned':32}" + "".join(f"{name:>27}" for name in _COLUMNS))
    for setting, measured in figures["settings"].items():
        cells = "".join(f"{measured.get(name, float('nan')):27.3f}" for name in _COLUMNS)
        print(f"{setting:32}{cells}")
    silent = {
        name.partition(", ")[2]: one
        for name, one in figures["settings"]["injection floor"].items()
        if name.startswith("silent, ")
    }
    told = ", ".join(f"{name} {one:.2f}" for name, one in sorted(silent.items()))
    print(f"\nnothing at the injection floor: {told}")
    parted = ", ".join(f"{setting} {area}" for setting, area in figures["auc"].items())
    print(f"with an answer likelier than without: {parted}")
    for setting, found in figures["calibration"].items():
        dots = "  ".join(
            f"{one['relevance']:.2f}:{one['answers']:.2f} ({one['results']})"
            for one in found["bins"]
        )
        print(f"relevance, {setting}: mean error {found['ece']:.3f}; {dots}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.agent_memories", description=__doc__)
    parser.add_argument("--part", choices=("dev", "test"), help="one part; default both")
    parser.add_argument("--cues", action="store_true", help="memories are stored with their cues")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--diagram", metavar="FILE", help="write the reliability diagram, an SVG")
    options = parser.parse_args()
    parts = (options.part,) if options.part else ("dev", "test")
    with private_places() as folder:
        shelf = Shelf(folder, open_cached(), cues=options.cues)
        report = {part: score_part(shelf, part) for part in parts}
    if options.diagram:
        with open(options.diagram, "w", encoding="utf-8") as file:
            file.write(draw({part: one["calibration"] for part, one in report.items()}))
    if options.json:
        print(json.dumps({"machine": describe_machine(), "parts": report}))
        return 0
    print(describe_machine())
    for part, figures in report.items():
        show(part, figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
