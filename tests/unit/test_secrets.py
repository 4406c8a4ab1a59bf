"""Secrets are found by format or by name, and what only looks like one stays."""

from __future__ import annotations

import pytest
from bench.secrets.generator import benign, needle, secrets
from bench.secrets.hostile import hostile_texts
from bench.secrets.written import HARMLESS, SECRET

from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.adapters.secrets import filter as secret_filter

SEEDS = {"dev": 1, "test": 2}
KEY = "a1B2c3D4e5F6g7H8i9J0"


@pytest.fixture
def redact():
    return SecretRedactor().redact


@pytest.mark.parametrize("part", ["dev", "test"])
def test_at_least_95_percent_of_synthetic_secrets_are_found(redact, part):
    made = secrets(SEEDS[part], part)
    missed = [(kind, line) for kind, secret, line in made if needle(secret) in redact(line)[0]]
    assert len({secret for _, secret, _ in made}) >= 200
    assert len(missed) <= 0.05 * len(made), missed[:5]


@pytest.mark.parametrize("part", ["dev", "test"])
def test_at_most_one_percent_of_harmless_lines_are_changed(redact, part):
    lines = benign(SEEDS[part], part)
    changed = [line for line in lines if redact(line) != (line, [])]
    assert len(lines) >= 500
    assert len(changed) <= 0.01 * len(lines), changed[:5]


@pytest.mark.parametrize("part", ["dev", "test"])
def test_redacting_twice_changes_nothing_more(redact, part):
    for _, _, line in secrets(SEEDS[part], part, 1):
        once = redact(line)[0]
        assert redact(once) == (once, [])


def test_the_name_stays_and_the_value_goes(redact):
    assert redact("export DB_PASSWORD='hunter2-x'") == (
        "export DB_PASSWORD='[redacted: password]'",
        ["password"],
    )


def test_a_known_format_names_the_kind_even_behind_a_name(redact):
    token = "gh" + "p_" + KEY * 2
    assert redact(f"password={token}") == ("password=[redacted: github-token]", ["github-token"])


def test_each_secret_is_reported_once_in_order(redact):
    text = f"Authorization: Bearer {KEY}\napi_key={KEY}\npassword: s3cret!"
    assert redact(text)[1] == ["authorization", "api-key", "password"]


@pytest.mark.parametrize(
    "line",
    [
        "sshpass -p hunter2 ssh host",
        "machine example.com login bob password hunter2",
        "psql --password hunter2",
        f"Cookie: session={KEY}; theme=dark",
        'log: "first\\n' + "gh" + "p_" + KEY * 2 + '"',
        "mysql://root:hunter@db/app",
        f'setenv("API_KEY", "{KEY}")',
        "change the password to hunter2",
        f'{{\\"api_key\\": \\"{KEY}\\"}}',
    ],
)
def test_secrets_in_less_common_places_are_found(redact, line):
    redacted, kinds = redact(line)
    assert len(kinds) == 1
    assert "hunter" not in redacted
    assert KEY not in redacted


@pytest.mark.parametrize(
    "line",
    [
        "<server><password>hunter2</password></server>",
        f'<add key="ApiKey" value="{KEY}" />',
        "- **Password:** hunter2",
        "- **password**: hunter2",
        "password:\n  hunter2",
        f"api_key: >-\n  {KEY}",
        '"password":\n   "hunter2",\n',
        "pw: hunter2",
        "DB_PW=hunter2",
        "Passwort: hunter2",
        "das Passwort ist hunter2",
        "contraseña: hunter2",
        "\u5bc6\u7801\uff1ahunter2",
        "the password for the staging db is hunter2",
        "log in as bob with password hunter2!x on staging",
        "bob hat das Passwort hunter2Xy",
        "mysql -u root -phunter2 shop",
        "docker login -u bob -p hunter2 registry.example.net",
        "redis-cli -h cache -a hunter2 ping",
        "curl -ubob:hunter2 https://api.acme.io",
        f'{{"auths": {{"https://index.docker.io/v1/": {{"auth": "{KEY}"}}}}}}',
        f"curl -H 'Authorization: {KEY}'",
        f"it sent Basic {KEY}",
        "postgres://bob:not@hunter2@db/shop",
        "postgres:\\/\\/bob:hunter2@db\\/shop",
        "postgres%3A%2F%2Fbob%3Ahunter2%40db",
        f"callback?next=https%3A%2F%2Fx%3Ftoken%3D{KEY}",
    ],
)
def test_secrets_in_other_notations_are_found(redact, line):
    redacted, kinds = redact(line)
    assert 1 == len(kinds)
    assert "hunter" not in redacted
    assert KEY not in redacted


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\u200e", "\u2060", "\ufe0f"])
def test_what_the_eye_does_not_see_hides_no_secret(redact, unseen):
    token = "gh" + "p_" + KEY * 2
    assert (f"é {unseen}[redacted: github-token]{unseen}.", ["github-token"]) == redact(
        f"é {unseen}{token[:2]}{unseen}{token[2:9]}{unseen}{token[9:]}{unseen}."
    )
    assert ["password"] == redact(f"pass{unseen}word: hunter{unseen}2")[1]


