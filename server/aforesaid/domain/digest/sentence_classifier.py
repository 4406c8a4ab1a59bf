"""What a sentence says: a wish, a correction, a decision, a cause, something left to do.

Here: the questions that are put to a sentence. Not here: the phrases themselves (phrases/), form
(message_text.py), which statements a digest keeps (session_facts.py). What has no phrase still
counts as asked.
"""

from __future__ import annotations

import re

from aforesaid.lexicon import phrases

_I = re.IGNORECASE
#: The words of the last texts: each is asked for many times while a session is heard.
_words: dict[str, frozenset[str]] = {}
_WORDS_KEPT = 2000
#: Letters of a word by which it is compared with others.
_STEM = 5
_SHORT_REPLY, _SHORT_QUESTION = 60, 80
#: Scripts that do not part their words: pairs of signs stand for words.
_UNPARTED = "[\u3040-\u30ff\u3400-\u9fff]"


def words_of(text: str) -> frozenset[str]:
    """Return the words that carry meaning, in lower case."""
    known = _words.get(text)
    if known is None:
        if len(_words) >= _WORDS_KEPT:
            _words.clear()
        known = _words[text] = _read_words(text)
    return known


def _read_words(text: str) -> frozenset[str]:
    found = re.findall(r"[\w][\w.\-/]*[\w]|\w", text.lower())
    words = frozenset(word for word in found if word not in phrases.STOP_WORDS)
    if not re.search(_UNPARTED, text):
        return words
    parted: set[str] = set()
    for word in words:
        for run in re.split(rf"({_UNPARTED}+)", word):
            if re.match(_UNPARTED, run) and len(run) > 1:
                parted.update(run[place : place + 2] for place in range(len(run) - 1))
            elif run:
                parted.add(run)
    return frozenset(parted)


def stem(word: str) -> str:
    """Return the part of a word that its forms share, near enough to compare ("deploys")."""
    return word if len(word) < _STEM else word.removesuffix("s")[:_STEM]


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much of the smaller is in the other, in [0, 1]."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def is_small_talk(text: str) -> bool:
    """Tell whether a prompt asks for nothing of its own ("ok", "thanks, go on")."""
    return all(
        word in phrases.SMALL_TALK for word in re.findall(r"[\w']+", text.lower().replace("'", ""))
    )


def is_affirmation(text: str) -> bool:
    """Tell whether a short prompt agrees to what was proposed."""
    return len(text) <= _SHORT_REPLY and bool(re.search(phrases.AFFIRMATION, text.strip(), _I))


def option_of(text: str) -> str:
    """Return the letter or number of the option that a short prompt picks."""
    found = re.search(phrases.OPTION, text.strip(), _I) if len(text) <= _SHORT_REPLY else None
    return found.group(1).lower() if found else ""


def is_stop(text: str) -> bool:
    """Tell whether a prompt calls off what was being done."""
    return bool(re.search(phrases.STOP, text.strip(), _I))


def is_question(text: str) -> bool:
    """Tell whether a sentence asks."""
    return text.rstrip(" \"')").endswith(("?", "？")) or bool(  # noqa: RUF001
        re.search(phrases.QUESTION, text, _I) and len(text) < _SHORT_QUESTION and "." not in text
    )


def introduces_rule_list(text: str) -> bool:
    """Tell whether a line leads a list of rules ("our conventions here:")."""
    return announces(text) and bool(re.search(phrases.RULES_AHEAD, text.strip(), _I))


def is_order(text: str) -> bool:
    """Tell whether a sentence opens by asking for something to be done."""
    return bool(re.search(phrases.ORDER, text, _I)) and not re.search(phrases.LASTING, text, _I)


def clauses(text: str) -> list[str]:
    """Return an order and what holds on after it as sentences of their own."""
    found = re.search(phrases.CLAUSE, text, _I)
    before = text[: found.start()] if found is not None else ""
    if found is None or not (is_order(before) or is_affirmation(before)):
        return [text]
    return [before, text[found.end() :]]


def announces(text: str) -> bool:
    """Tell whether a sentence only leads to what was pasted after it."""
    return text.rstrip().endswith((":", "："))  # noqa: RUF001


def uses(text: str) -> bool:
    """Tell whether a sentence asks for something to be used ("use port 5433")."""
    return bool(re.search(phrases.USE, text, _I))


