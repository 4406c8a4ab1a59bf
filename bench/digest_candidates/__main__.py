"""Which remarks of a moment are known for that, and what lasts that is taken for one.

Run from the root of the repository: ``python -m bench.digest_candidates``. What is judged are
remarks that claim to last; a remark of a moment that says it is an event may stay until its week is
summed up.
"""

from __future__ import annotations

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.domain.maintenance.low_value import low_value_reason  # noqa: E402

REMARKS = os.path.join(HERE, "remarks.jsonl")
PARTS, LASTING, MOMENT = ("dev", "test"), "lasting", "moment"


def read_remarks() -> list[dict[str, str]]:
    """Return the remarks in order of their ids."""
    with open(REMARKS, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def taken(remarks: list[dict[str, str]], label: str) -> tuple[int, int]:
    """Return how many remarks of a label are hardly worth keeping by the rule, and of how many."""
    of_label = [one for one in remarks if one["label"] == label]
    return sum(bool(low_value_reason(one["text"])) for one in of_label), len(of_label)


def main() -> int:
    """Print what is known and what is taken for it wrongly, by part."""
    remarks = read_remarks()
    for part in PARTS:
        told = [one for one in remarks if one["part"] == part]
        (known, moments), (wrong, lasting) = taken(told, MOMENT), taken(told, LASTING)
        print(f"{part}: of a moment {known} of {moments} known, of what lasts {wrong} of {lasting}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
