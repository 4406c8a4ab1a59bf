"""A simulated year, untended and tended: what each month's store is worth.

Run from the root of the repository: ``python -m bench.year`` (2,000 sessions take some minutes),
``--sessions 200`` for a small one, ``--part test`` for the seeds and the noise that nothing was
tuned on, ``--plot bench/year/year.svg`` to draw the curves.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402
from bench.year.life import Life  # noqa: E402
from bench.year.measure import Figures, measure  # noqa: E402
from bench.year.plot import draw  # noqa: E402
from bench.year.world import SESSIONS, Year, make_year  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.ports import Embedder

SEEDS = {"dev": (1,), "test": (101,)}  #: years that are tuned on, years that are reported
SAMPLE = 3  #: truths of which one is asked for at a month's end
UNTENDED, TENDED = "untended", "tended"


def live(
    year: Year, embedder: Embedder, *, every: int | None, sample: int = SAMPLE
) -> list[Figures]:
    """Return the figures of each month of one store's year.

    Args:
        year: what happens.
        embedder: makes the vectors.
        every: days between two runs of tending; None for none.
        sample: of so many truths one is asked for at a month's end; of all at the year's.
    """
    months: list[Figures] = []
    with private_places() as folder:
        life = Life(folder, year, embedder)
        ends = life.months()

        def watch(at: int) -> None:
            months.append(measure(life, at, 1 if at == ends[-1] else sample))
            print(f"month {len(months)}: {asdict(months[-1])}", file=sys.stderr, flush=True)

        life.run(every, watch)
        life.close()
    return months


def mean(years: Sequence[Sequence[Figures]]) -> list[dict[str, float]]:
    """Return the months of several years as one: each figure's mean."""
    return [
        {
            field.name: round(sum(getattr(one, field.name) for one in month) / len(month), 3)
            for field in fields(Figures)
        }
        for month in zip(*years, strict=True)
    ]


def show(name: str, months: Sequence[Mapping[str, float]]) -> None:
    """Print a line for each month."""
    print(name)
    for number, one in enumerate(months, 1):
        print(f"  {number:2} " + " ".join(f"{key} {value:g}" for key, value in one.items()))


def main() -> int:
    """Print the figures of each year."""
    parser = argparse.ArgumentParser(prog="python -m bench.year", description=__doc__)
    parser.add_argument("--part", choices=SEEDS, default="dev")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--every", type=int, default=7, help="days between two runs of tending")
    parser.add_argument("--only", choices=(UNTENDED, TENDED), action="append")
    parser.add_argument("--plot", help="file to draw the curves into, as SVG")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    embedder = open_cached()
    told: dict[str, list[dict[str, float]]] = {}
    for name in options.only or (UNTENDED, TENDED):
        began = time.perf_counter()
        every = options.every if name == TENDED else None
        years = [
            live(
                make_year(seed, options.sessions, other_noise=options.part == "test"),
                embedder,
                every=every,
            )
            for seed in SEEDS[options.part]
        ]
        told[name] = mean(years)
        if not options.json:
            show(f"{name}, {options.part}, {time.perf_counter() - began:.0f} s", told[name])
    if options.json:
        print(json.dumps(told))
    if options.plot:
        with open(options.plot, "w", encoding="utf-8") as file:
            file.write(draw(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
