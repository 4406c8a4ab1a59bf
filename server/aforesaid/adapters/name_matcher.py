"""Likeness of names by rapidfuzz, imported when a name is first compared.

Scores: ``ratio`` is 1 minus the share of letters to add or take away; its variants sort the words,
or compare the words that one side has beyond the other's. Why rapidfuzz: docs/adr/0016-entities.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

#: Of a name that only occurs among other words of the query, or the other way round.
_AMONG_WORDS = 0.95
#: Of a name that begins with the query.
_BEGINNING = 0.9
_BEGINNING_CHARS = 3


class RapidfuzzNameMatcher:
    """The matcher of names."""

    def near(self, name: str, known: Sequence[str], least: float) -> list[tuple[int, float]]:
        """Return (place, score in [0, 1]) of names alike as wholes, best first, ties by place."""
        from rapidfuzz import fuzz

        return _ranked(name, known, least, ((fuzz.ratio, 1.0), (fuzz.token_sort_ratio, 1.0)))

    def search(self, query: str, known: Sequence[str], least: float) -> list[tuple[int, float]]:
        """Return the same, also for names that the query has among other words, or a part of."""
        from rapidfuzz import fuzz

        scorers = (
            (fuzz.ratio, 1.0),
            (fuzz.token_sort_ratio, 1.0),
            (fuzz.token_set_ratio, _AMONG_WORDS),
        )
        found = dict(_ranked(query, known, least, scorers))
        if len(query) >= _BEGINNING_CHARS:
            for place, name in enumerate(known):
                if name.startswith(query):
                    found[place] = max(found.get(place, 0.0), _BEGINNING)
        return _sorted(found)


def _ranked(
    query: str,
    known: Sequence[str],
    least: float,
    scorers: Sequence[tuple[Callable[..., float], float]],
) -> list[tuple[int, float]]:
    from rapidfuzz import process

    found: dict[int, float] = {}
    for scorer, worth in scorers:
        for _name, score, place in process.extract(
            query, known, scorer=scorer, limit=None, score_cutoff=least / worth * 100
        ):
            found[place] = max(found.get(place, 0.0), score / 100 * worth)
    return _sorted(found)


def _sorted(found: dict[int, float]) -> list[tuple[int, float]]:
    return sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))
