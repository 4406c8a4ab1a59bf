"""The purpose of a shell command and how it ended.

Recognises tests, builds, checks and commits, and reads counts and errors from their output.
Lines of several commands: shell_line.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.model.transcript import FAILED, OK, cut
from aforesaid.lexicon import shell_commands

from .shell_line import steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.transcript import ToolUse

TESTS, BUILD, CHECK, COMMIT, OTHER = "tests", "build", "check", "commit", "other"
_MAX_HEAD_WORDS = 3
_COMMIT_PRINTED = r"(?m)^\[[^\]\n]{1,120} ([0-9a-f]{7,40})\] (.{1,200})$"
#: A line of no more characters describes no error.
_SHORT_CHARS = 3
#: Test tools whose name alone does not say "test".
_AMBIGUOUS_TOOLS = frozenset(("npm", "pnpm", "yarn", "bun", "cargo", "go", "make", "just"))


def purpose_of(step: str) -> tuple[str, str]:
    """Return the purpose of a simple command, and the name of its tool."""
    if re.match(r"git(?: -C \S+)? commit\b", step):
        return COMMIT, "git commit"
    for kind, pattern in shell_commands.KINDS:
        if match := re.match(pattern, step):
            name = match[1] or "test script"
            return kind, f"{name} test" if kind == TESTS and name in _AMBIGUOUS_TOOLS else name
    return OTHER, " ".join(step.split()[:2])[:60]


def purposes_of(line: str) -> set[str]:
    """Return the purposes of the simple commands of a shell line."""
    return {purpose_of(step.text)[0] for step in steps_of(line)}


def heads_of(lines: Iterable[str], limit: int) -> tuple[str, ...]:
    """Return the heads of the commands of a session, in order: tool and subcommand.

    Quiet commands and repetitions are left out. What follows the head (paths, messages, values)
    changes each time.

    Args:
        lines: shell lines, oldest first.
        limit: the number of heads; the latest are returned.
    """
    heads: list[str] = []
    for line in lines:
        for step in (step.text for step in steps_of(line)):
            head = _head(step)
            if head and not is_quiet(step) and heads[-1:] != [head]:
                heads.append(head)
    return tuple(heads[-limit:])


def _head(step: str) -> str:
    """Return the first words of a command up to a path, option or value."""
    words = step.split()[:_MAX_HEAD_WORDS]
    head = [words[0].rsplit("/", 1)[-1]] if words else []
    for word in words[1:]:
        if not re.fullmatch(r"[a-z][a-z:_-]{1,23}", word):
            break
        head.append(word)
    return " ".join(head) if head and re.fullmatch(r"[\w.+-]{1,30}", head[0]) else ""


def is_quiet(step: str) -> bool:
    """Tell whether a non-zero exit of this command means little (``grep`` without a match)."""
    words = step.split(maxsplit=1)
    return not words or words[0].rsplit("/", 1)[-1] in shell_commands.QUIET


def counts_of(output: str) -> tuple[int | None, int | None]:
    """Return how many tests passed and failed; None where the output does not say."""
    passed = failed = None
    for line in reversed(output.split("\n")[-40:]):
        if passed is None:
            passed = _first_count(shell_commands.PASSED_COUNTS, line)
        if failed is None:
            failed = _first_count(shell_commands.FAILED_COUNTS, line)
        if passed is not None and failed is not None:
            break
    if failed is None and re.search(
        r"(?m)^(?:FAIL\b|--- FAIL|FAILED\b|test result: FAILED)", output
    ):
        failed = -1
    return passed, failed


def says_failed(output: str) -> bool:
    """Tell whether the output of a check or build reports an error."""
    lines = output.split("\n")[-60:]
    return any(
        re.search(pattern, line) for line in lines for pattern in shell_commands.FAILED_LINES
    )


def has_finished(use: ToolUse) -> bool:
    """Tell whether a call passed or failed, and does not end by saying that it was stopped."""
    lines = [line for line in use.result.split("\n") if line.strip()]
    return use.status == OK or (
        use.status == FAILED
        and not any(re.match(shell_commands.INTERRUPTED, line) for line in lines[-2:])
    )


def echoed_status(steps: Iterable[str], output: str) -> int | None:
    """Return the exit status that a command printed (``echo "exit: $?"``); None if none did."""
    for step in steps:
        label = re.match(r"(?:echo|printf) +['\"]?([^$'\"]*)\$(?:\?|\{?PIPESTATUS)", step)
        if label:
            pattern = rf"(?m)^\s*{re.escape(label[1].strip())}\s*(\d{{1,3}})\b"
            if printed := re.findall(pattern, output):
                return int(printed[-1])
    return None


def error_line(output: str) -> str:
    """Return the line that best describes the error, escaped since it comes from a tool."""
    lines = [line.rstrip() for line in output.split("\n")[:200]]
    for pattern in shell_commands.ERROR_LINES:
        for line in lines:
            match = re.match(pattern, line)
            if match and len(match[1].strip()) > _SHORT_CHARS:
                return _escaped(match[1])
    return ""


def commits_of(command: str, output: str) -> tuple[str, str]:
    """Return id and subject of the commit that a command made, each empty if unknown."""
    printed = re.search(_COMMIT_PRINTED, output)
    if printed:
        return printed[1], printed[2]
    subject = ""
    message = re.search(
        r"-\w*m\s*(?:\"((?:[^\"\\]|\\.)+)\"|'([^']+)')|<<-?\s*'?\"?EOF'?\"?\n(.+)", command
    )
    if message:
        subject = next(part for part in message.groups() if part).strip().split("\n")[0]
    if subject.startswith("$("):
        heredoc = re.search(r"<<-?\s*['\"]?\w+['\"]?\n(.+)", command)
        subject = heredoc[1].strip() if heredoc else ""
    sha = re.search(r"(?m)^([0-9a-f]{7,40})(?:\s|$)", output)
    return sha[1] if sha else "", subject


def prints_commit(output: str) -> bool:
    """Tell whether git reported a new commit."""
    return re.search(_COMMIT_PRINTED, output) is not None


def discarded_paths(step: str) -> tuple[str, ...]:
    """Return the paths whose uncommitted changes a command discards; "." stands for all."""
    words = step.split()
    if words[:1] != ["git"]:
        return ()
    if words[1:2] == ["reset"] and "--hard" in words:
        return (".",)
    options = {word for word in words[2:] if word.startswith("-") and word != "--"}
    if words[1:2] == ["restore"] and not options - {"-W", "-S", "--worktree", "--staged"}:
        paths = [word for word in words[2:] if not word.startswith("-")]
        return () if options in ({"--staged"}, {"-S"}) else tuple(paths)
    if words[1:2] == ["checkout"] and not options - {"-f", "-q"}:
        if "--" in words:
            return tuple(words[words.index("--") + 1 :])
        return (".",) if words[2:] == ["."] else ()
    return ()


def pull_request_of(output: str) -> str:
    """Return the address of a pull request that a command opened."""
    match = re.search(r"(?m)^(https://[\w./-]{5,150}/(?:pull|merge_requests)/\d{1,9})$", output)
    return match[1] if match else ""


def _first_count(patterns: tuple[str, ...], line: str) -> int | None:
    for pattern in patterns:
        if match := re.search(pattern, line):
            return int(match[1][:9])
    return None


def _escaped(line: str) -> str:
    plain = " ".join(line.replace("`", "'").split())
    return cut("".join(char for char in plain if char.isprintable()).translate(_ANGLES), 100)


_ANGLES = {ord("<"): "‹", ord(">"): "›"}  # noqa: RUF001
