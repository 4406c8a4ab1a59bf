"""A text as sentences of terms, without what wording alone changes.

Here: what may vary across a sentence: articles, lead-ins, phrases, a fronted clause, the passive.
Not here: single words (tokens.py), tables (vocabulary.py), judging (compare.py).
"""

from __future__ import annotations

from aforesaid.domain.dedup import vocabulary
from aforesaid.domain.dedup.tokens import BREAK, PAUSE, Term, read_terms


def read_statement(text: str, english: bool) -> list[Term]:
    """Return the terms of a text that carry meaning, in an order that wording does not change."""
    sentences: list[list[Term]] = [[]]
    for term in read_terms(text, english):
        if term is BREAK:
            sentences.append([])
        else:
            sentences[-1].append(term)
    read: list[Term] = []
    for sentence in sentences:
        kept = _trim(_fold_sentence(sentence) if english else sentence)
        if kept:
            read += [BREAK, *kept] if read else kept
    return read


def _fold_sentence(sentence: list[Term]) -> list[Term]:
    """Return a sentence without what wording alone changes."""
    folded = _fold_words(_trim(sentence))
    folded = _replace_phrases(folded)
    folded = _drop_lead_ins(folded)
    folded = _drop_articles(folded)
    folded = _fold_subject(folded)
    folded = _move_front_to_end(folded)
    folded = _turn_passive(folded)
    if not any(term[2] in vocabulary.COMMA_MATTERS for term in folded):
        # Where nothing is denied or excepted, a comma moves no meaning.
        folded = [term for term in folded if term is not PAUSE]
    return folded


def _trim(sentence: list[Term]) -> list[Term]:
    """Return a sentence without pauses at its ends and with single ones inside."""
    kept: list[Term] = []
    for term in sentence:
        if term is not PAUSE or (kept and kept[-1] is not PAUSE):
            kept.append(term)
    while kept and kept[-1] is PAUSE:
        kept.pop()
    return kept


def _fold_words(sentence: list[Term]) -> list[Term]:
    """Return a sentence with each word in the spelling that stands for it."""
    spelled_out = any(vocabulary.fold_plural(term[2]) in vocabulary.SPELLS_OUT for term in sentence)
    folded: list[Term] = []
    for index, term in enumerate(sentence):
        kind, exact, word, strict = term
        previous = sentence[index - 1][2] if index else ""
        following = sentence[index + 1][2] if index + 1 < len(sentence) else ""
        if kind == "version":  # v18 is 18, but not where the letters themselves are the matter
            folded.append(("number", exact, exact if spelled_out else word, False))
        elif strict or kind not in ("word", "name"):
            folded.append(term)
        elif folded and folded[-1][0] == "number" and exact in vocabulary.UNITS:
            folded.append(("unit", exact, vocabulary.UNITS[exact], False))
        elif previous in vocabulary.CALLED:
            folded.append(("identifier", exact, exact, True))
        elif (
            word == "version"
            and sentence[index + 1 : index + 2]
            and (sentence[index + 1][0] in ("number", "version"))
        ):
            continue
        elif word == "each" and following == "other":
            folded.append(term)
        else:
            behind = vocabulary.fold_plural(previous) in vocabulary.NAMED_THINGS_BEHIND
            named = behind or vocabulary.fold_plural(following) in vocabulary.NAMED_THINGS
            if behind and exact not in (word, "A"):
                folded.append(("identifier", exact, exact, True))
                continue
            spelling = word if exact == "A" else vocabulary.fold_word(word, plural=not named)
            folded.append(("number" if spelling.isdigit() else kind, exact, spelling, False))
    return folded


def _words(*words: str) -> list[Term]:
    return [("word", word, word, False) for word in words]


def _starts(sentence: list[Term], at: int, words: tuple[str, ...]) -> bool:
    if at + len(words) > len(sentence):
        return False
    return all(
        not term[3] and term[2] == word
        for term, word in zip(sentence[at : at + len(words)], words, strict=True)
    )


