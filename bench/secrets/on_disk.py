"""Send secrets and private spans in by every way there is, then look for them in every byte.

Run from the root of the repository: ``python -m bench.secrets.on_disk``. Exits with 1 if one byte
string of a secret, or one private word, stands in any file of the user's folders: database,
write-ahead log, words, notes, log, settings, export.
"""

from __future__ import annotations

import argparse
import json
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "server"))

from bench.secrets.generator import needle, secrets  # noqa: E402

from aforesaid.domain.errors import AforesaidError  # noqa: E402
from aforesaid.entrypoints.api.operations import ToolCalls  # noqa: E402
from aforesaid.operations.client_connection import ClientConnection  # noqa: E402

Leak = tuple[str, str, str]  # file, kind, needle
DOOR = os.path.join(ROOT, "bin", "aforesaid")
#: A private word in every writing that counts, and what should be left of the text around it.
PRIVATE = (
    "before <private>{w}</private> after",
    "before <PRIVATE>{w}</Private > after",
    "a <private>b <private>c</private> {w}</private> d",
    "open to the end <private>{w} and more",
    "{w} was private from the start</private> after",
    "before <private reason='x'>{w}</private> after",
    "before &lt;private&gt;{w}&lt;/private&gt; after",
    "before \\u003cprivate\\u003e{w}\\u003c/private\\u003e after",
    "before <pri\u200bvate>{w}</private> after",
    "before \uff1cprivate\uff1e{w}\uff1c/private\uff1e after",
)


