"""A client that stores and recalls until a file appears; ``python -m bench.models.client``.

Each thing it does is a line of its ledger: what, when, how long, whether it went as it must. Stored
means found: what was just stored is asked for, by words and meaning, and must be the first answer.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING, Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.join(ROOT, "server")]

from bench.scale.filling import PROJECT, name_of  # noqa: E402
from bench.stores import make_place  # noqa: E402

from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.operations.client_connection import run_deferred_work  # noqa: E402
from aforesaid.services.recall.query import RecallQuery  # noqa: E402
from aforesaid.wiring.container import ServiceContainer  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

THINGS = ("queue", "cache", "gateway", "scheduler", "ledger", "index", "proxy", "vault")


def run(path: str, ledger: str, name: str, stop: str, pause: float) -> None:
    """Store and recall, again and again, until the file ``stop`` is there."""
    core = ServiceContainer(os.environ, path=path)
    place = make_place(core, PROJECT)
    number = 0
    with open(ledger, "a", encoding="utf-8") as lines:

        def note(what: str, work: Callable[[], dict[str, Any]]) -> None:
            began, clock, busy = time.time(), time.perf_counter(), time.process_time()
            try:
                told = work()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                told = {"wrong": f"{type(error).__name__}: {error}"}
            taken = (time.perf_counter() - clock) * 1e3
            cpu = (time.process_time() - busy) * 1e3
            line = {"what": what, "at": began, "ms": taken, "cpu_ms": cpu, **told}
            lines.write(json.dumps(line) + "\n")
            lines.flush()

        while not os.path.exists(stop):
            number += 1
            thing = THINGS[number % len(THINGS)]
            rank = int(name, 36) * 10_000 + number
            text = f"The {thing} of {name_of(rank)} keeps {rank} entries for {name}."

            def store(text: str = text) -> dict[str, Any]:
                done = core.writer.store(Statement(content=text), place)
                assert done is not None
                return {"content": text, "embedded": done.embedded}

            def recall(text: str = text, rank: int = rank, thing: str = thing) -> dict[str, Any]:
                question = RecallQuery(
                    query=f"how many entries does the {thing} of {name_of(rank)} keep"
                )
                found = core.recall.recall(question, place.visible)
                first = found.results[0].memory.content if found.results else ""
                by_words = [one for one in found.degradations if "words only" in one]
                wrong = f"{first!r} for {text!r}" if first != text else ""
                return {"wrong": wrong or "; ".join(by_words)}

            note("store", store)
            note("recall", recall)
            run_deferred_work(core)
            time.sleep(pause)
    core.close()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.models.client")
    for name in ("path", "ledger", "name", "stop"):
        parser.add_argument(name)
    parser.add_argument("--pause", type=float, default=0.1)
    options = parser.parse_args()
    run(options.path, options.ledger, options.name, options.stop, options.pause)
    return 0


if __name__ == "__main__":
    sys.exit(main())
