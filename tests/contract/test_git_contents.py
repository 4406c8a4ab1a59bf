"""Finding what a file contained before, in a repository's own objects."""

from __future__ import annotations

from aforesaid.adapters.git_reader.earlier_content import GitContents
from git_folders import git, make_repository


def commit(folder, path, text):
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    git(folder, "add", path)
    git(folder, "commit", "-qm", f"Write {path}")


def find(folder, wanted, path="src/queue.py"):
    return GitContents().find(str(folder), path, lambda content: wanted in content)


def test_the_latest_content_that_is_wanted_is_found(tmp_path):
    folder = make_repository(tmp_path / "a")
    for text in ("RETRIES = 5\n", "RETRIES = 5  # tries\n", "RETRIES = 8\n"):
        commit(folder, "src/queue.py", text)
    assert b"RETRIES = 5  # tries\n" == find(folder, b"= 5")
    assert b"RETRIES = 8\n" == find(folder, b"RETRIES")
    assert find(folder, b"RETRIES = 9") is None


def test_objects_in_packs_are_read(tmp_path):
    folder = make_repository(tmp_path / "a")
    for text in ("RETRIES = 5\n", "RETRIES = 8\n"):
        commit(folder, "src/queue.py", text)
    git(folder, "gc", "-q")
    assert b"RETRIES = 5\n" == find(folder, b"= 5")


def test_paths_are_those_of_a_package_in_its_folder(tmp_path):
    folder = make_repository(tmp_path / "a")
    commit(folder, "packages/api/src/queue.py", "RETRIES = 5\n")
    assert b"RETRIES = 5\n" == find(folder / "packages" / "api", b"= 5")


def test_what_no_commit_has_is_not_found(tmp_path):
    folder = make_repository(tmp_path / "a")
    commit(folder, "src/other.py", "RETRIES = 5\n")
    (folder / "src" / "queue.py").write_text("RETRIES = 5\n")
    assert find(folder, b"= 5") is None
    assert find(folder, b"= 5", "src") is None
    (tmp_path / "b").mkdir()
    assert find(tmp_path / "b", b"= 5") is None
