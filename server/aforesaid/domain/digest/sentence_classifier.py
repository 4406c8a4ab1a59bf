"""Classifies a sentence: preference, correction, decision, cause, open item and others.

The phrases are in lexicon/phrases, compiled at first use. A sentence without any of them counts as
a request.
"""

from __future__ import annotations

import re
from functools import cache

from aforesaid.lexicon.phrases import PATTERNS, SMALL_TALK, STATEMENT_STOP_WORDS
from aforesaid.lexicon.scripts import KANA_AND_HAN


@cache
def phrase_pattern(*kinds: str) -> re.Pattern[str]:
    """Return the pattern that matches a phrase of one of these kinds."""
    return re.compile("|".join(PATTERNS[kind] for kind in kinds), re.IGNORECASE)


def matches(text: str, *kinds: str) -> bool:
    """Tell whether a text has a phrase of one of these kinds."""
    return phrase_pattern(*kinds).search(text) is not None


#: Words of recent texts: each is asked for many times while a session is read.
_words: dict[str, frozenset[str]] = {}
_MAX_CACHED = 2000
#: Letters of a word by which it is compared with others.
_STEM_CHARS = 5
_SHORT_REPLY_CHARS, _SHORT_QUESTION_CHARS = 60, 80
_REFUSAL_WORDS = 3  #: of a refusal that gives no reason
#: In these scripts pairs of characters stand for words.
_UNSPACED = f"[{KANA_AND_HAN}]"


def words_of(text: str) -> frozenset[str]:
    """Return the words that carry meaning, in lower case."""
    words = _words.get(text)
    if words is None:
        if len(_words) >= _MAX_CACHED:
            _words.clear()
        words = _words[text] = _read_words(text)
    return words


def _read_words(text: str) -> frozenset[str]:
    words = frozenset(re.findall(r"[\w][\w.\-/]*[\w]|\w", text.lower())) - STATEMENT_STOP_WORDS
    if not re.search(_UNSPACED, text):
        return words
    parts: set[str] = set()
    for word in words:
        for run in re.split(rf"({_UNSPACED}+)", word):
            if re.match(_UNSPACED, run) and len(run) > 1:
                parts.update(run[i : i + 2] for i in range(len(run) - 1))
            elif run:
                parts.add(run)
    return frozenset(parts)


def five_letter_stem(word: str) -> str:
    """Return the part that the forms of a word share, near enough to compare ("deploys")."""
    return word if len(word) < _STEM_CHARS else word.removesuffix("s")[:_STEM_CHARS]


