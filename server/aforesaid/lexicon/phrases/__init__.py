"""The phrases of all languages, each kind as one pattern.

Here: joining. A prompt may mix languages ("ok, dann eben rebase"), so every sentence is held
against all of them; a new language is a new module beside en.py. Not here: what is done with
a match (domain/digest/sentence_classifier.py, domain/digest/memory_candidates.py).
"""

from __future__ import annotations

from aforesaid.lexicon.phrases import de, en, romance, tool_names, zh_ja

_LANGUAGES = (en, de, romance, zh_ja)


def _joined(name: str) -> str:
    found = (getattr(module, name, "") for module in _LANGUAGES)
    return "|".join(f"(?:{pattern})" for pattern in found if pattern)


SMALL_TALK = en.SMALL_TALK
TOOL = tool_names.TOOL
OPTION = en.OPTION
AFFIRMATION = _joined("AFFIRMATION")
STOP = _joined("STOP")
QUESTION = _joined("QUESTION")
WEIGHED = _joined("WEIGHED")
CORRECTION = _joined("CORRECTION")
CORRECTION_HEAD = _joined("CORRECTION_HEAD")
RULE = _joined("RULE")
DESCRIBED = _joined("DESCRIBED")
DECISION = _joined("DECISION")
DECIDED = _joined("DECIDED")
OWN_DECISION = _joined("OWN_DECISION")
PROPOSAL = _joined("PROPOSAL")
CAUSE = _joined("CAUSE")
DONE = _joined("DONE")
OPEN = _joined("OPEN")
OPEN_LABEL = _joined("OPEN_LABEL")
REMEDIED = _joined("REMEDIED")
LATER = _joined("LATER")
NARRATION = _joined("NARRATION")
ANNOUNCED = _joined("ANNOUNCED")
ROUTINE = _joined("ROUTINE")
NEXT = _joined("NEXT")
POLITE = _joined("POLITE")
FACT = _joined("FACT")
ASIDE = _joined("ASIDE")
CONSTRAINT = _joined("CONSTRAINT")
PASSING = _joined("PASSING")
PERSONAL = _joined("PERSONAL")
HERE = _joined("HERE")
STATES = _joined("STATES")
COPULA = _joined("COPULA")
ENVIRONMENT = _joined("ENVIRONMENT")
COMPLAINT = _joined("COMPLAINT")
DENIAL = _joined("DENIAL")
BLAME = _joined("BLAME")
CONTRAST = _joined("CONTRAST")
LEAD = _joined("LEAD")
PROPOSAL_HEAD = _joined("PROPOSAL_HEAD")
FRAGMENT = _joined("FRAGMENT")
CHOICE = _joined("CHOICE")
REASON = _joined("REASON")
LASTING = _joined("LASTING")
ORDER = _joined("ORDER")
RULES_AHEAD = _joined("RULES_AHEAD")
PAST = _joined("PAST")
CLAUSE = _joined("CLAUSE")
DIRECTIVE = _joined("DIRECTIVE")
HOUSE = _joined("HOUSE")
WISH = _joined("WISH")
AT_HAND = _joined("AT_HAND")
NEGATION = _joined("NEGATION")
OLD_VALUE = _joined("OLD_VALUE")
USE = _joined("USE")
PURPOSE = _joined("PURPOSE")
INDEFINITE = _joined("INDEFINITE")
ELEMENT = _joined("ELEMENT")
THAT = _joined("THAT")
STOP_WORDS = en.STOP_WORDS | de.STOP_WORDS | romance.STOP_WORDS
