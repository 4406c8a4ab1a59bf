"""Measure what digests and candidates keep of made transcripts with planted facts.

Run from the root of the repository: ``python -m bench.transcripts [--part dev] [--show]``.
``--show`` prints what was missed and wrong; it refuses the test part, whose misses nobody should
look at.
"""

from __future__ import annotations

import argparse
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.transcripts.scores import DURABLE, Score, score  # noqa: E402
from bench.transcripts.scripts import join_scripts, read_scripts  # noqa: E402

from aforesaid.domain.digest.memory_candidates import candidate_of  # noqa: E402


def share(count: int, of: int) -> str:
    return f"{count / of:.3f} ({count} of {of})" if of else "none"


def report(part: str, scores: list[Score]) -> None:
    """Print the figures of one part."""
    planted = sum(len(one.script.planted) for one in scores)
    found = planted - sum(len(one.missed) for one in scores)
    candidates = sum(len(one.candidates) for one in scores)
    wrong_candidates = sum(len(one.wrong_candidates) for one in scores)
    kept = sum(len(one.kept) for one in scores) + candidates
    right = kept - sum(len(one.wrong) for one in scores) - wrong_candidates
    durable = sum(fact.kind in DURABLE for one in scores for fact in one.script.planted)
    as_candidates = durable - sum(len(one.missed_candidates) for one in scores)
    tokens = sorted(one.tokens for one in scores)
    print(f"{part}: {len(scores)} transcripts, {planted} planted")
    print(f"  found in digest or candidates  {share(found, planted)}")
    print(f"  kept that was planted or true  {share(right, kept)}")
    print(f"  durable ones as candidates     {share(as_candidates, durable)}")
    print(f"  candidates that are right      {share(candidates - wrong_candidates, candidates)}")
    scoped = candidates - wrong_candidates
    wrong_scopes = sum(len(one.wrong_scopes) for one in scores)
    print(f"  right candidates' scope        {share(scoped - wrong_scopes, scoped)}")
    print(f"  noise kept                     {sum(len(one.noisy) for one in scores)}")
    print(f"  tokens a digest                median {tokens[len(tokens) // 2]}, most {tokens[-1]}")
    by_kind: dict[str, list[int]] = {}
    for one in scores:
        for fact in one.script.planted:
            counted = by_kind.setdefault(fact.kind, [0, 0])
            counted[0] += fact not in one.missed
            counted[1] += 1
    told = ", ".join(f"{kind} {got}/{of}" for kind, (got, of) in sorted(by_kind.items()))
    print(f"  by kind: {told}")
    by_lang: dict[str, list[int]] = {}
    for one in scores:
        counted = by_lang.setdefault(one.script.lang, [0, 0])
        counted[0] += len(one.script.planted) - len(one.missed)
        counted[1] += len(one.script.planted)
    told = ", ".join(f"{lang} {got}/{of}" for lang, (got, of) in sorted(by_lang.items()))
    print(f"  by language: {told}")


def show(scores: list[Score]) -> None:
    """Print what was missed and what was wrong."""
    for one in scores:
        for fact in one.missed:
            print(f"{one.script.name}: missed {fact.kind}: {' & '.join(fact.terms)}")
        for kept in [*one.wrong, *one.wrong_candidates]:
            print(f"{one.script.name}: wrong {kept.kind}: {kept.text}")
        for kept in one.wrong_scopes:
            print(f"{one.script.name}: scope {kept.scope}: {kept.text}")
        for fact in one.missed_candidates:
            if fact not in one.missed:
                print(f"{one.script.name}: no candidate: {fact.kind}: {' & '.join(fact.terms)}")
        for fact in one.noisy:
            print(f"{one.script.name}: NOISE {' & '.join(fact.terms)}")


def long_ones(scores: list[Score]) -> None:
    """Print what is found in sessions three and four times as long, in as many tokens."""
    for number in (3, 4):
        joined = [score(one) for one in join_scripts([one.script for one in scores], number)]
        planted = sum(len(one.script.planted) for one in joined)
        found = planted - sum(len(one.missed) for one in joined)
        print(f"  found, {number} of them in one          {share(found, planted)}")


def sentences(part: str) -> None:
    """Print how many single sentences are taken for what they are."""
    counted = {"+": [0, 0], "-": [0, 0]}
    with open(os.path.join(HERE, f"sentences_{part}.txt"), encoding="utf-8") as lines:
        for line in lines:
            if line[:1] in counted:
                counted[line[0]][0] += candidate_of(line[2:].strip(), 1) is not None
                counted[line[0]][1] += 1
    print(f"  single sentences that last      {share(*counted['+'])} taken")
    print(f"  single sentences that do not    {share(*counted['-'])} taken")


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", choices=("dev", "test"))
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--digests", metavar="NAME", help="print digests of dev by name or all")
    given = parser.parse_args()
    if given.show and given.part != "dev":
        parser.error("--show is for --part dev: the test part stays unseen")
    scores = [score(script) for script in read_scripts()]
    for part in ("dev", "test"):
        chosen = [one for one in scores if one.script.part == part]
        if given.part in {None, part}:
            report(part, chosen)
            long_ones(chosen)
            sentences(part)
        if given.part == part == "dev" and given.show:
            show(chosen)
        for one in chosen if given.digests and part == "dev" else []:
            if given.digests in {"all", one.script.name}:
                print(f"\n--- {one.script.name}\n{one.text}")
                for candidate in one.candidates:
                    print(f"  [{candidate.scope}] {candidate.text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
