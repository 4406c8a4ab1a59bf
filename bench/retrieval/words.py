"""Compare ways to index and ask for words: tokenizers, and whether stop words are asked for.

Run from the root of the repository: ``python -m bench.retrieval.words --data FILE_OR_FOLDER ...``.
BM25 alone, in plain FTS5 tables, over all questions. Decisions: docs/adr/0012-ranking.md.
"""

from __future__ import annotations

import argparse
import os
import re
import sys

import apsw

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.retrieval.data import Corpus, Query, find_sets, read_set, set_name  # noqa: E402
from bench.retrieval.metrics import mean_scores, score_ranking  # noqa: E402

from aforesaid.domain.text.tokenize import query_terms  # noqa: E402

TOKENIZERS = (
    "porter unicode61 remove_diacritics 2",
    "unicode61 remove_diacritics 2",
    "trigram",
)
DEPTH = 50
SHOWN = ("recall@1", "recall@5", "mrr", "ndcg@10")


class Table:
    """The texts of one corpus under one tokenizer."""

    def __init__(self, corpus: Corpus, tokenizer: str) -> None:
        self._items = corpus.items
        self._db = apsw.Connection(":memory:")
        self._db.execute(f"CREATE VIRTUAL TABLE t USING fts5 (text, tokenize = '{tokenizer}')")
        with self._db:
            self._db.executemany(
                "INSERT INTO t (rowid, text) VALUES (?, ?)",
                [(number, item.text) for number, item in enumerate(corpus.items)],
            )

    def judge(self, query: Query, terms: list[str]) -> dict[str, float]:
        """Return the scores of what these terms find, by messages where they are labelled."""
        match = " OR ".join('"' + term.replace('"', '""') + '"' for term in terms)
        rows = self._db.execute(
            "SELECT rowid FROM t WHERE t MATCH ? ORDER BY bm25(t), rowid LIMIT ?", (match, DEPTH)
        )
        found = [self._items[number] for (number,) in rows] if terms else []
        if query.gold:
            return score_ranking([item.id for item in found], query.gold)
        sessions = list(dict.fromkeys(item.session for item in found))
        return score_ranking(sessions, query.gold_sessions)


def all_words(query: str) -> list[str]:
    """Return every word of a question, stop words too."""
    return list(dict.fromkeys(re.findall(r"\w+", query.lower())))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.words", description=__doc__)
    parser.add_argument("--data", nargs="+", required=True, help="files, or folders of files")
    options = parser.parse_args()
    for path in find_sets(options.data):
        corpora = read_set(path)
        print(f"\n{set_name(path)}")
        for tokenizer in TOKENIZERS:
            tables = [(corpus, Table(corpus, tokenizer)) for corpus in corpora]
            for name, terms_of in (("stop words dropped", query_terms), ("kept", all_words)):
                scores = mean_scores(
                    [
                        table.judge(query, terms_of(query.text))
                        for corpus, table in tables
                        for query in corpus.queries
                    ]
                )
                figures = "  ".join(f"{key} {scores[key]:.3f}" for key in SHOWN)
                print(f"    {tokenizer:38} {name:18} {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
