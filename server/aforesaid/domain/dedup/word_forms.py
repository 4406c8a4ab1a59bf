"""Folds an English word: number words, synonyms, plurals, spellings, contractions."""

from __future__ import annotations

from aforesaid.lexicon.vocabulary import (
    BARE_CONTRACTIONS,
    CONTRACTIONS,
    IRREGULAR_CONTRACTIONS,
    NO_PLURAL,
    NUMBER_WORDS,
    SYNONYMS,
)


def unfold_contraction(word: str) -> tuple[str, ...]:
    """Return the words that a contraction stands for, or the word alone. Expects lower case."""
    if word in IRREGULAR_CONTRACTIONS:
        return IRREGULAR_CONTRACTIONS[word]
    if word in BARE_CONTRACTIONS:
        return (word[:-2], "not")
    for ending, stands_for in CONTRACTIONS:
        if word.endswith(ending) and word != ending:
            return (word[: -len(ending)], stands_for)
    return (word,)


def fold_word(word: str, *, plural: bool = True) -> str:
    """Return the spelling that stands for a word (lower case): number, synonym, singular."""
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    if word in SYNONYMS:
        return SYNONYMS[word]
    if plural:
        word = fold_plural(word)
        word = SYNONYMS.get(word, word)
    if len(word) > len("advise") and word.endswith("ise"):
        return word[:-3] + "ize"
    return word.replace("isation", "ization") if word.endswith("isation") else word


def fold_plural(word: str) -> str:
    """Return a word without the s of plural or third person, where no other word results."""
    if len(word) < len("logs") or word in NO_PLURAL or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is", "'s")):
        return word
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1]
