"""Which memories are about existing files only, which about new ones only, by their words."""

from __future__ import annotations

import pytest

from aforesaid.domain.context.file_state import TargetFile, stated_state
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.anchor import matches_any, pattern_anchor

SQL = "db/migrations/*.sql"
MIGRATION = "db/migrations/0007_orders.sql"


@pytest.mark.parametrize(
    "text",
    [
        "Never edit an existing migration; add a new one.",
        "Never change a migration that is on main.",
        "Never edit migrations, add a new one.",
        "Don\u2019t modify applied migrations, write a follow-up migration instead.",
        "Migrations already on main are immutable. Fix mistakes with a new migration.",
        "A migration that ran in production is never edited or deleted; fix forward.",
        "After a migration has been deployed, never change it. Create a new one.",
        "Editing a migration that is already applied breaks the checksum in every environment.",
        "Never touch anything in db/migrations that's already on main.",
        "Past migrations are history. Do not edit them; they ran on every customer database.",
        "Don't rename or delete migration files.",
        "Migrations are append-only.",
        "No edits to migrations that are merged.",
        "before changing a migration that is on main",
    ],
)
def test_a_text_about_changes_of_what_exists_says_nothing_of_a_new_file(text):
    assert "existing" == stated_state(text, MIGRATION, SQL)


@pytest.mark.parametrize(
    "text",
    [
        "Every new migration needs a down script.",
        "New migrations must be prefixed with the UTC timestamp.",
        "When adding a migration, write the rollback, too.",
        "Create migrations with make migration, never by hand.",
        "A new migration always gets a rollback test.",
        "Number new migrations by the next free integer.",
        "Every migration that is added needs an entry in the wiki.",
        "Don't create new files in db/migrations; use the generator.",
        "when adding a new migration",
    ],
)
def test_a_text_about_what_is_added_says_nothing_of_an_older_file(text):
    assert "new" == stated_state(text, MIGRATION, SQL)


@pytest.mark.parametrize(
    "text",
    [
        "Never hand-edit generated files.",
        "Files under db/ are generated: never edit them, run make db.",
        "Never edit an applied migration. Every new migration needs a down script.",
        "Never edit an existing migration; create a new one with `make migration NAME=x`.",
        "Prefix migrations with the ticket number and never edit an applied one.",
        "Migrations need a down script.",
        "Never drop existing columns in a migration.",
        "Never rename a column in one migration; add a new column, and drop the old one later.",
        "New columns must be nullable in migrations.",
        "Every migration must be reversible.",
        "Add a comment to every migration that changes existing data.",
        "when editing or adding a migration",
        "before editing db/migrations/*.sql",
        "",
    ],
)
def test_any_other_text_is_about_both(text):
    assert "" == stated_state(text, MIGRATION, SQL)


@pytest.mark.parametrize(
    ("text", "path", "pattern", "state"),
    [
        ("Existing cassettes stay as they are; record new ones.", "t/cassettes/a.yaml",
         "cassettes/*.yaml", "existing"),
        ("Accepted ADRs are never edited.", "docs/adr/0007-x.md", "docs/adr/*.md", "existing"),
        ("Don't rewrite old decision records.", "docs/adr/0007-x.md", "docs/adr/", "existing"),
        ("Never renumber fields in an existing proto file.", "a.proto", "*.proto", "existing"),
        ("Do not touch changelog entries of released versions.", "changelog.d/1.md",
         "changelog.d/*.md", "existing"),
        ("New components are generated with npm run gen.", "src/components/A.tsx",
         "src/components/*.tsx", "new"),
        ("New packages must be private.", "web/package.json", "*/package.json", ""),
        ("Every new test needs a marker.", "tests/test_a.py", "tests/*.py", ""),
        ("Every new endpoint needs a test.", "src/api/users.ts", "src/api/*.ts", ""),
        ("After changing a model, add a migration.", "app/models/user.py", "app/models/*.py", ""),
        ("When you add a key to a locale file, add it to all of them.", "locales/en.json",
         "locales/*.json", ""),
        ("Existing components use the old theme; new ones must use tokens.",
         "src/components/A.tsx", "src/components/*.tsx", ""),
        ("Events are immutable: use readonly on every field.", "src/events/a.ts",
         "src/events/*.ts", ""),
    ],
)  # fmt: skip
def test_the_text_must_name_the_kind_of_file_of_which_one_file_has_one(text, path, pattern, state):
    assert state == stated_state(text, path, pattern)


def test_a_file_is_in_its_state_and_in_that_of_rules_about_both():
    made, old = TargetFile(path="a", is_new=True), TargetFile(path="a")
    assert [True, True, False] == [made.is_in(state) for state in ("", "new", "existing")]
    assert [True, False, True] == [old.is_in(state) for state in ("", "new", "existing")]


def test_a_pattern_may_name_the_state_of_its_files():
    anchor = pattern_anchor("new:./db/*.sql")
    assert ("new:db/*.sql", True) == (anchor.path, anchor.is_pattern)
    assert matches_any("db/1.sql", ["existing:db/*.sql"])
    with pytest.raises(InvalidInputError, match="not both"):
        pattern_anchor("existing:!db/*.sql")
