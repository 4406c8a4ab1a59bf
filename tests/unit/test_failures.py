"""Which failed commands of a session are kept, and what identifies their errors."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.error_signature import (
    DESCRIBED_CHARS,
    MIN_LIKENESS,
    describe_error,
    error_signatures,
    likeness_of_errors,
)
from aforesaid.domain.digest.failures import find_failures
from aforesaid.domain.model.transcript import EDIT, FAILED, OK, RUN, ToolUse

MISSING = "E   ModuleNotFoundError: No module named 'freezegun'"
WORDS = ((10, "alpha"), (20, "bravo"), (30, "charlie"), (40, "delta"))
DIFFERENCES = """\
diff -u /tmp/LIVE/deny /tmp/MERGED/deny
--- /tmp/LIVE/deny
+++ /tmp/MERGED/deny
@@ -0,0 +1,2 @@
+kind: NetworkPolicy
+  name: no-access-denied-error
"""
LINKING = "error: linking with `cc` failed: exit status: 1"


class Session:
    """The tool calls of a session."""

    def __init__(self) -> None:
        self.uses: list[ToolUse] = []

    def show(self, command: str, output: str) -> Session:
        """Add a command that passed, and what it printed."""
        return self._add(kind=RUN, name="Bash", command=command, result=output, status=OK)

    def run(self, command: str, error: str = "") -> Session:
        return self._add(
            kind=RUN,
            name="Bash",
            command=command,
            result=error,
            status=FAILED if error else OK,
        )

    def edit(self, path: str, error: str = "") -> Session:
        return self._add(
            kind=EDIT,
            name="Edit",
            path=f"/srv/{path}",
            result=error,
            status=FAILED if error else OK,
        )

    def _add(self, **fields) -> Session:
        self.uses.append(ToolUse(at_ms=1_000 * (len(self.uses) + 1), **fields))
        return self

    def texts(self) -> list[str]:
        return [failure.text for failure in find_failures(self.uses, "/srv")]


@pytest.mark.parametrize(
    ("session", "says"),
    [
        (
            Session()
            .run("pytest -q", MISSING)
            .run("cat requirements.txt")
            .run("pip install freezegun")
            .run("pytest -q"),
            "No module named 'freezegun'. Fixed by `pip install freezegun`.",
        ),
        (  # the same command with another option
            Session()
            .run("npm install", "npm ERR! ERESOLVE unable to resolve dependency tree")
            .run("npm install --legacy-peer-deps"),
            "Fixed by `npm install --legacy-peer-deps`.",
        ),
        (  # the same command by another program
            Session()
            .run("python manage.py migrate", "bash: python: command not found")
            .run("python3 manage.py migrate"),
            "Fixed by `python3 manage.py migrate`.",
        ),
        (
            Session()
            .run("docker build -t web .", "ERROR: failed to solve: node:18: not found")
            .edit("Dockerfile")
            .run("docker build -t web ."),
            "Fixed by changing Dockerfile.",
        ),
        (  # an edit
            Session()
            .edit("conf/app.toml", "EACCES: permission denied, open '/srv/conf/app.toml'")
            .run("chmod u+w conf/app.toml")
            .edit("conf/app.toml"),
            "permission denied, open '/srv/conf/app.toml'. Fixed by `chmod u+w conf/app.toml`.",
        ),
        (  # what fixed it ran in the same line, before the command
            Session()
            .run("kubectl get pods", "The connection to the server 10.0.0.1:6443 was refused")
            .run("docker start local-control-plane && kubectl get pods"),
            "Fixed by `docker start local-control-plane`.",
        ),
        (  # of several lines, those that say why
            Session()
            .run(
                "pip install -r requirements.txt",
                "Error: pg_config executable not found.\nerror: metadata-generation-failed",
            )
            .run("apt-get install -y libpq-dev")
            .run("pip install -r requirements.txt"),
            "failed: Error: pg_config executable not found.. Fixed by",
        ),
        (  # the next error shows that the first one is gone
            Session()
            .run("make", "a.c:1:2: fatal error: zlib.h: No such file or directory")
            .run("brew install zlib")
            .run("make", "b.c:3:1: error: unknown type name 'foo_t'")
            .edit("b.c")
            .run("make"),
            "zlib.h: No such file or directory. Fixed by `brew install zlib`.",
        ),
        (
            Session()
            .run("cargo build", LINKING)
            .run("apt-get install -y libssl-dev")
            .run("cargo build", LINKING)
            .edit("build.rs")
            .run("cargo build", LINKING),
            "exit status: 1. Did not help: `apt-get install -y libssl-dev`; changing build.rs.",
        ),
        (  # the environment of the command
            Session()
            .run("pnpm build", "FATAL ERROR: JavaScript heap out of memory")
            .run("NODE_OPTIONS=--max-old-space-size=6144 pnpm build"),
            "Fixed by `NODE_OPTIONS=--max-old-space-size=6144 pnpm build`.",
        ),
        (  # another form of the command failed in another way: that did not fix the first error
            Session()
            .run("go build ./...", "Package rdkafka was not found in the search path")
            .run("CGO_ENABLED=0 go build ./...", "build constraints exclude all Go files")
            .run("sudo apt-get install -y librdkafka-dev")
            .run("go build -tags dynamic ./..."),
            "search path. Fixed by `sudo apt-get install -y librdkafka-dev`; `go build -tags",
        ),
        (  # the log says why
            Session()
            .run("docker compose up -d api", "Container api-1  Exited (1)")
            .run("docker compose logs api", "api-1 | libssl.so.1.1: No such file or directory")
            .run("docker pull base:3")
            .run("docker compose up -d api"),
            "libssl.so.1.1: No such file or directory. Fixed by `docker pull base:3`.",
        ),
        (  # a file that a quiet command writes
            Session()
            .run("./gradlew assemble", "> SDK location not found. Define ANDROID_HOME")
            .run("echo sdk.dir=/opt/sdk > local.properties")
            .run("./gradlew assemble"),
            "Fixed by `echo sdk.dir=/opt/sdk > local.properties`.",
        ),
        (  # in a shell of its own, its output cut
            Session()
            .run("bash -c 'cd ws && colcon build'", "CMake Error: could not find ament_cmake")
            .run("source /opt/ros/setup.bash")
            .run("colcon build 2>&1 | tail -5"),
            (
                "`colcon build` failed: CMake Error: could not find ament_cmake. Fixed by "
                "`source /opt/ros/setup.bash`"
            ),
        ),
        (  # after a change of the environment, any command of the tool
            Session()
            .run("dbt debug", "Could not find adapter type bigquery!")
            .run("pip install dbt-bigquery")
            .run("dbt parse"),
            "Fixed by `pip install dbt-bigquery`; `dbt parse`.",
        ),
        (  # what was tried in vain is not the fix
            Session()
            .run("cargo build", LINKING)
            .run("rustup update")
            .run("cargo build", LINKING)
            .run("apt-get install -y libssl-dev")
            .run("cargo build"),
            "Fixed by `apt-get install -y libssl-dev`.",
        ),
        (  # code that the error did not point to
            Session()
            .run("rake migrate", "PG::UndefinedFunction: function gen_random_uuid() does not exist")
            .edit("db/migrate/001_enable_pgcrypto.rb")
            .run("rake migrate"),
            "Fixed by changing db/migrate/001_enable_pgcrypto.rb.",
        ),
        (  # on another machine
            Session()
            .run("ssh mac-3 'cd ios && xcodebuild archive'", "A.framework: errSecInternalComponent")
            .run("ssh mac-3 'security unlock-keychain ci.keychain'")
            .run("ssh mac-3 'cd ios && xcodebuild archive | tail -3'"),
            (
                "`ssh mac-3 'xcodebuild archive'` failed: A.framework: errSecInternalComponent. "
                "Fixed by `ssh mac-3 'security unlock-keychain ci.keychain'`."
            ),
        ),
        (  # the same error of another command
            Session()
            .run("make migrate", "could not connect to server db1: Connection refused")
            .run("alembic upgrade head", "could not connect to server db1: Connection refused")
            .run("docker compose up -d db")
            .run("alembic upgrade head"),
            "Fixed by `docker compose up -d db`.",
        ),
        (  # a quiet command that ends what was in the way
            Session()
            .run("npm run dev", "Error: listen EADDRINUSE: address already in use :::3000")
            .run("lsof -i :3000")
            .run("kill 4411")
            .run("npm run dev"),
            "Fixed by `kill 4411`.",
        ),
        (  # what only looks, and the checks, are not the fix
            Session()
            .run("helm upgrade web charts/web", "Error: another operation is in progress")
            .run("helm history web")
            .run("pytest -q")
            .run("helm rollback web 4")
            .run("helm upgrade web charts/web"),
            "is in progress. Fixed by `helm rollback web 4`.",
        ),
        (  # a commit that the environment refused
            Session()
            .run("git commit -m x", "error: gpg failed to sign the data")
            .run("gpgconf --launch gpg-agent")
            .run("git commit -m x"),
            "failed to sign the data. Fixed by `gpgconf --launch gpg-agent`.",
        ),
        (  # counts that are not those of tests
            Session()
            .run("ansible-playbook site.yml", "fatal: undefined variable\nweb1 : ok=3 failed=1")
            .edit("roles/web/templates/site.j2")
            .run("ansible-playbook site.yml"),
            "Fixed by changing roles/web/templates/site.j2.",
        ),
        (  # a remedy that failed
            Session()
            .run("emulator -avd pixel", "CPU acceleration status: /dev/kvm is not found")
            .run("modprobe kvm_intel", "modprobe: ERROR: could not insert: Operation not supported")
            .run("emulator -avd pixel", "CPU acceleration status: /dev/kvm is not found"),
            "is not found. Did not help: `modprobe kvm_intel`.",
        ),
        (  # the command whose output was formatted
            Session()
            .run("set -o pipefail; xcodebuild build | xcbeautify", "error: Sandbox: rsync deny(1)")
            .edit("Base.xcconfig")
            .run("set -o pipefail; xcodebuild build | xcbeautify"),
            "`xcodebuild build` failed: error: Sandbox: rsync deny(1). Fixed by changing Base",
        ),
        (  # another version of the same thing
            Session()
            .run("pip install torch==1.9", "ERROR: No matching distribution found for torch==1.9")
            .run("pip install torch==2.1"),
            "Fixed by `pip install torch==2.1`.",
        ),
        (  # nothing that is looked at is missing, but the way to it
            Session()
            .run("kubectl get pods", "error: context was not found: acme-prod")
            .run("gcloud container clusters get-credentials acme-prod")
            .run("kubectl get pods"),
            "Fixed by `gcloud container clusters get-credentials acme-prod`.",
        ),
        (  # a local server whose settings were wrong
            Session()
            .run("curl localhost:80/a", "curl: (56) Recv failure: Connection reset by peer")
            .edit("docker-compose.yml")
            .run("docker compose up -d")
            .run("curl localhost:80/a"),
            "changing docker-compose.yml.",
        ),
        (  # a document that the error names
            Session()
            .run("make book", "ERROR: intro.rst: unknown directive")
            .edit("docs/intro.rst")
            .run("make book"),
            "Fixed by changing docs/intro.rst.",
        ),
        (  # a pipe hid the status
            Session()
            .show("pg_restore -d shop a.dump 2>&1 | tail -3", 'ERROR: role "app" does not exist')
            .run("createuser app")
            .show("pg_restore -d shop a.dump 2>&1 | tail -3", "restored, 0 errors"),
            'failed: ERROR: role "app" does not exist. Fixed by `createuser app`.',
        ),
        (  # a log of what runs elsewhere
            Session()
            .show("docker compose logs api", "api | ERROR Access denied for user 'app'")
            .edit("compose.yaml")
            .run("docker compose up -d")
            .show("docker compose logs api", "api | listening on port 8080"),
            "`docker compose logs api` showed api | ERROR Access denied for user 'app'. Fixed by",
        ),
        (  # what it is about was started again, and nobody read the log
            Session()
            .show("docker compose logs db --tail 5", "db | FATAL: files are incompatible with 16")
            .run("docker volume rm shop_pgdata")
            .run("docker compose up -d db"),
            "with 16. Fixed by `docker volume rm shop_pgdata`; `docker compose up -d db`.",
        ),
        (  # likewise, but the log had the error again
            Session()
            .show("docker compose logs db --tail 5", "db | FATAL: files are incompatible with 16")
            .run("docker volume prune -f")
            .run("docker compose up -d db")
            .show("docker compose logs db --tail 5", "db | FATAL: files are incompatible with 16"),
            "with 16. Did not help: `docker volume prune -f`",
        ),
        (  # the state of something that stayed as it was
            Session()
            .show("kubectl describe challenge", "Reason: wrong status code '404', expected '200'")
            .edit("issuer.yaml")
            .show(
                "kubectl apply -f issuer.yaml && sleep 9 && kubectl describe challenge",
                "Reason: wrong status code '404', expected '200'",
            ),
            "expected '200'. Did not help: `kubectl apply -f issuer.yaml`; changing issuer.yaml.",
        ),
        (  # what was only looked at is no part of the fix
            Session()
            .run("cmake -B build", "Could not find a package configuration file for FFTW3")
            .run("dpkg -L libfftw3-dev")
            .run("brew list | head -3")
            .edit("CMakeLists.txt")
            .run("cmake -B build"),
            "for FFTW3. Fixed by changing CMakeLists.txt.",
        ),
        (  # a text that is piped into a command belongs to it
            Session()
            .run("npm start", "Error: ENOSPC: limit for number of file watchers reached")
            .run("echo fs.inotify.max_user_watches=9 | sudo tee -a /etc/sysctl.conf")
            .run("npm start"),
            "Fixed by `echo fs.inotify.max_user_watches=9 | sudo tee -a /etc/sysctl.conf`.",
        ),
        (  # with other options, and without a plan
            Session()
            .run("terraform apply tf.plan", "Error: cannot evict pods from nodes")
            .run("kubectl patch pdb web -p '{}'")
            .run("terraform apply -auto-approve"),
            "Fixed by `kubectl patch pdb web -p '{}'`; `terraform apply -auto-approve`.",
        ),
        (  # as a member of another group
            Session()
            .run("emulator -accel-check", "This user doesn't have permissions to use KVM")
            .run("sudo usermod -aG kvm ada && sg kvm -c 'emulator -accel-check'"),
            "to use KVM. Fixed by `sudo usermod -aG kvm ada`.",
        ),
        (  # a mistyped form in between tells nothing
            Session()
            .run("./gradlew assemble", "Build file 'a.kts': external process started 'git log'")
            .edit("a.kts")
            .run("./gradlew assemble --ofline", "Unknown command-line option '--ofline'.")
            .run("./gradlew assemble"),
            "external process started 'git log'. Fixed by changing a.kts.",
        ),
        (  # a setting in quotes is no query
            Session()
            .run(
                "xcodebuild build -destination 'platform=iOS,name=iPhone 14'",
                "error: Unable to find a device matching the destination specifier",
            )
            .run("xcodebuild build -destination 'platform=iOS,name=iPhone 15'"),
            "Fixed by `xcodebuild build -destination 'platform=iOS,name=iPhone 15'`.",
        ),
    ],
)
def test_a_failure_is_kept_with_what_fixed_it(session, says):
    (text,) = session.texts()
    assert says in text


@pytest.mark.parametrize(
    "session",
    [
        Session().run("pytest", "E  assert 3 == 4").edit("src/a.py").run("pytest"),
        Session().run("ruff check .", "error: F401 unused").edit("a.py").run("ruff check ."),
        Session().run("make", LINKING).run("make"),  # nothing was done in between
        Session().run("make", LINKING).run("git status").run("make"),
        Session().run("make", LINKING).run("brew install openssl"),  # not tried again
        Session().run("grep foo bar", "grep: bar: No such file or directory").run("grep foo baz"),
        Session().run("make", "make: *** [all] Error 2").run("brew install zlib").run("make"),
        Session().run("git push", "fatal: no upstream branch").run("git push -u origin main"),
        Session().run("kubectl -n a get pods", "Error: refused").run("kubectl -n a logs web"),
        Session().run("helm lint charts/a", "Error: missing key").edit("values.yaml")
        .run("helm lint charts/a"),
        Session().run("npx tsc", "a.ts(1,2): error TS2345: not assignable").edit("a.ts")
        .run("pnpm lint").run("npx tsc"),
        Session().run("pod instal", "[!] Unknown command: `instal`").run("pod install"),
        Session().run("python x.py", 'File "x.py", line 3\nNameError: no name foo').edit("x.py")
        .run("python x.py"),  # the error said where
        Session().run("cargo run", "error[E0609]: no field `x`\n  --> src/main.rs:3:5")
        .edit("src/point.rs").run("cargo run"),
        Session().run("./run-all", "1 passed, 2 failed\nbooks do not balance").edit("books.py")
        .run("./run-all"),  # whatever runs the tests
        Session().run("git commit -m x", "ruff: a.py is not formatted").run("ruff format")
        .run("git add a.py").run("git commit -m x"),
        Session().run("git push", "! [rejected] main -> main (fetch first)")
        .run("git pull --rebase").run("git push"),
        Session().run("engine --script tests/run.gd", "Parse Error: no type Lamp").edit("lamp.gd")
        .run("engine --script tests/run.gd"),  # a test by its name
        Session().run("just typecheck", "error: no field etaWindow").edit("src/stop.ts")
        .run("just typecheck"),
        Session().run("make e2e", "Error: Timed out waiting for a badge").edit("src/badge.tsx")
        .run("make e2e", "Error: Timed out waiting for a badge"),  # not green yet
        Session().run("psql shop -c 'select nam from users'", 'ERROR: column "nam" does not exist')
        .run("psql shop -c 'select name from users'"),  # a mistyped query
        Session().run("kubectl diff -f a.yaml", DIFFERENCES).run("kubectl apply -f a.yaml")
        .run("kubectl diff -f a.yaml"),
        Session().run("make web", "Error: connection refused by the registry")
        .run("make web && make docs"),  # what came after it cured nothing
        Session().run("git rebase main", "CONFLICT in a.ts\nAutomatic merge failed; fix conflicts")
        .run("npm install").run("git rebase --continue"),
        Session().run("dropdb shop", 'error: database "shop" does not exist').run("createdb shop")
        .run("dropdb shop"),  # there was nothing to remove yet
        Session().run("gh pr view 4", "no pull requests found").run("gh pr create --fill")
        .run("gh pr view 4"),
        Session().run("kubectl delete job copy-41", 'Error: jobs "copy-41" not found')
        .run("kubectl apply -f copy.yaml").run("kubectl delete job copy-42"),  # another one
        Session().run("py -m cli load --file no.csv", "error: no.csv: no such file")
        .run("py -m cli load --file data/a.csv"),
        Session().run("ruby rep.rb --month jan", "invalid month: jan")
        .run("ruby rep.rb --month 2026-02"),
        Session().run("curl localhost:80/a", "curl: (7) Failed to connect").run("npm start &")
        .run("curl localhost:80/a"),  # not started yet
        Session().run("make image", "ERROR: failed to pull the base image").edit("docs/notes.md")
        .run("make image"),  # a text for readers
        Session().run("python -m etl.load", "KeyError: 'currency'").edit("etl/load.py")
        .run("python -m etl.load"),  # the program itself
        Session().run("npm run build", "src/app.tsx(3,1): error TS2305: no member").edit("src/b.ts")
        .run("npm run build"),  # another file of the same language
        Session().run("mvn spotless:check", "[ERROR] format violations: A.java")
        .run("mvn spotless:apply").run("mvn spotless:check"),
        Session().run("./gradlew ktlintCheck", "A.kt:1:1: Imports must be ordered")
        .run("./gradlew ktlintFormat ktlintCheck"),
        Session().edit("gw.nix").run("nix build .", "error: hash mismatch in derivation gw")
        .edit("gw.nix").run("nix build ."),  # what the session had just written
        Session().run("psql -f /seed/a.sql", "psql: error: /seed/a.sql: No such file or directory")
        .run("psql -q < seed/a.sql"),  # the file was elsewhere
        Session().show("docker compose logs api", "api | panic: cannot read a.go, index is invalid")
        .edit("a.go").run("docker compose up -d")
        .show("docker compose logs api", "api | listening"),  # the program itself
        Session().show("npm run build | tail -3", "Build succeeded, 0 errors").run("npm install")
        .show("npm run build | tail -3", "Build succeeded, 0 errors"),
    ],
)  # fmt: skip
def test_work_in_progress_and_chance_are_not_kept(session):
    assert [] == session.texts()


def test_a_command_that_fails_again_is_told_from_one_whose_cause_is_gone():
    again = Session().run("npm ci", "npm ERR! ERESOLVE no tree").run("npm ci --force")
    gone = Session().run("pytest", MISSING).run("pip install freezegun").run("pytest")
    given_up = Session().run("make", LINKING).run("brew update").run("make", LINKING)
    repeats = [find_failures(each.uses, "/srv")[0].will_repeat for each in (again, gone, given_up)]
    assert [True, False, True] == repeats


def test_each_form_of_a_command_is_told_what_it_cured():
    session = (
        Session()
        .run("./mvnw verify", "IllegalStateException: Could not find a valid Docker environment")
        .run("DOCKER_HOST=unix:///run/podman.sock ./mvnw verify", "Timed out waiting for a port")
        .edit("testcontainers.properties")
        .run("DOCKER_HOST=unix:///run/podman.sock ./mvnw verify")
    )
    docker, port = session.texts()
    assert "Docker environment. Fixed by `DOCKER_HOST=unix:///run/podman.sock ./mvnw" in docker
    assert "a port. Fixed by changing testcontainers.properties." in port


def test_what_passes_once_changes_were_taken_back_was_given_up():
    session = (
        Session()
        .run("playwright test a.ts --project=webkit", "Error: Error creating WebGL context")
        .edit("playwright.config.ts")
        .run("playwright test a.ts --project=webkit", "Error: Error creating WebGL context")
        .run("git checkout playwright.config.ts")
        .run("playwright test a.ts --project=chromium")
    )
    (text,) = session.texts()
    assert "was not fixed: Error: Error creating WebGL context. Did not help: changing" in text


def test_what_passes_with_an_option_more_is_fixed_by_that():
    session = (
        Session()
        .run("sqlpackage /Action:Publish x.dacpac", "Error: rejected, as data loss might occur")
        .edit("db/pre.sql")
        .run("sqlpackage /Action:Publish x.dacpac", "Error: rejected, as data loss might occur")
        .run("git checkout db/pre.sql")
        .run("sqlpackage /Action:Publish x.dacpac /p:BlockOnPossibleDataLoss=false")
    )
    (text,) = session.texts()
    assert "Fixed by `git checkout db/pre.sql`; `sqlpackage" in text
    assert "BlockOnPossibleDataLoss=false`." in text


def test_a_command_that_looks_does_not_count_as_the_success_of_another():
    session = (
        Session()
        .run("docker run --rm worker", "exec /entry.sh: no such file or directory")
        .run("docker run --rm --entrypoint ls worker -l /entry.sh")
        .run("echo '*.sh eol=lf' >> .gitattributes")
        .run("docker run --rm worker")
    )
    (text,) = session.texts()
    assert "Fixed by `echo '*.sh eol=lf' >> .gitattributes`." in text


def test_the_output_of_a_detour_states_the_cause():
    session = (
        Session()
        .run("bazel test //store", "Executed 1 out of 1 test: 1 fails locally.")
        .run(
            "bazel test //store --test_output=errors", "open schema.sql: no such file or directory"
        )
        .edit("store/BUILD.bazel")
        .run("bazel test //store")
    )
    (text,) = session.texts()
    assert "a.sql: no such file or directory. Fixed by changing store/BUILD.bazel." in text


def test_what_acts_on_a_tool_may_fix_it():
    session = (
        Session()
        .run("molecule test -s default", "CRITICAL Failed to find driver docker")
        .run('pipx inject molecule "molecule-plugins[docker]"')
        .run("molecule converge")
    )
    (text,) = session.texts()
    assert "Fixed by `pipx inject molecule" in text


def test_a_misspelt_argument_is_not_kept():
    session = (
        Session()
        .run("scp a.tgz deploy@ntf1:/srv/app/", "ssh: Could not resolve hostname ntf1: unknown")
        .run("scp -q a.tgz deploy@ntf01:/srv/app/")
    )
    assert [] == session.texts()


@pytest.mark.parametrize(
    ("fix", "told"),
    [
        (
            "curl -sSf https://sh.rustup.rs | sh -s -- -y",
            "Fixed by `curl -sSf https://sh.rustup.rs",
        ),
        ('"startup --root=C:/b" | Add-Content .bazelrc', 'Fixed by `"startup --root=C:/b" | Add'),
        ('pwsh -c "Get-Item a | Set-Root C:/b"', "Fixed by `Set-Root C:/b`."),
    ],
)
def test_a_fix_is_told_with_what_is_piped_into_it(fix, told):
    error = "error: failed to create the output directory: the name is too long"
    (text,) = Session().run("bazel build //a", error).run(fix).run("bazel build //a").texts()
    assert told in text


def test_the_lines_that_say_what_went_wrong_describe_an_error():
    output = """\