def names_rejected_value(text: str) -> bool:
    """Tell whether a sentence names what does not hold beside what does ("5433, not 5432")."""
    return bool(re.search(f"{phrases.OLD_VALUE}|^(?:we )?(?:don'?t|do not|never) .*,", text, _I))


def names_thing(text: str) -> bool:
    """Tell whether a sentence names something that a project stands in: a host, a port, a tool.

    A name has a digit, or parts joined by a sign.
    """
    named = any(char.isdigit() or char in "-.@" for word in words_of(text) for char in word)
    return named or names_surroundings(text)


def names_surroundings(text: str) -> bool:
    """Tell whether a sentence speaks of what a project stands in, by a word for it."""
    return bool(re.search(f"{phrases.ENVIRONMENT}|{phrases.TOOL}", text, _I))


def is_quantity(text: str) -> bool:
    """Tell whether a sentence names nothing but how much ("30 days"); 5433 alone is a name."""
    names = [
        word for word in words_of(text) if any(char in "-.@" or char.isdigit() for char in word)
    ]
    counted = all(re.fullmatch(r"[\d.,:]+", word) for word in names)
    alone = all(re.fullmatch(r"\d{4,}", word) for word in words_of(text))
    return counted and not alone and not names_surroundings(text)


def is_of_element(text: str) -> bool:
    """Tell whether a sentence is about a part of code, page or text ("the logo goes left")."""
    element = re.search(rf"^(?:\w+ ){{0,2}}\w*(?:{phrases.ELEMENT})", text, _I)
    return bool(element) and not re.search(phrases.TOOL, text, _I)


def is_correction(text: str) -> bool:
    """Tell whether a user's sentence puts something right."""
    return bool(re.search(phrases.CORRECTION, text, _I)) and not text.rstrip().endswith("?")


def strip_correction_opening(text: str) -> str:
    """Return a correction without its opening ("No, ...")."""
    rest = re.sub(phrases.CORRECTION_HEAD, "", text, count=1, flags=_I)
    return rest if words_of(rest) else text


def is_denial(text: str) -> bool:
    """Tell whether a sentence only says no: what follows it puts right."""
    return bool(re.search(phrases.DENIAL, text.strip(), _I))


def starts_with_denial(text: str) -> bool:
    """Tell whether a sentence says no before it says what holds ("no, the port is 5433")."""
    told = re.sub("^(?:and|but) ", "", text)
    opening, *rest = re.split(r"[,.!:;，。！、]", told, maxsplit=1)  # noqa: RUF001
    return bool(rest) and is_denial(opening)


def is_rule(text: str) -> bool:
    """Tell whether a user's sentence is a wish or rule that outlives the moment."""
    return (
        bool(re.search(phrases.RULE, text, _I))
        and not text.rstrip().endswith("?")
        and not re.search(phrases.DESCRIBED, text, _I)
    )


def strip_opening(text: str) -> str:
    """Return a sentence without the words that only lead to it ("oh btw, ... pls")."""
    text = strip_label(strip_correction_opening(text))
    for _ in range(4):
        shorter = re.sub(phrases.LEAD, "", text, count=1, flags=_I).strip()
        if shorter == text or not words_of(shorter):
            break
        text = shorter
    return " ".join(text.split()).rstrip(" .;,:!。")


def is_plain_fact(text: str) -> bool:
    """Tell whether nothing marks a fact as worth keeping: it may be what a prompt is about."""
    opposed = names_rejected_value(text) and re.search(phrases.ENVIRONMENT, text, _I)
    return not opposed and not re.search(f"{phrases.ASIDE}|{phrases.CONSTRAINT}", text, _I)


def is_temporary(text: str) -> bool:
    """Tell whether a sentence holds for the moment only."""
    return bool(re.search(phrases.PASSING, text, _I)) and not re.search(phrases.LASTING, text, _I)


def states(text: str) -> bool:
    """Tell whether a sentence says how something is, and asks for nothing."""
    told = re.search(f"{phrases.STATES}|{phrases.FACT}", text, _I)
    return bool(told) and not is_question(text)


def is_fact(text: str) -> bool:
    """Tell whether a user's sentence states what holds for a project or its people."""
    told = strip_opening(text)
    if is_question(text) or is_order(told) or re.search(phrases.COMPLAINT, text, _I):
        return False
    if re.search(phrases.FACT, text, _I):
        return True
    marks = (phrases.ASIDE, phrases.CONSTRAINT, phrases.ENVIRONMENT)
    return bool(re.search(phrases.STATES, told, _I)) and any(
        re.search(mark, text, _I) for mark in marks
    )


