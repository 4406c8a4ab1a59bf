"""English phrases that state what the user likes or who they are. Regular expressions, as data."""

from __future__ import annotations

#: At the beginning of a statement.
TASTE = (
    r"(?:i|the user|user) (?:(?:always|really|usually|generally|strongly) )?"
    r"(?:(?:would rather|prefers?|likes?|dislikes?|loves?|hates?)\b"
    r"|(?:am|is) (?:an?|called|named|based|from)\b)"
    r"|i['\u2019]m (?:an?|called|named|based|from)\b"
    r"|(?:my|the user['\u2019]s|user['\u2019]s) (?:\w+ )?"
    r"(?:name|e-?mail|time ?zone|pronouns|preference|favou?rite|native language|job|role)\b"
)
#: Anywhere in a statement: it holds in one project only.
ONE_PROJECT = r"\b(?:this|the) (?:project|repo|repository|codebase|service|app)\b|\bhere\b"
