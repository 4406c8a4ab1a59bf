"""The launcher with a ready environment, and what it says without one; real shells, real files."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess

import pytest

import interfaces

STORE = (
    '{"session_id":"s","tool_name":"mcp__plugin_aforesaid_memory__store_memory","tool_input":{}}'
)
NO_PYTHON = "Aforesaid found no Python 3.11 or newer in AFORESAID_PYTHON."


@pytest.fixture
def launcher(tmp_path):
    return interfaces.copy_plugin(str(tmp_path / "plugin"))


@pytest.fixture
def ready(tmp_path):
    return interfaces.variables(str(tmp_path / "home"), AFORESAID_ENV=interfaces.ENVIRONMENT)


@pytest.fixture
def bare(tmp_path):
    return interfaces.variables(str(tmp_path / "home"))


@pytest.fixture
def pythonless(tmp_path):
    """A user on whose machine there is everything that set-up uses, but no Python."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("cat", "date", "mkdir", "readlink", "sh"):
        (tools / name).symlink_to(shutil.which(name))
    return {"HOME": str(tmp_path / "home"), "PATH": str(tools), "AFORESAID_PYTHON": "/bin/false"}


def test_a_hook_gets_its_arguments_and_the_event_under_every_shell(launcher, ready):
    event = json.dumps({"prompt": "größer\n" * 3000})
    for shell in interfaces.SHELLS:
        done = interfaces.run([*shell, launcher, "hook", "session-start"], ready, event)
        output = json.loads(done.stdout)
        assert ["hook", "session-start"] == output["arguments"]
        assert event == output["event"]
        assert "" == done.stderr


def test_a_hook_starts_without_site_and_finds_the_packages(launcher, ready):
    output = json.loads(interfaces.run([launcher, "hook", "session-start"], ready).stdout)
    assert 1 == output["flags"]
    assert "site" not in output["modules"]
    server, packages = output["path"]
    assert os.path.dirname(os.path.dirname(launcher)) == os.path.dirname(server)
    assert os.path.isdir(os.path.join(packages, "apsw"))


def test_a_command_gets_its_arguments_its_input_and_gives_its_exit_code(launcher, ready):
    words = ["fail", "a b", "", "*", "größer", "--json"]
    done = interfaces.run([launcher, *words], ready, "given")
    output = json.loads(done.stdout)
    assert words == output["arguments"]
    assert "given" == output["stdin"]
    assert 3 == done.returncode


def test_the_launcher_becomes_the_python_that_it_starts(launcher, ready):
    with subprocess.Popen(
        [launcher, "version"], env=ready, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    ) as process:
        output = json.loads(process.communicate(timeout=60)[0])
    assert process.pid == output["pid"]


def test_blanks_and_letters_of_every_script_may_stand_in_its_path(tmp_path, ready):
    launcher = interfaces.copy_plugin(str(tmp_path / "mein größtes $HOME 記憶"))
    for shell in interfaces.SHELLS:
        output = json.loads(interfaces.run([*shell, launcher, "hook", "x"], ready).stdout)
        assert ["hook", "x"] == output["arguments"]


def test_it_is_found_by_relative_paths_and_through_links(tmp_path, launcher, ready):
    folder = os.path.dirname(launcher)
    (tmp_path / "far").symlink_to(launcher)
    (tmp_path / "near").symlink_to("far")
    for where, name in (
        (folder, "./aforesaid"),
        (os.path.dirname(folder), "bin/aforesaid"),
        (os.path.join(folder, "..", "server"), "../bin/aforesaid"),
        (str(tmp_path), "./near"),
    ):
        done = interfaces.run(["/bin/sh", name, "version"], ready, cwd=where)
        assert ["version"] == json.loads(done.stdout)["arguments"]
    done = interfaces.run(["/bin/sh", "aforesaid", "version"], ready, cwd=folder)
    assert ["version"] == json.loads(done.stdout)["arguments"]


