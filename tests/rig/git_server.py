"""A git repository served over smart HTTP on loopback, to be read only.

A marketplace added from a folder is read in place; one added from a git address is cloned and its
plugins copied into the client's cache, which is how users have them. Here: that second route.
"""

from __future__ import annotations

import gzip
import os
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import parse_qs, urlsplit


class GitServer:
    """Serves a folder as a repository; makes it one and commits it first."""

    def __init__(self, work_tree: Path) -> None:
        self.work_tree = work_tree.resolve()
        if not (self.work_tree / ".git").exists():
            self._git("init", "-q", "-b", "main")
        self.publish("first")
        handler = type("Handler", (_Handler,), {"repository": self.work_tree / ".git"})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    @property
    def url(self) -> str:
        """What to clone."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/market.git"

    def publish(self, message: str) -> None:
        """Commit everything in the folder."""
        self._git("add", "-A", "-f")
        self._git("commit", "-q", "--allow-empty", "-m", message)

    def _git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=rig", "-c", "user.email=rig@example.com"]
        plain = ["-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"]
        subprocess.run(
            ["git", *identity, *plain, "-C", str(self.work_tree), *arguments],
            check=True,
            capture_output=True,
        )

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    repository: ClassVar[Path]

    def log_message(self, *args: object) -> None:
        """Keep stderr quiet."""

    def _upload_pack(self, *arguments: str, stdin: bytes = b"") -> bytes:
        protocol = self.headers.get("Git-Protocol", "")
        command = ["git", "-c", "uploadpack.allowAnySHA1InWant=true", "upload-pack"]
        return subprocess.run(
            [*command, "--stateless-rpc", *arguments, str(self.repository)],
            input=stdin,
            env={**os.environ, "GIT_PROTOCOL": protocol},
            capture_output=True,
            check=True,
        ).stdout

    def _send(self, kind: str, data: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"application/x-git-upload-pack-{kind}")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        """Answer which refs there are."""
        url = urlsplit(self.path)
        asked = parse_qs(url.query).get("service")
        if not url.path.endswith("/info/refs") or asked != ["git-upload-pack"]:
            self.send_error(404)
            return
        refs = self._upload_pack("--advertise-refs")
        self._send("advertisement", b"001e# service=git-upload-pack\n0000" + refs)

    def do_POST(self) -> None:
        """Answer with objects."""
        if not urlsplit(self.path).path.endswith("/git-upload-pack"):
            self.send_error(404)
            return
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        self._send("result", self._upload_pack(stdin=data))
