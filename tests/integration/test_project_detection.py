"""Which project real folders and real first messages are taken for."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from aforesaid.adapters.git_reader import list_temporary_folders, read_workspace
from aforesaid.domain.model.memory import Identity
from aforesaid.domain.projects.detection import WorkspaceFacts, identify
from aforesaid.domain.projects.hint_matching import ProjectCandidate, choose_hint, match_hint
from git_folders import git, make_repository

PAYMENTS = "https://github.com/acme/payments.git"
RIGHT_AT_LEAST = 0.9


class World:
    """A home, a temporary folder and a place for servers, each with folders of every kind."""

    def __init__(self, base: Path) -> None:
        self.home = base / "home"
        self.temporary = base / "tmp"
        self.work = self.home / "work"
        self.mapping: dict[str, str] = {}
        for folder in (self.work, self.temporary):
            folder.mkdir(parents=True)

    def look(self, folder: Path | str, **environment: str) -> WorkspaceFacts:
        return read_workspace(
            str(folder), environment, self.mapping, str(self.home), (str(self.temporary),)
        )

    def identify(self, folder: Path | str, **environment: str) -> Identity | None:
        return identify(self.look(folder, **environment))

    def write(self, path: str, text: str = "") -> Path:
        file = self.work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file.parent


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_home_root_and_temporary_folders_are_nobodys_project(world: World) -> None:
    (world.home / "package.json").write_text("{}")
    below = world.temporary / "pytest-1" / "deep"
    below.mkdir(parents=True)
    (below / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    for folder in (world.home, "/", world.temporary, below, below.parent):
        assert world.identify(folder) is None
    assert world.identify("") is None


def test_a_repository_in_a_temporary_folder_counts_but_not_one_made_of_it(world: World) -> None:
    make_repository(world.temporary / "clone", remote=PAYMENTS)
    identity = world.identify(world.temporary / "clone")
    assert identity is not None
    assert "git:github.com/acme/payments" == identity.key
    make_repository(world.temporary, remote="https://github.com/evil/planted")
    (world.temporary / "plain").mkdir()
    assert world.identify(world.temporary) is None
    assert world.identify(world.temporary / "plain") is None


def test_a_repository_of_the_home_folder_holds_for_home_alone(world: World) -> None:
    make_repository(world.home, remote="https://github.com/me/dotfiles")
    plain = world.write("plain/file.txt")
    at_home, below = world.identify(world.home), world.identify(plain)
    assert at_home is not None
    assert below is not None
    assert "git:github.com/me/dotfiles" == at_home.key
    assert f"folder:{plain}" == below.key


def test_the_path_mapping_holds_below_its_folder_and_the_nearest_wins(world: World) -> None:
    make_repository(world.work / "a", remote=PAYMENTS)
    deep = world.write("a/b/c/file.txt")
    world.mapping = {"~/work": "everything", str(world.work / "a" / "b"): "git:h/o/n"}
    identity = world.identify(deep)
    assert identity is not None
    assert ("git:h/o/n", 1.0, "mapping") == (identity.key, identity.confidence, identity.source)
    above = world.identify(world.work / "a")
    assert above is not None
    assert ("name:everything", "everything") == (above.key, above.user_text)
    beside = world.identify(world.home / "worker")
    assert beside is not None
    assert "folder" == beside.source


def test_the_environment_names_a_project_or_a_folder(world: World) -> None:
    make_repository(world.work / "a", remote=PAYMENTS)
    plain = world.write("plain/file.txt")
    by_name = world.identify(plain, AFORESAID_PROJECT="acme/payments")
    assert by_name is not None
    assert ("acme/payments", "environment", 1.0) == (
        by_name.user_text, by_name.source, by_name.confidence,
    )  # fmt: skip
    for written in ("~/work/a", str(world.work / "a"), "../a"):
        by_folder = world.identify(plain, AFORESAID_PROJECT=written)
        assert by_folder is not None
        assert ("git:github.com/acme/payments", 1.0) == (by_folder.key, by_folder.confidence)


@pytest.mark.parametrize(
    ("file", "text", "name"),
    [
        (
            "pyproject.toml",
            '[build-system]\nname = "no"\n[project]\nname = "pay-ments"\n',
            "pay-ments",
        ),
        ("pyproject.toml", "[tool.poetry]\nversion='1'\nname = 'poet'\n", "poet"),
        ("pyproject.toml", "[tool.ruff]\nname = 'no'\n", None),
        ("package.json", '{"name": "@acme/web", "x": 1}', "@acme/web"),
        ("package.json", '{"name": 7}', None),
        ("package.json", "{broken", None),
        ("package.json", "[" * 100_000, None),
        ("Cargo.toml", '[package]\nname = "crate"\n[[bin]]\nname = "no"\n', "crate"),
        ("Cargo.toml", '[workspace]\nmembers = []\n[[bin]]\nname = "no"\n', None),
        ("go.mod", "// c\nmodule example.org/acme/tool\n\ngo 1.22\n", "example.org/acme/tool"),
        (
            "pom.xml",
            (
                "<project><parent><artifactId>no</artifactId></parent>"
                "<artifactId>ledger</artifactId></project>"
            ),
            "ledger",
        ),
        ("settings.gradle.kts", 'rootProject.name = "gradual"\n', "gradual"),
        ("build.gradle", "plugins {}\n", None),
        ("composer.json", '{"name": "acme/site"}', "acme/site"),
        ("deno.json", '{"name": "@acme/deno"}', "@acme/deno"),
        ("mix.exs", "def project do\n [app: :elixir_app,\n", "elixir_app"),
        ("CMakeLists.txt", "cmake_minimum_required(VERSION 3)\nproject(Engine C)\n", "Engine"),
        ("Gemfile", "source 'https://rubygems.org'\n", None),
        ("Solution.sln", "", "Solution"),
        ("Some.App.csproj", "<Project/>", "Some.App"),
    ],
)
def test_a_marker_gives_its_name_or_the_folders(
    world: World, file: str, text: str, name: str | None
) -> None:
    top = world.write(f"pack/{file}", text)
    deep = world.write("pack/src/deep/file.txt")
    identity = world.identify(deep)
    assert identity is not None
    assert (f"marker:{top}", name or "pack") == (identity.key, identity.name)
    assert (0.7, "marker") == (identity.confidence, identity.source)


def test_the_nearest_marker_wins_and_a_link_is_none(world: World) -> None:
    world.write("pack/package.json", '{"name": "outer"}')
    inner = world.write("pack/inner/go.mod", "module inner\n")
    linked = world.write("pack/linked/file.txt")
    (linked / "package.json").symlink_to(inner / "go.mod")
    results = [world.identify(folder) for folder in (inner, linked)]
    assert ["inner", "outer"] == [each.name for each in results if each is not None]


def test_temporary_folders_are_moved_by_the_usual_variable() -> None:
    assert ("/x",) == list_temporary_folders({"TMPDIR": "/x"})
    assert "/tmp" in list_temporary_folders({})


def test_looking_around_takes_under_two_milliseconds(world: World) -> None:
    make_repository(world.work / "a", remote=PAYMENTS)
    deep = world.write("a/server/package/file.txt")
    plain = world.write("b/some/deep/plain/file.txt")
    for folder in (deep, plain):
        best = 1.0
        for _ in range(30):
            start = time.perf_counter()
            world.identify(folder)
            best = min(best, time.perf_counter() - start)
        print(f"look_around and identify in {folder.name}: {best * 1000:.3f} ms")
        assert best < 0.002


# -- the labelled set: folders


def label_folders(world: World) -> list[tuple[str, Path, str | None]]:
    """Make folders of every kind; return what each is, where, and the key that is right."""
    work, remote_key = world.work, "git:github.com/acme/payments"
    made: list[tuple[str, Path, str | None]] = []

    def label(what: str, folder: Path, key: str | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        made.append((what, folder, key))

    pay = make_repository(work / "payments", remote=PAYMENTS)
    label("remote", pay, remote_key)
    label("subfolder", pay / "src/app", remote_key)
    label("package in a repository", world.write("payments/web/package.json", "{}"), remote_key)
    label("git folder", pay / ".git/hooks", remote_key)
    git(pay, "worktree", "add", "-q", "-b", "f1", str(work / "wt one"))
    label("worktree", work / "wt one", remote_key)
    label("subfolder of a worktree", work / "wt one/src", remote_key)
    git(pay, "worktree", "add", "-q", "--detach", str(pay / ".claude/worktrees/agent"))
    label("detached worktree inside", pay / ".claude/worktrees/agent", remote_key)
    for number, url in enumerate(
        ("https://me:t0ken@github.com/acme/payments", "git@github.com:acme/payments.git",
         "ssh://git@ssh.github.com:443/Acme/Payments.git")
    ):  # fmt: skip
        label(f"clone {number}", make_repository(work / f"clone{number}", remote=url), remote_key)
    twin = make_repository(work / "other/payments", remote="https://gitlab.com/acme/payments.git")
    label("same name elsewhere", twin, "git:gitlab.com/acme/payments")
    fork = make_repository(work / "fork", remote="git@github.com:me/payments.git")
    git(fork, "remote", "add", "upstream", PAYMENTS)
    label("fork", fork, "git:github.com/me/payments")
    local = make_repository(work / "local")
    label("no remote", local, f"repo:{local}/.git")
    git(local, "worktree", "add", "-q", "-b", "x", str(work / "local-x"))
    label("worktree, no remote", work / "local-x", f"repo:{local}/.git")
    fresh = make_repository(work / "fresh", commits=0)
    label("no commit", fresh, f"repo:{fresh}/.git")
    detached = make_repository(work / "detached", remote="https://example.org/a/Detached")
    git(detached, "checkout", "-q", "--detach")
    label("detached", detached, "git:example.org/a/Detached")
    git(work, "clone", "-q", "--bare", str(local), "store.git")
    label("bare clone by path", work / "store.git", f"git:file:{local}")
    git(work, "init", "-q", "--bare", "empty.git")
    label("bare", work / "empty.git", f"repo:{work}/empty.git")
    git(work, "clone", "-q", str(work / "empty.git"), "of-bare")
    label("clone of bare", work / "of-bare", f"git:file:{work}/empty")
    library = make_repository(work / "library", remote="https://github.com/acme/library")
    git(pay, "submodule", "add", "-q", str(library), "vendor/library")
    git(pay / "vendor/library", "remote", "set-url", "origin", "git@github.com:acme/library.git")
    label("submodule", pay / "vendor/library", "git:github.com/acme/library")
    nested = make_repository(pay / "third_party/tool", remote="https://example.org/t/tool")
    label("nested", nested, "git:example.org/t/tool")
    git(pay, "init", "-q", "--bare", "docs/trap")
    git(pay / "docs/trap", "remote", "add", "origin", "https://github.com/victim/app")
    label("committed bare repository", pay / "docs/trap", remote_key)
    (work / "link").symlink_to(pay / "src")
    label("link", work / "link/app", remote_key)
    blanks = make_repository(work / "mit Größe & Blank", remote="https://example.org/ü/b%20c.git")
    label("letters", blanks, "git:example.org/ü/b c")
    reftable = make_repository(work / "reftable", remote="https://example.org/a/reftable")
    (reftable / ".git/HEAD").write_text("ref: refs/heads/.invalid\n")
    label("reftable", reftable, "git:example.org/a/reftable")
    damaged = make_repository(work / "damaged", remote="https://example.org/a/damaged")
    (damaged / ".git/HEAD").write_bytes(b"\0" * 23)
    label("damaged head", damaged, "git:example.org/a/damaged")
    odd = make_repository(work / "odd")
    with (odd / ".git/config").open("a") as config:
        config.write('[Remote "origin"]URL="https://example.org/a/od\\\nd" ; odd\n')
    label("odd config", odd, "git:example.org/a/odd")
    pack = world.write("pack/pyproject.toml", '[project]\nname = "pack"\n')
    label("package", pack, f"marker:{pack}")
    label("subfolder of a package", pack / "src/pack", f"marker:{pack}")
    node = world.write("pack2/pack/package.json", '{"name": "pack"}')
    label("package of the same name", node, f"marker:{node}")
    label("plain", work / "notes/2025", f"folder:{work}/notes/2025")
    label("plain twin", work / "more/2025", f"folder:{work}/more/2025")
    broken = work / "broken"
    label("broken git file", broken, f"folder:{broken}")
    (broken / ".git").write_text("gitdir: /gone/.git/worktrees/broken\n")
    label("home", world.home, None)
    label("temporary", world.temporary / "x/y", None)
    scratch = make_repository(world.temporary / "scratch")
    label("repository in a temporary folder", scratch, f"repo:{scratch}/.git")
    gone = pay / "gone"
    label("deleted", gone, remote_key)
    gone.rmdir()
    return made


def test_labelled_folders_are_right_and_none_is_wrong_silently(world: World) -> None:
    labelled = label_folders(world)
    wrong, silent = [], []
    for what, folder, expected in labelled:
        identity = world.identify(folder)
        if (identity.key if identity else None) != expected:
            wrong.append((what, expected, identity.key if identity else None))
            if identity is not None and not identity.provisional:
                silent.append(what)
    share = 1 - len(wrong) / len(labelled)
    print(f"folders: {share:.1%} of {len(labelled)} right, {len(silent)} wrong silently; {wrong}")
    assert [] == silent
    assert share >= RIGHT_AT_LEAST


# -- the labelled set: hints

KNOWN = (
    ProjectCandidate(
        project=1, name="acme/payments", aliases=("git:github.com/acme/payments",),
        keywords=("invoices", "refunds", "PCI"), description="Payment service with a ledger",
        entities=("LedgerWorker", "Stripe", "idempotency key"),
    ),
    ProjectCandidate(
        project=2, name="acme/nebula", aliases=("name:nebula",), keywords=("telescope", "FITS"),
        description="Pipeline that stacks telescope images", entities=("StarCatalogue", "Hubble"),
    ),
    ProjectCandidate(project=3, name="acme/nebula-docs", description="Handbook of the pipeline"),
    ProjectCandidate(
        project=4, name="Brand X", keywords=("slogan", "tone of voice"),
        description="Copy and guidelines", entities=("Marta Rossi",),
    ),
    ProjectCandidate(project=5, name="notes", description="Personal notes"),
    ProjectCandidate(project=6, name="me/dark-mode", description="Browser extension for colours"),
    ProjectCandidate(project=7, name="victoria", description="Inventory of the museum in Graz"),
    ProjectCandidate(project=8, name="支付系统", description="支付"),
    ProjectCandidate(project=9, name="api", description="Public endpoints"),
    ProjectCandidate(project=10, name="home-assistant-config", description="Lights and heating"),
    ProjectCandidate(project=11, name="marker:/w/secret-folder"),
)  # fmt: skip

# Text, whether it is a title, and what is right: ("take", n), ("offer", n) or ("none", 0).
HINTS: tuple[tuple[str, bool, str, int], ...] = (
    ("acme/payments", True, "take", 1),
    ("Fix refunds in acme/payments", True, "take", 1),
    ("acme/payments: retry webhooks", False, "take", 1),
    ("please review the open issues of github.com/acme/payments", False, "take", 1),
    ("continue working on nebula", False, "take", 2),
    ("Continue work on Nebula please", False, "take", 2),
    ("Nebula", True, "take", 2),
    ("Nebula: stacking is slow", True, "take", 2),
    ("what did we decide in project nebula about FITS headers?", False, "take", 2),
    ("the nebula repo fails to build", False, "take", 2),
    ("nebula-docs needs a new chapter", False, "take", 3),
    ("update nebula-docs and deploy", True, "take", 3),
    ("Write copy for Brand X", False, "take", 4),
    ("Brand X launch mail", True, "take", 4),
    ("home-assistant-config: turn lights on at dusk", True, "take", 10),
    ("in home-assistant-config the heating rule is wrong", False, "take", 10),
    ("继续 支付系统 的工作", False, "take", 8),
    ("the victoria project: add a loan form", False, "take", 7),
    ("resume work on the victoria repo", False, "take", 7),
    ("why is the nebula parser slow?", False, "offer", 2),
    ("does nebulla support gzip", False, "offer", 2),
    ("new project Nebula", False, "offer", 2),
    ("like nebula but for audio", False, "offer", 2),
    ("set up nebula-web with vite", False, "offer", 2),
    ("compare nebula with victoria", False, "offer", 2),
    ("fix the payments test", False, "offer", 1),
    ("payments are delayed", True, "offer", 1),
    ("why does LedgerWorker drop the idempotency key?", False, "offer", 1),
    ("Stripe refunds come twice", False, "offer", 1),
    ("Hubble images and the StarCatalogue", True, "offer", 2),
    ("I want to build a notes app", False, "offer", 5),
    ("take notes of this meeting", False, "offer", 5),
    ("add dark mode to the settings page", False, "offer", 6),
    ("Letter to Victoria", True, "offer", 7),
    ("call Victoria back about the invoice", False, "offer", 7),
    ("design a REST api in Go", False, "offer", 9),
    ("api", True, "offer", 9),
    ("which slogan and tone of voice do we use?", False, "offer", 4),
    ("hello", False, "none", 0),
    ("how do I reverse a list in Python?", False, "none", 0),
    ("Summer holiday plans", True, "none", 0),
    ("translate this sentence into French", False, "none", 0),
    ("paymentsystem comparison", True, "none", 0),
    ("the secret folder is gone", False, "none", 0),
    ("acme quarterly report", True, "none", 0),
    ("write a poem about rain", False, "none", 0),
    ("what is a branding exercise", False, "none", 0),
    ("", True, "none", 0),
    ("🚀🚀🚀", False, "none", 0),
    ("brand. x marks the spot", False, "none", 0),
)


def test_labelled_hints_are_right_and_none_is_wrong_silently() -> None:
    wrong, silent = [], []
    for text, title, what, project in HINTS:
        choice = choose_hint(match_hint(text, KNOWN), title=title)
        if choice.chosen is not None:
            results = ("take", choice.chosen.project)
        else:
            results = ("offer", choice.suggested[0].project) if choice.suggested else ("none", 0)
        if results != (what, project):
            wrong.append((text, (what, project), results))
            if results[0] == "take":
                silent.append(text)
    share = 1 - len(wrong) / len(HINTS)
    print(f"hints: {share:.1%} of {len(HINTS)} right, {len(silent)} wrong silently; {wrong}")
    assert [] == silent
    assert share >= RIGHT_AT_LEAST


def test_a_repository_is_told_of_a_project_that_has_only_its_name(shell, tmp_path) -> None:
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"content": "The port is 4222.", "project": "acme/n2"}\n')
    assert 0 == shell("import", str(lines)).returncode
    git = shell.folder / ".git"
    git.mkdir(exist_ok=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "config").write_text('[remote "origin"]\n\turl = https://github.com/acme/n2.git\n')
    (git / "objects").mkdir(exist_ok=True)
    (git / "refs").mkdir(exist_ok=True)
    output = shell("projects", "map", ".").stdout
    assert "aforesaid projects merge name:acme/n2 git:github.com/acme/n2" in output
