"""A simulated year, untended and tended: what each month's store is worth.

Run from the root of the repository: ``python -m bench.long_run`` (2,000 sessions take some
minutes), ``--sessions 200`` for a small one, ``--part test`` for the seeds and the noise that
nothing was tuned on, ``--jobs 2`` for two years side by side, ``--plot bench/long_run/year.svg``
for the curves.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, fields
from statistics import fmean
from typing import TYPE_CHECKING

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.long_run.life import Life  # noqa: E402
from bench.long_run.measure import Figures, measure  # noqa: E402
from bench.long_run.plot import draw  # noqa: E402
from bench.long_run.world import SESSIONS, Year, make_year  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.ports import Embedder

#: Years that are tuned on, years that are reported. 101, 201 to 203 and 301 to 303 were before,
#: the noise of the first four in words that the development years have now.
SEEDS = {"dev": (1, 2), "test": (401, 402, 403)}
SAMPLE = 3  #: truths of which one is asked for at a month's end
UNTENDED, TENDED = "untended", "tended"


def live_one(seed: int, sessions: int, every: int | None, *, other_noise: bool) -> list[Figures]:
    """Return the months of one year, lived in this process."""
    year = make_year(seed, sessions, other_noise=other_noise)
    return live(year, open_cached(), every=every)


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


def together(
    years: Sequence[Sequence[Figures]], of: Callable[[Sequence[float]], float]
) -> list[dict[str, float]]:
    """Return the months of several years as one: of each figure their mean, least or most."""
    return [
        {
            field.name: round(of([getattr(one, field.name) for one in month]), 3)
            for field in fields(Figures)
        }
        for month in zip(*years, strict=True)
    ]


def show(name: str, told: Mapping[str, Sequence[Mapping[str, float]]]) -> None:
    """Print a line for each month: means, and from least to most where years differ."""
    print(name)
    for number, (one, least, most) in enumerate(
        zip(told["mean"], told["least"], told["most"], strict=True), 1
    ):
        cells = [
            f"{key} {value:g}"
            + (f" ({least[key]:g} to {most[key]:g})" if least[key] < most[key] else "")
            for key, value in one.items()
        ]
        print(f"  {number:2} " + ", ".join(cells))


def main() -> int:
    """Print the figures of each year."""
    parser = argparse.ArgumentParser(prog="python -m bench.long_run", description=__doc__)
    parser.add_argument("--part", choices=SEEDS, default="dev")
    parser.add_argument("--sessions", type=int, default=SESSIONS)
    parser.add_argument("--every", type=int, default=7, help="days between two runs of tending")
    parser.add_argument("--jobs", type=int, default=1, help="years that are lived side by side")
    parser.add_argument("--only", choices=(UNTENDED, TENDED), action="append")
    parser.add_argument("--plot", help="file to draw the curves into, as SVG")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    told: dict[str, dict[str, list[dict[str, float]]]] = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        begun = {
            name: [
                pool.submit(
                    live_one,
                    seed,
                    options.sessions,
                    options.every if name == TENDED else None,
                    other_noise=options.part == "test",
                )
                for seed in SEEDS[options.part]
            ]
            for name in options.only or (UNTENDED, TENDED)
        }
        for name, all_years in begun.items():
            years = [one.result() for one in all_years]
            ways = (("mean", fmean), ("least", min), ("most", max))
            told[name] = {word: together(years, way) for word, way in ways}
            if not options.json:
                show(f"{name}, {options.part}, {len(years)} seeds", told[name])
    if options.json:
        print(json.dumps(told))
    if options.plot:
        with open(options.plot, "w", encoding="utf-8") as file:
            file.write(draw({name: one["mean"] for name, one in told.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
