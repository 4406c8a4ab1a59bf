"""English words and patterns that say something changed, ended or was replaced.

Patterns are alternatives of regular expressions, without groups around them.
"""
# ruff: noqa: SIM905 (a list of words reads better as text)

from __future__ import annotations

from aforesaid.lexicon.calendar import MONTHS

#: A text with one of these says that something changed, or that it did not.
CHANGE_CUES = (
    r"now|no longer|any ?more|instead|replac\w+|moved|went (?:up|down|to)|since|still"
    r"|as (?:before|of)|remains?|changed|raised|rose|fell|lowered|reduced|increased|updated?"
    r"|upgraded|switched|migrated|converted|renamed|rewritten|rewrote|relocated|got rid of"
    r"|moving off|taken back|again|gone|new|former\w*"
    r"|bumped|shifted|swapped|rerouted|displaced|ditched|stretched|doubled|tripled|halved"
    r"|left|took over|gave up|starting|beginning with|dropped|ended|after the"
    rf"|from (?:\d{{1,2}} )?(?:{'|'.join(MONTHS)})"
)
#: Of these, the ones that by themselves say that something is different from before.
STATED_CHANGES = (
    r"now|no longer|any ?more|instead|replac\w+|moved|went (?:up|down|to)|changed|raised|rose"
    r"|fell|lowered|reduced|increased|updated?|upgraded|switched|migrated|converted|renamed"
    r"|rewritten|rewrote|relocated|got rid of|moving off|taken back|took over|gave up|dropped"
    r"|bumped|shifted|swapped|rerouted|displaced|ditched|stretched|doubled|tripled|halved"
)
#: A text that begins with one of these corrects an earlier one.
CORRECTIONS = "correction|actually|erratum"
#: Verbs and adverbs of "moved ... from X": X is the old value.
CHANGED_FROM = (
    "moved|switched|changed|migrated|converted|renamed|raised|lowered|reduced|increased"
    "|upgraded|downgraded|bumped|cut|shifted|rerouted|stretched|doubled|tripled|halved|over|back"
)
#: The old value follows one of these directly.
REPLACED = (
    r"swapped|displaced|ditched|renamed|we left|got rid of|moving off|instead of|rather than"
    r"|no longer|not"
    r"|dropped|gave up|replac(?:ed|es|ing)(?! by\b)"
)
#: The old value precedes one of these.
ENDINGS = (
    r"(?:was|were|is|are) (?:replaced|dropped|retired|removed|gone)\b"
    r"|(?:is|are) no longer\b|left\b|changed teams\b"
)
#: A statement with one of these adds to another, and does not replace it.
EXCEPTIONS = "outside|except|other|others|besides|without"
#: A question with one of these asks about the past.
PAST = (
    "before|previous(?:ly)?|former(?:ly)?|used to|old|older|earlier|original(?:ly)?|history"
    "|was|were|had|until|instead|anymore|changed?|moved?|left|leave|switch(?:ed)?|drop(?:ped)?"
    "|replaced?|abandon(?:ed)?|reject(?:ed)?|refused?|turned down|decided against|why not"
)
#: Openings that a statement's subject follows.
OPENINGS = (
    r"from now on|as of [\w ]{1,20}|since \w+|from \w+(?: \w+)?|in \w+|now|good|understood"
    r"|indeed|great|also"
)
#: A text with one of these thanks, promises or proposes: it states no fact that another replaces.
SPEECH = r"thanks(?! to)|thank you|you're welcome|i'll|i will|let's"
NUMBERS = {
    "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
    "seven": "7", "eight": "8", "nine": "9", "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip
#: Words about change and use that name no subject.
NO_SUBJECTS = frozenset(
    """use used uses using new still longer instead since remain remains go goes went gone
    get""".split()
)
#: What follows one of these after a verb belongs to the predicate: "we moved the CI to ...".
PREPOSITIONS = frozenset("to in into on onto from off by with at over as".split())
#: The subject of a sentence precedes one of these.
VERBS = frozenset(
    """is are was were be has have had must should shall will can may might needs need do does did
    go goes went run runs ran use uses used live lives lie lies listen listens answer answers mean
    means come comes get gets gave give gives hold holds keep keeps kept take takes took receive
    receives expire expires speak speaks read reads store stores sent send sends carry carries cost
    costs want wants work works start starts begin begins moved move changed switched replaced rose
    raised lowered left lead leads owns reviews pins asks draws says drop dropped renamed support
    supports expect expects migrated rewrote relocated upgraded converted""".split()
)

#: A text with one of these says that a value no longer holds. Narrower than CHANGE_CUES: a false
#: match there lowers a rank, here it adds a wrong line to every session.
ENDED_VALUES = (
    r"no longer|not any ?more|any ?more|instead|now|replac(?:ed|es|ing)|moved|renamed|switched"
    r"|migrated|converted|changed|raised|lowered|reduced|increased|upgraded|downgraded|rewritten"
    r"|dropped|gave up|given up|took over|taken over|went back|gone back|grown from|retired"
    r"|abandoned|used to|as of|(?:was|were|been) removed|bumped|cut|shifted|swapped|rerouted"
    r"|displaced|ditched|stretched|doubled|tripled|halved|rolled back|handed over|made way|lifted"
    r"|shortened|rather than|(?:is|was) gone"
)
#: A statement with one of these adds, or holds at some times or in some cases: it replaces nothing.
ADDITIONS = (
    r"also|another|other|others|additional(?:ly)?|besides|e\.g\.|for example|such as|either"
    r"|one of|some|optional(?:ly)?|too|as well|if|unless|when|whenever|until|while"
)
#: What follows one of these verbs has one value at a time ...
SINGLE_VALUE_VERBS = frozenset(
    """be run live lie reside listen start end begin expire belong stay point speak talk go work sit
    stand deploy need keep last equal cost""".split()
)
#: ... and what follows one of these words may have several.
MULTI_VALUE_WORDS = frozenset(
    """use used using support supported like love include contain depend require allow accept
    see know ask add return want prefer tested visible available mentioned documented called
    consumed blocked caused known seen needed required similar related compatible example member
    part has have offer list cover""".split()
)
#: Opposites in addition to those of the duplicate gate (vocabulary.py).
MORE_OPPOSITES = {
    "allowed": "forbidden", "permitted": "forbidden", "allow": "forbid", "permit": "forbid",
    "mandatory": "optional", "required": "optional", "encrypted": "unencrypted",
    "parallel": "sequence", "synchronous": "asynchronous", "blocking": "nonblocking",
}  # fmt: skip
