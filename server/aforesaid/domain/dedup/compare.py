"""Decides whether two texts state the same thing, and says how they differ.

First their wording is normalised: articles, openings, phrases, fronting, passives.

In case of doubt they differ: a false merge loses a memory, a missed duplicate costs a line. Only
differences known to be harmless are ignored, so a new kind of difference needs no new rule
(docs/adr/0007-duplicate-gate.md).
"""

from __future__ import annotations

from aforesaid.lexicon import vocabulary

from .tokens import BREAK, PAUSE, Term, fold_plural, fold_word, is_plain_english, read_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def read_statement(text: str, english: bool) -> list[Term]:
    """Return the terms of a text that carry meaning, in an order independent of wording."""
    sentences: list[list[Term]] = [[]]
    for term in read_terms(text, english):
        if term is BREAK:
            sentences.append([])
        else:
            sentences[-1].append(term)
    statement: list[Term] = []
    for sentence in sentences:
        terms = _trim(_fold_sentence(sentence) if english else sentence)
        if terms:
            statement += [BREAK, *terms] if statement else terms
    return statement


def _fold_sentence(sentence: list[Term]) -> list[Term]:
    folded = _fold_words(_trim(sentence))
    folded = _replace_phrases(folded)
    folded = _drop_lead_ins(folded)
    folded = _drop_articles(folded)
    folded = _fold_subject(folded)
    folded = _move_front_to_end(folded)
    folded = _turn_passive(folded)
    if not any(term.folded in vocabulary.COMMA_MATTERS for term in folded):
        # Without a negation or an exception a comma changes no meaning.
        folded = [term for term in folded if term is not PAUSE]
    return folded


def _trim(sentence: list[Term]) -> list[Term]:
    """Return a sentence without pauses at its ends, and with single ones inside."""
    terms: list[Term] = []
    for term in sentence:
        if term is not PAUSE or (terms and terms[-1] is not PAUSE):
            terms.append(term)
    while terms and terms[-1] is PAUSE:
        terms.pop()
    return terms


def _fold_words(sentence: list[Term]) -> list[Term]:
    spelled_out = any(fold_plural(term.folded) in vocabulary.SPELLS_OUT for term in sentence)
    folded: list[Term] = []
    for index, term in enumerate(sentence):
        kind, exact, word, strict = term
        previous = sentence[index - 1].folded if index else ""
        following = sentence[index + 1].folded if index + 1 < len(sentence) else ""
        if kind == "version":  # v18 is 18, unless the spelling itself is meant
            folded.append(Term("number", exact, exact if spelled_out else word, False))
        elif strict or kind not in ("word", "name"):
            folded.append(term)
        elif folded and folded[-1].kind == "number" and exact in vocabulary.UNITS:
            folded.append(Term("unit", exact, vocabulary.UNITS[exact], False))
        elif previous in vocabulary.CALLED:
            folded.append(Term("identifier", exact, exact, True))
        elif (
            word == "version"
            and sentence[index + 1 : index + 2]
            and (sentence[index + 1].kind in ("number", "version"))
        ):
            continue
        elif word == "each" and following == "other":
            folded.append(term)
        else:
            follows_thing = fold_plural(previous) in vocabulary.NAMED_THINGS_BEFORE
            named = follows_thing or fold_plural(following) in vocabulary.NAMED_THINGS
            if follows_thing and exact not in (word, "A"):
                folded.append(Term("identifier", exact, exact, True))
                continue
            spelling = word if exact == "A" else fold_word(word, plural=not named)
            folded.append(Term("number" if spelling.isdigit() else kind, exact, spelling, False))
    return folded


def _words(*words: str) -> list[Term]:
    return [Term("word", word, word, False) for word in words]


def _starts(sentence: list[Term], at: int, words: tuple[str, ...]) -> bool:
    if at + len(words) > len(sentence):
        return False
    return all(
        not term.strict and term.folded == word
        for term, word in zip(sentence[at : at + len(words)], words, strict=True)
    )


def _replace_phrases(sentence: list[Term]) -> list[Term]:
    for phrase, stands_for in vocabulary.PHRASES:
        at = 0
        while at < len(sentence):
            if sentence[at].folded == phrase[0] and _starts(sentence, at, phrase):
                sentence = sentence[:at] + _words(*stands_for) + sentence[at + len(phrase) :]
            at += 1
    return _replace_have_to(sentence)


