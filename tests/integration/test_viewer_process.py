"""``aforesaid ui`` as a process: its address, its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import httpx2
import pytest

from interfaces import LAUNCHER


def start(environment, folder, *command):
    process = subprocess.Popen(
        command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    first, second = process.stdout.readline(), process.stdout.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", second)
    assert address, first + second + process.stderr.read()
    return process, address[0]


def end_of(process):
    code = process.wait(30)
    process.stdout.close()
    process.stderr.close()
    return code


@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM])
def test_the_printed_address_opens_it_and_a_signal_ends_it(environment, tmp_path, by):
    process, address = start(environment, tmp_path, LAUNCHER, "ui", "--no-browser")
    with httpx2.Client() as browser:
        assert 200 == browser.get(address).status_code
        answer = browser.get(address.partition("?")[0])
        assert 200 == answer.status_code
        assert "Today" in answer.text
        assert "server" not in answer.headers
    process.send_signal(by)
    assert 0 == end_of(process)


def test_it_ends_when_it_is_not_used(environment, tmp_path):
    code = (
        "import sys; from aforesaid.entrypoints.viewer.server import main; "
        "sys.exit(main(port=0, browser=False, folder='.', idle_seconds=1.0))"
    )
    path = ":".join(path for path in sys.path if path)
    process, _address = start(
        {**environment, "PYTHONPATH": path}, tmp_path, sys.executable, "-c", code
    )
    assert 0 == end_of(process)


def test_a_port_in_use_is_an_error_with_a_remedy(environment, tmp_path):
    process, address = start(environment, tmp_path, LAUNCHER, "ui", "--no-browser")
    port = address.split(":")[2].partition("/")[0]
    second = subprocess.run(
        [LAUNCHER, "ui", "--no-browser", "--port", port],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    process.terminate()
    end_of(process)
    assert 5 == second.returncode
    assert "--port" in second.stderr


def test_detached_it_runs_on_and_tells_its_process(environment, tmp_path):
    started = subprocess.run(
        [LAUNCHER, "ui", "--no-browser", "--detach"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    process = int(re.search(r"process (\d+)", started.stdout)[1])
    try:
        assert 0 == started.returncode
        address = re.search(r"http://\S+", started.stdout)[0]
        assert 200 == httpx2.get(address).status_code
    finally:
        os.kill(process, signal.SIGTERM)


def test_the_address_is_not_printed_where_the_browser_opens_it(environment, tmp_path):
    opener = tmp_path / "opener"
    opener.write_text(f'#!/bin/sh\nprintf %s "$1" > {tmp_path}/address\n')
    opener.chmod(0o755)
    environment["BROWSER"] = f"{opener} %s"
    started = subprocess.run(
        [LAUNCHER, "ui", "--detach"],
        env=environment, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    os.kill(int(re.search(r"process (\d+)", started.stdout)[1]), signal.SIGTERM)
    assert "token" not in started.stdout
    assert "token" in (tmp_path / "address").read_text()
