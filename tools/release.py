"""Makes a release: version numbers, changelog, generated files, commit and tag.

Needs git and the development environment, no network and no full history. A release that fails
leaves files, branch and tags as they were. Nothing is pushed.

Usage:
    .venv/bin/python tools/release.py 0.2.0            make the release
    .venv/bin/python tools/release.py 0.2.0 --dry-run  check everything, show the changes, make none
    .venv/bin/python tools/release.py --check          exit 1 if versions, changelog and tags differ
"""

from __future__ import annotations

import argparse
import difflib
import itertools
import os
import re
import subprocess
import sys
from datetime import UTC, date, datetime

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CHANGELOG = "CHANGELOG.md"
UNRELEASED = "## Unreleased\n"
#: Each file that carries the version, and the one place in it.
VERSION_PATTERNS = {
    "pyproject.toml": r'(?m)^version = "(.*)"$',
    "server/aforesaid/version.py": r'(?m)^__version__ = "(.*)"$',
    ".claude-plugin/plugin.json": r'(?m)^  "version": "(.*)",$',
    "server/aforesaid/bootstrap/surface.json": r'(?m)^  "version": "(.*)"$',
}
#: What is made anew for each release, by which tool.
GENERATORS = {
    "server/aforesaid/bootstrap/surface.json": "tools/generate_surface.py",
    "tests/data/stores": "tools/make_release_store.py",
}
SEMVER = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
SECTION = re.compile(r"(?m)^## (.*)$")
RELEASED = re.compile(r"(\S+) - (\d{4}-\d\d-\d\d)")


class ReleaseError(Exception):
    """The release cannot be made, or the repository disagrees with itself; says what to do."""


def main() -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="tools/release.py", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("version", nargs="?", help="the new version, MAJOR.MINOR.PATCH")
    parser.add_argument("--dry-run", action="store_true", help="show the changes, make none")
    parser.add_argument(
        "--check", action="store_true", help="compare versions, changelog and tags instead"
    )
    options = parser.parse_args()
    if options.check == (options.version is not None):
        parser.error("give either a version or --check")
    try:
        if options.check:
            check()
        else:
            release(options.version, dry_run=options.dry_run)
    except ReleaseError as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    return 0


def release(version: str, *, dry_run: bool) -> None:
    """Make the release, or show what it would change.

    Raises:
        ReleaseError: It cannot be made; nothing was changed.
    """
    current = current_version()
    if parse_version(version) <= parse_version(current):
        raise ReleaseError(f"the version is {current} already: name a greater one, not {version}")
    tag = f"v{version}"
    if git("symbolic-ref", "-q", "HEAD", check=False) == "":
        raise ReleaseError("no branch is checked out: check out the branch to release")
    if changed := git("status", "--porcelain"):
        raise ReleaseError(f"there are uncommitted changes: commit or remove them\n{changed}")
    if git("tag", "--list", tag):
        raise ReleaseError(f"the tag {tag} exists: name another version, or delete the tag")
    check()
    texts = new_texts(version)
    if dry_run:
        for path, text in texts.items():
            print(diff(path, text), end="")
        print(f"Would run {', '.join(generators().values())}, commit and tag {tag}.")
        print("Nothing was changed.")
        return
    write_and_commit(version, tag, texts)
    print(f"Released {version}: commit {git('rev-parse', '--short', 'HEAD')}, tag {tag}.")
    print(f"To publish it: git push --atomic REMOTE HEAD {tag}")


def check() -> None:
    """Compare the versions with each other, with the changelog and with the tags.

    Raises:
        ReleaseError: They disagree.
    """
    current = current_version()
    released = released_versions()
    tags = git("tag", "--list", "v*", "--merged", "HEAD", check=False).split()
    tagged = [tag[1:] for tag in tags if SEMVER.fullmatch(tag[1:])]
    if released and released[0] != current:
        raise ReleaseError(
            f"{CHANGELOG} says that {released[0]} is the last release, the code says {current}"
        )
    if current in tagged and current not in released:
        raise ReleaseError(f"the tag v{current} exists, but {CHANGELOG} has no section for it")
    if tagged and parse_version(current) < max(map(parse_version, tagged)):
        newest = max(tagged, key=parse_version)
        raise ReleaseError(f"the tag v{newest} is newer than the code, which says {current}")
    for version in set(tagged) & set(released):
        for path, pattern in VERSION_PATTERNS.items():
            found = re.findall(pattern, git("show", f"v{version}:{path}", check=False))
            if found != [version]:
                raise ReleaseError(f"the tag v{version} does not hold {version} in {path}: {found}")


