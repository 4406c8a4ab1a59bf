"""`aforesaid import --from`: what other programs remember, through the door, once."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from foreign import SAMPLES, contents, copy_sample

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")


@pytest.fixture
def shell(environment, tmp_path):
    """Return what runs a command in a project's folder."""
    folder = tmp_path / "code" / "payments"
    (folder / ".git" / "objects").mkdir(parents=True)
    (folder / ".git" / "refs").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")

    def run(*arguments, code=0, **more):
        done = subprocess.run(
            [DOOR, *arguments, "--json"],
            cwd=folder, env={**environment, **more}, capture_output=True, encoding="utf-8",
            timeout=120, check=False,
        )  # fmt: skip
        assert code == done.returncode, done.stderr
        return json.loads(done.stdout) if code == 0 else done.stderr

    return run


@pytest.mark.parametrize(("form", "sample"), SAMPLES)
def test_each_form_comes_in_once_marked_and_untouched_at_its_source(shell, tmp_path, form, sample):
    path = copy_sample(sample, tmp_path)
    before = contents(path)
    counted = shell("import", "--from", form, path, "--dry-run")
    first = shell("import", "--from", form, path)
    assert (counted["stored"], []) == (first["stored"] + first["recognised"], first["refused"])
    again = shell("import", "--from", form, path)
    assert (0, 0, counted["stored"]) == (again["stored"], again["changed"], again["known"])
    assert before == contents(path)
    listed = shell("list", "--all-projects", "-n", "50", "--no-summary-only")["results"]
    superseded = 1 if form == "mcp-memory-service" else 0
    assert counted["stored"] - superseded == len(listed)
    assert {"import"} == {memory["provenance"] for memory in listed}


def test_what_is_imported_is_recalled_and_not_shown_unasked(shell, tmp_path):
    shell("import", "--from", "mcp-memory", copy_sample("memory.jsonl", tmp_path))
    results = shell("search", "who leads the payments team")["results"]
    assert "Ada Lovelace: Leads the payments team" == results[0]["content"]
    assert "Ada" not in shell("context")["context"]


def test_a_form_is_found_where_its_program_keeps_it(shell, environment, tmp_path):
    copy_sample("claude-mem.sql", tmp_path)
    shell("import", "--from", "claude-mem", code=2)
    output = shell("import", "--from", "claude-mem", CLAUDE_MEM_DATA_DIR=str(tmp_path))
    assert 5 == output["stored"]
    listed = shell("projects")
    assert all(name in json.dumps(listed) for name in ("shop", "blog"))


def test_of_several_places_one_may_be_empty(shell, environment, tmp_path):
    os.makedirs(os.path.join(environment["HOME"], ".claude", "projects"))
    shell("import", "--from", "claude-md", code=2)
    (tmp_path / "code" / "payments" / "CLAUDE.md").write_text("# Build\nUse uv, never pip.\n")
    assert 1 == shell("import", "--from", "claude-md")["stored"]


def test_killed_at_any_time_an_import_ends_with_each_piece_once(shell, environment, tmp_path):
    path = tmp_path / "memory.jsonl"
    with path.open("w") as file:
        for number in range(150):
            texts = [f"Service number {number} listens on port {9000 + number}."]
            entity = {"type": "entity", "name": f"service-{number}", "observations": texts}
            file.write(json.dumps(entity) + "\n")
    for wait in (0.9, 1.2, 1.6):
        process = subprocess.Popen(
            [DOOR, "import", "--from", "mcp-memory", str(path)], env=environment,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path / "code/payments",
        )  # fmt: skip
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    done = shell("import", "--from", "mcp-memory", str(path))
    assert 300 == done["stored"] + done["recognised"] + done["known"]
    assert 300 == shell("stats")["total"]


def test_a_project_whose_memory_is_off_gets_nothing(shell, tmp_path):
    off = {"AFORESAID_PROJECT_OFF": "payments,shop"}
    path = copy_sample("memory.jsonl", tmp_path)
    assert "memory is off" in shell("import", "--from", "mcp-memory", path, code=2, **off)
    path = copy_sample("claude-mem.sql", tmp_path)
    output = shell("import", "--from", "claude-mem", path, "--project", "blog", **off)
    assert (1, 4) == (
        output["stored"],
        output["left_out"]["entries of projects whose memory is off"],
    )


