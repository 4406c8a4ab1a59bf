"""Which texts are hardly worth keeping: too short, too vague, or about a single moment.

Here: judging one text. Not here: what of a store is counted
(services/maintenance/quality_report.py), what is set aside (maintenance/archive.py). In doubt a
text is good.
"""

from __future__ import annotations

import re

from aforesaid.domain.digest.sentence_classifier import is_small_talk, is_temporary
from aforesaid.domain.text.tokenize import STOP_WORDS

SHORT, VAGUE, MOMENT = "too short", "too vague", "of a moment"
MIN_WORDS = 2  #: that say something
FEW_WORDS = 5  #: up to so many must name something

_WORD = re.compile(r"[^\W_]+(?:['._/:@-]+[^\W_]+)*")
#: Words that name nothing by themselves.
_GENERAL = frozenset(
    """again all also always another anything back better bit bug case change changed changes check
    checked code continue continued done easy else error errors everything file files fine fix fixed
    fixes go going good great green here help idea issue issues it job just keep later latest least
    left less little lot make makes making maybe more much need needed needs new next nice nothing
    ok okay old ongoing other part pass passed passes passing pending please point problem problems
    ready red result results right run runs same so some something soon still stuff task tests test
    thanks that there thing things this time today todo tomorrow try tried update updated updates
    useful user want wants way well went will work worked working works wrong yes yet""".split()  # noqa: SIM905
)
#: How a report of what was just done begins: a verb in the past, and nobody who did it.
_REPORT = re.compile(
    r"^(?:then |just |also |and )*(?:ran|wrote|made|got|found|took|built|began|did|went|saw"
    r"|overrode|tried|looked|opened|checked|started|stopped|asked|told|copied|deleted|renamed|pushed"
    r"|pulled|merged|formatted|pointed|added|removed|tested|reverted|restarted|installed|rebased"
    r"|committed|debugged|investigated|searched|explored|reviewed|waited|continued|cleaned|logged"
    r"|printed|listed|finished|fixed)\b(?! by\b)",
    re.IGNORECASE,
)
#: What makes a report worth keeping: a reason, a change that lasts, a lesson.
_LASTS = re.compile(
    r"\b(?:because|since|so that|therefore|cause[ds]?|due to|needs?|must|never|always|no longer|now"
    r"|instead|from now on|otherwise|unless|to avoid|which means)\b|:",
    re.IGNORECASE,
)


def low_value_reason(text: str, kind: str = "semantic") -> str:
    """Return why a text is hardly worth keeping, empty if it is.

    Args:
        text: the whole of a memory.
        kind: its type: an event may tell of a moment, what is said to last may not.
    """
    words = [one.lower() for one in _WORD.findall(text)]
    saying = [one for one in words if one not in STOP_WORDS]
    if not text.isascii() and len(text.split()) <= 1:
        return ""  # a script without blanks: words cannot be counted
    if len(saying) < MIN_WORDS:
        return SHORT
    if is_small_talk(text) or (
        len(words) <= FEW_WORDS and all(one in _GENERAL or one.isdigit() for one in saying)
    ):
        return VAGUE
    lasting = kind in ("semantic", "procedural")
    if lasting and (is_temporary(text) or _REPORT.match(text)) and not _LASTS.search(text):
        return MOMENT
    return ""
