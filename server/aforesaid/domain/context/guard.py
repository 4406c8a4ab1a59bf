"""Guards: rules that can be checked before an action, and whether an action breaks one.

A guard forbids a command, edits of files, or a text in files. Its pattern is read from a rule
without a condition, and is in force only once the user accepted it (services/guards.py).
"""

from __future__ import annotations

import re
import shlex

from aforesaid.domain.digest.shell_line import steps_of
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.anchor import matches_pattern
from aforesaid.domain.model.memory import GUARD
from aforesaid.domain.value import Value
from aforesaid.lexicon import prohibitions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Memory

MAX_RULE_CHARS = 400
MAX_PATTERN_CHARS = 120
_MAX_WORDS = 6
_TEXTS = ("command", "files", "text", "session")
_COUNTS = ("kept", "broken")
_FLAGS = ("asks", "session_kept")
_EDGES = "`'\".,;:!?"


class Guard(Value):
    """What a rule forbids: a command, or edits of files, or a text that is added to files."""

    command: str = ""  #: words that the command contains in this order, beginning with the tool
    files: str = ""  #: pattern of paths; with an empty text, every edit of them is forbidden
    text: str = ""  #: may not be added to these files, or to any if no pattern is given
    asks: bool = False  #: the user is asked before the action; else the agent is shown the rule
    kept: int = 0  #: sessions that acted and did not break it
    broken: int = 0  #: actions that broke it
    session: str = ""  #: the last session that was counted
    session_kept: bool = False  #: whether it was counted among ``kept``

    def describe(self) -> str:
        """Return in words what is checked."""
        if self.command:
            return f"commands like `{self.command}`"
        if self.text:
            return f"edits that add `{self.text}`" + (f" to `{self.files}`" if self.files else "")
        return f"edits of `{self.files}`"

    def to_metadata(self) -> dict[str, Any]:
        """Return the guard as it is stored."""
        fields = {name: getattr(self, name) for name in Guard._fields}
        return {name: value for name, value in fields.items() if value}

    def forbids(self, commands: Sequence[str], files: Sequence[str], added: str) -> bool:
        """Return whether an action breaks it.

        Args:
            commands: simple commands, as ``simple_commands`` returns them.
            files: that are edited, relative to the project's root.
            added: the lines that the edit adds.
        """
        if self.command:
            words = self.command.split()
            return any(_has_words(command, words) for command in commands)
        if self.files and not any(matches_pattern(file, self.files) for file in files):
            return False
        return bool(files) and (not self.text or _contains(added, self.text))


def guard_of(memory: Memory) -> Guard | None:
    """Return the guard of a memory, if the user accepted one."""
    fields = memory.metadata.get(GUARD)
    if not isinstance(fields, dict):
        return None
    kinds = {str: _TEXTS, int: _COUNTS, bool: _FLAGS}
    known = {
        name: fields[name]
        for kind, names in kinds.items()
        for name in names
        if type(fields.get(name)) is kind
    }
    guard = Guard(**known)
    return guard if guard.command or guard.files or guard.text else None


def why_unread(rule: str) -> str:
    """Say why no guard can be read from a rule."""
    if len(rule) > MAX_RULE_CHARS:
        return f"the rule is longer than {MAX_RULE_CHARS} characters"
    condition = re.search(prohibitions.CONDITION, rule.translate(prohibitions.PLAIN))
    if condition is not None:
        return f'the rule has a condition ("{condition[0]}"), which an action does not show'
    return "this text names no command, file or code that it forbids"


def make_guard(command: str = "", files: str = "", text: str = "") -> Guard:
    """Return a guard of the user's own pattern.

    Raises:
        InvalidInputError: the combination or a length is invalid.
    """
    command, files = " ".join(command.split()), files.strip().removeprefix("./")
    if not (command or files or text.strip()) or (command and (files or text)):
        raise InvalidInputError("a guard needs --command, --files, --text, or --files with --text")
    if max(map(len, (command, files, text))) > MAX_PATTERN_CHARS:
        raise InvalidInputError(f"a pattern has at most {MAX_PATTERN_CHARS} characters")
    for word in command.split():
        if re.search(r"\w\*$", word):
            raise InvalidInputError(
                f"--command {word} would match a * only: leave it out, as more words may follow"
            )
    return Guard(command=command, files=files, text=text)