def test_a_wrong_form_says_so_and_stores_nothing(shell, tmp_path):
    path = copy_sample("claude-mem.sql", tmp_path)
    output = shell("import", "--from", "mcp-memory-service", path, code=2)
    assert "claude-mem.db" in output
    assert "Traceback" not in output
    assert 0 == shell("stats")["total"]


def test_files_that_are_in_the_project_are_cited(shell, tmp_path):
    (tmp_path / "code" / "payments" / "src").mkdir()
    (tmp_path / "code" / "payments" / "src" / "pay.py").write_text("def pay(): ...\n")
    path = tmp_path / "export.json"
    path.write_text(
        json.dumps(
            {
                "observations": [
                    {"id": 1, "title": "Payments retry", "narrative": "With a key.",
                     "files_modified": '["src/pay.py", "/etc/passwd", "gone.py"]'}
                ]
            }
        )
    )  # fmt: skip
    shell("import", "--from", "claude-mem", str(path))
    (result,) = shell("list", "--no-summary-only")["results"]
    seen = shell("inspect", result["id"])
    assert ["src/pay.py"] == seen["anchors"]


def test_outside_of_a_project_an_import_says_that_it_holds_for_all(shell, environment, tmp_path):
    outside = os.path.join(environment["HOME"], "tmp", "notes")
    os.makedirs(outside, exist_ok=True)
    with open(os.path.join(outside, "CLAUDE.md"), "w", encoding="utf-8") as file:
        file.write("# Garden\n\n- Water the tomatoes before eight.\n")
    lines = os.path.join(outside, "lines.jsonl")
    with open(lines, "w", encoding="utf-8") as file:
        file.write('{"content": "The hose is green."}\n{"content": "x.", "project": "shop"}\n')

    def run(*arguments):
        done = subprocess.run(
            [DOOR, *arguments],
            cwd=outside, env={**environment, "TMPDIR": os.path.dirname(outside)},
            capture_output=True, encoding="utf-8", timeout=120, check=True,
        )  # fmt: skip
        return " ".join(done.stdout.split())

    said = run("import", "--from", "claude-md")
    assert (
        "1 memory stored for all projects: the folder cannot be a project (temporary folder)"
        in said
    )
    assert "aforesaid update ID --project PROJECT" in said
    assert "1 memory stored for all projects" in run("import", lines)
    with open(os.path.join(outside, "CLAUDE.md"), "a", encoding="utf-8") as file:
        file.write("- Cut the roses in March.\n")
    said = run("import", "--from", "claude-md", "--project", "garden")
    assert said.startswith("read: ")
    assert "1 stored in garden, " in said
    assert "for all projects" not in said


def test_json_tells_where_an_import_was_stored_as_the_text_does(shell, environment, tmp_path):
    lines = tmp_path / "lines.jsonl"
    lines.write_text(
        '{"content": "The hose is green."}\n{"content": "The tap drips.", "project": "garden"}\n'
        '{"content": "I am left-handed.", "scope": "global"}\n'
    )
    answer = shell("import", str(lines))
    assert {"global": 1, "garden": 1, "payments": 1} == answer["by_project"]
    assert "note" not in answer
    (tmp_path / "CLAUDE.md").write_text("- Water the tomatoes before eight.\n")
    answer = shell("import", "--from", "claude-md", str(tmp_path / "CLAUDE.md"))
    assert 1 == sum(answer["by_project"].values())
    assert {} == shell("import", "--from", "claude-md", str(tmp_path / "CLAUDE.md"))["by_project"]
    outside = environment["HOME"]
    done = subprocess.run(
        [DOOR, "import", "-", "--json"], input='{"content": "The shed is locked."}',
        cwd=outside, env=environment, capture_output=True, encoding="utf-8", timeout=120,
        check=True,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert ({"global": 1}, 1) == (answer["by_project"], answer["for_all"])
    assert answer["note"].startswith("1 memory stored for all projects: the folder cannot be a")