def stems_of(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that carry meaning."""
    return frozenset(map(five_letter_stem, words_of(text)))


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of the smaller set that is in the other, in [0, 1]."""
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def is_small_talk(text: str) -> bool:
    """Tell whether a prompt asks for nothing of its own ("ok", "thanks, go on")."""
    return SMALL_TALK.issuperset(re.findall(r"[\w']+", text.lower().replace("'", "")))


def asks_nothing(text: str) -> bool:
    """Tell whether a user's sentence is small talk, or only ends the session."""
    return is_small_talk(text) or matches(text.strip(), "farewell")


def says_untested(text: str) -> bool:
    """Tell whether a sentence says that tests did not run or pass."""
    return re.search(r"(?i)\btests?\b", text) is not None and matches(text, "negation")


def is_affirmation(text: str) -> bool:
    """Tell whether a short prompt agrees to a proposal."""
    return len(text) <= _SHORT_REPLY_CHARS and matches(text.strip(), "affirmation")


def option_of(text: str) -> str:
    """Return the letter or number of the option that a short prompt picks."""
    if len(text) > _SHORT_REPLY_CHARS:
        return ""
    match = phrase_pattern("option").search(text.strip())
    return match[1].lower() if match else ""


def is_question(text: str) -> bool:
    """Tell whether a sentence is a question."""
    if text.rstrip(" \"')").endswith(("?", "？")):  # noqa: RUF001
        return True
    if matches(text.strip(), "modal_question"):
        return True
    return len(text) < _SHORT_QUESTION_CHARS and "." not in text and matches(text, "question")


def introduces_rule_list(text: str) -> bool:
    """Tell whether a line heads a list of rules ("our conventions here:")."""
    return announces(text) and matches(text.strip(), "rule_list_heading")


def is_order(text: str) -> bool:
    """Tell whether a sentence opens by asking for something to be done."""
    return matches(text, "order") and not matches(text, "lasting")


def clauses(text: str) -> list[str]:
    """Split a sentence into an order and a lasting clause after it, if it has both."""
    match = phrase_pattern("lasting_clause").search(text)
    before = text[: match.start()] if match else ""
    if match is None or not (is_order(before) or is_affirmation(before)):
        return [text]
    return [before, text[match.end() :]]


def announces(text: str) -> bool:
    """Tell whether a sentence only introduces text that was pasted after it."""
    return text.rstrip().endswith((":", "："))  # noqa: RUF001


def uses(text: str) -> bool:
    """Tell whether a sentence asks to use something ("use port 5433")."""
    return matches(text, "use")


def names_rejected_value(text: str) -> bool:
    """Tell whether a sentence names a wrong value beside the right one ("5433, not 5432")."""
    return matches(text, "rejected_value") or bool(
        re.search("^(?:we )?(?:don'?t|do not|never) .*,", text, re.IGNORECASE)
    )


def names_thing(text: str) -> bool:
    """Tell whether a sentence names a part of a project's environment: a host, a port, a tool.

    A name has a digit, or parts joined by a sign.
    """
    named = any(char.isdigit() or char in "-.@" for word in words_of(text) for char in word)
    return named or names_environment(text)


def names_environment(text: str) -> bool:
    """Tell whether a sentence has a word for a project's environment."""
    return matches(text, "environment", "tool")


def is_quantity(text: str) -> bool:
    """Tell whether a sentence names only an amount ("30 days"); 5433 alone is a name."""
    names = [
        word for word in words_of(text) if any(char in "-.@" or char.isdigit() for char in word)
    ]
    amounts = all(re.fullmatch(r"[\d.,:]+", word) for word in names)
    number_alone = all(re.fullmatch(r"\d{4,}", word) for word in words_of(text))
    return amounts and not number_alone and not names_environment(text)


def is_of_element(text: str) -> bool:
    """Tell whether a sentence is about a part of code, page or text ("the logo goes left")."""
    pattern = rf"^(?:\w+ ){{0,2}}\w*(?:{phrase_pattern('code_element').pattern})"
    return bool(re.search(pattern, text, re.IGNORECASE)) and not matches(text, "tool")


def is_correction(text: str) -> bool:
    """Tell whether a user's sentence corrects something."""
    return matches(text, "correction", "reversal") and not text.rstrip().endswith("?")


def strip_correction_opening(text: str) -> str:
    """Return a correction without its opening ("No, ...")."""
    return _strip_phrases(text, phrase_pattern("correction_opening"))


def asks_to_remember(text: str) -> bool:
    """Tell whether a user's sentence says that it is to be remembered."""
    return matches(text.strip(), "remember") and not is_question(text)


def is_denial(text: str) -> bool:
    """Tell whether a sentence only says no: the next one corrects."""
    return matches(text.strip(), "denial")


def starts_with_denial(text: str) -> bool:
    """Tell whether a sentence says no before it says what holds ("no, the port is 5433")."""
    text = re.sub("^(?:and|but) ", "", text)
    opening, *rest = re.split(r"[,.!:;，。！、]", text, maxsplit=1)  # noqa: RUF001
    return bool(rest) and is_denial(opening)


def refuses(text: str) -> bool:
    """Tell whether a sentence begins by refusing ("no thank you, ...", "not another meeting")."""
    return starts_with_denial(text) or matches(text.strip(), "refusal")


def only_refuses(text: str) -> bool:
    """Tell whether a sentence refuses without a reason ("rather not, sorry")."""
    return matches(text.strip(), "refusal") and len(words_of(text)) <= _REFUSAL_WORDS


def is_rule(text: str) -> bool:
    """Tell whether a user's sentence is a preference or rule that lasts."""
    return (
        matches(text, "rule")
        and not text.rstrip().endswith("?")
        and not matches(text, "described_behaviour")
    )


def strip_opening(text: str) -> str:
    """Return a sentence without introductory words and politeness ("oh btw, ... pls")."""
    text = re.sub(r"^\(?\d{1,2}[.)] +", "", strip_label(strip_correction_opening(text)))
    for _ in range(4):
        shorter = phrase_pattern("opening").sub("", text, count=1).strip()
        if shorter == text or not words_of(shorter):
            break
        text = shorter
    return " ".join(text.split()).rstrip(" .;,:!。")


def is_plain_fact(text: str) -> bool:
    """Tell whether nothing marks a fact as worth keeping: it may be what a prompt is about."""
    opposed = names_rejected_value(text) and matches(text, "environment")
    return not opposed and not matches(text, "aside", "constraint")


def is_temporary(text: str) -> bool:
    """Tell whether a sentence holds for the moment only."""
    if matches(text, "present_situation"):
        return True
    return matches(text, "temporary") and not matches(text, "lasting")


def only_extends_scope(text: str) -> bool:
    """Tell whether a sentence only says for what else the one before holds ("in all repos")."""
    if matches(text, "extends_scope"):
        return True
    rest = phrase_pattern("all_projects").sub("", text)
    return rest != text and len(words_of(rest)) <= 1


def states(text: str) -> bool:
    """Tell whether a sentence states a fact and asks for nothing."""
    return matches(text, "statement", "fact") and not is_question(text)


def is_fact(text: str) -> bool:
    """Tell whether a user's sentence states something lasting about a project or its people."""
    bare = strip_opening(text)
    if is_question(text) or is_order(bare) or matches(text, "complaint"):
        return False
    return matches(text, "fact") or (
        matches(bare, "statement") and matches(text, "aside", "constraint", "environment")
    )


def is_decision(text: str) -> bool:
    """Tell whether a user's sentence states a decision."""
    return _decides("decision", text)


def is_stated_decision(text: str) -> bool:
    """Tell whether a user's sentence calls itself a decision."""
    return _decides("stated_decision", text)


def is_choice(text: str) -> bool:
    """Tell whether a user's sentence chooses one way instead of another."""
    return _decides("choice", text) and is_decision(text)


def is_fragment(text: str) -> bool:
    """Tell whether a short sentence only continues the one before it."""
    return len(text) <= _SHORT_REPLY_CHARS and matches(text, "fragment")


def is_assistant_decision(text: str) -> bool:
    """Tell whether an assistant's sentence reports a decision."""
    return _decides("assistant_decision", text)


def _decides(kind: str, text: str) -> bool:
    return (
        matches(text, kind) and not text.rstrip().endswith("?") and not matches(text, "undecided")
    )


def is_proposal(text: str) -> bool:
    """Tell whether an assistant's sentence proposes something."""
    return matches(text, "proposal")


def strip_proposal_opening(text: str) -> str:
    """Return what an assistant's sentence proposes, without asking."""
    rest = phrase_pattern("proposal_opening").sub("", text.rstrip(" ?？"), count=1)  # noqa: RUF001
    return rest if words_of(rest) else text


def is_cause(text: str) -> bool:
    """Tell whether an assistant's sentence explains something."""
    return matches(text, "cause") and not is_question(text)


def is_done(text: str) -> bool:
    """Tell whether an assistant's sentence reports what was done, not what it would do."""
    return matches(text, "done") and not is_question(text) and not matches(text, "would_do")


def forbids(text: str) -> bool:
    """Tell whether a user's sentence says what not to do."""
    pattern = r"^(?:please |and |but )?(?:don'?t|do not|stop \w+ing)\b"
    return bool(re.search(pattern, text, re.IGNORECASE))


def is_routine_request(text: str) -> bool:
    """Tell whether a request is a chore that the digest shows as a command or commit anyway."""
    pattern = (
        r"^(?:please |now |and |then )*(?:commit|push|merge|rebase|open a pr|run (?:the )?tests)\b"
    )
    return len(words_of(text)) <= 4 and bool(  # noqa: PLR2004
        re.search(pattern, text, re.IGNORECASE)
    )


def is_open(text: str) -> bool:
    """Tell whether an assistant's sentence leaves something to do."""
    return matches(text, "open") and not matches(text, "fixed_since", "unchanged", "only_open")


def strip_label(text: str) -> str:
    """Return a statement without the word that announces it ("Decision: ...")."""
    rest = phrase_pattern("label").sub("", text, count=1)
    return rest if len(words_of(rest)) > 1 else text


def strip_open_label(text: str) -> str:
    """Return an open item without a label such as "Left open:" or "Still to do:"."""
    return phrase_pattern("open_label").sub("", text, count=1)


def strip_politeness(text: str) -> str:
    """Return a request without its polite opening."""
    return _strip_phrases(text, phrase_pattern("politeness"))


def _strip_phrases(text: str, phrase: re.Pattern[str]) -> str:
    """Return a text without a phrase, up to three times, as long as words are left."""
    for _ in range(3):
        rest = phrase.sub("", text, count=1)
        if rest == text or not words_of(rest):
            break
        text = rest
    return text