Installing pg 1.5.7 with native extensions
Gem::Ext::BuildError: ERROR: Failed to build gem native extension.
    current directory: /home/ada/.asdf/installs/ruby/3.2.4/gems/pg-1.5.7/ext
checking for pg_config... no
Can't find the 'libpq-fe.h header
*** extconf.rb failed ***
To see why this extension failed to compile, please check the mkmf.log which can be found here:
"""
    assert "Can't find the 'libpq-fe.h header" in describe_error(output)
    assert "current directory" not in describe_error(output)


def test_names_of_files_and_warnings_do_not_describe_an_error():
    output = """\
[105/214] Building C object zephyr/kernel/timeout.c.obj
[106/214] Building C object zephyr/kernel/error_denied.c.obj
[107/214] Building C object zephyr/kernel/missing.c.obj
src/modem.c:77:13: warning: unused variable 'err' [-Wunused-variable]
[214/214] Linking C executable zephyr.elf
ld.bfd: region `RAM' overflowed by 6144 bytes
collect2: error: ld returned 1 exit status
"""
    told = describe_error(output)
    assert "region `RAM' overflowed by 6144 bytes" in told
    assert "Building" not in told


def test_a_long_line_is_described_by_its_statements():
    details = ", ".join(f'{{"code": "Detail{n}", "target": "/groups/g/{n}"}}' for n in range(9))
    output = f'{{"status": "x", "details": [{details}], "message": "A vault already exists."}}'
    assert "A vault already exists" in describe_error(output)
    assert "Detail4" not in error_signatures(output)[0]