def test_without_arguments_and_terminal_it_serves(launcher, ready):
    question = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    done = interfaces.run([launcher], ready, question)
    assert {"jsonrpc": "2.0", "id": 1, "result": {}} == json.loads(done.stdout)


def test_switched_off_every_hook_is_silent_and_commands_still_work(launcher, ready):
    ready["AFORESAID_OFF"] = "1"
    for event in ("session-start", "session-end", "pre-tool-use"):
        done = interfaces.run([launcher, "hook", event], ready, STORE)
        assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert '"version"' in interfaces.run([launcher, "version"], ready).stdout


def test_off_set_to_nothing_or_zero_is_on(launcher, ready):
    for value in ("", "0", "false", "False", "OFF"):
        ready["AFORESAID_OFF"] = value
        assert interfaces.run([launcher, "hook", "session-start"], ready).stdout


def test_a_flag_in_the_state_folder_switches_the_hooks_off(launcher, ready):
    interfaces.write(interfaces.state(ready["HOME"], "off"), "")
    assert "" == interfaces.run([launcher, "hook", "session-start"], ready).stdout
    ready["AFORESAID_HOOKS_ENABLED"] = "true"
    assert interfaces.run([launcher, "hook", "session-start"], ready).stdout


def test_the_state_folder_follows_xdg(tmp_path, launcher, ready):
    ready["XDG_STATE_HOME"] = str(tmp_path / "state of mine")
    interfaces.write(str(tmp_path / "state of mine" / "aforesaid" / "off"), "")
    assert "" == interfaces.run([launcher, "hook", "session-start"], ready).stdout


def test_our_tools_are_allowed_without_any_python(launcher, pythonless):
    for shell in interfaces.SHELLS:
        done = interfaces.run([*shell, launcher, "hook", "pre-tool-use"], pythonless, STORE)
        answer = json.loads(done.stdout)["hookSpecificOutput"]
        assert "PreToolUse" == answer["hookEventName"]
        assert "allow" == answer["permissionDecision"]
        assert 0 == done.returncode


def test_forgetting_and_foreign_tools_are_not_allowed(launcher, ready):
    content = '"tool_name":"mcp__plugin_aforesaid_memory__store_memory"'
    for event in (
        {"tool_name": "mcp__plugin_aforesaid_memory__forget_memory"},
        {"tool_name": "mcp__plugin_aforesaid_memory__forget_memory", "tool_input": {"c": content}},
        {"tool_name": "Bash", "tool_input": {"command": content}},
        {"tool_name": "mcp__other_memory__store_memory"},
        {},
    ):
        text = json.dumps(event, separators=(",", ":"))
        done = interfaces.run([launcher, "hook", "pre-tool-use"], ready, text)
        assert (0, "") == (done.returncode, done.stdout)


def test_allowing_can_be_switched_off(launcher, ready):
    interfaces.write(interfaces.state(ready["HOME"], "no-allow-tools"), "")
    assert "" == interfaces.run([launcher, "hook", "pre-tool-use"], ready, STORE).stdout
    ready["AFORESAID_HOOKS_ALLOW_TOOLS"] = "true"
    assert interfaces.run([launcher, "hook", "pre-tool-use"], ready, STORE).stdout
    for value in ("false", "False", "NO", "off", "0", ""):  # as the settings read it
        ready["AFORESAID_HOOKS_ALLOW_TOOLS"] = value
        assert "" == interfaces.run([launcher, "hook", "pre-tool-use"], ready, STORE).stdout
    for name in ("AFORESAID_HOOKS_ALLOW_TOOLS", "AFORESAID_HOOKS_ENABLED"):
        ready[name] = "On"
    assert interfaces.run([launcher, "hook", "pre-tool-use"], ready, STORE).stdout
    ready["AFORESAID_HOOKS_ENABLED"] = "False"
    assert "" == interfaces.run([launcher, "hook", "pre-tool-use"], ready, STORE).stdout


