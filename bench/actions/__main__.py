"""Measure which edits and commands are shown a memory, and whether it bears on them.

Run from the root of the repository: ``python -m bench.actions FILE...``. Each file has one project
of one author, a JSON object: ``memories`` (``key``, ``content``, ``type``, ``trigger``, ``files``
that it is about) and ``actions`` (``tool``, ``file`` or ``command``, ``new``: whether it makes the
file, by default if it is a ``Write`` of one that no memory cites, and ``bears``: the keys of the
memories that bear on it, labelled by the author). The actions are done in conversations of
``CONVERSATION``, each of which is shown a memory once: it counts as shown with every later action
of the same conversation to which it applies.

``--calls FILE...`` (one file per project, in the same order) stores what agents made of the
memories that they were told, instead of what the author wrote beside them: each file has a list of
``{"key", "arguments"}``, and the arguments are those of a call of ``store_memory``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.adapters.system.cited_files import CitedFiles  # noqa: E402
from aforesaid.domain.context.action_context import (  # noqa: E402
    Action,
    ShownBefore,
    list_changed_paths,
    list_commands,
)
from aforesaid.domain.errors import AforesaidError  # noqa: E402
from aforesaid.domain.model.anchor import is_file_pattern  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.entrypoints.api.arguments import read_arguments  # noqa: E402
from aforesaid.entrypoints.api.operations import Operations  # noqa: E402
from aforesaid.services.sessions.action_recall import ActionRecall  # noqa: E402
from aforesaid.wiring import factories  # noqa: E402
from aforesaid.wiring.container import ServiceContainer  # noqa: E402

CONVERSATION = 15  #: actions


def cited_by(calls: list[dict[str, Any]]) -> list[str]:
    """Return the paths that calls of store_memory cite."""
    anchors = [call["arguments"].get("anchors") or () for call in calls]
    return [path for each in anchors for path in ([each] if isinstance(each, str) else each)]


def makes_file(action: dict[str, Any], cited: list[str]) -> bool:
    """Tell whether an action makes a file: it says so, or writes one that no memory cites."""
    is_written = action.get("tool") == "Write" and action["file"] not in cited
    return bool(action.get("new", is_written))


def changed_by(command: str) -> list[str]:
    """Return the files that a command can only change if they exist."""
    simple = list_commands(command, "/")
    changed = [
        each for each in simple if re.match(r"(?:sed|perl|rm|git rm|mv|git mv)\b", each.text)
    ]
    return [
        path.lstrip("/")
        for each in changed
        for path in list_changed_paths([each])[: 1 if "mv " in each.text else None]
    ]


def make_project(home: Path, project: dict[str, Any], further: list[str] | None = None) -> Path:
    """Return a folder with an empty repository and every file that is cited or edited.

    Files that an action makes are missing.
    """
    folder = home / "project"
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    cited = [path for memory in project["memories"] for path in memory.get("files") or ()]
    first: dict[str, Any] = {}
    for action in project["actions"]:
        if action.get("file"):
            first.setdefault(action["file"], action)
    edited = [file for file, action in first.items() if not makes_file(action, cited)]
    commands = [action["command"] for action in project["actions"] if action.get("command")]
    edited += [path for command in commands for path in changed_by(command)]
    known = (*cited, *edited, *(path.partition(":")[0] for path in further or ()))
    paths = [path for path in known if not set(path) & set("*?")]
    for path in paths:
        is_folder = any(other.startswith(f"{path.rstrip('/')}/") for other in paths)
        (folder / path if is_folder else (folder / path).parent).mkdir(parents=True, exist_ok=True)
        if not is_folder:
            (folder / path).touch()
    return folder


def make_statement(memory: dict[str, Any], folder: Path) -> Statement:
    """Return what an agent would store."""
    trigger = memory.get("trigger")
    anchors = [
        path
        for path in memory.get("files") or ()
        if is_file_pattern(path) or (folder / path).is_file()
    ]
    return Statement(
        content=memory["content"],
        type=memory["type"],
        anchors=tuple(anchors),
        metadata={"trigger": trigger} if trigger else {},
    )


def store_statements(
    core: ServiceContainer, project: dict[str, Any], folder: Path, context: CallContext
) -> dict[int, str]:
    """Store the memories as their author wrote them; return the author's key of each."""
    names: dict[int, str] = {}
    for memory in project["memories"]:
        result = core.writer.store(make_statement(memory, folder), context)
        if result is not None:
            names[result.memory.key] = memory["key"]
    return names


