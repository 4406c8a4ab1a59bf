"""A copy of the launcher and the bootstrap, with stubs for the parts that they start.

Tests of the launcher use this: the copy runs the real launcher, set-up and handshake server. The
hook, command line and server are minimal stubs that report what they received.
"""

from __future__ import annotations

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LAUNCHER = os.path.join(ROOT, "bin", "aforesaid")
ENVIRONMENT = sys.prefix
SHELLS = [
    shell
    for shell in (["/bin/dash"], ["/bin/bash", "--posix"], ["/bin/busybox", "sh"])
    if os.path.exists(shell[0])
]

HOOKS = """
import json, sys
def main(arguments):
    event = sys.stdin.read()
    print(json.dumps({"arguments": arguments, "event": event, "path": sys.path[-2:],
                      "modules": sorted(sys.modules), "flags": sys.flags.no_site}))
    return 0
"""
CLI = """
import json, os, sys
def main(arguments=None):
    print(json.dumps({"arguments": arguments, "python": sys.executable, "pid": os.getpid(),
                      "stdin": "" if sys.stdin.isatty() else sys.stdin.read()}))
    return 3 if arguments[:1] == ["fail"] else 0
"""
SERVER = """
import json, os, sys
from aforesaid.bootstrap import handover
def main(arguments):
    state = handover.take() or {"initialize": None, "initialized": None, "pending": []}
    def answer(line):
        message = json.loads(line)
        if "id" in message:
            result = {"server": os.getpid(), "method": message["method"],
                      "initialize": state["initialize"], "initialized": state["initialized"]}
            os.write(1, json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result})
                     .encode() + b"\\n")
    for line in state["pending"]:
        answer(line)
    for line in sys.stdin.buffer:
        answer(line)
    return 0
"""
SURFACE = """{"serverInfo": {"name": "aforesaid", "version": "9.9"}, "capabilities": {"tools": {}},
"instructions": "what it is for", "tools": [{"name": "store_memory", "inputSchema": {}}],
"prompts": [{"name": "p"}], "resources": [], "resourceTemplates": []}"""


def copy_plugin(folder: str) -> str:
    """Copy launcher and bootstrap to `folder`; return the launcher's path."""
    package = os.path.join(folder, "server", "aforesaid")
    os.makedirs(os.path.join(package, "entrypoints"))
    shutil.copytree(os.path.join(ROOT, "bin"), os.path.join(folder, "bin"))
    bootstrap = os.path.join("server", "aforesaid", "bootstrap")
    shutil.copytree(
        os.path.join(ROOT, bootstrap),
        os.path.join(folder, bootstrap),
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    for name in ("start.py", "setting-up.sh", "lock.hash"):
        shutil.copy(os.path.join(ROOT, "server", name), os.path.join(folder, "server"))
    stubs = {
        "__init__.py": "",
        "entrypoints/__init__.py": "",
        "entrypoints/hooks.py": HOOKS,
        "entrypoints/cli.py": CLI,
        "entrypoints/mcp/__init__.py": "",
        "entrypoints/mcp/server.py": SERVER,
        "bootstrap/surface.json": SURFACE,
    }
    for name, text in stubs.items():
        write(os.path.join(package, name), text)
    return os.path.join(folder, "bin", "aforesaid")


def use_stand_in_packages(plugin: str, wheels: str) -> None:
    """Replace a copied plugin's lock files with stub packages; write their wheels to `wheels`."""
    os.makedirs(wheels, exist_ok=True)
    for lock, names in (
        ("requirements.txt", ("apsw", "click", "GitPython", "mcp", "platformdirs")),
        ("requirements-semantic.txt", ("onnxruntime", "sqlite-vec", "tokenizers")),
        ("requirements-anthropic.txt", ("anthropic",)),
    ):
        lines = [f"{name}==1.0 \\\n    --hash=sha256:{make_wheel(wheels, name)}" for name in names]
        write(os.path.join(plugin, "server", lock), "\n".join(lines) + "\n")


def make_wheel(folder: str, name: str) -> str:
    """Write a wheel with one empty module; return its SHA-256."""
    module = {"GitPython": "git"}.get(name, name.replace("-", "_"))
    distribution = name.replace("-", "_")
    info = f"{distribution}-1.0.dist-info"
    files = {
        f"{module}.py": "",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\n"
        "Tag: py3-none-any\n",
    }
    record = ""
    for path, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=")
        record += f"{path},sha256={digest.decode()},{len(text)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    wheel = os.path.join(folder, f"{distribution}-1.0-py3-none-any.whl")
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    with open(wheel, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def variables(home: str, **more: str) -> dict[str, str]:
    """Return the environment of a new user: an empty home, and only the system's programs."""
    os.makedirs(home, exist_ok=True)
    return {"HOME": home, "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", **more}


def state(home: str, *names: str) -> str:
    """Return a path in that user's state folder."""
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "aforesaid", *names)
    return os.path.join(home, ".local", "state", "aforesaid", *names)


def run(
    command: list[str], environment: dict[str, str], stdin: str = "", **more: object
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, with a time limit."""
    return subprocess.run(
        command,
        env=environment,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **more,
    )


def write(path: str, text: str) -> None:
    """Write a file; create its folders."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path: str) -> str:
    """Return a file's text."""
    with open(path, encoding="utf-8") as file:
        return file.read()