def test_the_pointer_leads_to_the_environment(launcher, bare):
    lock = interfaces.read(os.path.join(interfaces.ROOT, "server", "lock.hash")).strip()
    python = os.path.join(interfaces.ENVIRONMENT, "bin", "python")
    interfaces.write(
        interfaces.state(bare["HOME"], f"env-{lock}"), f"{python}\n{interfaces.ENVIRONMENT}\n"
    )
    output = json.loads(interfaces.run([launcher, "version"], bare).stdout)
    assert python == output["python"]


def test_a_package_that_is_missing_is_named_with_its_cure(launcher, ready):
    hooks = os.path.join(os.path.dirname(launcher), "../server/aforesaid/entrypoints/hooks.py")
    interfaces.write(hooks, "import a_package_that_is_gone\n")
    done = interfaces.run([launcher, "hook", "session-start"], ready)
    words = json.loads(done.stdout)["systemMessage"]
    assert 0 == done.returncode
    assert "No module named 'a_package_that_is_gone'" in words
    assert "setup --rebuild" in words
    done = interfaces.run([launcher, "hook", "session-end"], ready)
    assert (0, "") == (done.returncode, done.stdout)


def test_a_named_environment_that_is_not_there_is_said(launcher, bare):
    bare["AFORESAID_ENV"] = "/nowhere at all"
    done = interfaces.run([launcher, "hook", "session-start"], bare, "{}")
    assert "/nowhere at all" in json.loads(done.stdout)["systemMessage"]
    done = interfaces.run([launcher, "version"], bare)
    assert 1 == done.returncode
    assert "/nowhere at all" in done.stderr


def test_hooks_that_have_nothing_to_note_are_silent_before_set_up(launcher, bare):
    for event in ("user-prompt-submit", "pre-compact", "subagent-start"):
        done = interfaces.run([launcher, "hook", event], bare, "{}")
        assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    assert not os.path.exists(interfaces.state(bare["HOME"]))


def test_the_end_of_a_session_before_set_up_is_noted_for_its_owner_alone(launcher, bare):
    event = '{"session_id": "größer"}'
    bare["CLAUDE_PID"] = "4711"
    done = interfaces.run([launcher, "hook", "session-end"], bare, event)
    assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
    notes = interfaces.state(bare["HOME"], "notes")
    (name,) = os.listdir(notes)
    at_ms, pid, kind = name.split("-", 2)
    assert at_ms.isdigit()
    assert ("4711", "session-end.json") == (pid, kind)
    assert event == interfaces.read(os.path.join(notes, name))
    assert 0o700 == stat.S_IMODE(os.stat(notes).st_mode)
    assert 0o600 == stat.S_IMODE(os.stat(os.path.join(notes, name)).st_mode)


def test_a_state_folder_that_cannot_be_made_is_said_by_hook_and_server(tmp_path, launcher, bare):
    (tmp_path / "file").write_text("")
    bare["XDG_STATE_HOME"] = str(tmp_path / "file")
    output = json.loads(interfaces.run([launcher, "hook", "session-start"], bare, "{}").stdout)
    assert f"cannot create the folder {tmp_path}/file/aforesaid" in output["systemMessage"]
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_stats"}}\n'
    answer = json.loads(interfaces.run([launcher, "serve"], bare, call).stdout)["result"]
    assert f"cannot create the folder {tmp_path}/file/aforesaid" in answer["content"][0]["text"]


def test_notes_do_not_grow_for_ever(launcher, bare):
    for number in range(510):
        interfaces.write(
            interfaces.state(bare["HOME"], "notes", f"{number:013}-1-session-end.json"), "{}"
        )
    interfaces.run([launcher, "hook", "session-end"], bare, "{}")
    kept = os.listdir(interfaces.state(bare["HOME"], "notes"))
    assert 500 == len(kept)
    assert "0000000000000-1-session-end.json" not in kept