def current_version() -> str:
    """Return the version that all files carry.

    Raises:
        ReleaseError: A file carries another version, or none.
    """
    found = {
        path: ", ".join(re.findall(pattern, read(path))) or "none"
        for path, pattern in VERSION_PATTERNS.items()
    }
    if len(set(found.values())) > 1:
        listed = "\n".join(f"  {path}: {version}" for path, version in found.items())
        raise ReleaseError(f"the files carry different versions: make them one\n{listed}")
    version = found["pyproject.toml"]
    parse_version(version)
    return version


def released_versions() -> list[str]:
    """Return the versions that the changelog says were released, newest first.

    Raises:
        ReleaseError: A section's title is not as it should be, or the order is wrong.
    """
    first, *titles = SECTION.findall(read(CHANGELOG)) or [""]
    if f"## {first}\n" != UNRELEASED:
        raise ReleaseError(f"{CHANGELOG} must begin with the section {UNRELEASED.strip()!r}")
    sections = []
    for title in titles:
        match = RELEASED.fullmatch(title)
        if match is None:
            raise ReleaseError(f"{CHANGELOG}: {title!r} must read 'MAJOR.MINOR.PATCH - YYYY-MM-DD'")
        try:
            day = date.fromisoformat(match[2])
        except ValueError as error:
            raise ReleaseError(f"{CHANGELOG}: {title!r}: {error}") from error
        sections.append((parse_version(match[1]), day, match[1]))
    for newer, older in itertools.pairwise(sections):
        if newer[0] <= older[0] or newer[1] < older[1]:
            raise ReleaseError(f"{CHANGELOG}: {newer[2]} must not stand above {older[2]}")
    return [version for _, _, version in sections]


def parse_version(text: str) -> tuple[int, ...]:
    """Return the numbers of a version.

    Raises:
        ReleaseError: It is not MAJOR.MINOR.PATCH.
    """
    match = SEMVER.fullmatch(text)
    if match is None:
        raise ReleaseError(f"{text!r} is not a version: use MAJOR.MINOR.PATCH, such as 1.2.3")
    return tuple(int(number) for number in match.groups())


def new_texts(version: str) -> dict[str, str]:
    """Return each changed file's new text, by path.

    Raises:
        ReleaseError: The changelog has nothing to release.
    """
    texts = {}
    for path, pattern in VERSION_PATTERNS.items():
        text = read(path)
        match = re.search(pattern, text)
        assert match is not None  # current_version found it
        texts[path] = text[: match.start(1)] + version + text[match.end(1) :]
    before, _, after = read(CHANGELOG).partition(UNRELEASED)
    if not re.split(r"(?m)^## ", after)[0].strip():
        raise ReleaseError(f"{CHANGELOG} has nothing under {UNRELEASED.strip()!r} to release")
    heading = f"## {version} - {datetime.now(UTC):%Y-%m-%d}\n"
    texts[CHANGELOG] = f"{before}{UNRELEASED}\n{heading}{after}"
    return texts


def write_and_commit(version: str, tag: str, texts: dict[str, str]) -> None:
    """Write the files, generate what is generated, commit and tag; undo all of it on failure."""
    start = git("rev-parse", "HEAD")
    made = generators()
    try:
        for path, text in texts.items():
            with open(os.path.join(ROOT, path), "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        for tool in made.values():
            run(sys.executable, "-B", os.path.join(ROOT, tool))
        check()
        git("add", "--", *texts, *made)
        git("commit", "-q", "-m", f"Release {version}")
        git("tag", "-a", "-m", f"Aforesaid {version}", tag)
    except BaseException:
        git("tag", "-d", tag, check=False)
        git("reset", "-q", start)
        git("checkout", "-q", start, "--", *texts)
        git("clean", "-q", "-f", "-d", "--", *made)
        raise


def generators() -> dict[str, str]:
    """Return the tools that this checkout has, by what they make."""
    return {
        path: tool for path, tool in GENERATORS.items() if os.path.exists(os.path.join(ROOT, tool))
    }


def diff(path: str, text: str) -> str:
    """Return the change of one file as a unified diff."""
    old, new = read(path).splitlines(keepends=True), text.splitlines(keepends=True)
    return "".join(difflib.unified_diff(old, new, f"a/{path}", f"b/{path}"))


def read(path: str) -> str:
    """Return the text of a file of the repository."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def git(*arguments: str, check: bool = True) -> str:
    """Return what git prints, or nothing where it fails and need not succeed."""
    return run("git", "-C", ROOT, *arguments, check=check)


def run(*command: str, check: bool = True) -> str:
    """Return what a command prints.

    Raises:
        ReleaseError: It fails, and must not.
    """
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout.strip()
    if check:
        words = " ".join(os.path.basename(word) for word in command[:4])
        raise ReleaseError(f"{words} failed:\n{done.stderr.strip() or done.stdout.strip()}")
    return ""


if __name__ == "__main__":
    sys.exit(main())
