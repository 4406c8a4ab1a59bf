"""English words that show what a question asks for, and what may answer it.

Alternatives of regular expressions, without groups around them.
"""

from __future__ import annotations

from aforesaid.lexicon.calendar import MONTHS

#: Nouns for quantities: a question with one of these asks for a number.
QUANTITIES = (
    "limit|timeout|price|fee|cost|rate|threshold|budget|size|length|amount|version"
    "|maximum|minimum|percentage|share|port|quota"
)
NUMBER_WORDS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty"
    "|fifty|sixty|hundred|thousand|half|once|twice|hourly|daily|weekly|monthly|yearly"
)
TIME_WORDS = (
    "jan|feb|mar|apr|may|june?|july?|aug|sep|oct|nov|dec|january|february|march|april|august"
    "|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring"
    "|summer|autumn|winter|days?|weeks?|months?|years?|morning|noon|evening|night|hours?|minutes?"
    "|before|after|until|today|tomorrow"
)
#: An answer about the past has one of these; some are beginnings of words.
PAST_WORDS = (
    "before|previous|former|old|used to|instead|replac|mov|left|leav|drop|gone|was|were"
    "|had|until|no longer|switch|migrat|over from|rose|rais|fell|chang|new"
)
REASON_WORDS = (
    "because|since|so that|reasons?|due to|too|as|could|needs?|but|otherwise|to|for|not|no|never"
)

#: For ranking, not for filtering: narrower, so that fewer texts look like an answer.
RANKED_TIME_WORDS = (
    "yesterday|today|tomorrow|tonight|last|next|ago|since|recently|weekend|(?:week|month|year"
    rf")s?|(?:mon|tues|wednes|thurs|fri|satur|sun)day|{'|'.join(MONTHS)}"
)
RANKED_NUMBER_WORDS = (
    "two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|once|twice"
)
#: A question with one of these asks for a rule.
RULE_QUESTION_WORDS = (
    r"rules?|guidelines?|conventions?|standards?|prefer\w*|style|polic\w+|practices?|should"
    "|always|never|allowed|must"
)
#: A text with one of these states a rule.
RULE_WORDS = (
    "always|never|from now on|going forward|must|avoid|prefers?|preferred|i want you to"
    "|i'd like you to"
)
