"""Measure whether a decision of an earlier conversation reaches the session that depends on it.

Run from the root of the repository: ``python -m bench.decisions FILE``. FILE has one task a line,
in the format of the conversation tasks of sde-bench (github.com/vectorize-io/sde-bench): a JSON
object with ``conversations`` (lists of ``role`` and ``text``; a later one may amend an earlier),
``module`` (the file that is edited), ``bug_report`` (the prompt), and, added by the reader who
labelled it, ``decides`` (patterns, each of which must match) and ``old`` (what no longer holds).

All conversations are digested into one project. Then each task is a new session: what its start,
its prompt and its first edit show is searched for the patterns. With ``--edits``, the assistant
edits the module before its last answer in each conversation, as it does in a session that works.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from aforesaid.adapters.system.cited_files import CitedFiles  # noqa: E402
from aforesaid.domain.context.action_context import Action  # noqa: E402
from aforesaid.operations import session_start  # noqa: E402
from aforesaid.services.sessions.action_recall import ActionRecall  # noqa: E402
from aforesaid.services.sessions.prompt_recall import PromptRecall  # noqa: E402
from aforesaid.services.sessions.session_event import SessionEvent  # noqa: E402
from aforesaid.wiring import factories  # noqa: E402
from aforesaid.wiring.container import ServiceContainer  # noqa: E402

CHANNELS = ("start", "prompt", "action")
_FIRST_DAY = 4  #: of May 2026, when the first conversations were
_PERSON, _AGENT = "user", "assistant"


def make_project(home: Path, modules: list[str]) -> Path:
    """Return a folder with an empty repository and the modules of the tasks."""
    folder = home / "shop"
    for part in ("objects", "refs"):
        (folder / ".git" / part).mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    for module in modules:
        (folder / module).parent.mkdir(parents=True, exist_ok=True)
        (folder / module).write_text("# to be fixed\n")
    return folder


def write_transcript(
    path: Path, folder: Path, turns: list[dict[str, str]], day: int, module: str
) -> None:
    """Write a conversation as Claude Code does, with an edit of a module unless that is empty."""
    contents: list[tuple[str, Any]] = []
    last = max(number for number, turn in enumerate(turns) if turn["role"] == _AGENT)
    for number, turn in enumerate(turns):
        if module and number == last:
            edit = {"file_path": str(folder / module), "old_string": "a", "new_string": "b"}
            call = {"type": "tool_use", "id": "toolu_1", "name": "Edit", "input": edit}
            done = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Updated."}
            contents += [(_AGENT, [call]), (_PERSON, [done])]
        is_agent = turn["role"] == _AGENT
        content = [{"type": "text", "text": turn["text"]}] if is_agent else turn["text"]
        contents.append((turn["role"], content))
    with path.open("w", encoding="utf-8") as file:
        for number, (role, content) in enumerate(contents):
            line = {
                "parentUuid": f"{path.stem}-{number - 1}" if number else None,
                "isSidechain": False,
                "type": role,
                "uuid": f"{path.stem}-{number}",
                "timestamp": f"2026-05-{day:02d}T08:{number:02d}:00.000Z",
                "cwd": str(folder),
                "sessionId": path.stem,
                "version": "2.1.330",
                "gitBranch": "main",
                "message": {"role": role, "content": content},
            }
            file.write(json.dumps(line) + "\n")


def digest_all(tasks: list[dict[str, Any]], folder: Path, *, edits: bool) -> None:
    """Digest the conversations of all tasks, the earlier ones first."""
    core = ServiceContainer(os.environ)
    digester = factories.make_session_digester(core.store, core.settings, os.environ)
    for index in range(max(len(task["conversations"]) for task in tasks)):
        for task in tasks:
            if index < len(task["conversations"]):
                path = folder.parent / f"{task['task_id']}-{index}.jsonl"
                module = task["module"] if edits else ""
                day = _FIRST_DAY + index
                write_transcript(path, folder, task["conversations"][index], day, module)
                event = SessionEvent(
                    session_id=path.stem, transcript_path=str(path), folder=str(folder)
                )
                digester.end_session(event)
    core.close()


def show(task: dict[str, Any], folder: Path) -> dict[str, str]:
    """Return what a session with this task is shown, by channel."""
    session = f"fix-{task['task_id']}"
    started = session_start.start_session(
        os.environ, session_id=session, transcript_path="", folder=str(folder), source="startup"
    )
    core = ServiceContainer(os.environ)
    facts = factories.read_workspace(str(folder), core.settings, os.environ)
    context = core.projects.resolve(facts).replace(session=session)
    prompt = PromptRecall(core.store, core.clock, core.get_embedder)
    action = ActionRecall(core.store, core.clock, CitedFiles())
    edited = Action(folder=str(folder), path=str(folder / task["module"]))
    shown = {
        "start": "" if started is None else started.context,
        "prompt": prompt.render(task["bug_report"], context, ()).text,
        "action": action.render(edited, context).context.text,
    }
    core.close()
    return shown


def kept() -> list[str]:
    """Return the memories of the store, digests left out, with what replaced them."""
    core = ServiceContainer(os.environ)
    memories = core.store.maintenance.page(0, 10_000, until=10_000)
    lines = [
        f"{'' if memory.in_force else '(replaced) '}{memory.type}: {memory.content}"
        for memory in memories
        if memory.type != "episodic"
    ]
    core.close()
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.decisions", description=__doc__)
    parser.add_argument("file", help="labelled tasks, one a line")
    parser.add_argument("--edits", action="store_true", help="each conversation edits its module")
    parser.add_argument("--verbose", action="store_true", help="print what is kept and shown")
    options = parser.parse_args()
    tasks = [json.loads(line) for line in Path(options.file).read_text().splitlines() if line]
    reached = outdated = acted = 0
    strangers: list[bool] = []  # for each memory shown at an edit, whether it cites another file
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(os.path.realpath(temporary))
        for name in list(os.environ):
            if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")) and name != "AFORESAID_ENV":
                del os.environ[name]
        os.environ["HOME"] = str(home)
        folder = make_project(home, [task["module"] for task in tasks])
        digest_all(tasks, folder, edits=options.edits)
        if options.verbose:
            print("\n".join(kept()))
        for task in tasks:
            shown = show(task, folder)
            text = "\n".join(shown.values())
            found = [
                [name for name in CHANNELS if re.search(pattern, shown[name])]
                for pattern in task["decides"]
            ]
            has_all = all(found)
            has_old = any(re.search(pattern, text) for pattern in task.get("old", ()))
            reached += has_all
            outdated += has_old
            acted += all("action" in names for names in found)
            cited = re.findall(r"cites ([^\s\]:]+)", shown["action"])
            strangers += [path != task["module"] for path in cited]
            where = "; ".join(", ".join(names) or "nowhere" for names in found)
            print(f"{task['task_id']}: {where}{' (and what no longer holds)' if has_old else ''}")
            if options.verbose:
                print("\n".join(f"  {name}: {shown[name]}" for name in CHANNELS))
    print(f"reached {reached} of {len(tasks)}, at the edit {acted}, outdated {outdated}")
    print(f"memories shown at an edit: {len(strangers)}, of another file {sum(strangers)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
