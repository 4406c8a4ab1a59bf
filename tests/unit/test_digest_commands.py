"""What shell commands are for, and how their output says they ended."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest import commands
from aforesaid.domain.digest.shell_line import steps_of


@pytest.mark.parametrize(
    ("command", "purpose"),
    [
        ("pytest -q", ("tests", "pytest")),
        ("uv run pytest -q tests/unit", ("tests", "pytest")),
        ("cd server && PYTHONPATH=. python -m pytest", ("tests", "pytest")),
        ("timeout 60 npx vitest run", ("tests", "vitest")),
        ("npm test -- --run", ("tests", "npm test")),
        ("npm run test:unit", ("tests", "npm test")),
        ("cargo test --all", ("tests", "cargo test")),
        ("cargo nextest run uploader", ("tests", "cargo nextest")),
        ("go test ./...", ("tests", "go test")),
        ("make test", ("tests", "make test")),
        ("./gradlew test", ("tests", "gradlew")),
        ("bundle exec rspec", ("tests", "rspec")),
        ("python manage.py test", ("tests", "test")),
        ("ruff check .", ("check", "ruff")),
        ("npx tsc --noEmit", ("check", "tsc")),
        ("cargo clippy", ("check", "cargo clippy")),
        ("cargo build --release", ("build", "cargo build")),
        ("docker compose build", ("build", "docker compose build")),
        ("npm run build", ("build", "npm run build")),
        ("git commit -m 'x'", ("commit", "git commit")),
        ("git -C server commit -m x", ("commit", "git commit")),
        ("ls -la", ("other", "ls -la")),
    ],
)
def test_commands_are_recognised(command, purpose):
    assert purpose == commands.purpose_of(steps_of(command)[-1].text)


@pytest.mark.parametrize(
    ("command", "steps"),
    [
        ("a && b; c | d", ["a", "b", "c", "d"]),
        ("echo 'a && b'", ["echo 'a && b'"]),
        ('git commit -m "fix: a; b" && git push', ['git commit -m "fix: a; b"', "git push"]),
        ("cat <<'EOF'\nrm -rf x\nEOF", ["cat"]),
        ("", []),
        ("# a comment", []),
        ('pwsh -NoProfile -c "Get-Item a; Set-B c"', ["Get-Item a", "Set-B c"]),
        ("Invoke-Command host { a; b }; c", ["Invoke-Command host { a; b }", "c"]),
        ("if x; then { a; b; }; fi", ["x", "a", "b"]),
    ],
)
def test_a_line_of_shell_is_split_into_its_commands(command, steps):
    assert steps == [step.text for step in steps_of(command)]


@pytest.mark.parametrize(
    ("output", "counts"),
    [
        ("2 failed, 11 passed in 1.84s", (11, 2)),
        ("13 passed, 2 skipped in 1.7s", (13, None)),
        ("      Tests  1 failed | 41 passed (42)", (41, 1)),
        ("Tests:       3 failed, 12 passed, 15 total", (12, 3)),
        ("test result: FAILED. 4 passed; 1 failed; 0 ignored", (4, 1)),
        ("test result: ok. 5 passed; 0 failed; 0 ignored", (5, 0)),
        ("  12 passing (30ms)\n  2 failing", (12, 2)),
        ("--- FAIL: TestX (0.00s)\nFAIL\tacme/x 0.1s", (None, -1)),
        ("ok  \tacme/x\t0.01s", (None, None)),
        ("Ran 12 tests in 0.1s\n\nFAILED (failures=2)", (12, 2)),
        ("7 examples, 1 failure", (None, 1)),
        ("Tests run: 9, Failures: 0, Errors: 0", (9, 0)),
        ("100% tests passed, 0 tests failed out of 12", (None, 0)),
        ("", (None, None)),
    ],
)
def test_counts_are_read_from_the_output(output, counts):
    assert counts == commands.counts_of(output)


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("x\nE   ValueError: bad\n1 failed", "ValueError: bad"),
        ("E       assert 3 == 4", "assert 3 == 4"),
        ("Traceback (most recent call last):\n  x\nKeyError: 'id'", "KeyError: 'id'"),
        ("error[E0308]: mismatched types\n --> src/a.rs", "error[E0308]: mismatched types"),
        ("src/a.c:3:5: error: expected ';'", "error: expected ';'"),
        ("panic: runtime error: index out of range", "panic: runtime error: index out of range"),
        ("fatal: not a git repository", "fatal: not a git repository"),
        ("bash: uvx: command not found", "uvx: command not found"),
        ("all is well", ""),
    ],
)
def test_the_telling_line_of_an_error_is_found(output, line):
    assert line == commands.error_line(output)


def test_an_error_line_cannot_carry_markup_or_more_than_a_line():
    line = commands.error_line("Error: <system-reminder>`rm`\x07 " + "word " * 100)
    assert not set("<>`\n\x07") & set(line)
    assert len(line) <= 100


@pytest.mark.parametrize(
    ("command", "output", "commit"),
    [
        ("git commit -m 'Fix it'", "[main 4f2a91c] Fix it\n 1 file", ("4f2a91c", "Fix it")),
        ('git commit -qm "Fix it"', "", ("", "Fix it")),
        ("git commit -qam 'Fix it' && git log -1 --format=%h", "9b1c2ae", ("9b1c2ae", "Fix it")),
        ("git commit -m \"$(cat <<'EOF'\nFix it\n\nWhy.\nEOF\n)\"", "", ("", "Fix it")),
        ("git commit", "", ("", "")),
    ],
)
def test_commits_are_read_from_command_and_output(command, output, commit):
    assert commit == commands.commits_of(command, output)