def test_without_any_python_the_session_starts_and_the_cure_is_named(launcher, pythonless):
    done = interfaces.run([launcher, "hook", "session-start"], pythonless, '{"session_id": "s"}')
    assert 0 == done.returncode
    assert NO_PYTHON in json.loads(done.stdout)["systemMessage"]
    (note,) = os.listdir(interfaces.state(pythonless["HOME"], "notes"))
    assert '{"session_id": "s"}' == interfaces.read(
        interfaces.state(pythonless["HOME"], "notes", note)
    )


def test_without_any_python_the_server_answers_with_the_cure(launcher, pythonless):
    asked = [
        {"id": "probe-1", "method": "server/discover"},
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "memory_stats"}},
    ]
    text = "".join(json.dumps(question, separators=(",", ":")) + "\n" for question in asked)
    done = interfaces.run([launcher, "serve"], pythonless, text)
    refused, introduced, called = [json.loads(line) for line in done.stdout.splitlines()]
    assert ("probe-1", -32601) == (refused["id"], refused["error"]["code"])
    assert "2025-11-25" == introduced["result"]["protocolVersion"]
    assert NO_PYTHON in introduced["result"]["instructions"]
    assert NO_PYTHON in called["result"]["content"][0]["text"]
    assert called["result"]["isError"]


def test_the_command_is_linked_onto_the_path_and_nothing_is_overwritten(tmp_path):
    launcher = interfaces.copy_plugin(str(tmp_path / "plugin"))
    variables = interfaces.variables(str(tmp_path / "home"), AFORESAID_ENV=interfaces.ENVIRONMENT)
    done = interfaces.run([launcher, "setup", "--on-path"], variables)
    link = str(tmp_path / "home" / ".local" / "bin" / "aforesaid")
    assert (0, launcher) == (done.returncode, os.readlink(link))
    assert "is not on PATH" in done.stdout
    assert "list" in interfaces.run([link, "list"], variables).stdout

    again = json.loads(interfaces.run([launcher, "setup", "--on-path", "--json"], variables).stdout)
    assert (link, launcher) == (again["link"], again["launcher"])
    os.unlink(link)
    interfaces.write(link, "somebody else's")
    refused = interfaces.run([launcher, "setup", "--on-path"], variables)
    assert (4, "somebody else's") == (refused.returncode, interfaces.read(link))


def test_the_link_follows_an_update_of_the_plugin(tmp_path):
    versions = tmp_path / "plugins" / "cache" / "market" / "aforesaid"
    old, new = (interfaces.copy_plugin(str(versions / name)) for name in ("1.0.0", "1.1.0"))
    elsewhere = interfaces.copy_plugin(str(tmp_path / "clone"))
    variables = interfaces.variables(str(tmp_path / "home"), AFORESAID_ENV=interfaces.ENVIRONMENT)
    link = str(tmp_path / "home" / ".local" / "bin" / "aforesaid")
    asks = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}\n'

    def after_a_session_of(launcher):
        assert '"id":1' in interfaces.run([launcher, "serve"], variables, asks).stdout.replace(
            " ", ""
        )
        return os.readlink(link) if os.path.islink(link) else None

    assert after_a_session_of(new) is None
    interfaces.run([old, "setup", "--on-path"], variables)
    assert old == after_a_session_of(new)  # the client uses it still
    interfaces.write(str(versions / "1.0.0" / ".orphaned_at"), "1795407766355")
    assert old == after_a_session_of(old)
    assert old == after_a_session_of(elsewhere)
    assert new == after_a_session_of(new)
    shutil.rmtree(versions / "1.0.0")
    assert new == after_a_session_of(new)


EVENTS = ("session-start", "session-end", "pre-compact", "subagent-start", "user-prompt-submit")
BROKEN = {
    "gone": None,
    "without its loader": "#!/nowhere/python\n",
    "for another machine": "\x7fELF\x02\x01\x01" + "\0" * 60,
    "without its library": "#!/bin/sh\necho 'libpython.so: cannot open' >&2\nexit 127\n",
}


