"""Commits of a session become memories with their files, read without git, each once."""

from __future__ import annotations

import os

import pytest

from aforesaid.adapters.git_history import read_history
from aforesaid.adapters.git_reader import read_repository
from aforesaid.adapters.git_reader.session_commits import read_session_commits
from aforesaid.domain.model.import_item import SkipCounter
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.operations.import_sources import find_history, make_item_importer, make_skip_counter
from aforesaid.operations.session_sweep import sweep
from aforesaid.wiring.container import ServiceContainer
from git_folders import git, make_repository
from integration.test_sessions import World
from transcripts import START_MS, Script

SECRET = "ghp_" + "Ab3dEf7hIj1kLm5nOp9qRs2tUv6wXy0zA4bC"
AT = START_MS // 1000 + 1
NEVER = 1 << 50


def change(top, message, *, at=AT, **files):
    """Commit files, ``None`` for one that goes; ``__`` stands for a slash."""
    for name, text in files.items():
        path = top / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            path.unlink()
        elif isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
    git(top, "add", "-A")
    git(top, "commit", "-q", "--allow-empty", "-m", message, at=at)
    return git(top, "rev-parse", "HEAD")


def read(top, since=0, until=NEVER):
    repository = read_repository(str(top))
    assert repository is not None
    return read_session_commits(repository, "git:x", since, until, SkipCounter())


def subjects(top, *span):
    return [piece.statement.summary for piece in read(top, *span)]


def pack(top):
    """Let git put everything into one pack; the log of what was done stays."""
    git(top, "-c", "gc.reflogExpire=never", "gc", "-q", "--aggressive", "--prune=now")


def history(top):
    repository = read_repository(str(top))
    assert repository is not None
    return list(read_history(repository, "git:x", SkipCounter()))


@pytest.fixture(params=["sha1", "sha256"])
def rich(tmp_path, request):
    """A repository whose commits touch files in every way that git knows."""
    top = tmp_path / "rich"
    top.mkdir()
    git(top, "init", "-q", f"--object-format={request.param}")
    change(top, "empty first")
    lines = "".join(f"line {number}\n" for number in range(400))
    change(top, "many", at=AT + 1, **{f"deep__down__{n}": f"{n}\n{lines}" for n in range(14)})
    (top / "run.sh").write_text("#!/bin/sh\n")
    (top / "run.sh").chmod(0o755)
    (top / "link").symlink_to("run.sh")
    change(top, "odd names\n\nAnd why.", at=AT + 2, **{"a.b": "1", "a": "2", "tab\tü": "3"})
    (top / "run.sh").chmod(0o644)
    (top / "a").unlink()
    change(top, "a file becomes a folder", at=AT + 3, a__x="4", deep__down__3=None)
    change(top, "large", at=AT + 4, large=bytes(300_000), deep__down__5=f"five\n{lines}")
    git(top, "rm", "-q", "link")
    (top / "link").write_text("no link any more\n")
    change(top, "a link becomes a file", at=AT + 5)
    git(top, "checkout", "-q", "-b", "side", "HEAD~1")
    change(top, "beside", at=AT + 6, deep__down__7=f"seven\n{lines}")
    git(top, "checkout", "-q", "main")
    git(top, "merge", "-q", "--no-ff", "-m", "bring it in", "side", at=AT + 7)
    git(top, "update-index", "--add", "--cacheinfo", f"160000,{git(top, 'rev-parse', 'HEAD')},sub")
    git(top, "commit", "-q", "-m", "a submodule", at=AT + 8)
    return top


@pytest.mark.parametrize("kept", ["loose", "packed"])
def test_what_is_read_without_git_is_what_history_reads_with_it(rich, kept):
    if kept == "packed":
        pack(rich)
        assert [] == list((rich / ".git/objects").glob("??/*"))
    made = read(rich)
    assert history(rich) == made
    assert 8 == len(made)


def test_the_pack_of_that_test_holds_deltas(rich):
    pack(rich)
    (index,) = (rich / ".git/objects/pack").glob("*.idx")
    report = git(rich, "verify-pack", "-v", str(index))
    assert "chain length" in report


def test_only_commits_of_the_sessions_time_are_taken(tmp_path):
    top = make_repository(tmp_path / "a", commits=5)
    assert ["commit 1", "commit 2", "commit 3"] == subjects(
        top, 1_700_000_001_000, 1_700_000_003_000
    )


