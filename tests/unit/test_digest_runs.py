"""How the tests, checks and builds of a session ended, read from shell lines and their output."""

from __future__ import annotations

import pytest

from aforesaid.adapters.transcripts import read_conversation
from aforesaid.domain.digest import facts_of, write_digest
from transcripts import Script


@pytest.fixture
def ran(tmp_path):
    """A function that returns what a digest tells of calls: (line, output, exit code)."""

    def tell(*calls: tuple[str, str, int]) -> tuple[str, ...]:
        script = Script()
        script.user("add the export and check everything")
        for line, output, code in calls:
            script.edit("export.py")
            script.bash(line, output, code)
        script.say("The export is in place now.")
        digest = write_digest(facts_of(read_conversation(script.write(tmp_path))))
        assert digest is not None
        return digest.texts("command")

    return tell


@pytest.mark.parametrize(
    "line",
    [
        "pnpm vitest run",
        "yarn vitest",
        "npx --yes vitest",
        "pnpm --filter api exec vitest run",
        "bunx vitest",
        "docker compose exec -T web npx vitest",
    ],
)
def test_runners_before_a_tool_are_no_tools(ran, line):
    assert ("vitest passed (3 passed)",) == ran((line, "Tests  3 passed (3)", 0))


@pytest.mark.parametrize(
    "line",
    [
        "uv run --with hypothesis pytest -q",
        "poetry run pytest",
        "pdm run pytest",
        "sudo -E env A=1 timeout -k 5 60 pytest",
        "conda run -n web pytest",
        "docker exec -it web pytest",
        "nix develop -c pytest",
        "cd api && (pytest -q)",
        "for i in 1 2 3; do pytest -q; done",
        "if [ -d tests ]; then pytest; fi",
    ],
)
def test_tests_are_found_in_whatever_runs_them(ran, line):
    assert ("pytest passed (3 passed)",) == ran((line, "3 passed in 1s", 0))


@pytest.mark.parametrize(
    ("line", "output", "code", "told"),
    [
        ("pytest -q; echo done", "1 failed\ndone", 0, "pytest failed (1 failed)"),
        ('pytest -q; echo "exit: $?"', "exit: 2", 0, "pytest failed"),
        ("make lint > log; echo EXIT=$?", "EXIT=0", 0, "lint passed"),
        ("pnpm exec tsc --noEmit | tail -3", "a.ts(3,3): error TS2322: Type", 0, "tsc failed"),
        ("tsc --noEmit | tail -3", "", 0, "tsc passed"),
        ("set -o pipefail; ruff check . | tail", "x", 1, "ruff failed"),
        ("mypy . || true", "Found 2 errors in 1 file (checked 3 source files)", 0, "mypy failed"),
        ("for d in a b; do mypy $d; done; ls", "Success: no issues found", 0, "mypy passed"),
        ("npm start & sleep 1; cargo check", "error: no such file", 101, "cargo check failed"),
        ("pytest 2>&1 && git push", "4 passed in 1s\nrejected", 1, "pytest passed (4 passed)"),
        ("ruff check . && ./app --nope; echo $?", "unknown flag\n2", 0, "ruff passed"),
    ],
)  # fmt: skip
def test_the_exit_status_counts_only_for_the_command_that_it_is_of(ran, line, output, code, told):
    assert (told,) == ran((line, output, code))


def test_tests_after_a_failed_check_did_not_run(ran):
    assert ("eslint failed",) == ran(("eslint . && pnpm test", "1:1  error  no-undef", 1))


def test_tests_whose_output_says_nothing_are_not_told(ran):
    assert () == ran(("pytest > log; ls", "export.py", 0))


def test_the_last_run_counts(ran):
    assert ("pytest failed once (2 failed), then passed (5 passed)",) == ran(
        ("pytest", "2 failed", 1), ("while ! pytest -q; do sleep 1; done; pytest -q", "5 passed", 0)
    )


@pytest.mark.parametrize(
    ("discard", "files"),
    [
        ("git checkout -- .", ("kept.py",)),
        ("git reset --hard", ("kept.py",)),
        ("git restore src/a.py", ("kept.py", "src/b.py")),
        ("git checkout HEAD -- src", ("kept.py",)),
        ("git restore --staged .", ("kept.py", "src/a.py", "src/b.py")),
        ("git checkout main", ("kept.py", "src/a.py", "src/b.py")),
    ],
)
def test_discarded_changes_are_no_work(tmp_path, discard, files):
    script = Script()
    script.user("try the new search")
    script.edit("kept.py")
    script.bash("git commit -am 'Keep this'", "[main 1a2b3c4] Keep this")
    script.edit("src/a.py")
    script.edit("src/b.py")
    script.bash(discard)
    script.say("The search is as it was.")
    digest = write_digest(facts_of(read_conversation(script.write(tmp_path))))
    assert digest is not None
    assert files == digest.texts("file")


def test_a_command_that_was_stopped_did_not_fail(ran):
    assert () == ran(("pytest -q", "running\n^C\n[ERROR] interrupted by user", 1))


def test_a_build_is_mended_when_tests_of_the_same_program_pass(tmp_path):
    script = Script()
    script.user("read the key from a file")
    script.edit("config.go")
    script.bash("go build ./...", "config.go:71:12: undefined: readKey", 1)
    script.edit("config.go")
    script.bash("go test ./...", "ok  example.org/app 0.01s", 0)
    script.say("The key is read from a file now.")
    digest = write_digest(facts_of(read_conversation(script.write(tmp_path))))
    assert digest is not None
    assert digest.texts("open") == ()


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("SQLSTATE[HY000] [2002] getaddrinfo for db_test failed", ()),
        ("FAILURES!\nTests: 5, Assertions: 9, Failures: 1.", ("phpunit failed (1 failed)",)),
    ],
)
def test_tests_that_did_not_start_and_then_ran_in_another_way_do_not_fail(ran, output, expected):
    told = ran(
        ("vendor/bin/phpunit --filter Clearance", output, 1),
        ("make t F=Clearance", "OK (5 tests, 14 assertions)", 0),
    )
    assert expected == tuple(text for text in told if "phpunit" in text)
