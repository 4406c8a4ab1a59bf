"""Which edits and commands match the trigger of a procedure."""

from __future__ import annotations

import pytest

from aforesaid.domain.context.action_context import list_changed_paths, list_commands
from aforesaid.domain.context.file_state import TargetFile
from aforesaid.domain.context.trigger import already_has_setting, matches_trigger
from aforesaid.domain.model.triggers import trigger_text

ROOT = "/srv/shop"


def matches(trigger: str, *, command: str = "", file: str = "", is_new: bool = False) -> bool:
    commands = list_commands(command, ROOT)
    changed = [path.removeprefix(f"{ROOT}/") for path in list_changed_paths(commands)]
    files = [TargetFile(path=path, is_new=is_new) for path in ([file] if file else changed)]
    return matches_trigger(trigger, commands, files)


@pytest.mark.parametrize(
    ("trigger", "matching", "other"),
    [
        (
            "when running terraform apply or destroy in infra/prod",
            "cd infra/prod && terraform apply -auto-approve",
            "cd infra/staging && terraform apply",
        ),
        (
            "when running terraform apply or destroy in infra/prod",
            "terraform -chdir=infra/prod destroy",
            "cd infra/prod && terraform plan",
        ),
        (
            "when running kubectl apply, delete or rollout restart without --context",
            "kubectl -n edge rollout restart deploy/gateway",
            "kubectl --context dev apply -f pod.yaml",
        ),
        (
            "when running kubectl apply, delete or rollout restart",
            "kubectl delete pod web",
            "kubectl rollout status deploy/gateway",
        ),
        ("before running pod in mobile/ios", "cd mobile/ios && pod install", "pod install"),
        ("when running ssh or scp to an edge-* host", "ssh me@edge-07.lan uptime", "ssh ci-3.lan"),
        ("when running pg_dump or pg_restore", "pg_restore -d dev x.dump", "pg_isready"),
        ("running cargo add, or changing deps in rs/Cargo.toml", "cargo add ahash", "cargo test"),
        ("when running helm upgrade for charts/web", "helm upgrade web charts/web", "helm lint"),
        ("before editing src/*.py", "sed -i s/a/b/ src/app.py", "ruff check src/app.py"),
    ],
)
def test_a_command_matches_by_tool_subcommand_and_folder(trigger, matching, other):
    assert matches(trigger, command=matching)
    assert not matches(trigger, command=other)


@pytest.mark.parametrize(
    ("trigger", "matching", "other"),
    [
        ("before editing any file under gen/", "gen/api.pb.go", "docs/gen.md"),
        ("when editing proto/**/*.proto", "proto/jobs/v1/jobs.proto", "proto/README.md"),
    ],
)
def test_a_file_matches_a_pattern(trigger, matching, other):
    assert matches(trigger, file=matching)
    assert not matches(trigger, file=other)


def test_a_trigger_may_be_about_new_files_or_about_existing_ones():
    for trigger in ("when adding a new .nix file", "new:*.nix"):
        assert matches(trigger, file="pkgs/buf.nix", is_new=True)
        assert not matches(trigger, file="pkgs/buf.nix")
        assert not matches(trigger, file="flake.lock", is_new=True)
    for trigger in ("before editing an existing file in db/*.sql", "existing:db/*.sql"):
        assert matches(trigger, file="db/1.sql")
        assert not matches(trigger, file="db/1.sql", is_new=True)


def test_what_is_copied_is_read_only():
    assert matches("editing *.sql", command="cp template.txt db/2.sql")
    assert not matches("editing *.sql", command="cp db/1.sql backup.txt")
    assert matches("editing *.sql", command="mv db/1.sql backup.txt")


def test_a_folder_in_which_something_else_is_done_matches_no_edit():
    assert not matches("when adding a Python dependency in pipelines/", file="pipelines/feed.py")


@pytest.mark.parametrize(
    ("command", "content", "expected"),
    [
        ("helm upgrade web . --atomic", "Pass --atomic, or a failure stays.", True),
        ("VAULT_ADDR=http://localhost vault kv list", "Set VAULT_ADDR=http://localhost.", True),
        ("helm upgrade web .", "Pass --atomic, or a failure stays.", False),
        ("helm upgrade web . --force", "Never pass --force here.", False),
        ("git push --no-verify", "The hook checks types, --no-verify skips it.", False),
    ],
)
def test_a_command_that_has_the_setting_that_is_asked_for_needs_no_reminder(
    command, content, expected
):
    assert expected == already_has_setting(command, content, "before git push --no-verify")


