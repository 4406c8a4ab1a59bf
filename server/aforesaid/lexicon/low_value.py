"""English words that show whether a memory is worth keeping."""
# ruff: noqa: SIM905 (a list of words reads better as text)

from __future__ import annotations

#: Words that name no subject: a short memory of these alone is too vague to keep.
VAGUE_WORDS = frozenset(
    """again all also always another anything back better bit bug case change changed changes check
    checked code continue continued done easy else error errors everything file files fine fix fixed
    fixes go going good great green here help idea issue issues it job just keep later latest least
    left less little lot make makes making maybe more much need needed needs new next nice nothing
    ok okay old ongoing other part pass passed passes passing pending please point problem problems
    ready red result results right run runs same so some something soon still stuff task tests test
    thanks that there thing things this time today todo tomorrow try tried update updated updates
    useful user want wants way well went will work worked working works wrong yes yet""".split()
)
#: A report of something just done begins with one of these, without a subject.
REPORT_VERBS = (
    "ran|wrote|made|got|found|took|built|began|did|went|saw"
    "|overrode|tried|looked|opened|checked|started|stopped|asked|told|copied|deleted|renamed|pushed"
    "|pulled|merged|formatted|pointed|added|removed|tested|reverted|restarted|installed|rebased"
    "|committed|debugged|investigated|searched|explored|reviewed|waited|continued|cleaned|logged"
    "|printed|listed|finished|fixed"
)
#: One of these makes a report worth keeping: a reason, a lasting change, a lesson.
LASTING_WORDS = (
    "because|since|so that|therefore|cause[ds]?|due to|needs?|must|never|always|no longer|now"
    "|instead|from now on|otherwise|unless|to avoid|which means"
)