def is_decision(text: str) -> bool:
    """Tell whether a user's sentence decides."""
    return _decides(phrases.DECISION, text)


def is_decided(text: str) -> bool:
    """Tell whether a user's sentence tells a decision as one."""
    return _decides(phrases.DECIDED, text)


def is_choice(text: str) -> bool:
    """Tell whether a user's sentence takes one way instead of another."""
    return _decides(phrases.CHOICE, text) and is_decision(text)


def is_reasoned(text: str) -> bool:
    """Tell whether a sentence gives a reason."""
    return bool(re.search(phrases.REASON, text, _I))


def is_fragment(text: str) -> bool:
    """Tell whether a short sentence only goes on with the one before it."""
    return len(text) <= _SHORT_REPLY and bool(re.search(phrases.FRAGMENT, text, _I))


def is_own_decision(text: str) -> bool:
    """Tell whether an agent's sentence reports a decision."""
    return _decides(phrases.OWN_DECISION, text)


def _decides(pattern: str, text: str) -> bool:
    return (
        bool(re.search(pattern, text, _I))
        and not text.rstrip().endswith("?")
        and not re.search(phrases.WEIGHED, text, _I)
    )


def is_proposal(text: str) -> bool:
    """Tell whether an agent's sentence proposes something."""
    return bool(re.search(phrases.PROPOSAL, text, _I))


def strip_proposal_opening(text: str) -> str:
    """Return what an agent's sentence proposes, without asking."""
    rest = re.sub(phrases.PROPOSAL_HEAD, "", text.rstrip(" ?？"), count=1, flags=_I)  # noqa: RUF001
    return rest if words_of(rest) else text


def is_cause(text: str) -> bool:
    """Tell whether an agent's sentence explains something."""
    return bool(re.search(phrases.CAUSE, text, _I)) and not is_question(text)


def is_done(text: str) -> bool:
    """Tell whether an agent's sentence reports what was done."""
    return bool(re.search(phrases.DONE, text, _I)) and not is_question(text)


def forbids(text: str) -> bool:
    """Tell whether a user's sentence says what not to do."""
    return bool(re.search(r"^(?:please |and |but )?(?:don'?t|do not|stop \w+ing)\b", text, _I))


def is_routine_request(text: str) -> bool:
    """Tell whether an ask is a chore that the digest shows as a command or commit anyway."""
    chore = (
        r"^(?:please |now |and |then )*(?:commit|push|merge|rebase|open a pr|run (?:the )?tests)\b"
    )
    return bool(re.search(chore, text, _I)) and len(words_of(text)) <= 4  # noqa: PLR2004


def is_routine(text: str) -> bool:
    """Tell whether a report says only what commands and commits show themselves."""
    return bool(re.search(phrases.ROUTINE, text, _I))


def names_next_step(text: str) -> bool:
    """Tell whether an agent's sentence says outright what comes next."""
    return bool(re.search(phrases.NEXT, text, _I))


def is_open(text: str) -> bool:
    """Tell whether an agent's sentence leaves something to do."""
    return bool(re.search(phrases.OPEN, text, _I)) and not re.search(phrases.REMEDIED, text, _I)


def is_for_later(text: str) -> bool:
    """Tell whether a user's sentence puts something off."""
    return bool(re.search(phrases.LATER, text, _I))


def is_narration(text: str) -> bool:
    """Tell whether an agent's sentence only announces its next move."""
    return bool(re.search(phrases.NARRATION, text, _I))


def strip_label(text: str) -> str:
    """Return a statement without the word that announces it ("Decision: ...")."""
    rest = re.sub(phrases.ANNOUNCED, "", text, count=1, flags=_I)
    return rest if len(words_of(rest)) > 1 else text


def without_label(text: str) -> str:
    """Return an open end without a lead-in such as "Left open:" or "Still to do:"."""
    return re.sub(phrases.OPEN_LABEL, "", text, count=1, flags=_I)


def strip_politeness(text: str) -> str:
    """Return an ask without its politeness, as a line of its own."""
    for _ in range(3):
        shorter = re.sub(phrases.POLITE, "", text, count=1, flags=_I)
        if shorter == text or not words_of(shorter):
            break
        text = shorter
    return text
