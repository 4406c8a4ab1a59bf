"""Whether a command has the words that a trigger gives after the name of its tool.

Such as ``apply in envs/prod`` or ``install without --legacy-peer-deps``. Which parts of a trigger
are about commands: trigger.py.
"""

from __future__ import annotations

import re

from aforesaid.lexicon.stop_words import STOP_WORDS

from .simple_command import EDGES, SimpleCommand, has_word, is_at, last_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: A word of a trigger that stands for files: a folder, a name with an extension, or wildcards.
FILE_PATTERN = r"(?=.*\w)(?:.*[*/].*|\.?[\w-]+(?:\.[\w-]+)*\.[A-Za-z]\w{0,5})"
GERUND = r"\w{3,}ing"
_WITHOUT = frozenset(("without", "unless", "except"))
_WITH = frozenset(("with", "using"))
#: What ends the words of a command in a trigger.
_BREAKS = frozenset(
    """in on for under at before after to from of against into inside via that which when while
    where if by""".split()  # noqa: SIM905
) | _WITHOUT | _WITH  # fmt: skip
_SEPARATORS = frozenset((",", "or", "and", "/"))
_GENERIC = frozenset(
    """host hosts machine machines server branch repository project package environment target
    command commands file files anything something change changes changed""".split()  # noqa: SIM905
)
#: What may stand before the name of a tool in a trigger, apart from a gerund and a break.
_ARTICLES = frozenset("a an any each every the first when whenever whatever".split())  # noqa: SIM905
_MAX_PROSE = 3  #: words; of a longer description of a command, only the first is required


def has_command(trigger: str, command: SimpleCommand) -> bool | None:
    """Return whether a command is one of those that a trigger names; None if it names no such tool.

    Args:
        trigger: one line of it.
        command: to compare.
    """
    tokens = re.findall(r",|[^\s,]+", trigger)
    tools = command.tools
    named = [
        index
        for index, token in enumerate(tokens)
        if last_name(token) in tools and _may_precede_tool(tokens[index - 1] if index else "")
    ]
    if not named:
        return None
    return any(_clause_matches(command, tokens[index + 1 :]) for index in named)


def _may_precede_tool(token: str) -> bool:
    return (
        not token
        or token in _SEPARATORS | _BREAKS
        or token.lower() in _ARTICLES
        or re.fullmatch(GERUND, token) is not None
    )


def _clause_matches(command: SimpleCommand, clause: Sequence[str]) -> bool:
    """Tell whether a command has what a trigger requires after the name of its tool."""
    subcommands, rest = _split_clause(clause)
    text = command.text.partition(" ")[2]
    if subcommands and not any(_has_words(text, command.words, words) for words in subcommands):
        return False
    return all(_has_group(command, link, words) for link, *words in _groups(rest))


def _split_clause(clause: Sequence[str]) -> tuple[list[list[str]], list[str]]:
    """Return the subcommands that the words after a tool list, and the words after those."""
    subcommands: list[list[str]] = [[]]
    rest: Sequence[str] = ()
    for index, token in enumerate(clause):
        if re.fullmatch(GERUND, token) and not subcommands[-1]:
            break  # something other than a command
        if token in _BREAKS:
            rest = clause[index:]
            break
        if token in _SEPARATORS:
            if not subcommands[0]:
                breaks = (at for at, word in enumerate(clause) if word in _BREAKS)
                return [], list(clause[next(breaks, len(clause)) :])  # another tool follows
            subcommands.append([])
        else:
            subcommands[-1].append(token.strip(EDGES))
    return [words for words in subcommands if words], list(rest)


def _has_words(text: str, written: str, words: Sequence[str]) -> bool:
    """Tell whether a command has the words that a trigger requires.

    The first must stand outside of quotations.
    """
    flags = [word for word in words if word.startswith("-")]
    names = [word for word in words if not word.startswith("-")]
    is_prose = len(names) > _MAX_PROSE and any(name.lower() in STOP_WORDS for name in names)
    wanted = [*(names[:1] if is_prose else names), *flags]
    return has_word(text, wanted[0]) and all(has_word(written, word) for word in wanted[1:])


def _groups(rest: Sequence[str]) -> Iterator[list[str]]:
    """Yield the words that follow each break, with the break first."""
    group: list[str] = []
    for token in rest:
        if token in _BREAKS:
            if group:
                yield group
            group = []
        group.append(token)
    if group:
        yield group


def _has_group(command: SimpleCommand, link: str, tokens: Sequence[str]) -> bool:
    """Tell whether a command is at a place, or has a word, that a trigger names after a break."""
    words = [token.strip(EDGES) for token in tokens if token not in _SEPARATORS]
    if link in _WITHOUT:
        return not any(word in command.written or has_word(command.text, word) for word in words)
    paths = [word for word in words if re.fullmatch(FILE_PATTERN, word)]
    if not all(is_at(path, command) for path in paths):
        return False
    if link in _WITH and not all(
        has_word(command.words, word) for word in words if word.startswith("-")
    ):
        return False
    names = [
        word.casefold()
        for word in words
        if word not in paths
        and not word.startswith("-")
        and not {word.casefold()} & (_GENERIC | STOP_WORDS)
    ]
    text = f"{command.written} {command.folder}".casefold()
    return not names or any(re.search(rf"{re.escape(name)}(?!-\w)", text) for name in names)