def _replace_have_to(sentence: list[Term]) -> list[Term]:
    """Return "have to" as "must", but not in "don't have to", which allows instead."""
    for at in range(len(sentence) - 1):
        if _starts(sentence, at, ("have", "to")) and not any(
            term.folded in vocabulary.NEGATIONS or term.folded in vocabulary.MODALS
            for term in sentence[max(0, at - 3) : at]
        ):
            return sentence[:at] + _words("must") + sentence[at + 2 :]
    return sentence


def _drop_lead_ins(sentence: list[Term]) -> list[Term]:
    again = True
    while again:
        again = False
        for words, needs_pause in vocabulary.LEAD_INS:
            if not _starts(sentence, 0, words) or len(sentence) <= len(words) + 1:
                continue
            rest = sentence[len(words) :]
            if needs_pause and rest[0] is not PAUSE:
                continue
            sentence, again = (rest[1:] if rest[0] is PAUSE else rest), True
            break
    return sentence


def _drop_articles(sentence: list[Term]) -> list[Term]:
    terms: list[Term] = []
    for index, term in enumerate(sentence):
        following = sentence[index + 1] if index + 1 < len(sentence) else PAUSE
        if term.kind in ("word", "name") and not term.strict and following is not PAUSE:
            may_drop = term.exact.islower() or index == 0  # "The Graph" is a name
            if (
                term.folded in vocabulary.ARTICLES
                and may_drop
                and (following.folded not in vocabulary.KEEPS_A_BEFORE)
            ):
                continue
            is_a = term.folded == "a" or (
                term.exact == "A" and index == 0 and _is_article(sentence)
            )
            if is_a and following.folded not in vocabulary.KEEPS_A_BEFORE:
                continue
        terms.append(term)
    return terms


_MIN_ARTICLE_TERMS = 4


def _is_article(sentence: list[Term]) -> bool:
    """Tell whether a capital A at the start is an article: two plain words follow it."""
    if len(sentence) < _MIN_ARTICLE_TERMS or any(len(term.exact) == 1 for term in sentence[1:]):
        return False
    return all(term.kind == "word" for term in sentence[1:3]) and not sentence[1].exact.endswith(
        "s"
    )


def _fold_subject(sentence: list[Term]) -> list[Term]:
    """Return a sentence with "user" for "I prefer", and without a redundant "we" or "you"."""
    if _starts(sentence, 0, ("i", "prefer")):
        return _words("user") + sentence[1:]
    if len(sentence) > len(("we", "never")):
        head, following = sentence[0].folded, sentence[1].folded
        if head == "we" and following in vocabulary.DROP_WE_BEFORE:
            return sentence[1:]
        if head == "you" and following in vocabulary.DROP_YOU_BEFORE:
            return sentence[1:]
        if _starts(sentence, 0, ("we", "do", "not")):
            return sentence[1:]
    return sentence


def _move_front_to_end(sentence: list[Term]) -> list[Term]:
    """Return "In CI, run it" as "run it in CI", if there is exactly one comma."""
    if sentence.count(PAUSE) != 1 or not sentence or sentence[0].folded not in vocabulary.FRONTED:
        return sentence
    at = sentence.index(PAUSE)
    rest = sentence[at + 1 :]
    if rest and rest[0].folded == "then":
        rest = rest[1:]
    return rest + sentence[:at] if len(rest) > 1 and at > 1 else sentence


def _turn_passive(sentence: list[Term]) -> list[Term]:
    """Return "X is handled by Y" as "Y handle X", and "X is used for Y" as "use X for Y"."""
    verbs = [at for at, term in enumerate(sentence) if term.folded == "be" and not term.strict]
    if len(verbs) != 1 or not 0 < verbs[0] < len(sentence) - 3:
        return sentence
    at = verbs[0]
    before, verb, link = sentence[:at], sentence[at + 1].folded, sentence[at + 2].folded
    after = sentence[at + 3 :]
    if any(
        term is PAUSE or (term.folded in vocabulary.TURNS_BADLY and not term.strict)
        for term in before + after
    ):
        return sentence
    if link == "by" and verb in vocabulary.PARTICIPLES:
        return after + _words(vocabulary.PARTICIPLES[verb]) + before
    if verb == "used" and link == "for":
        return _words("use") + before + _words("for") + after
    return sentence


