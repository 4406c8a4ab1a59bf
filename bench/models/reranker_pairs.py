"""Write what a reader can be trained on: ``python -m bench.models.reranker_pairs --data FILES``.

One JSON object a line: ``query``, ``texts`` (the product's own first results, and what answers from
further behind), ``answers`` (places in ``texts``). Of the development part of our own set, its
prompts, and the files; without the folds held out, but for ``--all``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", ".."), os.path.join(HERE, "..", "..", "server")]

from bench.models.asked import HELD, TRAIN, Labelled, add_options, read_sets  # noqa: E402
from bench.stores import private_places  # noqa: E402

from aforesaid.services.recall.rerank import MAX_RERANKED  # noqa: E402


def pairs_of(one: Labelled) -> dict[str, object] | None:
    """Return what one question teaches; None where nothing that was found answers."""
    found = one.ask(None)
    read = found[:MAX_RERANKED] + [each for each in found[MAX_RERANKED:] if one.answers(each[0])]
    answers = [place for place, (key, _text) in enumerate(read) if one.answers(key)]
    if not answers:
        return None
    return {"query": one.text, "texts": [text for _key, text in read], "answers": answers}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m bench.models.reranker_pairs", description=__doc__
    )
    add_options(parser)
    options = parser.parse_args()
    parts = {TRAIN, HELD} if options.all else {TRAIN}
    with private_places() as folder:
        for one in read_sets(folder, options, prompts=(False, True)):
            made = pairs_of(one) if one.part in parts else None
            if made:
                print(json.dumps(made))
    return 0


if __name__ == "__main__":
    sys.exit(main())
