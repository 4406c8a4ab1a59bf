"""Words of rules about files that exist already, and about files that are made new."""
# ruff: noqa: E501 (patterns)

from __future__ import annotations

#: Typographic quotes and dashes, as the patterns have them; marks of code are dropped.
PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u2013": " - ", "\u2014": " - ", "`": None, '"': None}
)
SENTENCE_END = r"(?<=[.!?])\s+"
_ADDS = r"(?:add|create|write|make|ship|append|start|supersede|fix)"
#: What separates the clauses of a sentence that can be about different files.
CLAUSE_END = rf";|:\s|\s-\s|,? (?:and|but|so) (?=(?:never|don't|do not|always|every|each|all|new|use|add|write|put|keep|run|make)\b)|, (?=(?:we |always |instead )*{_ADDS}\b)"
NOT = r"\b(?:never|don't|do not|mustn't|must not|shouldn't|should not|may not|cannot|can't|not|avoid|nobody|no one|no(?= (?:edits?|changes?) ))\b"
#: Opens a clause about what is done with a file.
OPENING = r"^(?:(?:before|when|whenever|while|if)(?: you| we| someone)? )?$"
#: Verbs of changing a file, and those that only something that exists can suffer.
CHANGE = r"\b(?:hand-?)?(?:edit|chang|modif|alter|amend|touch|rewrit|updat|overwrit|reformat)(?:e|y|s|es|ies|ing|ed|ied|ten|d)?\b"
MOVE = r"\b(?:delet|remov|renam|renumber|reorder|squash|mov)(?:e|s|es|ing|ed|d)?\b"
#: Adjectives of files that exist.
EXISTING = r"\b(?:existing|(?:already[- ])?(?:released|merged|applied|shipped|published|committed|deployed|accepted|landed|executed|approved)|old|older|past|previous|earlier|historical)\b"
_DONE = r"(?:released|merged|applied|shipped|published|committed|deployed|accepted|landed|executed|approved|pushed|tagged|live|ran|been run|has run|exists?|(?:on|in) (?:main|master|trunk|prod(?:uction)?|staging|a release))"
#: Clauses that say the same of a noun before them.
SINCE = rf"\b(?:that|which|once|after|when|if|as soon as|already|has|have)(?:'s|'ve)?\b[^,]{{0,40}}?\b{_DONE}\b|\b(?:of|from|in) (?:a |an |the )?{EXISTING} \w|\b(?:on|in) (?:main|master|trunk)\b"
NEVER_CHANGES = r"\b(?:is|are|as|stays?|remains?) (?:\w+ )?(?:immutable|frozen|read-?only|append-?only|final|closed|history|off[- ]limits|write-once|untouched|as (?:they are|it is))\b"
APPEND_ONLY = r"\b(?:append-?only|write-once)\b"
#: Says that only a program makes the files, which concerns new ones, too.
BY_HAND = r"\b(?:by hand|hand-?\w+|manual(?:ly)?|(?:re)?generat\w+|vendored)\b"
#: What is done instead of changing a file.
INSTEAD = (
    rf"^(?:(?:instead|then|we|you|always|please) )*{_ADDS}s?\b|^(?:fix|chang|correct|mistake)\w*\b"
)
FURTHER = r"\b(?:new|another|follow-?up|further|next|forward)\b"
#: How that is done: a rule about new files.
IN_THIS_WAY = r"\b(?:with|via|using|named|from|in|by running)\b (?!(?:a |an |the )?(?:new|another|follow-?up|next)\b)"
_ADDING = r"(?:add|creat|introduc|generat|scaffold)(?:e|s|ing|ed)?"
#: What the noun of a new file follows.
NEW = (
    r"^(?:(?:also|please|then|for|with|in|on),? )*(?:(?:name|number|prefix|put|place|register|list) )?(?:(?:every|each|any|all|no|the|your|a|an) )?(?:brand[- ])?(?:new|newly (?:added|created)) ",
    rf"(?:^|\b(?:when|whenever|before|after|if|on|while|to)(?: you| we| someone)? ){_ADDING} (?!(?:or|and) )(?:(?:a|an|another|any|every|each|the|your|more) )*(?:new )?",
    rf"{NOT}(?: \w+)? {_ADDING} (?:(?:a|an|any|more) )*(?:new|further|another) ",
)
#: Follows the noun of a new file at the beginning of a clause.
IS_MADE = r"\b(?:is|are) (?:added|created|scaffolded)\b"
#: What ends that noun.
AFTER_NOUN = frozenset(
    """must need needs should shall has have get gets go goes is are in under for with also require
    requires start starts begin begins use uses at to from on of live lives belong belongs can may
    never always only inherit extends come comes next via by without and or""".split()  # noqa: SIM905
)
#: What ends the object of a verb.
PREPOSITIONS = frozenset(
    ("of", "in", "from", "on", "to", "for", "with", "by", "at", "under", "without")
)
#: Words for any file, and for those that were named before.
ANY_FILE = frozenset("file files one ones anything everything".split())  # noqa: SIM905
PRONOUNS = frozenset("it them these those".split())  # noqa: SIM905
#: Asks for something.
ASKS = r"^(?:always|use|keep|prefer|ensure|name|prefix|put|write|run|make|every|each|all|no|only)\b|\b(?:must|should|always|never|don't|do not|avoid|needs? to|has to|have to)\b"
#: Kinds of files by a part of their path.
KINDS = {
    "versions": ("migration", "revision"),
    "alembic": ("migration", "revision"),
    "sql": ("migration",),
    "adr": ("decision", "record"),
    "decisions": ("adr", "record"),
    "newsfragments": ("changelog", "fragment", "entry"),
    "changelog": ("fragment", "entry"),
    "changeset": ("changelog", "fragment", "entry"),
    "ipynb": ("notebook",),
    "proto": ("schema",),
}
#: Things of which one file has several: a new one is no new file.
SMALL = frozenset(
    """api case check class column command constant dependency endpoint event field function handler
    helper hook index job key message method metric option query route row rule service setting spec
    step string table task test translation type util value""".split()  # noqa: SIM905
)
