"""English words that say that something is no longer as it was, or is not yet as it should be.

Patterns are alternatives of regular expressions, without groups around them.
"""

from __future__ import annotations

#: A sentence with one of these may say that something changed.
CHANGES = (
    r"now|from now on|no longer|no more|not any ?more|any ?more|instead|actually|switch\w*"
    r"|mov(?:e|ed|ing)|gone|drop\w*|remov\w*|replac\w*|chang\w*|rais\w*|forget|out"
    r"|turn(?:ed)? (?:it )?(?:round|around)|new|loosen\w*|lift\w*|put off|history|rip\w*|throw\w*"
    r"|as of|since|was|used to|rather|late|already|ha(?:s|ve) to go|ran out|over"
)
#: What follows one of these has ended.
ENDS_BEFORE = (
    r"instead of|rather than|no more|no longer|not|forget|drop(?:ped)?|remov\w+|replac\w+"
    r"|(?:switch\w*|mov\w+|chang\w+|went|going)(?: \w+){0,2} from|throw|rid of|without|than|over"
    r"|rip\w*|lift\w*|end(?:ed)? of|delet\w+|retire\w*"
)
#: What precedes one of these has ended.
ENDS_AFTER = (
    r"out\b|gone\b|history\b|to go\b|done\b|over\b|late\b|ran out|expired|switched off|can go\b"
    r"|lifted|put off|moved|dropped|removed|replaced|dead\b"
    r"|too (?:short|long|strict|slow|small|big)|no longer|any ?more|changed|closed|answered|fixed"
    r"|merged|settled|solved|works?\b|read"
)
#: A text with one of these says that something is wrong, or has yet to be done.
UNFINISHED = (
    r"open|fails?|broken|garbage|garbles|flak[ey]\w*|bug|crash\w*|wrong|hangs?|still|later|todo"
    r"|not (?:today|yet)|ask|until|pending|missing|tomorrow|next time|note it|list"
)
#: A text with one of these reports a defect.
DEFECTS = (
    r"broken|garbage|garble[sd]|useless|wrong|fail(?:s|ing)?|flak[ey]\w*|crash(?:es|ed)?|hangs?|bug"
    r"|leaks?|loses?|does(?:n'?t| not) work"
)
DAYS = (
    r"jan\w*|feb\w*|mar(?:ch)?|apr\w*|may|june?|july?|aug\w*|sept?\w*|oct\w*|nov\w*|dec\w*"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?"
)
