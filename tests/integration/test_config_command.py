"""``aforesaid config`` as it is typed, and hooks beside a configuration that is wrong."""

from __future__ import annotations

import json
import os

import pytest

from interfaces import LAUNCHER, read, run, write


@pytest.fixture
def path(environment) -> str:
    """Return where the user's settings are read from."""
    return os.path.join(environment["XDG_CONFIG_HOME"], "aforesaid", "config.toml")


def test_each_value_is_shown_with_where_it_came_from(environment, path) -> None:
    write(path, "# mine\n[retrieval]\nmax_results = 7\n")
    environment["AFORESAID_DIGEST_MAX_TOKENS"] = "200"
    done = run([LAUNCHER, "config", "--json"], environment)
    assert (0, "") == (done.returncode, done.stderr)
    output = json.loads(done.stdout)
    by_name = {row["setting"]: (row["value"], row["from"]) for row in output["settings"]}
    assert (7, f"{path}:3") == by_name["retrieval.max_results"]
    assert (200, "AFORESAID_DIGEST_MAX_TOKENS") == by_name["digest.max_tokens"]
    assert (True, "default") == by_name["hooks.prompt"]
    shown = run([LAUNCHER, "config"], environment)
    assert ["retrieval.max_results", "7", f"{path}:3"] in [
        line.split() for line in shown.stdout.splitlines()
    ]


def test_what_is_wrong_is_named_with_its_line_and_a_variable_with_its_neighbour(
    environment, path
) -> None:
    write(path, "[retrieval]\nmax_result = 7\n")
    environment["AFORESAID_DIGEST_MAX_TOKEN"] = "200"
    done = run([LAUNCHER, "config"], environment)
    assert 2 == done.returncode
    assert f"{path}:2: retrieval.max_result is not a setting: did you mean" in done.stderr
    assert "unknown variable AFORESAID_DIGEST_MAX_TOKEN: did you mean" in done.stderr
    refused = run([LAUNCHER, "stats"], environment)
    assert 2 == refused.returncode
    assert f"{path}:2" in refused.stderr


def test_what_has_no_effect_is_told_and_stops_nothing(environment, path) -> None:
    write(path, "[retrieval]\nrrf_k = 60\n")
    environment["AFORESAID_RETRIEVAL_FUSION"] = "rrf"
    done = run([LAUNCHER, "config"], environment)
    assert 0 == done.returncode
    assert f"{path}:2: retrieval.rrf_k has no effect here: results are ordered" in done.stderr
    assert "AFORESAID_RETRIEVAL_FUSION: retrieval.fusion has no effect" in done.stderr
    assert (0, "") == ((stats := run([LAUNCHER, "stats"], environment)).returncode, stats.stderr)


def test_an_example_is_written_once_and_never_over_what_is_there(environment, path) -> None:
    first = run([LAUNCHER, "config", "init"], environment)
    assert (0, f"{path} written\n") == (first.returncode, first.stdout)
    written = read(path)
    again = run([LAUNCHER, "config", "init"], environment)
    assert 4 == again.returncode
    assert path in again.stderr
    printed = run([LAUNCHER, "config", "init", "-"], environment)
    assert written == printed.stdout == read(path)


def test_a_session_starts_though_the_configuration_is_wrong_and_says_so_once(
    environment, path, tmp_path
) -> None:
    write(path, "[retrieval]\nmax_results = 0\n")
    event = {"session_id": "s1", "cwd": str(tmp_path), "source": "startup", "prompt": "hello"}
    started = run([LAUNCHER, "hook", "session-start"], environment, json.dumps(event))
    assert f"{path}:2: retrieval.max_results is 0" in json.loads(started.stdout)["systemMessage"]
    for hook in ("user-prompt-submit", "subagent-start"):
        later = run([LAUNCHER, "hook", hook], environment, json.dumps(event))
        assert (0, "", "") == (later.returncode, later.stdout, later.stderr)