_MAX_TERMS = 4  #: of each side in an explanation


def same_statement(a: str, b: str) -> bool:
    """Return whether two texts differ in nothing that carries meaning."""
    return not differences(a, b)


def differences(a: str, b: str) -> tuple[str, ...]:
    """Return how two texts differ in meaning, in words for a person; empty if they do not.

    Symmetric, except for the order in which the two sides are named.
    """
    if a == b:
        return ()
    english = is_plain_english(a) and is_plain_english(b)
    left, right = read_statement(a, english), read_statement(b, english)
    if len(left) == len(right) and all(map(_match, left, right)):
        return ()
    return _explain(left, right)


def _match(left: Term, right: Term) -> bool:
    if left.exact == right.exact:
        return True
    return not left.strict and not right.strict and left.folded == right.folded


def _explain(left: list[Term], right: list[Term]) -> tuple[str, ...]:
    """Return how two lists of terms differ that do not match."""
    only_left, only_right = _surplus(left, right), _surplus(right, left)
    if not only_left and not only_right:
        return (_explain_order(left, right),)
    explanations: list[str] = []
    kinds: tuple[tuple[str, Callable[[Term], bool]], ...] = (
        ("negation", lambda term: term.folded in vocabulary.NEGATIONS),
        ("obligation", lambda term: term.folded in vocabulary.MODALS),
        ("scope", lambda term: term.folded in vocabulary.SCOPES),
        ("number", lambda term: term.kind == "number"),
        ("time", lambda term: term.kind == "time"),
        ("unit", lambda term: term.kind == "unit"),
        ("path", lambda term: term.kind in ("path", "address")),
        ("identifier", lambda term: term.kind in ("identifier", "part", "sign")),
        ("quoted text", lambda term: term.kind == "quoted"),
        ("name", lambda term: term.kind == "name"),
        ("word", lambda _: True),
    )
    opposed = _opposed(only_left, only_right)
    explanations += [
        f'opposites: "{left_word}" / "{right_word}"' for left_word, right_word in opposed
    ]
    explained = {word for pair in opposed for word in pair}
    for name, belongs in kinds:
        sides = []
        for terms in (only_left, only_right):
            matching = [term for term in terms if belongs(term) and term.folded not in explained]
            terms[:] = [term for term in terms if not belongs(term)]
            sides.append(" ".join(term.exact for term in matching[:_MAX_TERMS]))
        if any(sides):
            shown = " / ".join(f'"{side}"' if side else "nothing" for side in sides)
            explanations.append(f"{name}: {shown}")
    return tuple(explanations) or ("where sentences or clauses end",)


def _explain_order(left: list[Term], right: list[Term]) -> str:
    for first, second in zip(left, right, strict=False):
        if not _match(first, second):
            if first in (PAUSE, BREAK) or second in (PAUSE, BREAK):
                return "where sentences or clauses end"
            return f'order of words: "{first.exact}" / "{second.exact}" in the same place'
    return "where sentences or clauses end"


def _surplus(terms: list[Term], other_terms: list[Term]) -> list[Term]:
    """Return the terms without a counterpart on the other side, in order."""
    counts: dict[str, int] = {}
    for term in other_terms:
        counts[term.folded] = counts.get(term.folded, 0) + 1
    surplus = []
    for term in terms:
        if counts.get(term.folded, 0):
            counts[term.folded] -= 1
        elif term not in (PAUSE, BREAK):
            surplus.append(term)
    return surplus


def _opposed(left: list[Term], right: list[Term]) -> list[tuple[str, str]]:
    pairs = []
    right_words = {term.folded for term in right}
    for term in left:
        for word, opposite in vocabulary.OPPOSITES.items():
            if term.folded == word and opposite in right_words:
                pairs.append((word, opposite))
            elif term.folded == opposite and word in right_words:
                pairs.append((opposite, word))
    return pairs
