"""Public addresses stand in publication.json; every file that shows one shows that one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "publication.py"
FILES = (
    "publication.json",
    ".claude-plugin/plugin.json",
    ".claude-plugin/marketplace.json",
    "pyproject.toml",
    "README.md",
)
EMPTY = {"repository": "", "homepage": "", "contact": ""}
KNOWN = {
    "repository": "https://github.com/acme/aforesaid",
    "homepage": "https://aforesaid.example",
    "contact": "hello@aforesaid.example",
}


@pytest.fixture
def folder(tmp_path):
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def publish(folder, known=None, *options):
    if known is not None:
        (folder / "publication.json").write_text(json.dumps(known))
    return subprocess.run(
        [sys.executable, TOOL, "--root", folder, *options],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_files_show_what_publication_json_has():
    done = publish(ROOT, None, "--check")
    assert (0, "") == (done.returncode, done.stdout + done.stderr)


def test_known_addresses_are_written_everywhere_and_empty_ones_nowhere(folder):
    publish(folder, EMPTY)
    before = {name: (folder / name).read_text() for name in FILES[1:]}
    assert 1 == publish(folder, KNOWN, "--check").returncode
    assert before == {name: (folder / name).read_text() for name in FILES[1:]}
    assert 0 == publish(folder, KNOWN).returncode
    assert 0 == publish(folder, KNOWN, "--check").returncode
    plugin = json.loads((folder / FILES[1]).read_text())
    market = json.loads((folder / FILES[2]).read_text())
    project = tomllib.loads((folder / FILES[3]).read_text())["project"]
    readme = (folder / FILES[4]).read_text()
    name, contact = "The Aforesaid developers", KNOWN["contact"]
    assert {"name": name, "email": contact} == plugin["author"] == market["owner"]
    assert [{"name": name, "email": contact}] == project["authors"]
    assert KNOWN["repository"] == plugin["repository"] == project["urls"]["Repository"]
    assert KNOWN["homepage"] == plugin["homepage"] == project["urls"]["Homepage"]
    assert f"--marketplace {KNOWN['repository']}\n" in readme
    assert "`/plugin install aforesaid --marketplace acme/aforesaid`" in readme
    assert "<owner>/<repo>" not in readme
    publish(folder, {**KNOWN, "repository": "https://git.example/aforesaid.git"})
    assert "acme/aforesaid`" not in (folder / FILES[4]).read_text().partition("## ")[2][:2000]
    publish(folder, EMPTY)
    assert before == {name: (folder / name).read_text() for name in FILES[1:]}


def test_a_contact_may_be_an_address_on_the_web(folder):
    contact = "https://aforesaid.example/help"
    publish(folder, {**EMPTY, "contact": contact})
    plugin = json.loads((folder / FILES[1]).read_text())
    project = tomllib.loads((folder / FILES[3]).read_text())["project"]
    assert contact == plugin["author"]["url"] == project["urls"]["Contact"]


@pytest.mark.parametrize(
    "wrong",
    [
        {**EMPTY, "repository": "acme/aforesaid"},
        {**EMPTY, "homepage": 'https://x.example/"'},
        {**EMPTY, "contact": "nobody"},
        {"repository": "", "homepage": ""},
    ],
)
def test_what_is_no_address_is_refused(folder, wrong):
    done = publish(folder, wrong)
    assert 1 == done.returncode
    assert done.stderr.startswith("publication: ")
