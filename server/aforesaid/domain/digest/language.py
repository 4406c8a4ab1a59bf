"""What a sentence says: a wish, a correction, a decision, a cause, something left to do.

Here: the questions that are put to a sentence. Not here: the cues themselves (cues.py), form
(prose.py), which statements a digest keeps (facts.py). What has no cue still counts as asked.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import cues

_I = re.IGNORECASE
_SHORT_REPLY, _SHORT_QUESTION = 60, 80


def words_of(text: str) -> frozenset[str]:
    """Return the words that carry meaning, in lower case."""
    found = re.findall(r"[\w][\w.\-/]*[\w]|\w", text.lower())
    return frozenset(word for word in found if word not in cues.STOP_WORDS)


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how much of the smaller is in the other, in [0, 1]."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


def is_small_talk(text: str) -> bool:
    """Tell whether a prompt asks for nothing of its own ("ok", "thanks, go on")."""
    return all(
        word in cues.SMALL_TALK for word in re.findall(r"[\w']+", text.lower().replace("'", ""))
    )


def is_affirmation(text: str) -> bool:
    """Tell whether a short prompt agrees to what was proposed."""
    return len(text) <= _SHORT_REPLY and bool(re.search(cues.AFFIRMATION, text.strip(), _I))


def option_of(text: str) -> str:
    """Return the letter or number of the option that a short prompt picks."""
    found = re.search(cues.OPTION, text.strip(), _I) if len(text) <= _SHORT_REPLY else None
    return found.group(1).lower() if found else ""


def is_stop(text: str) -> bool:
    """Tell whether a prompt calls off what was being done."""
    return bool(re.search(cues.STOP, text.strip(), _I))


def is_question(text: str) -> bool:
    """Tell whether a sentence asks."""
    return text.rstrip(" \"')").endswith(("?", "？")) or bool(  # noqa: RUF001
        re.search(cues.QUESTION, text, _I) and len(text) < _SHORT_QUESTION and "." not in text
    )


def is_correction(text: str) -> bool:
    """Tell whether a user's sentence puts something right."""
    return bool(re.search(cues.CORRECTION, text, _I)) and not text.rstrip().endswith("?")


def corrected(text: str) -> str:
    """Return a correction without its opening ("No, ...")."""
    rest = re.sub(cues.CORRECTION_HEAD, "", text, count=1, flags=_I)
    return rest if len(words_of(rest)) > 1 else text


def is_rule(text: str) -> bool:
    """Tell whether a user's sentence is a wish or rule that outlives the moment."""
    return (
        bool(re.search(cues.RULE, text, _I))
        and not text.rstrip().endswith("?")
        and not re.search(cues.DESCRIBED, text, _I)
    )


def is_decision(text: str) -> bool:
    """Tell whether a user's sentence decides."""
    return _decides(cues.DECISION, text)


def is_own_decision(text: str) -> bool:
    """Tell whether an agent's sentence reports a decision."""
    return _decides(cues.OWN_DECISION, text)


def _decides(pattern: str, text: str) -> bool:
    return (
        bool(re.search(pattern, text, _I))
        and not text.rstrip().endswith("?")
        and not re.search(cues.WEIGHED, text, _I)
    )


def is_proposal(text: str) -> bool:
    """Tell whether an agent's sentence proposes something."""
    return bool(re.search(cues.PROPOSAL, text, _I))


def proposed(text: str) -> str:
    """Return what an agent's sentence proposes, without asking."""
    rest = re.sub(
        r"^(?:so,? )?(?:should|shall) (?:i|we) |^(?:do you )?want me to "
        r"|^i(?:'d| would)? (?:suggest|recommend|propose)(?: (?:to|that|we))? ",
        "",
        text.rstrip(" ?"),
        count=1,
        flags=_I,
    )
    return rest if words_of(rest) else text


def is_cause(text: str) -> bool:
    """Tell whether an agent's sentence explains something."""
    return bool(re.search(cues.CAUSE, text, _I)) and not is_question(text)


def is_done(text: str) -> bool:
    """Tell whether an agent's sentence reports what was done."""
    return bool(re.search(cues.DONE, text, _I)) and not is_question(text)


def forbids(text: str) -> bool:
    """Tell whether a user's sentence says what not to do."""
    return bool(re.search(r"^(?:please |and |but )?(?:don'?t|do not|stop \w+ing)\b", text, _I))


def is_chore(text: str) -> bool:
    """Tell whether an ask is a chore that the digest shows as a command or commit anyway."""
    chore = (
        r"^(?:please |now |and |then )*(?:commit|push|merge|rebase|open a pr|run (?:the )?tests)\b"
    )
    return bool(re.search(chore, text, _I)) and len(words_of(text)) <= 4  # noqa: PLR2004


def is_routine(text: str) -> bool:
    """Tell whether a report says only what commands and commits show themselves."""
    return bool(re.search(cues.ROUTINE, text, _I))


def names_next_step(text: str) -> bool:
    """Tell whether an agent's sentence says outright what comes next."""
    return bool(re.search(cues.NEXT, text, _I))


def is_open(text: str) -> bool:
    """Tell whether an agent's sentence leaves something to do."""
    return bool(re.search(cues.OPEN, text, _I))


def is_for_later(text: str) -> bool:
    """Tell whether a user's sentence puts something off."""
    return bool(re.search(cues.LATER, text, _I))


def is_narration(text: str) -> bool:
    """Tell whether an agent's sentence only announces its next move."""
    return bool(re.search(cues.NARRATION, text, _I))


def bare(text: str) -> str:
    """Return a statement without the word that announces it ("Decision: ...")."""
    rest = re.sub(cues.ANNOUNCED, "", text, count=1, flags=_I)
    return rest if len(words_of(rest)) > 1 else text


def without_label(text: str) -> str:
    """Return an open end without a lead-in such as "Left open:" or "Still to do:"."""
    return re.sub(cues.OPEN_LABEL, "", text, count=1, flags=_I)


def plainly(text: str) -> str:
    """Return an ask without its politeness, as a line of its own."""
    for _ in range(3):
        shorter = re.sub(cues.POLITE, "", text, count=1, flags=_I)
        if shorter == text or not words_of(shorter):
            break
        text = shorter
    return text