@pytest.fixture(params=BROKEN)
def broken(request, tmp_path, bare):
    """A user whose environment was ready, and whose Python an upgrade broke since."""
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    if BROKEN[request.param] is None:
        python.symlink_to("/nowhere/python3")
    else:
        python.write_text(BROKEN[request.param])
        python.chmod(0o755)
    lock = interfaces.read(os.path.join(interfaces.ROOT, "server", "lock.hash")).strip()
    bare["POINTER"] = interfaces.state(bare["HOME"], f"env-{lock}")
    interfaces.write(bare["POINTER"], f"{python}\n{python.parent.parent}\n")
    return bare | {"BROKEN": str(python), "KIND": request.param}


def test_a_python_that_does_not_start_fails_no_hook_and_keeps_every_end(launcher, broken):
    broken["AFORESAID_PYTHON"] = "/bin/false"
    for number, shell in enumerate(interfaces.SHELLS):
        broken["CLAUDE_PID"] = str(number + 4711)
        for event in EVENTS:
            done = interfaces.run([*shell, launcher, "hook", event], broken, '{"session_id": "s"}')
            assert (0, event == "session-start") == (done.returncode, bool(done.stdout))
    notes = os.listdir(interfaces.state(broken["HOME"], "notes"))
    assert len(interfaces.SHELLS) == sum("session-end" in name for name in notes)


def test_a_python_that_does_not_start_ends_no_server(launcher, broken):
    broken["AFORESAID_PYTHON"] = "/bin/false"
    for shell in interfaces.SHELLS:
        ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        done = interfaces.run([*shell, launcher, "serve"], broken, ping)
        assert {} == json.loads(done.stdout)["result"]


def test_a_server_whose_python_does_not_start_has_it_replaced(launcher, broken):
    broken |= {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "PIP_FIND_LINKS": "/nowhere"}
    call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"memory_stats"}}\n'
    done = interfaces.run([launcher, "serve"], broken, call)
    assert json.loads(done.stdout)["result"]["isError"]
    assert not os.path.exists(broken["POINTER"])


def test_doctor_has_a_python_that_does_not_start_replaced(launcher, broken):
    broken |= {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "PIP_FIND_LINKS": "/nowhere"}
    done = interfaces.run([launcher, "doctor"], broken)
    assert 1 == done.returncode
    assert "aforesaid" in done.stderr.lower()
    assert "Traceback" not in done.stderr


def test_a_hook_that_fails_in_its_python_stops_no_prompt(launcher, ready):
    hooks = os.path.join(os.path.dirname(os.path.dirname(launcher)), "server/aforesaid/entrypoints")
    interfaces.write(os.path.join(hooks, "hooks.py"), "raise SystemExit(2)\n")
    for shell in interfaces.SHELLS:
        done = interfaces.run([*shell, launcher, "hook", "user-prompt-submit"], ready, "{}")
        assert (0, "") == (done.returncode, done.stdout)


def test_a_python_that_does_not_start_is_replaced_and_the_command_named(launcher, broken):
    # no installer can work here: set-up ends at once, after it was started
    broken |= {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "PIP_FIND_LINKS": "/nowhere"}
    done = interfaces.run([launcher, "hook", "session-start"], broken, '{"session_id": "s"}')
    text = json.loads(done.stdout)["systemMessage"]
    assert broken["BROKEN"] in text
    assert text.endswith(f'"{launcher}" setup --rebuild')
    assert not os.path.exists(broken["POINTER"])


def test_a_named_environment_whose_python_does_not_start_is_said(launcher, broken):
    named = os.path.dirname(os.path.dirname(broken["BROKEN"]))
    broken["AFORESAID_ENV"] = named
    done = interfaces.run([launcher, "hook", "session-start"], broken, "{}")
    assert named in json.loads(done.stdout)["systemMessage"]
    assert "unset AFORESAID_ENV" in json.loads(done.stdout)["systemMessage"]
