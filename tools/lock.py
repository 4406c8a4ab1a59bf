"""Makes the locks from pyproject.toml, and checks that they are current.

Five files: `server/requirements.txt` (what Aforesaid cannot do without),
`server/requirements-semantic.txt` (what it can: set-up installs it as well as it goes),
`server/requirements-anthropic.txt` (what an extra adds; set-up installs it only when asked),
`requirements-dev.txt` (all of them, and the tools of development), and `server/lock.hash`, which
names the environment that set-up builds from the first two. Needs `uv`; knows no package index: uv
asks whichever the machine is set to.

Usage:
    python tools/lock.py              bring the locks in line with pyproject.toml, keep what holds
    python tools/lock.py --upgrade    take the newest of everything
    python tools/lock.py --check      exit 1 when a lock is stale; new releases do not make it so
    python tools/lock.py --platforms  exit 1 when a platform lacks a wheel that it must have
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CORE = "server/requirements.txt"
SEMANTIC = "server/requirements-semantic.txt"
DEVELOPMENT = "requirements-dev.txt"
EXTRAS = {"anthropic": "server/requirements-anthropic.txt"}
HASH = "server/lock.hash"
HASH_LENGTH = 12

# These have no wheel on some platform: without them Aforesaid recalls by words.
BEST_EFFORT = {"onnxruntime", "sqlite-vec", "tokenizers"}

HEADERS = {
    CORE: "What Aforesaid cannot do without.",
    SEMANTIC: "What recall by meaning needs beyond the core; set-up goes on without it.",
    EXTRAS["anthropic"]: "What the summariser `anthropic` needs beyond the core, on request.",
    DEVELOPMENT: "Everything at run time, and the tools of development.",
}

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
# (uv's name, whether the semantic lock must be complete there too)
PLATFORMS = (
    ("x86_64-manylinux_2_28", True),
    ("aarch64-manylinux_2_28", True),
    ("aarch64-apple-darwin", True),
    ("x86_64-apple-darwin", False),
    ("x86_64-pc-windows-msvc", True),
)


def main(arguments: list[str] | None = None) -> int:
    """Runs one command and returns its exit code."""
    parser = argparse.ArgumentParser(prog="tools/lock.py", description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="exit 1 when a lock is stale")
    mode.add_argument("--platforms", action="store_true", help="try the locks on every platform")
    mode.add_argument("--upgrade", action="store_true", help="take the newest of everything")
    options = parser.parse_args(arguments)
    if options.platforms:
        return try_platforms()
    made = resolve({} if options.upgrade else read_locks())
    if options.check:
        return report_stale(made)
    for path, text in made.items():
        with open(os.path.join(ROOT, path), "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        print(f"{path}: {len(re.findall('^[^ #].*==', text, re.MULTILINE))} packages")
    return 0


def read_locks() -> dict[str, str]:
    """Returns the text of each committed lock that exists, by path."""
    texts = {}
    for path in (CORE, SEMANTIC, *EXTRAS.values(), DEVELOPMENT, HASH):
        try:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                texts[path] = file.read()
        except FileNotFoundError:
            continue
    return texts


def resolve(previous: dict[str, str]) -> dict[str, str]:
    """Returns the text of every lock; versions in `previous` are kept where they still fit."""
    with open(os.path.join(ROOT, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    wanted = "\n".join(project["dependencies"]) + "\n"
    core_wanted = "\n".join(
        line for line in project["dependencies"] if requirement_name(line) not in BEST_EFFORT
    )
    # One resolution for all that runs; the core is then resolved within it, so that the two parts
    # agree, and development within that, so that tests run on what users get.
    kept = previous.get(CORE, "") + previous.get(SEMANTIC, "")
    everything = compile_lock(wanted, preferred=kept)
    core = compile_lock(core_wanted + "\n", preferred=everything, within=everything)
    core_blocks = blocks(core)
    semantic = "".join(block for block in blocks(everything) if block not in core_blocks)
    in_core = {requirement_name(block) for block in core_blocks}
    shared = in_core & {requirement_name(block) for block in blocks(semantic)}
    if shared:
        raise SystemExit(f"tools/lock.py: core and semantic disagree on {sorted(shared)}")
    extras = {}
    for name, path in EXTRAS.items():
        wanted += "\n".join(project["optional-dependencies"][name]) + "\n"
        kept = everything + previous.get(path, "")
        more = compile_lock(wanted, preferred=kept, within=everything)
        known = blocks(everything)
        extras[path] = "".join(block for block in blocks(more) if block not in known)
        everything = more
    development = compile_lock(
        wanted,
        "--group",
        "dev",
        preferred=everything + previous.get(DEVELOPMENT, ""),
        within=everything,
    )
    made = {CORE: core, SEMANTIC: semantic, **extras, DEVELOPMENT: development}
    made = {path: f"{header(path)}{text}" for path, text in made.items()}
    made[HASH] = lock_hash(made[CORE], made[SEMANTIC]) + "\n"
    return made


def compile_lock(wanted: str, *options: str, preferred: str, within: str = "") -> str:
    """Returns one universal resolution of `wanted` with hashes, one block per package."""
    with tempfile.TemporaryDirectory() as folder:
        wanted_path = os.path.join(folder, "wanted.in")
        within_path = os.path.join(folder, "within.txt")
        # An existing output file is how uv is told which versions to prefer.
        lock_path = os.path.join(folder, "lock.txt")
        for path, text in ((wanted_path, wanted), (within_path, within), (lock_path, preferred)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        run_uv(
            "pip",
            "compile",
            "--quiet",
            "--universal",
            "--python-version=3.11",
            "--generate-hashes",
            "--no-header",
            "--no-annotate",
            "--no-emit-index-url",
            "--no-emit-find-links",
            "--emit-build-options",
            f"--constraint={within_path}",
            f"--output-file={lock_path}",
            *options,
            wanted_path,
        )
        with open(lock_path, encoding="utf-8") as file:
            return file.read()


def blocks(lock: str) -> list[str]:
    """Returns the packages of a lock, each with its hashes, in order."""
    return re.findall(r"^[^\s#].*\n(?:[ ]+.*\n)*", lock, re.MULTILINE)


def requirement_name(requirement: str) -> str:
    """Returns the normalised name at the start of a requirement line."""
    match = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert match is not None, requirement
    return re.sub(r"[-_.]+", "-", match.group()).lower()


def header(path: str) -> str:
    """Returns the comment that opens a lock."""
    return f"# {HEADERS[path]}\n# Made by tools/lock.py from pyproject.toml: change it there.\n"


def lock_hash(core: str, semantic: str) -> str:
    """Returns the name that an environment built from these two locks carries."""
    return hashlib.sha256((core + semantic).encode()).hexdigest()[:HASH_LENGTH]


def report_stale(made: dict[str, str]) -> int:
    """Says which committed locks differ from pyproject.toml; returns 1 if any does."""
    committed = read_locks()
    stale = [path for path, text in made.items() if committed.get(path) != text]
    for path in stale:
        print(f"{path} is stale: run python tools/lock.py and commit what it writes")
    if not stale:
        print("the locks are current")
    return 1 if stale else 0


def try_platforms() -> int:
    """Asks for every lock's wheels on every platform; returns 1 if a needed one is missing."""
    failed = 0
    for platform, complete in PLATFORMS:
        extras = [(path, complete) for path in EXTRAS.values()]
        for path, needed in ((CORE, True), (SEMANTIC, complete), *extras):
            for python in PYTHONS:
                problem = missing_wheels(path, platform, python)
                if not problem:
                    continue
                failed += needed
                print(f"{'MISSING' if needed else 'without'} {platform} {python} {path}: {problem}")
        print(f"tried {platform} with Python {', '.join(PYTHONS)}")
    return 1 if failed else 0


