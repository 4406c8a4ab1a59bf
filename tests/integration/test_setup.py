"""Set-up from the first use on: real installers, tiny packages from a folder, no index.

One test at the end builds the real environment.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import interfaces

pytestmark = pytest.mark.setup

BASE = os.path.realpath(sys._base_executable)
UV = shutil.which(
    "uv", path=os.path.join(interfaces.ENVIRONMENT, "bin") + os.pathsep + os.environ["PATH"]
)
LOCK = interfaces.read(os.path.join(interfaces.ROOT, "server", "lock.hash")).strip()


class Home:
    """A user with an empty home, a copied plugin and a folder of wheels in place of an index."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.path = str(folder / "home")
        self.wheels = str(folder / "wheels")
        self.plugin = str(folder / "plugin")
        self.launcher = interfaces.copy_plugin(self.plugin)
        interfaces.use_stand_in_packages(self.plugin, self.wheels)
        self.tools = str(folder / "tools")
        os.makedirs(self.tools)
        self.variables = interfaces.variables(
            self.path,
            AFORESAID_PYTHON=BASE,
            PIP_NO_INDEX="1",
            PIP_FIND_LINKS=self.wheels,
            UV_OFFLINE="1",
            UV_NO_INDEX="1",
            UV_FIND_LINKS=self.wheels,
        )
        self.variables["PATH"] = f"{self.tools}:{self.variables['PATH']}"

    def use_uv(self):
        os.symlink(UV, os.path.join(self.tools, "uv"))

    def write_tool(self, name, text):
        path = os.path.join(self.tools, name)
        interfaces.write(path, f"#!/bin/sh\n{text}\n")
        os.chmod(path, 0o755)

    def run(self, *words, given=""):
        return interfaces.run([self.launcher, *words], self.variables, given)

    def state(self, *names):
        return interfaces.state(self.path, *names)

    def environment(self):
        """Returns the folder that the pointer names."""
        return interfaces.read(self.state(f"env-{LOCK}")).splitlines()[1]

    def about(self):
        return json.loads(interfaces.read(os.path.join(self.environment(), "ready")))


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


@pytest.fixture
def fast(home):
    """The same with uv, whose builds take a second."""
    if UV is None:
        pytest.skip("uv is not installed")
    home.use_uv()
    return home


@pytest.fixture(params=["uv", pytest.param("pip", marks=pytest.mark.nightly)])
def either(request, home):
    """The same with uv, and at night with pip."""
    return request.getfixturevalue("fast") if request.param == "uv" else home


def wait_for(path):
    deadline = time.monotonic() + 100
    while not os.path.exists(path):
        assert time.monotonic() < deadline, f"{path} did not come"
        time.sleep(0.02)


def test_the_first_command_sets_up_in_sight_and_then_runs(home):
    done = home.run("search", "a b", given="given")
    output = json.loads(done.stdout)
    assert ["search", "a b"] == output["arguments"]
    assert "given" == output["stdin"]
    assert os.path.join(home.environment(), "bin", "python") == output["python"]
    lines = done.stderr.splitlines()
    assert [f"aforesaid: setting up, {n} of 5" for n in range(1, 6)] == [
        line.partition(": ")[0] + ": " + line.partition(": ")[2].partition(":")[0] for line in lines
    ]
    assert "pip" == home.about()["installer"]
    assert os.path.join(home.path, ".cache", "aforesaid", "env") == os.path.dirname(
        home.environment()
    )
    assert "" == home.run("search").stderr


def test_what_was_installed_is_compiled_and_ours_as_well(fast):
    fast.run("setup")
    for folder in (
        os.path.join(fast.environment(), "lib"),
        os.path.join(fast.plugin, "server", "aforesaid", "bootstrap"),
    ):
        results = [name for _, _, names in os.walk(folder) for name in names]
        assert [name for name in results if name.endswith(".pyc")]


def test_uv_is_used_where_there_is_one(fast):
    fast.run("setup")
    assert "uv" == fast.about()["installer"]


def test_a_uv_that_fails_leaves_it_to_pip(home):
    home.write_tool("uv", "echo 'error: no such thing' >&2; exit 2")
    done = home.run("setup")
    assert 0 == done.returncode, done.stderr
    assert "pip" == home.about()["installer"]


