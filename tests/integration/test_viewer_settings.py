"""Settings in the viewer: shown with their source, changed as `config set` does, and reset."""

from __future__ import annotations

import html

import pytest

from aforesaid.config import load_settings
from aforesaid.config.edit import without_value
from aforesaid.domain.errors import InvalidInputError
from aforesaid.entrypoints.api.settings import write_setting
from git_folders import make_repository
from viewer import Viewer


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "payments"
    make_repository(made, remote="https://git.example/acme/payments.git")
    return made


@pytest.fixture
def viewer(own_folders, folder):
    opened = Viewer(own_folders, folder)
    yield opened
    opened.core.close()


def test_each_setting_is_shown_with_what_it_does(viewer):
    page = viewer.get("/settings")
    assert "Maximum number of results of a recall retrieval.max_results" in page
    assert "default: 5 allowed: 1 to 50" in page
    assert "AFORESAID_OFF=1" in page


def test_a_setting_is_changed_and_reset(viewer, own_folders):
    page = viewer.post("/settings/retrieval.max_results", value="9")
    assert "retrieval.max_results is 9. Written to" in page
    assert 9 == load_settings(own_folders)["retrieval.max_results"]
    assert "config.toml:2" in viewer.get("/settings")
    page = viewer.post("/settings/retrieval.max_results/reset")
    assert "has its default again" in page
    assert 5 == load_settings(own_folders)["retrieval.max_results"]


def test_a_wrong_value_comes_back_beside_its_message(viewer):
    name = "retrieval.max_results"
    page = viewer.post(f"/settings/{name}", value="900", next=f"/settings#{name}")
    row = page.partition("Maximum number of results of a recall")[2]
    assert "Save Not saved: retrieval.max_results is 900: use 1 to 50" in row
    assert 'value="900" aria-label="retrieval.max_results"' in viewer.last
    viewer.get("/settings")
    assert 'value="5" aria-label="retrieval.max_results"' in viewer.last


@pytest.mark.parametrize(
    ("given", "stored", "shown"),
    [
        ("one.example, two.example", ["one.example", "two.example"], "one.example, two.example"),
        ('["one.example"]', ["one.example"], "one.example"),
        ("", [], ""),
    ],
)
def test_a_list_is_written_and_shown_without_brackets(viewer, own_folders, given, stored, shown):
    viewer.post("/settings/server.allowed_hosts", value="before.example")
    viewer.post("/settings/server.allowed_hosts", value=given)
    assert stored == load_settings(own_folders)["server.allowed_hosts"]
    assert f'value="{shown}" aria-label="server.allowed_hosts"' in viewer.last


def test_a_list_that_would_be_read_otherwise_keeps_its_brackets(viewer, own_folders):
    pattern = '["key-[a-z]{2,4}"]'
    viewer.post("/settings/privacy.extra_patterns", value=pattern)
    assert ["key-[a-z]{2,4}"] == load_settings(own_folders)["privacy.extra_patterns"]
    assert pattern in html.unescape(viewer.last)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("retrieval.max_results", "900", "use 1 to 50"),
        ("server.log_level", "loud", "use debug or info"),
        ("retrieval.max_result", "9", "did you mean retrieval.max_results?"),
    ],
)
def test_a_wrong_value_is_refused_as_by_the_command(viewer, own_folders, name, value, message):
    assert message in viewer.post(f"/settings/{name}", value=value, next="/settings")
    assert 5 == load_settings(own_folders)["retrieval.max_results"]


def test_what_the_environment_fixes_is_read_only(own_folders, folder):
    viewer = Viewer({**own_folders, "AFORESAID_RETRIEVAL_MAX_RESULTS": "7"}, folder)
    assert "variable AFORESAID_RETRIEVAL_MAX_RESULTS sets it" in viewer.get("/settings")
    page = viewer.post("/settings/retrieval.max_results", value="9", next="/settings")
    assert "takes precedence" in page
    assert not viewer.browser.get("/settings").text.count(
        'action="/settings/retrieval.max_results"'
    )


def test_the_project_is_switched_off_and_on(viewer, own_folders):
    assert "Memory is off here" in viewer.post("/settings/project", off="yes")
    assert load_settings(own_folders)["project.off"]
    assert "Memory is on here" in viewer.post("/settings/project", off="")
    assert [] == load_settings(own_folders)["project.off"]


def test_a_folder_that_is_off_is_shown_and_left_to_the_file(viewer, own_folders):
    write_setting(own_folders, "project.off", [str(viewer.folder.parent)])
    assert "Memory is off here" in viewer.get("/settings")
    page = viewer.post("/settings/project", off="", next="/settings")
    assert "A folder in project.off switches memory off" in page


def test_a_value_over_several_lines_is_left_to_the_user():
    text = "[project]\noff = [\n  'a',\n]\n"
    with pytest.raises(InvalidInputError):
        without_value(text, "project.off")
