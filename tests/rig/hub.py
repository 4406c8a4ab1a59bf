"""A hub of models on loopback, that lists files and gives them whole or in parts."""

from __future__ import annotations

import hashlib
import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rig.embedding_api import Loopback

COMMIT = "0123456789abcdef0123456789abcdef01234567"


class ModelHub(Loopback):
    """Gives the files of a folder as the model ``owner/name``."""

    def __init__(self, folder: Path, name: str = "owner/tiny") -> None:
        self.name = name
        self.commit = COMMIT
        self.files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        self.announced: dict[str, bytes] = {}  #: listed as if they were these
        self.more: list[dict[str, object]] = []  #: listed too
        self.cut_after: list[int] = []  #: bytes after which the next answers break off
        self.ranges = True
        self.asked: list[tuple[str, str | None]] = []  #: file and range
        super().__init__(type("Handler", (_Handler,), {"hub": self}))

    def listing(self) -> dict[str, object]:
        rows = []
        for name, real in self.files.items():
            content = self.announced.get(name, real)
            row: dict[str, object] = {"rfilename": name, "size": len(content)}
            if name.endswith((".onnx", "tokenizer.json")):
                row["lfs"] = {
                    "sha256": hashlib.sha256(content).hexdigest(), "size": len(content),
                }  # fmt: skip
            rows.append(row)
        return {"id": self.name, "sha": self.commit, "siblings": [*rows, *self.more]}


class _Handler(BaseHTTPRequestHandler):
    hub: ModelHub

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path)
        if path == f"/api/models/{self.hub.name}/revision/main":
            self._send(200, json.dumps(self.hub.listing()).encode())
            return
        name = path.removeprefix(f"/{self.hub.name}/resolve/{self.hub.commit}/")
        if name not in self.hub.files:
            self._send(404, b'{"error": "Repository not found"}')
            return
        wanted = self.headers.get("range")
        self.hub.asked.append((name, wanted))
        content, start = self.hub.files[name], 0
        if wanted and self.hub.ranges:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
        self._send(206 if start else 200, content[start:], cut=True)

    def _send(self, status: int, content: bytes, *, cut: bool = False) -> None:
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        if cut and self.hub.cut_after:
            content = content[: self.hub.cut_after.pop(0)]
            self.close_connection = True
        self.wfile.write(content)

    def log_message(self, *_args: object) -> None:
        pass
