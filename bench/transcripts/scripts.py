"""The scripts of sessions/: what happens in each session, and what is planted in it.

Here: the notation and its values. Not here: lines of the client (client_lines.py).

``=== name | project=shop | lang=de | client=2.1.197`` opens a session. Then, line by line:

    > text      the user's prompt (lines that follow each other are one prompt)
    < text      the agent's answer
    $ command   a shell command that went well; ``$!`` one that failed
    r path      a file that is read;  ~ path: edited;  * path: written new
    | text      output of the command, content of the file
    @ what …    inject, recall, abandon, compact, resume, agent, reject, interrupt (see ACTS)
    + kind scope : a & b     planted: one item or candidate holds all of these patterns
    = kind : a & b           true as well, but nobody has to keep it
    - noise : a & b          no item, no candidate may hold these
    ! a & b                  asked for once: no candidate may hold these
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass, field

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions")
ACTS = ("inject", "recall", "abandon", "compact", "resume", "agent", "reject", "interrupt")
CLIENTS = ("2.1.330", "2.1.197")


@dataclass(frozen=True)
class Step:
    """Something that happens: ``kind`` is a prompt, answer, run, read, edit, write or an act."""

    kind: str
    text: str
    output: str = ""
    failed: bool = False


@dataclass(frozen=True)
class Planted:
    """What a digest should keep, may keep, or must not keep."""

    kind: str
    terms: tuple[str, ...]
    scope: str = ""

    def in_text(self, text: str) -> bool:
        """Tell whether a text holds all that this is known by."""
        return all(re.search(term, text, re.IGNORECASE) for term in self.terms)


@dataclass
class Script:
    """One session."""

    name: str
    project: str
    lang: str
    client: str
    steps: list[Step] = field(default_factory=list)
    planted: list[Planted] = field(default_factory=list)
    true: list[Planted] = field(default_factory=list)
    noise: list[Planted] = field(default_factory=list)
    once: list[Planted] = field(default_factory=list)

    @property
    def part(self) -> str:
        """``dev`` or ``test``, by the hash of the name: nothing is moved by hand."""
        return "test" if hashlib.sha256(self.name.encode()).digest()[0] % 2 else "dev"


def read_scripts(folder: str = FOLDER) -> list[Script]:
    """Return all scripts, ordered by file and place."""
    scripts: list[Script] = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".txt"):
            with open(os.path.join(folder, name), encoding="utf-8") as lines:
                scripts += read_script_lines(lines.read().split("\n"))
    return scripts


def join_scripts(scripts: list[Script], number: int) -> list[Script]:
    """Return so many scripts of one language as one long session each; what is left over is not."""
    joined: list[Script] = []
    for lang in dict.fromkeys(script.lang for script in scripts):
        same = [script for script in scripts if script.lang == lang]
        for start in range(0, len(same) - number + 1, number):
            group = same[start : start + number]
            whole = Script("+".join(one.name for one in group), group[0].project, lang, CLIENTS[0])
            for one in group:
                whole.steps += one.steps
                whole.planted += one.planted
                whole.true += one.true
                whole.noise += one.noise
                whole.once += one.once
            joined.append(whole)
    return joined


def read_script_lines(lines: list[str]) -> list[Script]:
    """Return the scripts that these lines tell.

    Raises:
        ValueError: a line is none of the notation's.
    """
    scripts: list[Script] = []
    before = ""
    for line in lines:
        if not line.strip():
            continue
        mark, text = line[:2].strip(), line[2:].strip()
        if line.startswith("==="):
            scripts.append(_opened(line))
        elif mark in {"+", "=", "-", "!"}:
            _plant(scripts[-1], mark, text)
        else:
            _tell(scripts[-1].steps, mark, text, goes_on=mark == before == ">")
        before = mark
    return scripts


def _opened(line: str) -> Script:
    name, *rest = [part.strip() for part in line[3:].split("|")]
    given = dict(part.split("=", 1) for part in rest)
    return Script(
        name=name,
        project=given["project"],
        lang=given["lang"],
        client=given.get("client", CLIENTS[0]),
    )


def _plant(script: Script, mark: str, text: str) -> None:
    head, _, terms = text.partition(":") if mark != "!" else ("once", "", text)
    kind, _, scope = head.strip().partition(" ")
    one = Planted(kind, tuple(term.strip() for term in terms.split(" & ")), scope)
    {"+": script.planted, "=": script.true, "-": script.noise, "!": script.once}[mark].append(one)


def _tell(steps: list[Step], mark: str, text: str, *, goes_on: bool) -> None:
    kinds = {">": "prompt", "<": "answer", "$": "run", "$!": "run", "r": "read", "~": "edit"}
    kinds["*"] = "write"
    last = steps[-1] if steps else None
    if mark == "|" and last is not None:
        steps[-1] = Step(last.kind, last.text, f"{last.output}{text}\n", last.failed)
    elif mark == "@":
        act, _, rest = text.partition(" ")
        if act not in ACTS:
            raise ValueError(f"unknown act {act!r}")
        steps.append(Step(act, rest.strip()))
    elif goes_on and last is not None:
        steps[-1] = Step("prompt", f"{last.text}\n{text}")
    elif mark in kinds:
        steps.append(Step(kinds[mark], text, failed=mark == "$!"))
    else:
        raise ValueError(f"unknown line: {mark} {text}")