def missing_wheels(path: str, platform: str, python: str) -> str:
    """Returns uv's reason why a lock cannot be installed on a platform, or nothing."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                find_uv(),
                "pip",
                "install",
                "--dry-run",
                "--no-deps",
                "--require-hashes",
                "--only-binary=:all:",
                f"--python-platform={platform}",
                f"--python-version={python}",
                f"--target={folder}",
                "--requirement",
                os.path.join(ROOT, path),
            ],
            cwd=ROOT,
            # uv's default is older; onnxruntime's wheels begin at this one.
            env={**os.environ, "MACOSX_DEPLOYMENT_TARGET": "14.0"},
            capture_output=True,
            text=True,
            check=False,
        )
    return "" if done.returncode == 0 else " ".join(done.stderr.split())


def run_uv(*arguments: str) -> None:
    """Runs uv in the repository, whose pyproject.toml holds its overrides."""
    done = subprocess.run([find_uv(), *arguments], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"tools/lock.py: uv {arguments[0]} {arguments[1]} failed, see above")


def find_uv() -> str:
    """Returns the uv beside this Python (requirements-dev.txt brings it), else on the PATH."""
    path = sysconfig.get_path("scripts") + os.pathsep + os.environ.get("PATH", os.defpath)
    found = shutil.which("uv", path=path)
    if found is None:
        raise SystemExit("tools/lock.py needs uv: install requirements-dev.txt, or uv itself")
    return found


if __name__ == "__main__":
    sys.exit(main())
