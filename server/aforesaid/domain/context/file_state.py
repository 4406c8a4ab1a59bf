"""Whether a memory is about files that exist, about new ones, or about both.

"Never edit an applied migration" says nothing about a new one, and "every new migration needs a
down script" nothing about an older one. The text must name the kind of file as its folder, its
pattern or its extension do. If in doubt, a memory is about both. Words: lexicon/file_states.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.model.anchor import EXISTING, NEW, is_file_pattern
from aforesaid.domain.value import Value
from aforesaid.lexicon import file_states as words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_MAX_CHARS = 1_000  #: of a memory that are read
_STEM = 6  #: letters that related words share ("migrate", "migration")
_MAX_WORDS = 4  #: of a noun, with what stands before it
#: What a clause says that is about neither: forbids changes of files, tells what is done instead,
#: or asks for something else.
_FORBIDS, _INSTEAD, _ASKS = "forbids", "instead", "asks"
_VERB = rf"(?:{words.CHANGE}|{words.MOVE})"
_VERBS = rf"{_VERB}(?:(?:,| or| and| nor)+ {_VERB})*"
_PASSIVE = rf"\b(?:is|are|be|been|get|gets) (?:{words.NOT} )?(?:ever )?{_VERB}"


class TargetFile(Value):
    """A file that an action changes."""

    path: str  #: relative to the project's root
    is_new: bool = False  #: it does not exist yet, or was made in this session

    def is_in(self, state: str) -> bool:
        """Tell whether it is in this state; any file is if the state is empty."""
        return not state or (state == NEW) == self.is_new


def stated_state(text: str, path: str, pattern: str) -> str:
    """Return the state of the files that a text is about: ``new``, ``existing``, or empty for both.

    Args:
        text: a memory's content, or its trigger in words.
        path: of the file that is changed.
        pattern: that it matches.
    """
    kinds = _kinds_of(path, pattern)
    found = set()
    plain = " ".join(text[:_MAX_CHARS].translate(words.PLAIN).split()).lower()
    before = ""
    for sentence in re.split(words.SENTENCE_END, plain):
        states = []
        for clause in filter(None, map(str.strip, re.split(words.CLAUSE_END, sentence))):
            states.append(_state_of(clause, before, kinds))
            before = clause
        if NEW in states[:1]:  # what else the sentence asks for is about the new file, too
            states = [state for state in states if state != _ASKS]
        found.update(states)
    if _FORBIDS in found and EXISTING not in found:
        found.add(EXISTING if _INSTEAD in found else _ASKS)
    stated = found & {NEW, EXISTING}
    if _ASKS in found or len(stated) != 1:
        return ""
    state = stated.pop()
    return state if state == EXISTING or _stands_for_several(pattern) else ""


def _stands_for_several(pattern: str) -> bool:
    """Tell whether a pattern has files of any name (``*.sql``), not of one (``*/pom.xml``)."""
    return pattern.endswith("/") or is_file_pattern(pattern.rpartition("/")[2])


def _kinds_of(path: str, pattern: str) -> set[str]:
    """Return the words that name the kind of a file: its folders, its pattern, its extension."""
    text = f"{path.rpartition('/')[0]} {pattern} {path.rpartition('.')[2]}".lower()
    names = set(re.findall(r"[a-z]{2,}", text))
    return {_singular(name) for name in names}.union(*(words.KINDS.get(name, ()) for name in names))


def _state_of(clause: str, before: str, kinds: Collection[str]) -> str:
    """Return the state that a clause states, or what else it says of files of these kinds."""
    changes = _changes(clause, before, kinds)
    if _never_change(clause, kinds) or (changes and re.search(words.SINCE, clause)):
        return EXISTING
    if _follows(words.EXISTING, clause, kinds):
        return EXISTING if re.search(_VERB, clause) else _ASKS
    is_new = any(_follows(opening, clause, kinds, words.SMALL) for opening in words.NEW)
    if re.search(words.INSTEAD, clause) and _follows(words.FURTHER, clause, kinds):
        how = NEW if is_new else _ASKS
        return how if re.search(words.IN_THIS_WAY, clause) else _INSTEAD
    made = re.search(words.IS_MADE, clause)
    if is_new or (made and _names(clause[: made.start()].split(), kinds)):
        return NEW
    if changes and re.search(words.NOT, clause) and not re.search(words.BY_HAND, clause):
        return _FORBIDS if re.search(words.CHANGE, clause) else EXISTING
    return _ASKS if re.search(words.ASKS, clause) else ""


def _changes(clause: str, before: str, kinds: Collection[str]) -> bool:
    """Tell whether a clause forbids, or begins with, a change of files of these kinds."""
    verbs = re.search(_VERBS, clause)
    if verbs is None:
        return False
    opening = clause[: verbs.start()]
    if not re.search(words.NOT, clause) and not re.search(words.OPENING, opening):
        return False
    passive = re.search(_PASSIVE, clause)
    if passive is not None:
        return _names(clause[: passive.start()].split(), kinds)
    changed = _noun(clause[verbs.end() :].removeprefix(" to"), words.PREPOSITIONS)
    if not words.PRONOUNS.isdisjoint(changed):
        changed += f"{before} {opening}".split()
    return _names(changed, kinds)


def _never_change(clause: str, kinds: Collection[str]) -> bool:
    """Tell whether a clause says that files of these kinds never change once they exist."""
    stays = re.search(words.NEVER_CHANGES, clause)
    if stays is None or not _names(clause[: stays.start()].split(), kinds):
        return False
    states = (words.APPEND_ONLY, words.EXISTING, words.SINCE)
    return any(re.search(state, clause) for state in states)


def _follows(
    opening: str, clause: str, kinds: Collection[str], others: Collection[str] = ()
) -> bool:
    """Tell whether one of these kinds of files, and nothing else, is named after a pattern."""
    nouns = (_noun(clause[match.end() :]) for match in re.finditer(opening, clause))
    return any(_names(noun, kinds) and not set(noun) & set(others) for noun in nouns)


def _noun(text: str, ends: Collection[str] = words.AFTER_NOUN) -> list[str]:
    """Return the first words of a text, up to one of those that end a noun."""
    noun: list[str] = []
    for word in text.split()[:_MAX_WORDS]:
        if word in ends:
            break
        noun.append(_singular(word.strip(",.()")))
        if word.endswith((",", ".", ")")):
            break
    return noun


def _names(noun: Iterable[str], kinds: Collection[str]) -> bool:
    """Tell whether one of these words names one of these kinds of files, or any file."""
    names = re.findall(r"[a-z]{2,}", " ".join(noun))
    return any(
        name in words.ANY_FILE or any(_is_same(_singular(name), kind) for kind in kinds)
        for name in names
    )


def _is_same(word: str, kind: str) -> bool:
    return word == kind or (len(word) >= _STEM and word[:_STEM] == kind[:_STEM])


def _singular(word: str) -> str:
    return re.sub(r"(?<=[a-z]{3})(?<!s)s$", "", re.sub(r"ies$", "y", word))
