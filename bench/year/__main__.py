"""A simulated year, untended and tended: what each month's store is worth.

Run from the root of the repository: ``python -m bench.year`` (2,000 sessions take some minutes),
``--sessions 200`` for a small one, ``--part test`` for the seeds that nothing was tuned on.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402
from bench.year.life import Life  # noqa: E402
from bench.year.measure import Figures, measure  # noqa: E402
from bench.year.world import SESSIONS, Year, make_year  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

SEEDS = {"dev": (1,), "test": (101,)}  #: years that are tuned on, years that are reported
SAMPLE = 3  #: of so many truths one is asked for at a month's end; of all at the year's
UNTENDED, TENDED = "untended", "tended"


def live(year: Year, embedder: Embedder, *, every: int | None) -> list[Figures]:
    """Return the figures of each month of one store's year.

    Args:
        year: what happens.
        embedder: makes the vectors.
        every: days between two runs of tending; None for none.
    """
    months: list[Figures] = []
    with private_places() as folder:
        life = Life(folder, year, embedder)
        ends = life.months()
        life.run(
            every, lambda at: months.append(measure(life, at, 1 if at == ends[-1] else SAMPLE))
        )
        life.close()
    return months


def show(name: str, months: list[Figures]) -> None:
    """Print a line for each month."""
    print(name)
    for number, one in enumerate(months, 1):
        print(f"  {number:2} " + " ".join(f"{key} {value}" for key, value in asdict(one).items()))


def main() -> int:
    """Print the figures of each year."""
    parser = argparse.ArgumentParser(prog="python -m bench.year", description=__doc__)
    parser.add_argument("--part", choices=SEEDS, default="dev")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--every", type=int, default=7, help="days between two runs of tending")
    parser.add_argument("--only", choices=(UNTENDED, TENDED), action="append")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    embedder = open_cached()
    told: dict[str, Any] = {}
    for seed in SEEDS[options.part]:
        for name in options.only or (UNTENDED, TENDED):
            began = time.perf_counter()
            every = options.every if name == TENDED else None
            months = live(
                make_year(seed, options.sessions, other_noise=options.part == "test"),
                embedder,
                every=every,
            )
            took = time.perf_counter() - began
            told[f"{name} {seed}"] = [asdict(one) for one in months]
            if not options.json:
                show(f"{name}, seed {seed}, {took:.0f} s", months)
    if options.json:
        print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