def test_a_worktree_tells_its_own_commits(tmp_path):
    top = make_repository(tmp_path / "a", commits=1)
    git(top, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    change(top, "in the main tree", at=AT)
    change(tmp_path / "tree", "in the other tree", at=AT, x="1")
    assert ["in the other tree"] == subjects(tmp_path / "tree", START_MS)
    assert ["in the main tree"] == subjects(top, START_MS)


def test_a_commit_of_another_branch_counts_and_one_picked_twice_counts_once(tmp_path):
    top = make_repository(tmp_path / "a", commits=1)
    git(top, "checkout", "-q", "-b", "group/side")
    change(top, "beside", x="1")
    git(top, "checkout", "-q", "main")
    assert ["beside"] == subjects(top, START_MS)
    change(top, "here", at=AT + 1, y="1")
    git(top, "cherry-pick", "group/side", at=AT + 2)
    git(top, "pack-refs", "--all")
    assert ["here", "beside"] == subjects(top, START_MS)


def test_what_was_taken_back_is_not_told(tmp_path):
    top = make_repository(tmp_path / "a", commits=1)
    change(top, "kept", x="1")
    change(top, "dropped", at=AT + 1, x="2")
    git(top, "pack-refs", "--all")
    git(top, "reset", "-q", "--hard", "HEAD~1", at=AT + 2)
    assert ["kept"] == subjects(top, START_MS)


def test_commits_that_others_made_are_not_the_sessions(tmp_path):
    seed = make_repository(tmp_path / "seed", commits=1)
    git(tmp_path, "clone", "-q", str(seed), "copy")
    change(seed, "by somebody else", x="1")
    git(tmp_path / "copy", "pull", "-q", "--ff-only", at=AT + 1)
    assert [] == subjects(tmp_path / "copy", START_MS)


@pytest.mark.parametrize("cut", [0, 7, 40, 0.3, 0.6, 0.999])
@pytest.mark.parametrize("suffix", ["idx", "pack"])
def test_a_damaged_pack_gives_less_and_breaks_nothing(tmp_path, suffix, cut):
    top = make_repository(tmp_path / "a", commits=3)
    pack(top)
    (path,) = (top / ".git/objects/pack").glob(f"*.{suffix}")
    path.chmod(0o644)
    whole = path.read_bytes()
    path.write_bytes(whole[: cut if isinstance(cut, int) else int(len(whole) * cut)])
    assert set(subjects(top)) <= {"commit 0", "commit 1", "commit 2"}
    path.write_bytes(bytes(byte ^ 0xA5 if at > 300 else byte for at, byte in enumerate(whole)))
    assert set(subjects(top)) <= {"commit 0", "commit 1", "commit 2"}


def test_an_object_that_is_not_what_its_name_says_is_not_believed(tmp_path):
    top = make_repository(tmp_path / "a", commits=2)
    first, second = (git(top, "rev-parse", name) for name in ("HEAD~1", "HEAD"))
    item, other = (top / ".git/objects" / name[:2] / name[2:] for name in (first, second))
    other.chmod(0o644)
    other.write_bytes(item.read_bytes())
    assert [] == subjects(top)


# -- through the sweep


@pytest.fixture
def world(tmp_path, monkeypatch):
    made = World(tmp_path, monkeypatch)
    (made.project / ".git/HEAD").unlink()
    (made.project / ".git/config").unlink()
    make_repository(made.project, remote="git@host.example:acme/shop.git", commits=1)
    return made


def a_session(world, name="one", *, seconds=50):
    script = Script(str(world.project))
    script.user("add a health check to the server")
    while len(script.lines) < seconds:
        script.say("Looking at the next file.")
    script.say("The health check answers 200.")
    return world.write(name, script)


def end(world, name="one", **more):
    path = a_session(world, name, **more)
    world.start(name, transcript=path)
    world.note_end(name, path)
    sweep(os.environ)


def commits(world):
    store = world.store()
    try:
        seen = Visibility(projects=(0, *(project.key for project in store.projects.list_all())))
        return store.memories.select(seen, Filters(tags=("commit",)), 100)
    finally:
        store.close()


def told(world):
    return sorted(commit.content.splitlines()[0].partition(": ")[2] for commit in commits(world))


def bring_history(world):
    core = ServiceContainer(os.environ)
    left_out = make_skip_counter(core)
    call_context, pieces = find_history(
        core, str(world.project), left_out, since=START_MS, max_count=100
    )
    return make_item_importer(core, left_out).import_all(
        list(pieces), call_context, lambda _done: None
    )


def test_a_sessions_commits_are_memories_with_their_files_and_the_digest_stays_the_main_thing(
    world,
):
    change(world.project, "Add the health check\n\nLoad balancers ask it.", server_py="1\n")
    end(world)
    (memory,) = commits(world)
    assert memory.content.endswith("Add the health check\nLoad balancers ask it.\nFiles: server_py")
    assert ("episodic", "project", "import") == (memory.type, memory.scope, memory.provenance)
    assert "one" == memory.metadata["session_id"]
    (digest,) = world.digests()
    assert "Add the health check" in digest
    core = ServiceContainer(os.environ)
    kept = core.store.memories.get([memory.key])[0]
    assert ["server_py"] == [anchor.path for anchor in core.store.anchors.of([kept.key])]
    assert kept.importance < 0.5
    assert 1 == world.start("two").context.count("health check")


def test_history_on_request_adds_none_that_a_session_brought(world):
    change(world.project, "first", x="1\n")
    change(world.project, "second", at=AT + 1, x="2\n", y="1\n")
    end(world)
    assert ["first", "second"] == told(world)
    gathered = bring_history(world)
    assert (0, 0, 0, 2) == (
        gathered.stored, gathered.changed, gathered.recognised, gathered.known,
    )  # fmt: skip
    assert ["first", "second"] == told(world)


def test_a_session_adds_none_that_history_brought(world):
    change(world.project, "first", x="1\n")
    bring_history(world)
    end(world)
    assert ["first"] == told(world)


@pytest.mark.parametrize("message", ["first", "first, reworded"])
def test_a_commit_that_is_amended_later_takes_the_place_of_what_it_was(world, message):
    change(world.project, "first", x="1\n")
    end(world)
    (world.project / "x").write_text("2\n")
    git(world.project, "commit", "-q", "-a", "--amend", "-m", message, at=AT + 60)
    end(world, seconds=90)
    assert [message] == told(world)
    git(world.project, "commit", "-q", "--amend", "--reset-author", "-m", "anew", at=AT + 90)
    end(world, "two", seconds=120)
    assert ["anew"] == told(world)


def test_commits_that_are_rebased_in_the_session_are_told_once(world):
    git(world.project, "checkout", "-q", "-b", "side")
    change(world.project, "beside", x="1\n")
    end(world)
    git(world.project, "checkout", "-q", "main")
    change(world.project, "here", at=AT + 50, y="1\n")
    git(world.project, "checkout", "-q", "side")
    git(world.project, "rebase", "-q", "main", at=AT + 60)
    end(world, seconds=90)
    assert ["beside", "here"] == told(world)
    head = git(world.project, "rev-parse", "HEAD")
    assert head in {commit.metadata["commit"] for commit in commits(world)}
    assert 2 == bring_history(world).known


def test_a_sweep_that_dies_before_the_digest_is_written_takes_each_commit_once(world, monkeypatch):
    change(world.project, "first", x="1\n")
    path = a_session(world)
    world.start("one", transcript=path)
    world.note_end("one", path)
    from aforesaid.services.sessions.digester import SessionDigester

    class Killed(BaseException):
        pass

    def die(*_arguments):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(SessionDigester, "_write", die)
        with pytest.raises(Killed):
            sweep(os.environ)
    sweep(os.environ)
    assert ["first"] == told(world)
    assert 1 == len(world.digests())


def test_what_was_forgotten_or_erased_stays_away(world):
    change(world.project, "first", x="1\n")
    end(world)
    core = ServiceContainer(os.environ)
    call_context = core.projects.resolve(find_look(world))
    core.forgetter.forget(commits(world)[0].id, call_context)
    end(world, seconds=90)
    assert [] == told(world)


def find_look(world):
    from aforesaid.wiring.factories import read_workspace

    return read_workspace(str(world.project), world.settings, os.environ)


def test_a_secret_in_a_message_is_not_kept(world):
    change(world.project, f"Drop {SECRET}", x="1\n")
    end(world)
    (memory,) = commits(world)
    assert SECRET not in memory.content + str(memory.summary)


def test_commits_stay_in_digests_alone_where_the_user_wants_that(world):
    world.patch.setenv("AFORESAID_DIGEST_COMMITS", "false")
    change(world.project, "first", x="1\n")
    end(world)
    assert [] == told(world)
    assert "first" in world.digests()[0]