def _replace_phrases(sentence: list[Term]) -> list[Term]:
    for phrase, stands_for in vocabulary.PHRASES:
        at = 0
        while at < len(sentence):
            if sentence[at][2] == phrase[0] and _starts(sentence, at, phrase):
                sentence = sentence[:at] + _words(*stands_for) + sentence[at + len(phrase) :]
            at += 1
    return _replace_have_to(sentence)


def _replace_have_to(sentence: list[Term]) -> list[Term]:
    """Return "have to" as "must", but not in "don't have to", which allows instead."""
    for at in range(len(sentence) - 1):
        if _starts(sentence, at, ("have", "to")) and not any(
            term[2] in vocabulary.NEGATIONS or term[2] in vocabulary.MODALS
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
    kept: list[Term] = []
    for index, term in enumerate(sentence):
        following = sentence[index + 1] if index + 1 < len(sentence) else PAUSE
        if term[0] in ("word", "name") and not term[3] and following is not PAUSE:
            may_fall = term[1].islower() or index == 0  # "The Graph" is a name
            if (
                term[2] in vocabulary.ARTICLES
                and may_fall
                and (following[2] not in vocabulary.KEEPS_A_BEFORE)
            ):
                continue
            is_a = term[2] == "a" or (term[1] == "A" and index == 0 and _is_article(sentence))
            if is_a and following[2] not in vocabulary.KEEPS_A_BEFORE:
                continue
        kept.append(term)
    return kept


_SHORTEST = 4


def _is_article(sentence: list[Term]) -> bool:
    """Tell whether a capital A at the head is an article: two lower-case words, no other letter."""
    if len(sentence) < _SHORTEST or any(len(term[1]) == 1 for term in sentence[1:]):
        return False
    return all(term[0] == "word" for term in sentence[1:3]) and not sentence[1][1].endswith("s")


def _fold_subject(sentence: list[Term]) -> list[Term]:
    """Return a sentence with "I prefer" as the user's, and without an idle "we" or "you"."""
    if _starts(sentence, 0, ("i", "prefer")):
        return _words("user") + sentence[1:]
    if len(sentence) > len(("we", "never")):
        head, following = sentence[0][2], sentence[1][2]
        if head == "we" and following in vocabulary.WE_FALLS_BEFORE:
            return sentence[1:]
        if head == "you" and following in vocabulary.YOU_FALLS_BEFORE:
            return sentence[1:]
        if _starts(sentence, 0, ("we", "do", "not")):
            return sentence[1:]
    return sentence


def _move_front_to_end(sentence: list[Term]) -> list[Term]:
    """Return "In CI, run it" as "run it in CI"; only where one comma leaves no choice."""
    if sentence.count(PAUSE) != 1 or not sentence or sentence[0][2] not in vocabulary.FRONTED:
        return sentence
    at = sentence.index(PAUSE)
    rest = sentence[at + 1 :]
    if rest and rest[0][2] == "then":
        rest = rest[1:]
    return rest + sentence[:at] if len(rest) > 1 and at > 1 else sentence


def _turn_passive(sentence: list[Term]) -> list[Term]:
    """Return "X is handled by Y" as "Y handle X", and "X is used for Y" as "use X for Y"."""
    verbs = [at for at, term in enumerate(sentence) if term[2] == "be" and not term[3]]
    if len(verbs) != 1 or not 0 < verbs[0] < len(sentence) - 3:
        return sentence
    at = verbs[0]
    before, verb, link = sentence[:at], sentence[at + 1][2], sentence[at + 2][2]
    behind = sentence[at + 3 :]
    if any(t is PAUSE or (t[2] in vocabulary.TURNS_BADLY and not t[3]) for t in before + behind):
        return sentence
    if link == "by" and verb in vocabulary.PARTICIPLES:
        return behind + _words(vocabulary.PARTICIPLES[verb]) + before
    if verb == "used" and link == "for":
        return _words("use") + before + _words("for") + behind
    return sentence
