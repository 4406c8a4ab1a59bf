"""Measure which edits and commands are shown a memory, and whether it bears on them.

Run from the root of the repository: ``python -m bench.actions FILE...``. Each file has one project
of one author, a JSON object: ``memories`` (``key``, ``content``, ``type``, ``trigger``, ``files``
that it is about) and ``actions`` (``tool``, ``file`` or ``command``, and ``bears``: the keys of the
memories that bear on it, labelled by the author). The actions are done in conversations of
``CONVERSATION``, each of which is shown a memory once: it counts as shown with every later action
of the same conversation to which it applies.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.adapters.system.cited_files import CitedFiles  # noqa: E402
from aforesaid.domain.context.action_context import Action  # noqa: E402
from aforesaid.domain.model.anchor import is_file_pattern  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.services.sessions.action_recall import ActionRecall  # noqa: E402
from aforesaid.wiring import factories  # noqa: E402
from aforesaid.wiring.container import ServiceContainer  # noqa: E402

CONVERSATION = 15  #: actions


def make_project(home: Path, project: dict[str, Any]) -> Path:
    """Return a folder with an empty repository and every file that is cited or edited."""
    folder = home / "project"
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    cited = [path for memory in project["memories"] for path in memory.get("files") or ()]
    edited = [action["file"] for action in project["actions"] if action.get("file")]
    paths = [path for path in (*cited, *edited) if not set(path) & set("*?")]
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


def measure(project: dict[str, Any], home: Path, *, verbose: bool) -> dict[str, list[bool]]:
    """Return which related actions got their memory, which others any, and what was right."""
    folder = make_project(home, project)
    core = ServiceContainer(os.environ)
    facts = factories.read_workspace(str(folder), core.settings, os.environ)
    context = core.projects.resolve(facts).replace(session="stores")
    names: dict[int, str] = {}
    for memory in project["memories"]:
        result = core.writer.store(make_statement(memory, folder), context)
        if result is not None:
            names[result.memory.key] = memory["key"]
    known: set[int] = set()
    recall = ActionRecall(core.store, core.clock, CitedFiles())
    acting = context.replace(session="acts")
    hits: dict[str, list[bool]] = {"related": [], "unrelated": [], "right": []}
    for number, wanted in enumerate(project["actions"]):
        if number % CONVERSATION == 0:
            known = set()
        path = str(folder / wanted["file"]) if wanted.get("file") else ""
        command = wanted.get("command") or ""
        action = Action(folder=str(folder), path=path, command=command)
        keys = [key for key in recall.render(action, acting, known)[0].keys if key in names]
        known.update(keys)
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
    parser.add_argument("--verbose", action="store_true", help="print each miss and false alarm")
    options = parser.parse_args()
    projects = {path: json.loads(Path(path).read_text()) for path in options.files}
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")) and name != "AFORESAID_ENV":
            del os.environ[name]
    for path, project in projects.items():
        with tempfile.TemporaryDirectory() as temporary:
            home = Path(os.path.realpath(temporary))
            os.environ["HOME"] = str(home)
            hits = measure(project, home, verbose=options.verbose)
        figures = ", ".join(
            f"{name} {sum(flags) / max(1, len(flags)):.3f} ({sum(flags)} of {len(flags)})"
            for name, flags in hits.items()
        )
        print(f"{path}: {figures}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
