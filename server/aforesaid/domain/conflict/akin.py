"""Recognises a change that does not say what it replaces: "we use Jira", "we switched to Linear".

Their vectors have nothing in common. That both names are of one kind is known from the groups of
lexicon/synonyms.py only.
"""

from __future__ import annotations

from aforesaid.domain.text.synonyms import synonyms_of

from .supersession import ParsedStatement, lacks_subject


def akin_names(newer: ParsedStatement) -> set[str]:
    """Return the stems of names of the same kind as those to which a text says that we changed.

    Empty unless the text states a change without saying of what.
    """
    if newer.is_speech or not lacks_subject(newer):
        return set()
    return {akin for name in newer.names for akin in synonyms_of(name)} - newer.terms


def replaces_akin(older: ParsedStatement, newer: ParsedStatement) -> bool:
    """Return whether the older text is a brief fact about something of the newer one's kind.

    Both must be names: "our board shows bugs" is not replaced by "we switched to Linear".
    """
    return (
        older.is_brief
        and not older.has_cue
        and not older.is_speech
        and not older.exceptions
        and len(older.names) == 1
        and bool(older.names & akin_names(newer))
    )
