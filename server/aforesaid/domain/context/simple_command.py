"""A simple command of an action, and whether it has a word or is at a place."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase

from aforesaid.domain.value import Value
from aforesaid.lexicon.shell_commands import RUNNER_SUBCOMMANDS

EDGES = "\"'`()[]<>,;:!"
_MAX_CLUSTER = 4  #: characters of several flags of one letter, such as ``-fdv``


class SimpleCommand(Value):
    """A simple command that may change something."""

    text: str  #: without quotations of several words
    folder: str  #: absolute path of the folder in which it runs
    written: str = ""  #: as it was written, with quotations and prefixes
    line: str = ""  #: the whole shell command
    is_remote: bool = False  #: whether it runs on another machine

    @property
    def tools(self) -> set[str]:
        """Return the names of its tool: ``mvnw`` is also ``mvn``, and ``python3`` ``python``."""
        name = last_name(self.text.split()[0])
        return {name, re.sub(r"[\d.]+$", "", name), re.sub(r"(?<=mvn|dle)w$", "", name)}

    @property
    def wrapper(self) -> str:
        """Return what is written before its tool: ``uv run``, ``ssh HOST '``, variables."""
        tool = re.escape(self.text.split()[0])
        found = re.search(rf"(?<![^\s'\"(]){tool}(?![^\s'\")])", self.written)
        return self.written[: found.start()] if found else ""

    @property
    def words(self) -> str:
        """Return its words: what is written from its tool on, and the places and variables before.

        Options and subcommands of the wrapper are not its words: ``run`` of ``uv run dbt seed``.
        """
        wrapper = self.wrapper
        places = (
            word
            for word in wrapper.split()[0 if "=" in wrapper.partition(" ")[0] else 1 :]
            if not word.startswith("-") and word not in RUNNER_SUBCOMMANDS
        )
        return " ".join([*places, self.written[len(wrapper) :]])


def last_name(path: str) -> str:
    """Return the last part of a path, without quotes."""
    return re.split(r"[/\\]", path.strip(EDGES))[-1]


def has_word(text: str, word: str) -> bool:
    """Tell whether a text has a word, a flag or a wildcard pattern as a whole word."""
    if re.fullmatch(r"-[A-Za-z]\*?", word):
        flags = (flag.strip(EDGES) for flag in text.split())
        return any(
            flag.startswith(word[:2]) or (len(flag) <= _MAX_CLUSTER and word[1] in flag)
            for flag in flags
            if re.fullmatch(r"-[A-Za-z]\w*", flag)
        )
    start = "" if word.startswith("*") else r"(?<![\w-])"
    end = "" if word.endswith("*") else r"(?![\w-]|:[a-z])"
    case = 0 if re.match(r"-\w", word) else re.IGNORECASE  # short flags differ by case
    return re.search(f"{start}{as_pattern(word.strip('*'))}{end}", text, case) is not None


def as_pattern(word: str) -> str:
    """Return a regular expression for a word in which ``*`` stands for any text."""
    return re.escape(word).replace(r"\*", ".*")


def is_at(pattern: str, command: SimpleCommand) -> bool:
    """Tell whether a command names a path of this pattern, or runs in that folder."""
    bare = pattern.rstrip(".*/").lstrip("./")
    words = command.written.split()
    paths = [
        f"/{command.folder.strip('/')}/",
        *(f"/{word.strip(EDGES).lstrip('./')}/" for word in words),
    ]
    return any(f"/{bare}/" in path or fnmatchcase(path, f"*{pattern}*") for path in paths)