def simple_commands(line: str) -> list[str]:
    """Return the simple commands of a shell line, each also with its prefix (``sudo``, ``npx``)."""
    return [line.strip(), *(step.text for step in steps_of(line))] if line.strip() else []


def read_guard(rule: str) -> Guard | None:
    """Return the guard that a rule states; None if it states none that can be checked."""
    if len(rule) > MAX_RULE_CHARS:
        return None
    for sentence in re.split(
        r"(?<=[.!?;])\s+", " ".join(rule.translate(prohibitions.PLAIN).split())
    ):
        if re.search(prohibitions.CONDITION, sentence):
            continue
        for read in (_forbidden_edit, _forbidden_text, _forbidden_command):
            guard = read(sentence)
            if guard is not None:
                return guard
    return None


def _forbidden_edit(sentence: str) -> Guard | None:
    match = re.search(prohibitions.EDIT, sentence)
    edited = re.split(prohibitions.OBJECT_END, match["rest"], maxsplit=1)[0] if match else ""
    files = _files_in(edited)
    return Guard(files=files[0]) if len(files) == 1 else None


def _forbidden_text(sentence: str) -> Guard | None:
    match = re.search(prohibitions.ADD, sentence)
    if match is None:
        return None
    rest = match["rest"]
    quoted = re.match(r"`([^`]{2,60})`", rest)
    code = quoted or re.match(rf"({prohibitions.CODE})(?![\w./-])", rest)
    if code is None:
        return None
    text = code[1].removesuffix(")")
    if text.split()[0] in prohibitions.TOOLS or "/" in text:
        return None
    after = rest[code.end() :]
    where = re.match(prohibitions.IN, after)
    if where is None:
        return Guard(text=text) if re.match(r"\s*(?:[.,;:!]|$)", after) else None
    files = _files_in(where["where"])
    if files:
        return Guard(text=text, files=files[0]) if len(files) == 1 else None
    return Guard(text=text) if re.match(prohibitions.EVERYWHERE, where["where"]) else None


def _forbidden_command(sentence: str) -> Guard | None:
    for pattern in (prohibitions.RUN, prohibitions.INSTEAD):
        for match in re.finditer(pattern, sentence):
            words = _command_words(match["rest"])
            is_plain = not match["verb"] and match["rest"][:1] not in "`'\""
            if is_plain and words and words[0] in prohibitions.WORDS:
                continue
            if words and words[0] in prohibitions.TOOLS and len(words) <= _MAX_WORDS:
                return Guard(command=" ".join(words))
    return None


def _command_words(rest: str) -> list[str]:
    quoted = re.match(r"[`'\"]([^`'\"]{2,80})[`'\"]", rest)
    text = quoted[1] if quoted else re.split(prohibitions.COMMAND_END, rest, maxsplit=1)[0]
    return [word.strip(_EDGES) for word in text.split()]


def _files_in(text: str) -> list[str]:
    words = (word.strip("'\"()").rstrip(_EDGES) for word in text.replace("`", " ").split())
    return [word for word in words if re.fullmatch(prohibitions.FILE, word)]


def _has_words(command: str, words: Sequence[str]) -> bool:
    """Return whether a command has these words in order, the first one as its tool."""
    try:
        parts = shlex.split(command, comments=False)
    except ValueError:  # an unclosed quote
        parts = command.split()
    if not parts or parts[0].rpartition("/")[2] != words[0]:
        return False
    rest = iter(parts[1:])
    return all(any(_is_word(word, wanted) for word in rest) for wanted in words[1:])


def _is_word(word: str, wanted: str) -> bool:
    if word == wanted or word.partition("=")[0] == wanted:
        return True
    if wanted == "--force":
        return _is_word(word, "-f")
    short = wanted.startswith("-") and not wanted.startswith("--")
    is_flags = word.startswith("-") and not word.startswith("--")
    return short and is_flags and set(wanted) <= set(word)


def _contains(text: str, wanted: str) -> bool:
    start = r"(?<!\w)" if wanted[0].isalnum() else ""
    end = r"(?!\w)" if wanted[-1].isalnum() else ""
    return re.search(f"{start}{re.escape(wanted)}{end}", text) is not None
