"""Files that the user names: never overwritten unasked, never half written, read within limits."""

from __future__ import annotations

import os
import signal
import subprocess
import time

import pytest

from aforesaid import Memory
from aforesaid.domain.errors import ConflictError, InvalidInputError
from interfaces import LAUNCHER, read, write


@pytest.fixture
def store(shell, tmp_path):
    """Return a shell's store in a folder of its own, with one memory."""
    path = tmp_path / "store" / "mine.db"
    shell.environment["AFORESAID_DB"] = str(path)
    assert 0 == shell("remember", "The queue is NATS.").returncode
    return path


@pytest.mark.usefixtures("store")
def test_a_file_is_overwritten_only_with_force(shell, tmp_path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("precious")
    for command in ("export", "backup"):
        refused = shell(command, str(file))
        assert (4, "precious") == (refused.returncode, file.read_text())
        assert "--force" in refused.stderr
    assert 0 == shell("export", str(file), "--force").returncode
    assert file.read_text().startswith('{"aforesaid_export"')
    assert 0 == shell("backup", str(file), "--force").returncode
    assert b"SQLite format 3" == file.read_bytes()[:15]
    assert 0o600 == file.stat().st_mode & 0o777
    assert ["notes.txt"] == [name for name in os.listdir(tmp_path) if name.startswith("notes")]


@pytest.mark.usefixtures("store")
def test_a_link_is_followed_and_stays_a_link(shell, tmp_path) -> None:
    file, link = tmp_path / "all.jsonl", tmp_path / "link.jsonl"
    file.write_text("old")
    link.symlink_to(file)
    assert 4 == shell("export", str(link)).returncode
    assert 0 == shell("export", str(link), "--force").returncode
    assert link.is_symlink()
    assert "NATS" in file.read_text()


@pytest.mark.parametrize("command", [("export",), ("backup",)])
@pytest.mark.parametrize("suffix", ["", "-wal"])
def test_the_store_is_never_overwritten(shell, store, tmp_path, command, suffix) -> None:
    before = store.read_bytes()
    target = str(store) + suffix
    alias = tmp_path / "alias.db"
    alias.hardlink_to(store)
    for name in (target, str(alias)):
        refused = shell(*command, name, "--force")
        assert (4, "") == (refused.returncode, refused.stdout)
    assert before == store.read_bytes()
    assert {"mine.db"} == {item for item in os.listdir(store.parent) if "-" not in item}


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_only_regular_files_are_written(shell, tmp_path, force) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for path in (str(pipe), str(folder), os.devnull):
        for command in ("export", "backup"):
            refused = shell(command, path, *force)
            assert 2 == refused.returncode, (command, path)
    assert pipe.is_fifo()
    assert [] == os.listdir(folder)
    assert "NATS" in shell("export", "-").stdout


@pytest.mark.usefixtures("store")
def test_markdown_is_overwritten_only_with_force_and_never_goes_into_a_pipe(shell, tmp_path):
    folder = tmp_path / "notes"
    export = ("export", str(folder), "--format", "markdown")
    assert 0 == shell(*export).returncode
    [name] = os.listdir(folder)
    file = folder / name
    file.write_text(file.read_text() + "\nedited\n")
    assert 4 == shell(*export).returncode
    assert "edited" in file.read_text()
    assert 0 == shell(*export, "--force").returncode
    assert "edited" not in file.read_text()
    file.unlink()
    os.mkfifo(file)
    refused = shell(*export, "--force")
    assert (2, [name]) == (refused.returncode, os.listdir(folder))
    assert "not a regular file" in refused.stderr


def test_all_markdown_files_are_checked_before_one_is_written(tmp_path) -> None:
    folder = tmp_path / "notes"
    with Memory(tmp_path / "m.db", project="zebra") as memory:
        memory.store("The user likes tabs.", scope="global")
        memory.store("The queue is NATS.")
        assert {"global.md", "zebra.md"} == set(memory.export_markdown(folder))
        os.unlink(folder / "global.md")
        with pytest.raises(ConflictError, match=r"zebra\.md exists and was not overwritten"):
            memory.export_markdown(folder)
        assert ["zebra.md"] == os.listdir(folder)
        assert {"global.md", "zebra.md"} == set(memory.export_markdown(folder, overwrite=True))


def is_writing(pid: int, folder) -> bool:
    """Tell whether a process has a new file in a folder open."""
    if len(os.listdir(folder)) > 1:
        return True
    try:
        links = [os.readlink(f"/proc/{pid}/fd/{item}") for item in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return False
    return any(link.startswith(f"{folder}/") for link in links)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGKILL"])
def test_an_interrupted_export_leaves_the_file_that_was_there(shell, store, tmp_path, name) -> None:
    with Memory(store, project="acme/payments") as memory:
        memory.store_many(
            [{"content": f"Host number {item} is named h{item}."} for item in range(60)]
        )
    folder = tmp_path / "out"
    file = folder / "all.jsonl"
    write(str(file), "the export of yesterday")
    export = subprocess.Popen(
        [LAUNCHER, "export", str(file), "--force"], env=shell.environment, cwd=shell.folder,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while export.poll() is None and time.monotonic() < deadline:
        if is_writing(export.pid, folder):
            break
    export.send_signal(getattr(signal, name))
    export.wait(60)
    if name == "SIGKILL" and any(line.endswith(".part") for line in os.listdir(folder)):
        pytest.skip("this file system has no files without a name")
    assert ["all.jsonl"] == os.listdir(folder)
    if export.returncode:
        assert "the export of yesterday" == read(str(file))
    else:  # it was faster
        assert "Host number 59" in read(str(file))


@pytest.mark.parametrize(
    "command",
    [
        ("import",),
        ("import", "--from", "mcp-memory"),
        ("import", "--from", "claude-mem"),
        ("import", "--from", "mcp-memory-service"),
    ],
)
def test_only_regular_files_are_read(shell, tmp_path, command) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for path in ("/dev/zero", str(pipe)):
        refused = shell(*command, path)
        assert (2, "") == (refused.returncode, refused.stdout), (path, refused.stderr)
        assert f"{path} is a " in refused.stderr.replace("\n  ", " ")
    assert 3 == shell(*command, str(tmp_path / "nothing")).returncode


def test_a_pipe_named_as_markdown_is_not_read(shell, tmp_path) -> None:
    pipe = tmp_path / "pipe.md"
    os.mkfifo(pipe)
    assert 2 == shell("import", str(pipe)).returncode


def test_a_file_beyond_the_limit_is_refused_before_anything_is_stored(shell, tmp_path) -> None:
    file = tmp_path / "large.jsonl"
    file.write_text('{"content": "The queue is NATS."}\n')
    os.truncate(file, 5_000_000_000)  # sparse
    refused = shell("import", str(file))
    assert (2, "") == (refused.returncode, refused.stdout)
    assert "more than the limit of 4000000000" in " ".join(refused.stderr.split())
    with (
        Memory(tmp_path / "m.db", project="acme/payments") as memory,
        pytest.raises(InvalidInputError, match="4000000000"),
    ):
        memory.import_file(file)


def test_input_that_holds_no_memories_ends(shell) -> None:
    endless = subprocess.Popen(["yes", "{}"], stdout=subprocess.PIPE)
    try:
        refused = shell("import", "-", stdin=endless.stdout, input=None)
    finally:
        endless.kill()
        endless.wait()
        endless.stdout.close()
    assert 2 == refused.returncode
    assert "more than 10000 lines contain no memory" in " ".join(refused.stderr.split())


def test_a_pipe_in_the_place_of_transcripts_or_settings_stops_nothing(shell) -> None:
    config = os.path.join(shell.environment["XDG_CONFIG_HOME"], "aforesaid")
    os.makedirs(config)
    os.mkfifo(os.path.join(config, "config.toml"))
    refused = shell("stats")
    assert 2 == refused.returncode
    assert "not a regular file" in " ".join(refused.stderr.split())
    os.unlink(os.path.join(config, "config.toml"))
    assert 2 == shell("ingest", "/dev/zero").returncode


@pytest.mark.parametrize("name", ["card.toml", "card.json", "modules.json"])
def test_a_model_folder_with_a_pipe_is_refused(shell, tmp_path, name) -> None:
    folder = tmp_path / "model"
    for file in ("model.onnx", "tokenizer.json"):
        write(str(folder / file), "{}")
    os.mkfifo(folder / name)
    refused = shell("model", "use", str(folder))
    assert 6 == refused.returncode
    assert "is a pipe" in " ".join(refused.stderr.split())


def test_an_import_of_a_database_says_how_it_is_restored(shell, store, tmp_path) -> None:
    refused = shell("import", str(store))
    assert 2 == refused.returncode
    assert "is a database" in refused.stderr
    assert "aforesaid restore" in refused.stderr
    assert len(refused.stderr.splitlines()) < 5

    file = tmp_path / "noise.jsonl"
    file.write_bytes(b"\xff\xfe\n" * 300)
    refused = shell("import", str(file))
    assert 1 == refused.returncode
    assert "not UTF-8 text" in refused.stderr
    assert "280 more" in refused.stderr
    assert len(refused.stderr.splitlines()) < 30


@pytest.mark.usefixtures("store")
def test_an_export_never_replaces_a_backup(shell, tmp_path) -> None:
    backup = tmp_path / "backup.db"
    assert 0 == shell("backup", str(backup)).returncode
    before = backup.read_bytes()
    refused = shell("export", str(backup), "--force")
    assert 4 == refused.returncode
    assert "is a database" in refused.stderr
    assert before == backup.read_bytes()


@pytest.mark.usefixtures("store")
def test_markdown_needs_a_folder(shell, tmp_path) -> None:
    file = tmp_path / "notes"
    file.write_text("precious")
    refused = shell("export", str(file), "--format", "markdown")
    assert 2 == refused.returncode
    assert "is not a folder" in refused.stderr
    assert "precious" == file.read_text()


@pytest.mark.usefixtures("store")
def test_a_damaged_backup_is_refused_without_naming_one_that_may_not_exist(shell, tmp_path) -> None:
    backup = tmp_path / "backup.db"
    assert 0 == shell("backup", str(backup)).returncode
    content = backup.read_bytes()
    backup.write_bytes(content[:8192] + b"\x5a" * 16384 + content[24576:])
    refused = shell("restore", str(backup), "--yes")
    assert 0 != refused.returncode
    assert "restore latest" not in refused.stderr