def test_the_users_pip_settings_cannot_send_packages_elsewhere(home):
    home.variables |= {
        "PIP_TARGET": os.path.join(home.folder, "elsewhere"),
        "PIP_USER": "1",
        "PIP_REQUIRE_VIRTUALENV": "1",
        "PIP_CONSTRAINT": "/no/such/file",
        "PYTHONPATH": "/no/such/folder",
        "PYTHONHOME": "/no/such/folder",
    }
    home.variables["AFORESAID_PYTHON"] = BASE
    done = home.run("setup")
    assert 0 == done.returncode, done.stderr
    assert not os.path.exists(os.path.join(home.folder, "elsewhere"))


def test_the_first_session_sets_up_in_the_background_and_is_noted(fast):
    done = fast.run("hook", "session-start", given='{"session_id":"first"}')
    output = json.loads(done.stdout)
    assert "setting up" in output["systemMessage"]
    assert "SessionStart" == output["hookSpecificOutput"]["hookEventName"]
    (note,) = os.listdir(fast.state("notes"))
    assert note.endswith("-session-start.json")
    assert '{"session_id":"first"}' == interfaces.read(fast.state("notes", note))
    wait_for(fast.state(f"env-{LOCK}"))
    later = json.loads(fast.run("hook", "session-start", given="{}").stdout)
    assert ["hook", "session-start"] == later["arguments"]


def test_the_end_of_set_up_starts_the_sweep_of_what_ended_meanwhile(fast):
    hooks = os.path.join(fast.plugin, "server", "aforesaid", "entrypoints", "hooks.py")
    swept = os.path.join(fast.folder, "swept")
    note = (
        f"open({swept + '.part'!r}, 'w').write(str(arguments))\n"
        f"    __import__('os').rename({swept + '.part'!r}, {swept!r})"
    )
    interfaces.write(hooks, f"def main(arguments):\n    {note}\n    return 0\n")
    fast.run("setup")
    assert not os.path.exists(swept)  # nothing ended
    fast.run("setup", "--rebuild")
    interfaces.write(fast.state("notes", "1-1-session-end.json"), '{"session_id":"first"}')
    fast.run("setup", "--rebuild")
    wait_for(swept)
    assert "['hook', 'sweep']" == interfaces.read(swept)


def test_a_python_that_no_longer_starts_is_replaced_by_the_next_session(fast):
    fast.run("setup")
    python = os.path.join(fast.environment(), "bin", "python")
    os.unlink(python)
    interfaces.write(python, "#!/bin/sh\nexit 127\n")
    os.chmod(python, 0o755)
    done = fast.run("hook", "session-start", given='{"session_id":"first"}')
    assert "no longer starts" in json.loads(done.stdout)["systemMessage"]
    wait_for(fast.state(f"env-{LOCK}"))
    later = json.loads(fast.run("hook", "session-start", given="{}").stdout)
    assert ["hook", "session-start"] == later["arguments"]