@pytest.mark.parametrize("between", ["\n", "\n    ", "\\\n", '" + "', '"\n    "', "'\n + '"])
def test_a_secret_that_is_broken_into_lines_or_strings_goes_whole(redact, between):
    token = "sk-ant" + "-api03-" + KEY
    redacted, kinds = redact(f'x = "{token}{between}{KEY}{between}{KEY}"\nnext = 1')
    assert ["anthropic-key"] == kinds
    assert 'x = "[redacted: anthropic-key]"\nnext = 1' == redacted


def test_the_line_after_a_secret_stays_where_it_is_one_of_its_own(redact):
    token = "sk-ant" + "-api03-" + KEY * 2
    text = f"{token}\nDB_HOST=db1\n{token}\nThe next line."
    assert (
        "[redacted: anthropic-key]\nDB_HOST=db1\n[redacted: anthropic-key]\nThe next line."
        == (redact(text)[0])
    )


@pytest.mark.parametrize("before", ["> ", "# ", "-", "  7\t", "  7\u2192", "| ", "// "])
def test_a_private_key_is_found_in_quotations_comments_and_listings(redact, before):
    lines = ["-----BEGIN " + "PRIVATE KEY-----", KEY * 3, KEY * 3, "-----END PRIVATE KEY-----"]
    redacted, kinds = redact("\n".join(before + line for line in lines))
    assert ["private-key"] == kinds
    assert KEY not in redacted


@pytest.mark.parametrize(
    "line",
    [
        "docker run -u 1000:1000 --user node:node alpine",
        "docker run --name mysql -p3307:3306 mysql:8",
        "if password:\n        check_v2(password)",
        "password:\n  type: string\n  minLength8: true",
        "<th>password</th><td>v2</td>",
        "the password for the v2 api is in 1Password",
        "http://localhost:3000?mail=bob@x.io",
        "hash the password PBKDF2WithHmacSHA256 style, password reset2 and password Reset_v2 stay",
        "A key starts with -----BEGIN PRIVATE KEY-----, then come its lines.",
        "Authorization: required by v2 of the api",
        '"auth": "required", "auth_provider": "keycloak22"',
    ],
)
def test_what_only_looks_like_such_a_notation_stays(redact, line):
    assert (line, []) == redact(line)


@pytest.mark.parametrize("end", ["\n", "\\n", "\n> ", "\n  9\t"])
@pytest.mark.parametrize("last", ["", "x1Y="])
def test_of_a_private_key_without_its_head_all_lines_go(redact, end, last):
    foot = "-----END RSA " + "PRIVATE KEY-----"
    lines = [KEY * 3, KEY * 3, *([last] if last else []), foot]
    redacted, kinds = redact(f"The end of it:{end}{end.join(lines)}\nand more")
    assert f"The end of it:{end}[redacted: private-key]\nand more" == redacted
    assert ["private-key"] == kinds
    assert (f"{foot} ends it", []) == redact(f"{foot} ends it")


def test_a_private_key_that_is_cut_off_goes_to_the_end(redact):
    head = "-" * 5 + "BEGIN RSA PRIVATE " + "KEY" + "-" * 5
    assert redact(f"see\n{head}\n{'MIIEow' * 8}\nabc") == (
        "see\n[redacted: private-key]",
        ["private-key"],
    )


def test_letters_that_grow_in_lower_case_do_not_shift_what_is_cut(redact):
    assert redact("\u0130\u0130\u0130 password=hunter2!") == (
        "\u0130\u0130\u0130 password=[redacted: password]",
        ["password"],
    )


@pytest.mark.parametrize("text", HARMLESS)
def test_text_about_code_and_passwords_is_left_whole(redact, text):
    assert (text, []) == redact(text)


@pytest.mark.parametrize(("needle", "text"), SECRET)
def test_secrets_in_tables_files_and_sentences_are_found(redact, needle, text):
    redacted, kinds = redact(text)
    assert kinds
    assert needle not in redacted
    assert (redacted, []) == redact(redacted)


def test_hostile_texts_end(redact):
    for text in hostile_texts(4_000).values():
        assert isinstance(redact(text)[0], str)


def test_patterns_of_the_user_s_own_are_taken_out_too() -> None:
    rules = SecretRedactor([r"ACME-[0-9]{6}", r"x*"])
    text, kinds = rules.redact("The badge ACME-123456 opens, ACME-12 does not.")
    assert ("The badge [redacted: extra] opens, ACME-12 does not.", ["extra"]) == (text, kinds)
    assert (text, []) == rules.redact(text)


def test_no_published_prefix_is_missed_since_a_text_is_short() -> None:
    list(secret_filter._find_by_prefix("x" * 100))  # fills the table
    shortest = min(len(prefix) + least for _kind, _letters, least, prefix in secret_filter._marked)
    assert shortest >= secret_filter._MIN_MARKED
