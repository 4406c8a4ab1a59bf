"""What an export or a backup brings back passes the filter for secrets, and the answer says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SECRET = "hunter2xyz"
MEMORY = f"The router is reached by the password for the router: {SECRET}"
OFF = "[privacy]\nredact = false\n"


def configuration(shell) -> Path:
    return Path(shell.environment["XDG_CONFIG_HOME"], "aforesaid", "config.toml")


@pytest.fixture
def unfiltered(shell):
    """A store that was written without the filter, which is on again."""
    config = configuration(shell)
    config.parent.mkdir(parents=True)
    config.write_text(OFF)
    done = shell(
        "remember", MEMORY, "--tag", "router", "--task-id", "T1",
        "--title", f"set password = {SECRET}", "--metadata", json.dumps({"password": SECRET}),
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    shell("remember", "The queue is NATS.")
    shell("export", str(config.parent / "out.jsonl"))
    shell("backup", str(config.parent / "copy.db"))
    config.unlink()
    return shell


def holds_secret(shell) -> bool:
    home = Path(shell.environment["XDG_DATA_HOME"])
    files = [item for item in home.rglob("memory.db*") if "before-" not in item.name]
    assert files
    return any(SECRET.encode() in file.read_bytes() for file in files)


def told(shell, *arguments: str) -> dict:
    done = shell(*arguments, "--json")
    assert 0 == done.returncode, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("texts", "stored"),
    [
        (f"| Host | Password |\n|---|---|\n| db1 | {SECRET} |",
         "| Host | Password |\n|---|---|\n| db1 | [redacted: password] |"),
        (f"Password for the router: {SECRET}.", "Password for the router: [redacted: password]."),
        ("The db password is correct horse battery staple.",
         "The db password is [redacted: password]."),
        ("The router password: blue-horse-91.", "The router password: [redacted: password]."),
        (f"The db pass\n{SECRET}", "The db pass\n[redacted: password]"),
        (f"db1.acme.io:5432:shop:app:{SECRET}", "db1.acme.io:5432:shop:app:[redacted: password]"),
        ("password = db.Column(db.String(120))", "password = db.Column(db.String(120))"),
        ("1Password can generate passwords.", "1Password can generate passwords."),
        ("**Password Manager**: use one.", "**Password Manager**: use one."),
    ],
)  # fmt: skip
def test_what_is_said_of_passwords_is_stored_without_them_and_otherwise_whole(
    shell, texts, stored
) -> None:
    assert 0 == shell("remember", texts).returncode

    assert stored == told(shell, "list", "--no-summary-only")["results"][0]["content"]


def test_an_export_is_restored_without_its_secrets(unfiltered) -> None:
    assert holds_secret(unfiltered)
    file = str(configuration(unfiltered).parent / "out.jsonl")
    unfiltered("reset", "--yes")

    done = told(unfiltered, "import", file)
    results = told(unfiltered, "search", "how is the router reached")["results"]

    assert 3 == done["redacted"]
    assert "[redacted: password]" in results[0]["content"]
    assert not holds_secret(unfiltered)
    assert "1 memory" not in unfiltered("doctor", "--secrets").stdout
    assert 0 == unfiltered("doctor", "--deep").returncode


def test_an_export_is_added_without_its_secrets(unfiltered) -> None:
    file = str(configuration(unfiltered).parent / "out.jsonl")
    unfiltered("reset", "--yes")
    unfiltered("remember", "We deploy on Fridays.")

    done = told(unfiltered, "import", file, "--on-conflict", "newer")

    assert (2, 3) == (done["stored"], done["redacted"])
    assert not holds_secret(unfiltered)


def test_a_backup_is_restored_without_its_secrets(unfiltered) -> None:
    file = str(configuration(unfiltered).parent / "copy.db")

    done = unfiltered("restore", file, "--yes")
    again = told(unfiltered, "restore", file, "--yes")

    assert "redacted  3" in done.stdout
    assert 3 == again["redacted"]
    assert not holds_secret(unfiltered)


def test_without_the_filter_all_comes_back_as_it_was(unfiltered) -> None:
    configuration(unfiltered).write_text(OFF)
    file = str(configuration(unfiltered).parent / "copy.db")

    assert 0 == told(unfiltered, "restore", file, "--yes")["redacted"]
    assert holds_secret(unfiltered)