def store_calls(
    core: ServiceContainer, calls: list[dict[str, Any]], context: CallContext
) -> dict[int, str]:
    """Store the memories as the server does with an agent's calls; return the key of each.

    A call that the server refuses stores nothing; the reason is printed.
    """
    operations = Operations(core)
    names: dict[int, str] = {}
    for call in calls:
        try:
            arguments = read_arguments("store_memory", call["arguments"])
            stored = operations.store_many([arguments], context)
        except AforesaidError as error:
            print(f"  refused: {call['key']}: {error}")
            continue
        names.update((result.memory.key, call["key"]) for result in stored)
    return names


def measure(
    project: dict[str, Any], home: Path, *, calls: list[dict[str, Any]] | None, verbose: bool
) -> dict[str, list[bool]]:
    """Return which related actions got their memory, which others any, and what was right."""
    folder = make_project(home, project, cited_by(calls or []))
    core = ServiceContainer(os.environ)
    facts = factories.read_workspace(str(folder), core.settings, os.environ)
    context = core.projects.resolve(facts).replace(session="stores")
    if calls is None:
        names = store_statements(core, project, folder, context)
    else:
        names = store_calls(core, calls, context)
    known: set[int] = set()
    created: set[str] = set()
    recall = ActionRecall(core.store, core.clock, CitedFiles())
    acting = context.replace(session="acts")
    hits: dict[str, list[bool]] = {"related": [], "unrelated": [], "right": []}
    for number, wanted in enumerate(project["actions"]):
        if number % CONVERSATION == 0:
            known = set()
            created = set()
        path = str(folder / wanted["file"]) if wanted.get("file") else ""
        command = wanted.get("command") or ""
        action = Action(folder=str(folder), path=path, command=command)
        answer = recall.render(action, acting, ShownBefore(shown=known, created=created))
        keys = [key for key in answer.context.keys if key in names]
        known.update(keys)
        created.update(answer.created)
        if path:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).touch()
        shown = [names[key] for key in keys]
        bears = wanted["bears"]
        has_been_shown = not {names[key] for key in known}.isdisjoint(bears)
        hits["related" if bears else "unrelated"].append(has_been_shown if bears else bool(shown))
        hits["right"] += [name in bears for name in shown]
        if verbose and (set(shown) - set(bears) or (bears and not has_been_shown)):
            print(f"  {wanted.get('file') or command}: bears {bears}, shown {shown}")
    core.close()
    return hits


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.actions", description=__doc__)
    parser.add_argument("files", nargs="+", help="a project of one author each")
    parser.add_argument("--calls", nargs="+", help="what an agent stored of each project")
    parser.add_argument("--verbose", action="store_true", help="print each miss and false alarm")
    options = parser.parse_args()
    if options.calls and len(options.calls) != len(options.files):
        parser.error("give one file of calls for each project")
    projects = [json.loads(Path(path).read_text()) for path in options.files]
    calls = [json.loads(Path(path).read_text()) for path in options.calls or ()]
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")) and name != "AFORESAID_ENV":
            del os.environ[name]
    for path, project, stored in zip(
        options.files, projects, calls or [None] * len(projects), strict=True
    ):
        with tempfile.TemporaryDirectory() as temporary:
            home = Path(os.path.realpath(temporary))
            os.environ["HOME"] = str(home)
            hits = measure(project, home, calls=stored, verbose=options.verbose)
        figures = ", ".join(
            f"{name} {sum(flags) / max(1, len(flags)):.3f} ({sum(flags)} of {len(flags)})"
            for name, flags in hits.items()
        )
        print(f"{path}: {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