@pytest.mark.parametrize(
    ("trigger", "matching", "other"),
    [
        ("git push --force", "git push origin x --force", "git push --force-with-lease"),
        ("git push --force", "git push --force", "git commit -m 'push --force again'"),
        (
            "kubectl -n live delete",
            "kubectl delete pod web -n live",
            "kubectl delete pod web -n qa",
        ),
        (
            "docker compose down -v",
            "ssh qa 'cd /srv && docker compose down -v'",
            "docker compose up",
        ),
        ("terraform apply in envs/prod", "terraform -chdir=envs/prod apply", "terraform apply"),
        ("pytest in api", "cd api && poetry run pytest -x", "pytest"),
        ("mvn verify -T*", "./mvnw verify -T4", "mvn verify -t4"),
        (
            "*godot* --export* without *4.2.2*",
            "/opt/godot-4.3/godot --export-release Web",
            "godot -h",
        ),
        (
            "*godot* --export* without *4.2.2*",
            "godot --export-all",
            "/opt/4.2.2/godot --export-all",
        ),
        ("mongosh *@db-live", "mongosh me@db-live.lan/shop", "mongosh me@db-live-copy.lan/shop"),
        (
            "helm upgrade without --atomic or --wait",
            "helm upgrade web .",
            "helm upgrade web . --wait",
        ),
        ("git commit without ABC-", "git commit -am 'fix it'", "git commit -am 'ABC-12 fix it'"),
        ("rspec without docker compose up", "rspec", "docker compose up -d db && rspec"),
        ("mysqldump", "heroku run -a shop 'mysqldump $URL users' > a.sql", "mysql users"),
        ("redis-cli del", "redis-cli --scan | xargs redis-cli del", "redis-cli get delta"),
        ("npm version", "npm version patch", "npm install"),
        ("fly deploy without --dry in web", "cd web && fly deploy", "cd web && fly deploy --dry"),
        (
            "dbt run --full-refresh",
            "cd dbt && uv run dbt run --full-refresh --target dev",
            "cd dbt && uv run dbt seed --select store_regions --full-refresh --target dev",
        ),
        ("dbt run", "poetry run dbt run", "docker compose run --rm dbt dbt seed"),
        ("prisma exec", "npm exec prisma exec", "npm exec -- prisma db seed"),
        ("rm -f", "docker compose exec web rm -f x", "docker compose exec -f web rm x"),
        ("docker compose run", "docker compose run web pytest", "docker compose exec web pytest"),
        ("vitest run", "npx vitest run", "npm run vitest"),
        ("next build MODE=live", "MODE=live npx next build", "MODE=qa npx next build"),
        ("psql *@live", "ssh me@live 'psql -c x'", "ssh me@qa 'psql -c x'"),
        ("npx", "npx create-app", "pnpm dlx create-app"),
        ("uv run", "uv run pytest", "poetry run pytest"),
        ("gradle publish", "./gradlew :lib:publish", "./gradlew test"),
        ("tool --opt", "tool --opt=value", "tool --opt-out=value"),
        ("helm upgrade --set a=1", "helm upgrade --set=a=1 web", "helm upgrade --set b=1 web"),
        (
            "deploy.sh without dry run or staging or --check",
            "./deploy.sh live",
            "./deploy.sh live  # dry run",
        ),
        (
            "deploy.sh without dry run or staging or --check",
            "./deploy.sh dry",
            "DRY=1 ./deploy.sh --check=all",
        ),
    ],
)
def test_a_command_that_is_given_as_it_is_typed_matches_by_its_words(trigger, matching, other):
    line = trigger_text([trigger])
    assert line == f"$ {trigger}"
    assert matches(line, command=matching)
    assert not matches(line, command=other)


def test_what_runs_a_command_adds_no_word_to_one_that_is_given_in_words():
    trigger = "when running dbt --full-refresh run"
    assert matches(trigger, command="uv run dbt run --full-refresh")
    assert not matches(trigger, command="uv run dbt seed --full-refresh")


def test_a_given_command_matches_no_file():
    assert not matches("$ gh release create v*", file="vite.config.ts")
    assert not matches("$ npm update in lambdas/resize", file="lambdas/resize/index.mjs")


def test_several_triggers_are_one_text_in_which_words_and_files_stay_as_they_are():
    given = ["`git push -f`", "$ git push -f", "before a release", "db/*.sql", ""]
    assert trigger_text(given) == "$ git push -f\nbefore a release\ndb/*.sql"


def test_what_makes_a_command_right_is_not_looked_for_twice():
    content = "With the default of 5m, --atomic rolls it back."
    trigger = "$ helm upgrade without --timeout"
    assert not already_has_setting("helm upgrade web --atomic", content, trigger)
