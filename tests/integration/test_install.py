"""``install`` and ``uninstall``: what they write into a client's files, and leave when they go."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from interfaces import LAUNCHER

FILES = {
    "codex": (".codex/config.toml", ".codex/hooks.json", ".codex/skills/aforesaid/SKILL.md"),
    "gemini": (".gemini/settings.json",),
    "opencode": (".config/opencode/opencode.json", ".config/opencode/plugin/aforesaid.js"),
}
#: What a user may have there already, byte for byte.
OWN = {
    ".codex/config.toml": b'# mine\r\nmodel = "gpt"\r\n[mcp_servers.other]\r\ncommand = "x"',
    ".codex/hooks.json": b'{"hooks": {"SessionStart": [{"hooks": [{"type": "command", '
    b'"command": "mine hook session-start"}]}]}}',
    ".gemini/settings.json": '{\n\t"theme": "Größe",\n\t"mcpServers": {"other": {}}\n}'.encode(),
    ".config/opencode/opencode.json": b'{"model": "m", "mcp": {}}\n\n',
}


class User:
    """A user with a home folder of their own."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def run(self, *arguments: str, code: int | None = 0) -> str:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "AFORESAID_ENV": sys.prefix,
        }
        done = subprocess.run(
            [LAUNCHER, *arguments],
            env=environment,
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert code in {None, done.returncode}, done.stdout + done.stderr
        return done.stdout + done.stderr

    def write_own(self, client: str) -> dict[Path, bytes]:
        for name in FILES[client]:
            if name in OWN:
                path = self.home / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(OWN[name])
        return self.files()

    def files(self) -> dict[Path, bytes]:
        """Return all files but our own state."""
        ours = {".local", ".cache"}
        return {
            path: path.read_bytes()
            for path in self.home.rglob("*")
            if path.is_file() and path.relative_to(self.home).parts[0] not in ours
        }


@pytest.fixture
def user(tmp_path):
    return User(tmp_path)


@pytest.fixture(params=sorted(FILES))
def client(request):
    return request.param


def test_without_a_yes_the_change_is_shown_and_nothing_is_written(client, user):
    before = user.write_own(client)
    shown = user.run("install", "--client", client, code=2)
    for name in FILES[client]:
        assert str(user.home / name) in shown
    assert "nothing was changed" in shown
    assert before == user.files()


@pytest.mark.parametrize("has_own", [True, False])
def test_uninstalling_restores_every_byte(client, has_own, user):
    before = user.write_own(client) if has_own else user.files()
    user.run("install", "--client", client, "--yes")
    written = user.files()
    assert {user.home / name for name in FILES[client]} <= set(written)
    assert "already installed" in user.run("install", "--client", client, "--yes")
    assert written == user.files()
    user.run("uninstall", "--client", client, "--yes")
    assert before == user.files()
    assert "not installed" in user.run("uninstall", "--client", client, "--yes")


def test_what_was_there_stays_and_a_later_edit_too(client, user):
    user.write_own(client)
    user.run("install", "--client", client, "--yes")
    path = user.home / FILES[client][0]
    text = path.read_bytes().decode()
    if client == "codex":
        assert {"other", "memory"} == set(tomllib.loads(text)["mcp_servers"])
        path.write_bytes((text + "\n[later]\nx = 1\n").encode())
    else:
        settings = json.loads(text)
        assert {"theme", "mcpServers"} <= set(settings) or {"model", "mcp"} <= set(settings)
        path.write_bytes(json.dumps({**settings, "later": 1}).encode())
    assert "already installed" in user.run("install", "--client", client, "--yes")
    user.run("uninstall", "--client", client, "--yes")
    text = path.read_text()
    assert "later" in text
    assert "aforesaid" not in text
    assert "other" in text or "model" in text
    assert not list(user.home.rglob("*aforesaid*.js"))


def test_hooks_of_others_stay(user):
    user.write_own("codex")
    user.run("install", "--client", "codex", "--yes")
    path = user.home / ".codex/hooks.json"
    hooks = json.loads(path.read_text())["hooks"]
    assert 2 == len(hooks["SessionStart"])
    assert {"SessionStart", "UserPromptSubmit", "PreCompact", "SessionEnd"} == set(hooks)
    path.write_text(path.read_text() + " ")
    user.run("uninstall", "--client", "codex", "--yes")
    (group,) = json.loads(path.read_text())["hooks"]["SessionStart"]
    assert "mine hook session-start" == group["hooks"][0]["command"]


@pytest.mark.parametrize(
    ("client", "text", "says"),
    [
        ("gemini", "{ // mine\n}", "it may have comments"),
        ("gemini", "[]", "is not a JSON object"),
        ("gemini", '{"mcpServers": []}', "mcpServers is not an object"),
        ("gemini", '{"mcpServers": {"memory": {}}}', "already has a server named 'memory'"),
        ("gemini", '{"hooks": {"SessionStart": {}}}', "hooks.SessionStart is not a list"),
        ("codex", "= broken", "not valid TOML"),
        ("codex", "[mcp_servers.memory]\n", "already has a server named 'memory'"),
    ],
)
def test_a_file_that_cannot_be_edited_safely_is_left_alone(client, text, says, user):
    path = user.home / FILES[client][0]
    path.parent.mkdir(parents=True)
    path.write_text(text)
    code = 4 if "already has" in says else 2
    answer = " ".join(user.run("install", "--client", client, "--yes", code=code).split())
    assert says in answer
    assert {path: text.encode()} == user.files()


def test_a_link_is_followed_and_permissions_stay(user):
    real = user.home / "dotfiles" / "settings.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    (user.home / ".gemini").mkdir()
    link = user.home / ".gemini/settings.json"
    link.symlink_to(real)
    user.run("install", "--client", "gemini", "--yes")
    assert link.is_symlink()
    assert "hook session-start --client gemini" in real.read_text()
    assert 0o640 == real.stat().st_mode & 0o777
    user.run("uninstall", "--client", "gemini", "--yes")
    assert ("{}", True) == (real.read_text(), link.is_symlink())


def test_a_file_with_the_name_of_a_backup_stays(user):
    user.write_own("codex")
    taken = user.home / ".codex" / "config.toml.before-aforesaid"
    taken.write_text("precious")
    before = user.files()
    user.run("install", "--client", "codex", "--yes")
    user.run("install", "--client", "codex", "--yes")
    user.run("uninstall", "--client", "codex", "--yes")
    assert before == user.files()


@pytest.mark.parametrize(
    ("client", "name"),
    [
        ("codex", ".codex/skills/aforesaid/SKILL.md"),
        ("opencode", ".config/opencode/plugin/aforesaid.js"),
    ],
)
def test_a_file_of_the_user_s_own_where_ours_would_be_is_left_alone(client, name, user):
    path = user.home / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    before = user.files()
    assert "not Aforesaid's" in user.run("install", "--client", client, "--yes", code=4)
    assert before == user.files()


def test_an_unknown_client_gets_a_hint(user):
    plugin = "claude plugin install aforesaid"
    assert plugin in user.run("install", "--client", "claude-code", code=3)
    assert plugin in user.run("install", code=2)
    assert "claude plugin uninstall aforesaid@aforesaid" in user.run("uninstall", code=2)
    assert "config --client zed" in user.run("install", "--client", "zed", code=3)
    assert "codex, gemini, opencode" in user.run("install", "--client", "emacs", code=3)


@pytest.mark.parametrize(
    ("client", "names"),
    [
        ("codex", ("SessionStart", "UserPromptSubmit")),
        ("gemini", ("SessionStart", "BeforeAgent")),
        ("opencode", ("SessionStart", "UserPromptSubmit")),
    ],
)
def test_a_hook_answers_in_its_clients_words(client, names, user):
    project = user.home / "shop"
    subprocess.run(["git", "init", "-q", str(project)], check=True)

    def hook(event: str, session: str, **fields: str) -> dict[str, str]:
        done = subprocess.run(
            [LAUNCHER, "hook", event, "--client", client],
            input=json.dumps({"session_id": session, "cwd": str(project), **fields}),
            env={"PATH": os.environ["PATH"], "HOME": str(user.home), "AFORESAID_ENV": sys.prefix},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)["hookSpecificOutput"]

    subprocess.run(
        [LAUNCHER, "remember", "Deploys go through Argo CD, never kubectl apply."],
        env={"PATH": os.environ["PATH"], "HOME": str(user.home), "AFORESAID_ENV": sys.prefix},
        cwd=project,
        capture_output=True,
        check=True,
    )
    shown = "<hook_context>Deploys, kubectl</hook_context>\n\n" if client == "gemini" else ""
    answer = hook(
        "user-prompt-submit", "s1", prompt=f"{shown}Do deploys go through Argo CD or kubectl apply?"
    )
    assert names[1] == answer["hookEventName"]
    assert "Argo CD" in answer["additionalContext"]
    answer = hook("session-start", "s2", source="startup")
    assert names[0] == answer["hookEventName"]
    assert "Argo CD" in answer["additionalContext"]
    fenced = answer["additionalContext"].startswith("<aforesaid-")
    assert fenced == (client != "gemini")  # which escapes tags, and has a fence of its own


def test_an_unknown_client_of_a_hook_never_fails_a_session(user):
    answer = user.run("hook", "session-start", "--client", "emacs")
    assert "use --client with one of claude-code, codex, gemini, opencode" in answer


def test_doctor_checks_what_was_installed(client, user):
    user.run("install", "--client", client, "--yes")

    def finding() -> dict[str, str]:
        findings = json.loads(user.run("doctor", "--json", code=None))["findings"]
        (ours,) = [one for one in findings if one["area"] == f"client {client}"]
        return ours

    assert ("ok", "a hook answered") == (finding()["state"], finding()["says"][-15:])
    path = user.home / FILES[client][-1]
    path.write_text("")
    assert str(path) in finding()["says"]
    assert f"aforesaid install --client {client}" == finding()["fix"]


#: Rows of the table in docs/CLIENTS.md, and our events that give the client this.
ROWS = {
    "memory at a session's start": "session-start",
    "recall at the prompt": "user-prompt-submit",
    "digest when a session ends": "session-end",
    "lasting remarks become memories": "session-end",
    "digest before a compaction": "pre-compact",
    "memory for subagents": "subagent-start",
}


def test_the_table_of_clients_tells_what_is_installed(user):
    text = (Path(LAUNCHER).parents[1] / "docs" / "CLIENTS.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in line.strip("|\n").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    (start,) = [number for number, row in enumerate(rows) if "Claude Code (plugin)" in row]
    header = rows[start]
    plugin = (Path(LAUNCHER).parents[1] / "hooks" / "hooks.json").read_text(encoding="utf-8")
    installed = {"Claude Code (plugin)": plugin}
    for name, title in (("codex", "Codex"), ("gemini", "Gemini CLI"), ("opencode", "OpenCode")):
        user.run("install", "--client", name, "--yes")
        texts = [(user.home / file).read_text(encoding="utf-8") for file in FILES[name]]
        installed[title] = "\n".join(texts)
    checked = 0
    for row in rows[start + 1 :]:
        if row[0] in ROWS:
            for title, files in installed.items():
                told = row[header.index(title)] == "yes"
                assert told == (ROWS[row[0]] in files), (row[0], title)
                checked += 1
    assert len(ROWS) * len(installed) == checked
