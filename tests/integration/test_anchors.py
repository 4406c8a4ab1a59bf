"""Files that memories cite: told when they change, and never a way to read what is outside."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from aforesaid.adapters.system.cited_files import MAX_BYTES, CitedFiles
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.anchor import Anchor, make_fingerprint, read_anchor, still_holds
from integration.test_mcp_server import call, run, world

__all__ = ["world"]

MAKEFILE = "freeze:\n\ttouch frozen\n\nship:\n\ttar --create --file ship.tar .\n"


@pytest.fixture
def folder(world) -> Path:
    root = Path(world["AFORESAID_CWD"])
    (root / "Makefile").write_text(MAKEFILE)
    (root / "src").mkdir()
    (root / "src" / "queue.py").write_text(
        "import nats\n\n\ndef connect():\n    return nats.connect()\n"
    )
    return root


def stale_of(world, ids) -> list[list[str]]:
    async def read(session):
        return await call(session, "recall_memory", ids=ids)

    return [result.get("stale", []) for result in run(world, read)["results"]]


def store(world, *cited: list[str]) -> list[str]:
    async def live(session):
        return [
            (await call(session, "store_memory", content=f"Fact {number}.", anchors=anchors))["id"]
            for number, anchors in enumerate(cited)
        ]

    return run(world, live)


def test_recall_and_context_say_which_cited_file_changed_or_went(world, folder) -> None:
    ids = store(world, ["Makefile"], ["src/queue.py:5"], ["Makefile", "src/queue.py"])
    assert [[], [], []] == stale_of(world, ids)

    (folder / "Makefile").write_text(MAKEFILE.replace("tar", "zip"))
    assert [["Makefile changed"], [], ["Makefile changed"]] == stale_of(world, ids)
    (folder / "src" / "queue.py").unlink()
    assert ["src/queue.py:5 is gone"] == stale_of(world, ids)[1]

    async def look(session):
        return await call(session, "get_context")

    async def inspect(session):
        return await call(session, "memory_inspect", id=ids[0])

    result = run(world, inspect)
    assert (["Makefile"], ["Makefile changed"]) == (result["anchors"], result["stale"])
    context = run(world, look)["context"]
    _, _, attention = context.partition("Needs attention\n")
    assert f"- [{ids[0]}] may be stale (Makefile changed)" in attention


def test_a_line_is_stale_only_when_it_is_nowhere_any_more(world, folder) -> None:
    queue = folder / "src" / "queue.py"
    ids = store(world, ["src/queue.py:5"])

    queue.write_text('"""Moved down."""\n' + queue.read_text().replace("\n", "\r\n"))
    assert [[]] == stale_of(world, ids)
    queue.write_text(queue.read_text().replace("nats.connect()", "redis.connect()"))
    assert [["src/queue.py:5 changed"]] == stale_of(world, ids)


def test_each_session_is_told_of_its_own_worktree(world, folder, tmp_path) -> None:
    ids = store(world, ["Makefile"])
    (folder / ".git" / "worktrees" / "other").mkdir(parents=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {folder}/.git/worktrees/other\n")
    for name, text in (
        ("HEAD", "ref: refs/heads/branch\n"), ("commondir", "../..\n"),
        ("gitdir", f"{other}/.git\n"),
    ):  # fmt: skip
        (folder / ".git" / "worktrees" / "other" / name).write_text(text)
    (other / "Makefile").write_text("all:\n")

    assert [[]] == stale_of(world, ids)
    assert [["Makefile changed"]] == stale_of({**world, "AFORESAID_CWD": str(other)}, ids)
    shutil.copy(folder / "Makefile", other)
    assert [[]] == stale_of({**world, "AFORESAID_CWD": str(other / ".")}, ids)


def test_a_new_version_is_as_fresh_as_its_files_and_anchors_are_replaced_or_taken_away(
    world, folder
) -> None:
    ids = store(world, ["Makefile"])
    (folder / "Makefile").write_text("all:\n")
    assert [["Makefile changed"]] == stale_of(world, ids)

    async def change(session):
        newer = await call(session, "update_memory", id=ids[0], content="Fact, newer.")
        both = await call(session, "update_memory", id=newer["id"], anchors=["src/queue.py"])
        inspected = await call(session, "memory_inspect", id=newer["id"])
        again = await call(session, "store_memory", content="Fact, newer.", anchors="Makefile")
        merged = await call(session, "memory_inspect", id=newer["id"])
        await call(session, "update_memory", id=newer["id"], anchors=[])
        bare = await call(session, "memory_inspect", id=newer["id"])
        return newer["id"], both["changed"], inspected, again, merged, bare

    newer, changed, inspected, again, merged, bare = run(world, change)
    assert [[]] == stale_of(world, [newer])
    assert ["anchors"] == changed
    assert 1 == len(inspected["anchors"])
    assert again["deduplicated"]
    assert 2 == len(merged["anchors"])
    assert "anchors" not in bare


def hostile(folder: Path) -> dict[str, str]:
    """Lay traps below and beside a project; return what to cite."""
    secret = folder.parent / "secret.txt"
    secret.write_text("the launch code is 0000\n")
    (folder / "link").symlink_to(secret)
    (folder / "up").symlink_to(folder.parent)
    os.mkfifo(folder / "fifo")
    (folder / "huge").write_bytes(b"x" * (MAX_BYTES + 1))
    (folder / "loop").symlink_to(folder / "loop")
    return {
        "parent": "../secret.txt",
        "deep parent": "src/../../secret.txt",
        "absolute": str(secret),
        "device": "/dev/zero",
        "symlink": "link",
        "symlinked folder": "up/secret.txt",
        "loop": "loop",
        "fifo": "fifo",
        "folder": "src",
        "root": ".",
        "huge": "huge",
        "key as a name": "AKIAIOSFODNN7EXAMPLF",
        "git": ".git/config",
        "NUL": "Make\0file",
        "newline": "Make\nfile",
        "empty": " ",
        "no such line": "Makefile:999",
        "long": "x" * 5_000,
    }


def test_what_lies_outside_or_is_no_file_is_refused_and_its_text_never_told(world, folder) -> None:
    cases = hostile(folder)

    async def ask(session):
        return {
            name: await call(session, "store_memory", content=f"Fact {name}.", anchors=[path])
            for name, path in cases.items()
        } | {"total": await call(session, "memory_stats")}

    answers = run(world, ask)
    assert 0 == answers.pop("total")["total"]
    assert [] == [name for name, answer in answers.items() if not isinstance(answer, str)]
    assert "launch code" not in str(answers)


def test_a_file_that_does_not_exist_is_kept_as_a_pattern_and_the_answer_says_so(
    world, folder
) -> None:
    async def live(session):
        stored = await call(
            session, "store_memory", content="A fact.", anchors=["src/new.py:40", "Makefile"]
        )
        updated = await call(session, "update_memory", id=stored["id"], anchors=["src/newer.py"])
        newer = await call(
            session, "update_memory", id=stored["id"], content="Newer.", anchors=["src/newest.py"]
        )
        again = await call(session, "update_memory", id=newer["id"], content="Newest fact.")
        return stored, updated, newer, again, await call(session, "memory_inspect", id=again["id"])

    stored, updated, newer, again, inspected = run(world, live)
    note = "no such file now: src/{}.py; shown when it is made, not checked for changes"
    assert note.format("new") == stored["note"]
    assert note.format("newer") == updated["note"]
    assert note.format("newest") == newer["note"]
    assert "note" not in again
    assert ["src/newest.py"] == inspected["anchors"]
    (folder / "src" / "newest.py").write_text("made()\n")
    assert [[]] == stale_of(world, [again["id"]])


def test_a_cited_file_that_becomes_a_trap_is_gone_and_not_followed(world, folder) -> None:
    (folder / "secret.txt").write_text("the launch code is 0000\n")
    ids = store(world, ["Makefile"], ["src/queue.py"])
    outside = folder.parent / "copy"
    shutil.copytree(folder / "src", outside)
    shutil.rmtree(folder / "src")
    (folder / "src").symlink_to(outside)
    (folder / "Makefile").unlink()
    os.mkfifo(folder / "Makefile")

    assert [["Makefile is gone"], ["src/queue.py is gone"]] == stale_of(world, ids)


def test_a_hard_link_and_an_inner_symlink_are_files_of_the_project(folder) -> None:
    os.link(folder / "Makefile", folder / "hard")
    (folder / "soft").symlink_to("Makefile")
    files = CitedFiles()

    assert ["hard", "Makefile"] == [files.resolve(str(folder), item) for item in ("hard", "soft")]
    assert MAKEFILE.encode() == files.read(str(folder), "hard")


def test_where_no_project_has_a_folder_nothing_is_cited(world) -> None:
    home = {**world, "AFORESAID_CWD": world["HOME"]}

    async def ask(session):
        return await call(session, "store_memory", content="A fact.", anchors=["Makefile"])

    assert "no project folder" in run(home, ask)


def test_a_file_of_another_project_is_cited_unread(world, folder) -> None:
    async def ask(session):
        await call(session, "set_project", project="elsewhere")
        await call(session, "store_memory", content="Elsewhere, jobs are queued.")
        await call(session, "set_project", project="acme/payments")
        stored = await call(
            session, "store_memory", content="Elsewhere, make ship deploys.", project="elsewhere",
            anchors=["Makefile:2", "src/"],
        )  # fmt: skip
        outside = await call(
            session, "store_memory", content="A fact.", project="elsewhere", anchors=["/etc/passwd"]
        )
        await call(session, "set_project", project="elsewhere")
        return stored, outside, await call(session, "memory_inspect", id=stored["id"])

    stored, outside, inspected = run(world, ask)
    assert "elsewhere" == stored["project"]
    assert {"Makefile", "src/"} == set(inspected["anchors"])
    assert "relative to the project's root" in outside


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Makefile", ("Makefile", 0)),
        ("src/a.py:12", ("src/a.py", 12)),
        ("a:b", ("a:b", 0)),
        (":3", (":3", 0)),
        ("a:٣", ("a:٣", 0)),
    ],
)
def test_an_anchor_is_a_path_and_maybe_a_line(text, meant) -> None:
    assert meant == read_anchor(text)


def test_a_line_that_says_little_is_known_by_those_after_it() -> None:
    content = b"{\n}\nlong enough to tell\n"
    anchor = Anchor(path="a", line=1, fingerprint=make_fingerprint(content, 1, "a:1"))

    assert anchor.fingerprint.startswith("l3:")
    assert still_holds(anchor, b"x\n" + content)
    assert not still_holds(anchor, content.replace(b"long", b"big"))
    with pytest.raises(InvalidInputError, match="has 3 lines"):
        make_fingerprint(content, 4, "a:4")


def test_a_pattern_or_a_folder_is_never_stale_and_stays_in_the_project(world, folder) -> None:
    ids = store(world, ["src/*.py"], ["./src/"], ["docs/**"])
    (folder / "src" / "queue.py").unlink()
    assert [[], [], []] == stale_of(world, ids)

    async def ask(session):
        refused = [
            await call(session, "store_memory", content="A fact.", anchors=[path])
            for path in ("/etc/*", "../*.py", ".git/", "**/*", "*")
        ]
        return refused, await call(session, "memory_inspect", id=ids[1])

    refused, inspected = run(world, ask)
    assert [] == [answer for answer in refused if not isinstance(answer, str)]
    assert "src/" in str(inspected["anchors"])