def test_the_line_after_a_colon_is_told_and_a_repetition_is_not():
    output = """\
ERROR: Machine 3d8d93 failed health checks: timeout reached waiting for them to pass
Unexpected error: ValidationFailedException: Validation Failed:
     1 changesets check sum
ERROR: Machine 77ab02 failed health checks: timeout reached waiting for them to pass
"""
    told = describe_error(output)
    assert "Validation Failed: 1 changesets check sum" in told
    assert told.count("health checks") == 1


def test_of_long_lines_folders_are_left_out_before_words_are():
    path = "/Users/ada/shop/services/very/deep/below/Payments.Api/Payments.Api.csproj"
    lines = [f"{path} : error NU13{n}: cannot load index {w} of {path}" for n, w in WORDS]
    told = describe_error("\n".join(lines))
    assert len(told) <= DESCRIBED_CHARS
    assert all(f"cannot load index {word}" in told for _, word in WORDS)
    assert "/Users/" not in told


def test_what_is_fixed_long_after_is_not_told_and_what_was_given_up_before_is():
    late, given_up = Session().run("make", LINKING), Session()
    given_up.run("cargo build", LINKING).run("brew update").run("cargo build", LINKING)
    for session in (late, given_up):
        for number in range(50):
            session.run(f"deploy{number} stage{number}", f"Error: host {number} is unreachable")
    late.run("brew install openssl").run("make")
    assert [] == late.texts()
    (text,) = given_up.texts()
    assert "Did not help: `brew update`" in text


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "/home/ada/shop/src/a.c:1:10: fatal error: zlib.h: No such file or directory",
            "lib/b.c:77:2: fatal error: zlib.h: No such file or directory",
        ),
        (
            "2026-11-24 07:15:01,123 ERROR: could not connect to db1, pid 3312, after 30s",
            "2026-12-01 23:01:59,001 ERROR: could not connect to db1, pid 41, after 1.5s",
        ),
        (
            "Error: container 3fa9c1b2d4e5 could not be started",
            "Error: container 77aa01bb99cc could not be started",
        ),
        (
            "cp: cannot stat '/home/ada/build/app.js': No such file or directory",
            "cp: cannot stat '/srv/ci/1234/build/app.js': No such file or directory",
        ),
        ("\x1b[31mError: Cannot find module 'vite'\x1b[0m", "Error: Cannot find module 'vite'"),
    ],
)
def test_what_changes_from_run_to_run_does_not_identify_an_error(first, second):
    assert set(error_signatures(first)) & set(error_signatures(second))


