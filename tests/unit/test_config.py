"""Settings: where each value comes from, and what is refused."""

from __future__ import annotations

import json
import os

import pytest

from aforesaid.config import DEFAULTS, load_settings
from aforesaid.config.file import ConfigFile, example, find_lines
from aforesaid.domain.errors import InvalidInputError
from interfaces import read


@pytest.fixture
def user(environment, monkeypatch):
    """Be that user; return the variables."""
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_")):
            monkeypatch.delenv(name)
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, environment[name])
    return environment


@pytest.fixture
def config(user):
    """Write the configuration file."""
    path = os.path.join(user["XDG_CONFIG_HOME"], "aforesaid", "config.toml")
    os.makedirs(os.path.dirname(path))

    def write(text: str) -> str:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    return write


def test_without_a_file_every_value_is_the_default(user) -> None:
    settings = load_settings(user)
    expected = os.path.join(user["XDG_DATA_HOME"], "aforesaid", "memory.db")

    assert {**DEFAULTS, "storage.db_path": expected} == settings.values
    assert {"default"} == set(settings.sources.values())
    assert expected == settings.db_path


def test_the_file_overrides_defaults_and_variables_override_the_file(user, config) -> None:
    path = config(
        '[retrieval]\nmax_results = 7\ndedup_threshold = 1\n[project.map]\n"/w" = "shop"\n'
    )
    more = {"AFORESAID_RETRIEVAL_MAX_RESULTS": "9", "AFORESAID_DB": "~/other.db"}
    settings = load_settings({**user, **more})

    assert (9, 1.0, {"/w": "shop"}) == (
        settings["retrieval.max_results"], settings["retrieval.dedup_threshold"],
        settings["project.map"],
    )  # fmt: skip
    assert os.path.join(user["HOME"], "other.db") == settings.db_path
    assert ("AFORESAID_RETRIEVAL_MAX_RESULTS", path, "AFORESAID_DB", "default") == tuple(
        settings.sources[key]
        for key in (
            "retrieval.max_results",
            "project.map",
            "storage.db_path",
            "privacy.redact",
        )
    )


@pytest.mark.parametrize(
    ("name", "text", "key", "expected"),
    [
        ("AFORESAID_PRIVACY_REDACT", "0", "privacy.redact", False),
        ("AFORESAID_PRIVACY_REDACT", "Yes", "privacy.redact", True),
        ("AFORESAID_PROJECT_OFF", "a, b,,", "project.off", ["a", "b"]),
        ("AFORESAID_PROJECT_MAP", "/a=x, /b = y", "project.map", {"/a": "x", "/b": "y"}),
        ("AFORESAID_PROJECT_OFF", '["a, b"]', "project.off", ["a, b"]),
        ("AFORESAID_PROJECT_MAP", '{ "/a" = "x" }', "project.map", {"/a": "x"}),
        ("AFORESAID_PRIVACY_EXTRA_PATTERNS", "[a-f]x", "privacy.extra_patterns", ["[a-f]x"]),
        (
            "AFORESAID_PRIVACY_EXTRA_PATTERNS",
            r"['\d{2,3}']",
            "privacy.extra_patterns",
            [r"\d{2,3}"],
        ),
        ("AFORESAID_PROJECT_DEFAULT", "misc", "project.default", "misc"),
        ("AFORESAID_RETRIEVAL_DEDUP_THRESHOLD", "0.95", "retrieval.dedup_threshold", 0.95),
    ],
)
def test_a_variable_is_read_as_its_kind(user, name, text, key, expected) -> None:
    assert expected == load_settings({**user, name: text})[key]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("AFORESAID_PRIVACY_REDACT", "perhaps"),
        ("AFORESAID_RETRIEVAL_MAX_RESULTS", "many"),
        ("AFORESAID_RETRIEVAL_MAX_RESULTS", "0"),
        ("AFORESAID_RETRIEVAL_MAX_RESULTS", "1e1"),
        ("AFORESAID_RETRIEVAL_DEDUP_THRESHOLD", "nan"),
        ("AFORESAID_PROJECT_OFF", '["a"'),
        ("AFORESAID_PROJECT_MAP", '{"/a": "x"}'),
        ("AFORESAID_PROJECT_MAP", "/a"),
        ("AFORESAID_RETRIEVAL_DEDUP_THRESHOLD", "1.1"),
    ],
)
def test_a_variable_that_cannot_be_is_refused_by_name(user, name, text) -> None:
    with pytest.raises(InvalidInputError, match=name):
        load_settings({**user, name: text})


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[retrieval]\n\nmax_result = 5\n", 3, "did you mean retrieval.max_results"),
        ("[nonsense]\nabc = 5\n", 2, "nonsense.abc is not a setting"),
        (
            "[retrieval]\nmax_results = true\n",
            2,
            "max_results is True: use a whole number, such as 5",
        ),
        ("# x\n[retrieval]\nmax_results = 51\n", 3, "use 1 to 50"),
        ("[privacy]\nredact = 1\n", 2, "redact is 1: use true or false"),
        ('[storage]\nbackend = "postgres"\n', 2, "backend is 'postgres': use sqlite"),
        ('[digest]\nsummariser = "gpt"\n', 2, "use none or claude-cli or anthropic"),
        ("[project]\noff = [1]\n", 2, "use a list of strings"),
        ('[project.map]\n"/w" = 1\n', 1, "every value must be a string"),
        ('[privacy]\nextra_patterns = ["a(b"]\n', 2, "'a(b' is not a valid regular expression"),
        ("x = 1\n", 1, "x is not in a section"),
        ("hooks.prompt = 7\n", 1, "hooks.prompt is 7"),
    ],
)
def test_a_file_that_cannot_be_is_refused_with_its_name_and_line(config, text, line, words) -> None:
    path = config(text)
    (problem,) = ConfigFile(path).problems
    assert f"{path}:{line}: " in problem
    assert words in problem


