"""Words of rules, in the languages of the phrases. Hooks import this module."""

from __future__ import annotations

RULE_WORDS = frozenset(
    """always never must don't dont
    immer nie niemals muss müssen darf dürfen toujours jamais doit doivent faut
    siempre nunca jamás debe deben sempre mai deve devem""".split()  # noqa: SIM905
)