def test_the_server_sets_up_behind_its_front_and_takes_over(fast):
    with subprocess.Popen(
        [fast.launcher, "serve"],
        env=fast.variables,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        process.stdin.write(b'{"id":1,"method":"tools/call"}\n')
        process.stdin.flush()
        first = json.loads(process.stdout.readline())["result"]
        wait_for(fast.state(f"env-{LOCK}"))
        process.stdin.write(b'{"id":2,"method":"tools/call"}\n')
        process.stdin.flush()
        second = json.loads(process.stdout.readline())["result"]
        process.stdin.close()
        assert 0 == process.wait(timeout=60)
    assert "setting up" in first["content"][0]["text"]
    assert process.pid == second["server"]


def test_two_first_uses_at_once_build_one_environment(fast):
    both = [
        subprocess.Popen(
            [fast.launcher, "version"],
            env=fast.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    report = [process.communicate(timeout=100) for process in both]
    assert [0, 0] == [process.returncode for process in both]
    assert 1 == "".join(message for _, message in report).count("1 of 5")
    assert 1 == len({json.loads(answer)["python"] for answer, _ in report})


@pytest.mark.parametrize(("there", "by"), [(False, signal.SIGKILL), (True, signal.SIGINT)])
def test_one_that_was_ended_half_way_is_finished_by_the_next(fast, there, by):
    if there:
        fast.run("setup")
    os.remove(os.path.join(fast.tools, "uv"))
    gate = os.path.join(fast.folder, "gate")
    os.mkfifo(gate)
    # Makes the environment, then never ends: as if the download had no end.
    fast.write_tool("uv", f'[ "$1" = venv ] && exec "{UV}" "$@"; read -r never <"{gate}"')
    with subprocess.Popen(
        [fast.launcher, "setup", *(["--rebuild"] if there else [])],
        env=fast.variables,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        while "2 of 5" not in process.stderr.readline():
            assert process.poll() is None
        os.killpg(process.pid, by)
        assert "" == process.stderr.read()
    (half,) = os.listdir(os.path.join(fast.path, ".cache", "aforesaid", "env"))
    assert not os.path.exists(fast.state(f"env-{LOCK}"))
    os.remove(os.path.join(fast.tools, "uv"))
    fast.use_uv()
    done = fast.run("setup")
    assert 0 == done.returncode, done.stderr
    assert half == os.path.basename(fast.environment())
    assert os.path.exists(os.path.join(fast.environment(), "ready"))


def test_a_failed_set_up_says_what_failed_everywhere_and_the_next_try_mends_it(either):
    home = either
    wheel = os.path.join(home.wheels, "mcp-1.0-py3-none-any.whl")
    os.rename(wheel, wheel + ".gone")
    done = home.run("search")
    assert 1 == done.returncode
    assert "no wheel for this Python and platform" in done.stderr
    assert "mcp" in done.stderr
    assert "To fix it:" in done.stderr
    error = interfaces.read(home.state("setup-error.txt")).strip()
    assert error == done.stderr.strip().splitlines()[-1]
    assert not os.path.exists(home.state(f"env-{LOCK}"))
    os.rename(wheel + ".gone", wheel)
    output = json.loads(home.run("hook", "session-start", given="{}").stdout)
    assert f"{error} Trying again now." == output["systemMessage"]
    wait_for(home.state(f"env-{LOCK}"))
    home.run("setup")
    assert not os.path.exists(home.state("setup-error.txt"))


def test_a_package_that_is_not_the_locked_one_is_refused(fast):
    interfaces.write(os.path.join(fast.plugin, "server", "requirements.txt"), "")
    interfaces.use_stand_in_packages(fast.plugin, os.path.join(fast.folder, "other"))
    text = interfaces.read(os.path.join(fast.plugin, "server", "requirements.txt"))
    locked = text.replace("--hash=sha256:", "--hash=sha256:0", 1)
    first = locked.index("sha256:0") + len("sha256:0")
    interfaces.write(
        os.path.join(fast.plugin, "server", "requirements.txt"),
        locked[: first + 63] + locked[first + 64 :],
    )
    done = fast.run("setup")
    assert 1 == done.returncode
    assert "its hash differs" in done.stderr


def test_without_the_embedding_packages_it_goes_on_and_records_why(fast):
    os.remove(os.path.join(fast.wheels, "onnxruntime-1.0-py3-none-any.whl"))
    done = fast.run("setup")
    assert 0 == done.returncode, done.stderr
    missing = json.loads(interfaces.read(os.path.join(fast.environment(), "semantic.json")))[
        "missing"
    ]
    assert ["onnxruntime"] == list(missing)
    assert "no wheel" in missing["onnxruntime"]


def has_module(home, name):
    python = os.path.join(home.environment(), "bin", "python")
    done = subprocess.run([python, "-I", "-c", f"import {name}"], check=False, capture_output=True)
    return done.returncode == 0


def test_an_extra_is_added_when_asked_for_and_comes_with_the_next_environment_too(either):
    home = either
    home.run("setup")
    assert not has_module(home, "anthropic")
    done = home.run("setup", "--with", "anthropic")
    assert 0 == done.returncode, done.stderr
    assert has_module(home, "anthropic")
    assert "anthropic" not in home.run("setup").stderr  # it is there
    home.run("setup", "--rebuild")
    assert has_module(home, "anthropic")


def test_an_extra_that_cannot_be_had_is_told_and_costs_nothing_else(fast):
    fast.run("setup")
    os.remove(os.path.join(fast.wheels, "anthropic-1.0-py3-none-any.whl"))
    done = fast.run("setup", "--with", "anthropic")
    assert 1 == done.returncode
    assert "no wheel" in done.stderr
    assert "" == fast.run("version").stderr
    assert 0 == fast.run("setup", "--rebuild").returncode


@pytest.mark.parametrize("words", [("--with", "everything"), ("--with=everything",)])
def test_an_extra_that_is_none_is_refused_by_name(fast, words):
    done = fast.run("setup", *words)
    assert 2 == done.returncode
    assert "use anthropic" in done.stderr


def test_an_environment_that_is_named_is_not_said_to_be_rebuilt(home):
    home.variables["AFORESAID_ENV"] = sys.prefix
    done = home.run("setup", "--rebuild")
    assert (2, "") == (done.returncode, done.stdout)
    assert f"{sys.prefix}, the environment in AFORESAID_ENV" in done.stderr


def test_a_vanished_interpreter_means_a_rebuild(fast):
    fast.run("setup")
    python = os.path.join(fast.environment(), "bin", "python")
    os.remove(python)
    os.symlink("/no/such/python", python)
    done = fast.run("version")
    assert python == json.loads(done.stdout)["python"]
    assert "1 of 5" in done.stderr


def test_the_plugins_environment_serves_every_door(fast):
    data = os.path.join(fast.folder, "plugin data größer")
    fast.variables["CLAUDE_PLUGIN_DATA"] = data
    fast.run("setup")
    assert os.path.join(data, "env") == os.path.dirname(fast.environment())
    del fast.variables["CLAUDE_PLUGIN_DATA"]
    done = fast.run("version")
    assert "" == done.stderr
    assert json.loads(done.stdout)["python"].startswith(data)


def test_an_update_of_the_code_alone_rebuilds_nothing(fast):
    fast.run("setup")
    newer = interfaces.copy_plugin(os.path.join(fast.folder, "newer version"))
    done = interfaces.run([newer, "version"], fast.variables)
    assert "" == done.stderr
    assert os.path.join(fast.environment(), "bin", "python") == json.loads(done.stdout)["python"]


def test_environments_that_nothing_used_for_a_fortnight_go(fast):
    folder = os.path.join(fast.path, ".cache", "aforesaid", "env")
    old, recent = (os.path.join(folder, f"{digit * 12}-cp311-x") for digit in "ab")
    for path, days in ((old, 15), (recent, 13)):
        interfaces.write(os.path.join(path, "used"), "")
        os.utime(os.path.join(path, "used"), (0, time.time() - days * 86_400))
    interfaces.write(fast.state("env-" + "a" * 12), f"{old}/bin/python\n")
    os.symlink("gone meanwhile", fast.state("env-" + "b" * 12))
    done = fast.run("setup")
    assert 0 == done.returncode, done.stderr
    assert not os.path.exists(old)
    assert not os.path.exists(fast.state("env-" + "a" * 12))
    assert os.path.exists(recent)


def test_a_shim_is_resolved_once_to_what_it_runs(fast):
    fast.write_tool("shim", f'exec "{BASE}" "$@"')
    fast.variables["AFORESAID_PYTHON"] = os.path.join(fast.tools, "shim")
    fast.run("setup")
    assert os.path.samefile(BASE, fast.about()["base"])
    assert "shim" not in interfaces.read(os.path.join(fast.environment(), "pyvenv.cfg"))


def test_a_python_without_venv_and_pip_names_the_package_that_brings_them(home):
    prefix = os.path.join(home.folder, "debian")
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    library = os.path.join(prefix, "lib", version)
    os.makedirs(library)
    os.makedirs(os.path.join(prefix, "bin"))
    python = os.path.join(prefix, "bin", version)
    shutil.copy(BASE, python)
    real = os.path.dirname(os.__file__)
    for name in os.listdir(real):
        if name not in ("ensurepip", "site-packages", "dist-packages"):
            os.symlink(os.path.join(real, name), os.path.join(library, name))
    home.variables["AFORESAID_PYTHON"] = python
    if interfaces.run([python, "-I", "-c", "import json"], home.variables).returncode:
        pytest.skip("this interpreter does not run from another folder")
    done = home.run("setup")
    assert 1 == done.returncode
    assert "its venv and pip are not installed" in done.stderr
    assert "sudo apt install python3-venv" in done.stderr


@pytest.mark.parametrize("by", ["uv", pytest.param("pip", marks=pytest.mark.nightly)])
def test_the_real_environment_holds_what_we_import(tmp_path, by):
    if by == "uv" and UV is None:
        pytest.skip("uv is not installed")
    variables = {**os.environ, "HOME": str(tmp_path / "home"), "AFORESAID_PYTHON": BASE}
    for name in ("AFORESAID_ENV", "CLAUDE_PLUGIN_DATA", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        variables.pop(name, None)
    variables["PATH"] = "/usr/local/bin:/usr/bin:/bin"
    if by == "uv":
        variables["PATH"] = f"{os.path.dirname(UV)}:{variables['PATH']}"
    launcher = os.path.join(interfaces.ROOT, "bin", "aforesaid")
    done = subprocess.run(
        [launcher, "setup"],
        env=variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    environment = interfaces.read(interfaces.state(variables["HOME"], f"env-{LOCK}")).splitlines()[
        1
    ]
    missing = json.loads(interfaces.read(os.path.join(environment, "semantic.json")))["missing"]
    assert {} == missing