def test_what_other_designs_set_is_known_and_told_what_does_it_here(user, config) -> None:
    path = config(
        '[retrieval]\nfusion = "rrf"\nrrf_k = 60\nmax_results = 7\n[storage]\nbackend = "sqlite"\n'
    )
    for _from_the_cache_too in range(2):
        settings = load_settings(user)
        assert (7, "sqlite", ()) == (
            settings["retrieval.max_results"], settings["storage.backend"], settings.problems,
        )  # fmt: skip
        assert [f"{path}:2: retrieval.fusion has no", f"{path}:3: retrieval.rrf_k has no"] == [
            note.partition(" effect")[0] for note in settings.notes
        ]
        assert all("retrieval.reranker" in note for note in settings.notes)


def test_every_problem_is_counted_and_the_first_one_told(user, config) -> None:
    path = config("[retrieval]\nmax_result = 5\n[privacy]\nredact = 1\n")
    with pytest.raises(InvalidInputError) as refused:
        load_settings(user)
    assert f"{path}:2: retrieval.max_result is not a setting" in str(refused.value)
    assert "1 more: aforesaid config" in str(refused.value)


def test_a_hook_passes_over_what_is_wrong_and_says_so(user, config) -> None:
    path = config("[retrieval]\nmax_results = 500\n[hooks]\nprompt_token_budget = 300\n")
    environment = {**user, "AFORESAID_DIGEST_MAX_TOKENS": "many"}
    for _from_the_cache_too in range(2):
        settings = load_settings(environment, lenient=True)
        assert (5, 300, 350) == (
            settings["retrieval.max_results"], settings["hooks.prompt_token_budget"],
            settings["digest.max_tokens"],
        )  # fmt: skip
        assert f"{path}:2: retrieval.max_results is 500" in settings.problem_summary()
        assert 2 == len(settings.problems)


def test_a_file_that_is_no_toml_leaves_a_hook_what_it_said_when_it_last_could_be_read(
    user, config
) -> None:
    config('[project]\noff = ["secret"]\n')
    load_settings(user)
    path = config('[project]\noff = ["secret"\n')
    for _from_the_cache_too in range(2):
        settings = load_settings(user, lenient=True)
        assert ["secret"] == settings["project.off"]
        assert f"{path} cannot be read" in settings.problem_summary()
    with pytest.raises(InvalidInputError, match="cannot be read"):
        load_settings(user)


def test_the_example_has_every_key_commented_and_says_the_defaults(config, tmp_path) -> None:
    text = example()
    assert {} == ConfigFile(config(text)).values
    lines = text.splitlines()
    message = "\n".join(
        line.removeprefix("# ") if " = " in line and lines[at - 1].startswith("# ") else line
        for at, line in enumerate(lines)
        if at > 3
    )
    read_back = ConfigFile(config(message))
    assert ([], DEFAULTS) == (read_back.problems, read_back.values)


def test_lines_are_found_past_comments_quotes_and_long_texts() -> None:
    text = """# [not.this]
top = 1
[ one . two ] # why
"a b" = 2
three = '''
[fake]
x = 1
'''
  four.five=3
[project.map]
"/w" = "shop"
"""
    assert {
        "top": 2, "one.two": 3, "one.two.a b": 4, "one.two.three": 5, "one.two.four.five": 9,
        "project.map": 10, "project.map./w": 11,
    } == find_lines(text)  # fmt: skip


def test_a_changed_file_is_noticed_though_its_values_are_kept_for_hooks(user, config) -> None:
    config("[retrieval]\nmax_results = 7\n")
    assert 7 == load_settings(user)["retrieval.max_results"]
    cached = os.path.join(user["XDG_STATE_HOME"], "aforesaid", "settings.json")
    assert 7 == json.loads(read(cached))["values"]["retrieval.max_results"]

    config("[retrieval]\nmax_results = 11\n")
    assert 11 == load_settings(user)["retrieval.max_results"]
    os.unlink(config(""))
    assert 5 == load_settings(user)["retrieval.max_results"]


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"form": 1}', "\0"])
def test_a_broken_cache_is_made_anew(user, text) -> None:
    load_settings(user)
    cached = os.path.join(user["XDG_STATE_HOME"], "aforesaid", "settings.json")
    with open(cached, "w") as file:
        file.write(text)

    assert 5 == load_settings(user)["retrieval.max_results"]
    assert "values" in json.loads(read(cached))


def test_the_launcher_can_read_what_is_switched_off_without_python(user, config) -> None:
    state = os.path.join(user["XDG_STATE_HOME"], "aforesaid")
    config("[hooks]\nenabled = false\nallow_tools = false\n")
    load_settings(user)
    assert {"off", "no-allow-tools"} <= set(os.listdir(state))

    config("[hooks]\nenabled = true\n")
    load_settings(user)
    assert not {"off", "no-allow-tools"} & set(os.listdir(state))


def test_a_state_folder_that_cannot_be_written_costs_nothing_but_time(
    user, config, monkeypatch
) -> None:
    config("[retrieval]\nmax_results = 7\n")
    monkeypatch.setenv("XDG_STATE_HOME", os.devnull)

    assert 7 == load_settings({**user, "XDG_STATE_HOME": os.devnull})["retrieval.max_results"]
