"""Writes the public addresses in publication.json into every file that shows one.

``repository`` and ``homepage`` are https addresses, ``contact`` is one or an e-mail address. An
empty one is shown nowhere. The bundle for Claude Desktop (build_mcpb.py) reads the file itself.

Usage:
    .venv/bin/python tools/publication.py          write the files
    .venv/bin/python tools/publication.py --check  exit 1 if a file shows something else
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = "publication.json"
PLUGIN = ".claude-plugin/plugin.json"
MARKET = ".claude-plugin/marketplace.json"
PROJECT = "pyproject.toml"
README = "README.md"
NAMES = ("repository", "homepage", "contact")
#: What the README shows while there is no repository: its address, and the short form of clients.
PLACEHOLDERS = ("<this repository's URL>", "<owner>/<repo>")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
_ADDRESS = re.compile(r"https://[\w.:-]+(/[\w./~?#=&%+-]*)?")
_URLS = re.compile(r"\n\[project\.urls\]\n(?:[A-Z].*\n)*")


class PublicationError(Exception):
    """publication.json is not valid; says why."""


def addresses(root: str = ROOT) -> dict[str, str]:
    """Return the addresses by name, "" for one that is not known yet.

    Raises:
        PublicationError: a name or an address is not valid.
    """
    known: dict[str, str] = json.loads(_read(root, SOURCE))
    if sorted(known) != sorted(NAMES):
        raise PublicationError(f"{SOURCE} must have exactly these names: {', '.join(NAMES)}")
    for name, address in known.items():
        is_email = name == "contact" and _EMAIL.fullmatch(address)
        if address and not is_email and not _ADDRESS.fullmatch(address):
            raise PublicationError(f"{SOURCE}: {name} is not an address: {address!r}")
    return known


def person(name: str, contact: str) -> dict[str, str]:
    """Return an author or owner as manifests have them."""
    if not contact:
        return {"name": name}
    return {"name": name, "email" if _EMAIL.fullmatch(contact) else "url": contact}


def contents(root: str = ROOT) -> dict[str, str]:
    """Return what each file shall contain, by its path below the root.

    Raises:
        PublicationError: publication.json is not valid.
    """
    known = addresses(root)
    plugin = json.loads(_read(root, PLUGIN))
    old = plugin.get("repository", "")
    return {
        PLUGIN: _in_plugin(_read(root, PLUGIN), known),
        MARKET: _set_person(_read(root, MARKET), "owner", known["contact"]),
        PROJECT: _in_project(_read(root, PROJECT), known),
        README: _in_readme(_read(root, README), old, known["repository"]),
    }


def _in_plugin(text: str, known: dict[str, str]) -> str:
    text = re.sub(r'(?m)^  "(?:repository|homepage)": .*\n', "", text)
    lines = "".join(
        f"  {json.dumps(name)}: {json.dumps(known[name])},\n"
        for name in ("homepage", "repository")
        if known[name]
    )
    text = re.sub(r'(?m)^  "license": ', lambda match: lines + match[0], text)
    return _set_person(text, "author", known["contact"])


def _set_person(text: str, key: str, contact: str) -> str:
    name = json.loads(text)[key]["name"]
    fields = json.dumps(person(name, contact), ensure_ascii=False)
    line = f'  "{key}": {{ {fields[1:-1]} }},'
    return re.sub(rf'(?m)^  "{key}": .*,$', lambda _: line, text)


def _in_project(text: str, known: dict[str, str]) -> str:
    contact = known["contact"]
    email = f', email = "{contact}"' if _EMAIL.fullmatch(contact) else ""
    text = re.sub(
        r'(?m)^authors = \[\{ name = "([^"]+)".*$',
        lambda match: f'authors = [{{ name = "{match[1]}"{email} }}]',
        text,
    )
    urls = {"Homepage": known["homepage"], "Repository": known["repository"]}
    urls["Contact"] = "" if email else contact
    lines = "".join(f'{name} = "{url}"\n' for name, url in urls.items() if url)
    text = _URLS.sub("", text)
    section = f"\n[project.urls]\n{lines}" if lines else ""
    return text.replace("\n[project.scripts]\n", f"{section}\n[project.scripts]\n")


def _in_readme(text: str, old: str, new: str) -> str:
    for before, after in zip(_readme_forms(old), _readme_forms(new), strict=True):
        text = text.replace(f"--marketplace {before}", f"--marketplace {after}")
        text = text.replace(f"marketplace add {before}", f"marketplace add {after}")
    return text


def _readme_forms(repository: str) -> tuple[str, str]:
    """Return a repository's address and its short form, which only GitHub has."""
    if not repository:
        return PLACEHOLDERS
    return repository, repository.removeprefix("https://github.com/").removesuffix(".git")


def _read(root: str, name: str) -> str:
    with open(os.path.join(root, name), encoding="utf-8") as file:
        return file.read()


def main() -> int:
    """Run the command; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="tools/publication.py", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    parser.add_argument("--root", default=ROOT, help="the folder with the files")
    options = parser.parse_args()
    try:
        texts = contents(options.root)
    except PublicationError as error:
        print(f"publication: {error}", file=sys.stderr)
        return 1
    stale = [name for name, text in texts.items() if text != _read(options.root, name)]
    for name in stale:
        print(f"{'differs' if options.check else 'written'}: {name}")
        if not options.check:
            with open(os.path.join(options.root, name), "w", encoding="utf-8") as file:
                file.write(texts[name])
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
