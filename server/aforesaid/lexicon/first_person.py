"""English phrases that state what the user likes or who they are. Regular expressions, as data."""

from __future__ import annotations

#: At the beginning of a statement.
TASTE = (
    r"(?:i|the user|user) (?:(?:always|really|usually|generally|strongly) )?"
    r"(?:(?:would rather|prefers?|likes?|dislikes?|loves?|hates?)\b"
    r"|(?:am|is) (?:an?|called|named|based|from)\b)"
    r"|i['\u2019]m (?:an?|called|named|based|from)\b"
    r"|(?:i|the user|user) "
    r"(?:always|never|only|usually|mostly|normally|no longer|don['\u2019]t|do not) "
    r"(?:use|write|read|work|type|speak|answer|want|like|need|commit|code)s?\b"
    r"|(?:from now on,? |please,? |always |never )*"
    r"(?:call me|(?:answer|reply|respond|talk|speak|write)(?: to)? me"
    r"|(?:answer|reply|respond|explain)(?:ing)? (?:always )?(?:in|with|to me|short|brief|only)"
    r"|(?:keep|make) (?:your |the )?(?:answers|replies|responses|explanations))\b"
    r"|(?:my|the user['\u2019]s|user['\u2019]s) (?:\w+ )?"
    r"(?:name|e-?mail|time ?zone|pronouns|preference|favou?rite|native language|job|role)\b"
)
#: Anywhere in a statement: it holds in one project only.
ONE_PROJECT = r"\b(?:this|the) (?:project|repo|repository|codebase|service|app)\b|\bhere\b"