class Lines:
    """Texts to send in, and what must not be found of them."""

    def __init__(self, part: str, per_kind: int, *, short: bool = False) -> None:
        """Make them: each secret in three lines, or in short in one, of each kind in turn."""
        made = secrets({"dev": 1, "test": 2}[part], part, per_kind)
        if short:
            made = [made[start + start % 9 // 3] for start in range(0, len(made), 3)]
        self.texts: list[str] = [line for _, _, line in made]
        self.needles: dict[str, str] = {needle(secret): kind for kind, secret, _ in made}
        self.secrets = len({secret for _, secret, _ in made})
        self._private = 0

    def private(self) -> list[str]:
        """Return a text for each writing of a private span, each with a word of its own."""
        found = []
        for form in PRIVATE:
            self._private += 1
            word = f"hidden{self._private:05d}word"
            self.needles[word] = "private span"
            found.append(form.format(w=word))
        return found

    def all(self) -> list[str]:
        """Return every text with a secret, then private spans that no way had before."""
        return [*self.texts, *self.private()]


class User:
    """A user with folders of their own, and what they keep elsewhere."""

    def __init__(self, folder: str) -> None:
        self.home = os.path.join(folder, "home")
        self.elsewhere = os.path.join(folder, "elsewhere")
        self.project = os.path.join(folder, "elsewhere", "shop")
        self.temporary = os.path.join(folder, "tmp")
        for path in (self.home, self.project, self.temporary):
            os.makedirs(path)
        kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        self.environment = {
            **kept,
            "HOME": self.home,
            "TMPDIR": self.temporary,
            **{f"XDG_{name}_HOME": os.path.join(self.home, name.lower())
               for name in ("CONFIG", "DATA", "STATE", "CACHE")},
            "CLAUDE_CONFIG_DIR": os.path.join(self.elsewhere, "claude"),
            "CLAUDE_PROJECT_DIR": self.project,
            "CLAUDE_PID": str(os.getpid()),
            "AFORESAID_ENV": os.environ.get("AFORESAID_ENV", sys.prefix),
        }  # fmt: skip
        self._conversation: ClientConnection | None = None
        self.git("init", "-q")

    def run(self, *arguments: str, given: str = "") -> str:
        """Return what a command prints; what it refuses is no matter here."""
        done = subprocess.run(
            [DOOR, *arguments], cwd=self.project, env=self.environment, input=given,
            capture_output=True, encoding="utf-8", check=False,
        )  # fmt: skip
        if "Traceback" in done.stderr or done.returncode not in {0, 1, 2}:
            raise RuntimeError(f"{arguments[0]} failed: {done.stderr[-2000:]}")
        return done.stdout

    def git(self, *arguments: str, given: str = "", at: str = "") -> None:
        """Run git in the project, at another time if one is given."""
        who = {f"GIT_{role}_{what}": "ada" for role in ("AUTHOR", "COMMITTER")
               for what in ("NAME", "EMAIL")}  # fmt: skip
        if at:
            who |= {"GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
        subprocess.run(
            ["git", *arguments], cwd=self.project, env={**self.environment, **who}, input=given,
            check=True, capture_output=True, encoding="utf-8",
        )  # fmt: skip

    def stay(self) -> ClientConnection:
        """Return a server's part of a conversation; its store stays open, and so does its log."""
        if self._conversation is None:
            self._conversation = ClientConnection(self.environment)
        return self._conversation

    def leave(self) -> None:
        """Let go of the store."""
        if self._conversation is not None:
            self._conversation.core.close()

    def write(self, name: str, text: str) -> str:
        """Return the path of a file elsewhere."""
        path = os.path.join(self.elsewhere, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


# -- the ways in


def by_tools(user: User, lines: Lines) -> None:
    """Every text field of the tools, in a server that stays, so that its log is there."""
    calls = ToolCalls(user.stay())
    kept = ""
    for number, text in enumerate(lines.all()):
        about = f"What number {number} is about."
        for tool, given in (
            ("store_memory", {"content": text}),
            ("store_memory", {"content": about, "summary": text, "tags": [text],
                              "metadata": {"note": text, text: [text]}}),
            ("store_memory", {"content": f"Of {about}", "entity": text}),
            ("store_memory", {"content": f"In {about}", "topic": text}),
            ("store_memory", {"content": text, "task_id": f"task-{number}"}),
            ("update_memory", {"id": kept, "content": f"Changed: {text}"}),
            ("update_memory", {"id": kept, "summary": text, "tags": [text], "topic": text,
                               "entity": text, "metadata": {"note": text}}),
            ("recall_memory", {"query": text}),
            ("search_entities", {"query": text}),
            ("get_context", {"hint": text}),
            ("set_project", {"project": "shop", "description": text, "keywords": [text],
                             "new": True}),
            ("store_memory", {"content": f"Named {about}", "entity": f"thing {number}"}),
            ("change_entities", {"action": "rename", "source": f"thing {number}", "target": text}),
            ("forget_memory", {"id": kept, "reason": text}),
            ("set_project", {"project": text, "new": True}),
            ("set_project", {"project": "shop"}),
        )[:: 1 if number % 10 == 0 else 4]:  # fmt: skip
            try:
                kept = str(calls.call(tool, dict(given)).get("id", kept))
            except AforesaidError:
                continue  # a name that is too long, a text that was all private


def by_shell(user: User, lines: Lines) -> None:
    for text in [*lines.texts[::60], *lines.private()[::2]]:
        user.run("remember", text, "--summary", text)
        user.run("search", text)


def by_jsonl(user: User, lines: Lines) -> None:
    rows = [json.dumps({"content": text, "provenance": "user"}) for text in lines.all()]
    user.run("import", user.write("memories.jsonl", "\n".join(rows) + "\n"))


def by_forms(user: User, lines: Lines) -> None:
    """What other programs keep, each with all texts."""
    rows = [{"type": "entity", "name": f"thing {n} {text}", "entityType": "x",
             "observations": [text]} for n, text in enumerate(lines.all())]  # fmt: skip
    path = user.write("memory.jsonl", "\n".join(map(json.dumps, rows)))
    user.run("import", "--from", "mcp-memory", path)
    found = [{"id": n, "project": "shop", "title": text, "narrative": text,
              "facts": json.dumps([text])} for n, text in enumerate(lines.all())]  # fmt: skip
    path = user.write("claude-mem.json", json.dumps({"observations": found}))
    user.run("import", "--from", "claude-mem", path)
    path = os.path.join(user.elsewhere, "sqlite_vec.db")
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE memories (content_hash TEXT, content TEXT, metadata TEXT)")
        connection.executemany(
            "INSERT INTO memories VALUES (?, ?, ?)",
            [(str(n), text, json.dumps({"x": text})) for n, text in enumerate(lines.all())],
        )
    user.run("import", "--from", "mcp-memory-service", path)
    for number, text in enumerate(lines.all()):
        user.write(f"notes/n{number}.md", f"---\nmood: {text}\n---\n{text}\n- [fact] {text}\n")
        if number % 10 == 0:
            user.write(f"claude/projects/x/memory/m{number}.md", f"---\nname: {text}\n---\n{text}")
    user.run("import", "--from", "basic-memory", os.path.join(user.elsewhere, "notes"))
    memory = os.path.join(user.elsewhere, "claude", "projects", "x", "memory")
    user.run("import", "--from", "auto-memory", memory)
    sections = "\n".join(f"# About {n}\n{text}" for n, text in enumerate(lines.all()))
    user.run("import", "--from", "claude-md", user.write("instructions/CLAUDE.md", sections))


def by_transcripts(user: User, lines: Lines) -> None:
    """Sessions: told by hooks, swept, and read from the folder; prompts on the way."""
    texts = lines.all()
    for number, start in enumerate(range(0, len(texts), 12)):
        session = f"session-{number}"
        path = user.write(
            f"claude/projects/y/{session}.jsonl",
            "".join(_session(session, user.project, texts[start : start + 12])),
        )
        os.utime(path, (1_780_000_000 + number, 1_780_000_000 + number))
        if number % 8 == 0:
            event = {"session_id": session, "transcript_path": path, "cwd": user.project}
            for name in ("session-start", "user-prompt-submit", "pre-compact", "session-end"):
                told = {**event, "prompt": texts[start], "source": "startup", "reason": "other"}
                user.run("hook", name, given=json.dumps(told))
    user.run("hook", "sweep")
    user.run("ingest")


def _session(session: str, folder: str, texts: list[str]) -> list[str]:
    """Return the lines of a transcript that says these texts in every place that is read."""
    written: list[str] = []
    parent: str | None = None

    def line(kind: str, content: object) -> None:
        nonlocal parent
        uuid = f"{session}-{len(written)}"
        entry = {
            "parentUuid": parent, "uuid": uuid, "type": kind, "sessionId": session, "cwd": folder,
            "timestamp": f"2026-05-04T08:{len(written) // 60:02d}:{len(written) % 60:02d}.000Z",
            "message": {"role": kind, "id": uuid, "content": content},
        }  # fmt: skip
        written.append(json.dumps(entry) + "\n")
        parent = uuid

    for number, text in enumerate(texts):
        line("user", f"From now on always use this: {text}")
        line("assistant", [{"type": "text", "text": f"We decided to use {text}"}])
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": text}}
        line("assistant", [call])
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "is_error": True,
                  "content": f"Exit code 1\nError: {text}"}  # fmt: skip
        line("user", [result])
    line("user", f"No, the key is {texts[0]}")
    line("assistant", [{"type": "text", "text": "Fixed. Still to do: the docs."}])
    return written


def by_commits(user: User, lines: Lines) -> None:
    """Commits made in a session, with files whose names hold secrets."""
    path = user.write(
        "claude/projects/y/session-git.jsonl",
        "".join(_session("session-git", user.project, ["the new way"] * 20)),
    )
    event = {"session_id": "session-git", "transcript_path": path, "cwd": user.project}
    user.run("hook", "session-start", given=json.dumps({**event, "source": "startup"}))
    texts = [*lines.texts[:: max(1, len(lines.texts) // 80)], *lines.private()]
    for number, text in enumerate(texts):
        can_be_a_name = "/" not in text and "\0" not in text and len(text.encode()) < 250
        name = text if can_be_a_name else f"file{number}"
        with open(os.path.join(user.project, name), "w", encoding="utf-8") as file:
            file.write(f"{number}")
        user.git("add", "-A")
        at = f"2026-05-04T08:00:{number // 3:02d}Z"
        user.git("commit", "-q", "-F", "-", given=f"Change {number}\n\n{text}\n", at=at)
    user.run("hook", "session-end", given=json.dumps({**event, "reason": "other"}))
    user.run("hook", "sweep")


def by_git(user: User, lines: Lines) -> None:
    for text in [*lines.texts[::8], *lines.private()]:
        user.git("commit", "-q", "--allow-empty", "-F", "-", given=f"Change it\n\n{text}\n")
        user.git("commit", "-q", "--allow-empty", "-F", "-", given=f"{text}\n")
    user.run("ingest", "--git")


WAYS = {
    "tools": by_tools, "shell": by_shell, "JSONL": by_jsonl, "other programs": by_forms,
    "transcripts": by_transcripts, "session's commits": by_commits, "git": by_git,
}  # fmt: skip


def _read(path: str) -> bytes:
    """Return a file's bytes; none if it is not a plain file, or a process has just removed it."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return b""
        # by another process: closing a file here would drop SQLite's own locks on it
        return subprocess.check_output(["cat", path], stderr=subprocess.DEVNULL)
    except (FileNotFoundError, subprocess.CalledProcessError):
        if os.path.exists(path):
            raise
        return b""


def leaks(user: User, lines: Lines) -> list[Leak]:
    """Return everything found in the user's folders, the one for what is temporary among them."""
    found = []
    for folder, _folders, names in (*os.walk(user.home), *os.walk(user.temporary)):
        for name in names:
            path = os.path.join(folder, name)
            content = _read(path)
            lowered = content.lower()
            for text, kind in lines.needles.items():
                if text.encode() in content or text.lower().encode() in lowered:
                    found.append((os.path.relpath(path, user.home), kind, text))
    return found


def measure(
    folder: str, part: str, per_kind: int, *, short: bool = False
) -> tuple[User, Lines, list[Leak]]:
    """Send everything in by every way, export, and look while the store is open."""
    user, lines = User(folder), Lines(part, per_kind, short=short)
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(user.environment)
    try:
        known = 0
        for name, way in WAYS.items():
            way(user, lines)
            found = len(leaks(user, lines))
            print(f"{name:<17} {found - known} found on disk", flush=True)
            known = found
        user.run("export", os.path.join(user.home, "export.jsonl"))
        return user, lines, leaks(user, lines)
    finally:
        os.environ.clear()
        os.environ.update(before)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.secrets.on_disk", description=__doc__)
    parser.add_argument("--part", choices=["dev", "test"], default="test")
    parser.add_argument("--per-kind", type=int, default=3)
    parser.add_argument("--short", action="store_true", help="a line for each secret, not three")
    parser.add_argument("--show", action="store_true", help="name what was found")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        user, lines, found = measure(folder, options.part, options.per_kind, short=options.short)
        user.leave()
        files = [os.path.join(top, name) for top, _, names in os.walk(user.home) for name in names]
        size = sum(os.path.getsize(path) for path in files)
        sent = f"{lines.secrets} secrets in {len(lines.texts)} lines"
        words = len(lines.needles) - lines.secrets
        print(f"{sent} and {words} private words, each way: {len(found)} found on disk")
        print(f"looked in {len(files)} files, {size:,} bytes")
        if options.show:
            for path, kind, text in found:
                print(f"  {path}: {kind}: {text[:60]}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
