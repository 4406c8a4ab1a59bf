"""Fuzzy matching of names with rapidfuzz, imported at the first comparison.

``ratio`` is 1 minus the share of letters to insert or delete; its variants sort the words or ignore
those that both sides share. Why rapidfuzz: docs/adr/0016-entities.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_TOKEN_SET_FACTOR = 0.95  #: for a name among other words of the query, or the reverse
_PREFIX_SCORE = 0.9  #: of a name with a word that begins with the query
_MIN_PREFIX_CHARS = 3


class RapidfuzzNameMatcher:
    """A ``NameMatcher`` that uses rapidfuzz."""

    def near(self, name: str, names: Sequence[str], min_score: float) -> list[tuple[int, float]]:
        """Return (index, score in [0, 1]) of names similar as a whole, by score, then by index."""
        from rapidfuzz import fuzz

        return _ranked(name, names, min_score, ((fuzz.ratio, 1.0), (fuzz.token_sort_ratio, 1.0)))

    def search(self, query: str, names: Sequence[str], min_score: float) -> list[tuple[int, float]]:
        """As ``near``; also names that are part of the query, or have a word beginning with it."""
        from rapidfuzz import fuzz

        scorers = (
            (fuzz.ratio, 1.0),
            (fuzz.token_sort_ratio, 1.0),
            (fuzz.token_set_ratio, _TOKEN_SET_FACTOR),
        )
        scores = dict(_ranked(query, names, min_score, scorers))
        if len(query) >= _MIN_PREFIX_CHARS:
            for index, name in enumerate(names):
                if f" {query}" in f" {name}":
                    scores[index] = max(scores.get(index, 0.0), _PREFIX_SCORE)
        return _sorted(scores)


def _ranked(
    query: str,
    names: Sequence[str],
    min_score: float,
    scorers: Sequence[tuple[Callable[..., float], float]],
) -> list[tuple[int, float]]:
    from rapidfuzz import process

    scores: dict[int, float] = {}
    for scorer, factor in scorers:
        for _name, score, index in process.extract(
            query, names, scorer=scorer, limit=None, score_cutoff=min_score / factor * 100
        ):
            scores[index] = max(scores.get(index, 0.0), score / 100 * factor)
    return _sorted(scores)


def _sorted(scores: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