def test_an_error_is_known_by_each_line_that_says_why():
    output = (
        "#9 1.2 error: could not install packages\n"
        "qemu: Could not access KVM kernel module: No such file or directory"
    )
    session = Session().run("make image", output).run("modprobe kvm").run("make image")
    (failure,) = find_failures(session.uses, "/srv")
    known = {failure.signature, *failure.signatures}
    assert known & set(error_signatures("#11 7.5 error: could not install packages"))
    assert known & set(error_signatures(output.splitlines()[1]))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("No module named 'requests'", "No module named 'yaml'"),
        ("error TS2322: not assignable", "error TS2345: not assignable"),
        ("fatal error: zlib.h: No such file", "fatal error: png.h: No such file"),
        ("npm ERR! code 1", "npm ERR! code 1"),  # too little to identify anything
    ],
)
def test_different_errors_have_different_signatures(first, second):
    assert likeness(first, second) < MIN_LIKENESS


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "error: Dirty database version 42. Fix and force version.",
            "error: Dirty database version 57. Fix and force version.",
        ),
        (
            'Error from server: pods is forbidden: User "oidc:mira" cannot list resource',
            'Error from server: jobs is forbidden: User "oidc:sven" cannot patch resource',
        ),
        (
            "Error: listen tcp4 0.0.0.0:5432: bind: address already in use",
            "Error: listen tcp4 127.0.0.1:6379: bind: address already in use",
        ),
    ],
)
def test_an_error_about_another_thing_of_its_kind_is_the_same_error(first, second):
    assert likeness(first, second) >= MIN_LIKENESS


def likeness(first: str, second: str) -> float:
    return likeness_of_errors(error_signatures(first), error_signatures(second))
