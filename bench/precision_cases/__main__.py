"""Small cases, each a store of its own: is a question about one thing answered by that thing?

Run from the root of the repository: ``python -m bench.precision_cases``. What each case stores lies
among made-up memories of the same project that drift by (bench/corpus.py). Nothing was tuned on
them.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories.scores import INJECTION_FLOOR  # noqa: E402
from bench.corpus import make_memories  # noqa: E402
from bench.stores import make_place, open_core, private_places, store_all  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.model.relation import Link  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.services.recall.query import RecallQuery  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

DRIFT = 60
SETTINGS = {"default": RecallQuery(), "injection floor": RecallQuery(min_relevance=INJECTION_FLOOR)}


def load() -> list[dict[str, Any]]:
    """Return the cases (README.md says what each field means)."""
    with open(os.path.join(HERE, "cases.jsonl"), encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def answer(case: dict[str, Any], folder: str, embedder: Embedder) -> dict[str, dict[str, float]]:
    """Return what each setting answers to one case: precision, recall, first, related, silent."""
    core = open_core(os.path.join(folder, f"{case['id']}.db"), embedder)
    here = make_place(core, "here")
    drift = [Statement(content=one.content) for one in make_memories(case.get("drift", DRIFT), 7)]
    store_all(core, here, drift)
    ids: dict[str, str] = {}
    for one in case["memories"]:
        metadata = {"aliases": one["aliases"]} if "aliases" in one else {}
        statement = Statement(
            content=one["text"],
            type="entity" if "aliases" in one else "semantic",
            scope=one.get("scope", "project"),
            entity=one.get("entity"),
            metadata=metadata,
            supersedes=(ids[one["supersedes"]],) if "supersedes" in one else (),
            relations=tuple(
                Link(kind=kind, target=ids[to]) for kind, to in one.get("relations", [])
            ),
        )
        stored = core.writer.store(statement, make_place(core, one.get("project", "here")))
        assert stored is not None
        ids[one["name"]] = stored.memory.id
    names = {identity: name for name, identity in ids.items()}
    measured = {}
    for setting, question in SETTINGS.items():
        asked = question.replace(query=case["query"], token_budget=case.get("token_budget"))
        results = core.recall.recall(asked, here.visible).results
        found = [names.get(one.memory.id, "") for one in results]
        right = sum(name in case["gold"] for name in found)
        if not case["gold"]:
            measured[setting] = {"silent": float(not found)}
            continue
        measured[setting] = {
            "recall": right / len(case["gold"]),
            "first": float(found[:1] == case["gold"][:1]),
        }
        if found:
            measured[setting]["precision"] = right / len(found)
        if "related" in case:
            near = {names.get(one.memory.id) for result in results for one in result.related}
            measured[setting]["related"] = float(set(case["related"]) <= near | set(found))
    core.close()
    return measured


def main() -> int:
    """Print the measures of each category and of all."""
    parser = argparse.ArgumentParser(prog="python -m bench.precision_cases", description=__doc__)
    parser.add_argument("--misses", action="store_true", help="name the cases that are not right")
    options = parser.parse_args()
    sums: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    embedder = open_cached()
    with private_places() as folder:
        for case in load():
            for setting, measured in answer(case, folder, embedder).items():
                for name, value in measured.items():
                    for category in ("all", case["category"]):
                        sums[setting, category, name].append(value)
                if options.misses and min(measured.values()) < 1:
                    print(case["id"], setting, case["query"], measured)
    for (setting, category, name), values in sorted(sums.items()):
        print(
            f"{setting:16} {category:14} {name:10} {sum(values) / len(values):.3f} ({len(values)})"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
