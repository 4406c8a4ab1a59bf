"""The private line between a session's prompts and its own server: a local socket, both ends.

Here: where it is, who may use it, how a message is framed. Not here: what is asked
(operations/prompt_hook.py) and answered (operations/prompt_handler.py). One exchange a connection:
a request, an answer, and one byte when the answer was taken in time, so that what arrived too late
does not count as shown.
"""

from __future__ import annotations

import os
import stat
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    #: What was answered, and what to do once it was taken.
    Answer = tuple[str, Callable[[], None]]

REQUEST_BYTES = 64_000
ANSWER_BYTES = 64_000
WAIT_SECONDS = 0.15  #: what a prompt waits for its answer, all in all
GUEST_SECONDS = 1.0  #: what the server waits for each message of one that asks
_PATH_BYTES = 100  #: macOS takes 104 for a socket's path, Linux 108
_TAKEN = b"\x01"
_HEAD_BYTES = 4  #: of a message: its length
_CONNECTIONS = 8  #: that wait their turn


def socket_path(client: int, environment: Mapping[str, str]) -> str:
    """Return where the server of a client's process listens.

    Args:
        client: the client's pid: the server's parent, and what hooks are told.
        environment: the process's; both ends inherit the client's.
    """
    user = os.getuid() if hasattr(os, "getuid") else 0
    name = f"aforesaid-{user}/{client}.sock"
    path = os.path.join(environment.get("TMPDIR") or "/tmp", name)  # noqa: S108 - its folder is checked
    return path if len(os.fsencode(path)) <= _PATH_BYTES else f"/tmp/{name}"  # noqa: S108


def list_listening(environment: Mapping[str, str]) -> list[int]:
    """Return the pids of the clients whose servers answer prompts now."""
    folder = os.path.dirname(socket_path(0, environment))
    if not hasattr(os, "getuid") or not is_private(folder):
        return []
    pids = [name.removesuffix(".sock") for name in os.listdir(folder)]
    return sorted(int(pid) for pid in pids if pid.isdigit() and _runs(int(pid)))


def is_private(folder: str) -> bool:
    """Tell whether a folder is none but this user's own, and no link to another."""
    try:
        facts = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o077


class PendingReply:
    """An answer that arrived."""

    __slots__ = ("_line", "text")

    def __init__(self, text: str, line: Any) -> None:
        self.text = text
        self._line = line

    def take(self) -> None:
        """Tell the server that its answer is used."""
        try:
            self._line.send(_TAKEN)
        finally:
            self._line.close()


def ask(path: str, request: str) -> PendingReply | None:
    """Return the server's answer, or None where nobody answers in time.

    Raises:
        OSError: the line broke.
    """
    # socket itself imports selectors and enums; this is what it is made of
    import _socket

    if not hasattr(_socket, "AF_UNIX") or not is_private(os.path.dirname(path)):
        return None
    until = time.monotonic() + WAIT_SECONDS
    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.settimeout(WAIT_SECONDS)
        line.connect(path)
        line.sendall(_framed(request, REQUEST_BYTES))
        answer = _read(line, ANSWER_BYTES, until)
    except (FileNotFoundError, ConnectionError, TimeoutError):
        line.close()
        return None
    if answer is None:
        line.close()
        return None
    line.settimeout(WAIT_SECONDS)
    return PendingReply(answer, line)


def _framed(text: str, most: int) -> bytes:
    """Return a message: its length in four bytes, most significant first, then UTF-8."""
    data = text.encode("utf-8", "replace")[:most]
    return len(data).to_bytes(_HEAD_BYTES, "big") + data


def _read(line: Any, most: int, until: float) -> str | None:
    """Return one message; None where the other end closed, said too much or nonsense.

    Raises:
        TimeoutError: it did not arrive in time.
    """
    head = _read_bytes(line, _HEAD_BYTES, until)
    size = int.from_bytes(head, "big")
    if len(head) < _HEAD_BYTES or size > most:
        return None
    data = _read_bytes(line, size, until)
    return data.decode("utf-8", "replace") if len(data) == size else None


def _read_bytes(line: Any, count: int, until: float) -> bytes:
    """Return so many bytes, fewer where the other end closed."""
    data = b""
    while len(data) < count:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        piece = line.recv(min(count - len(data), 65_536))
        if not piece:
            break
        data += piece
    return data


class PromptSocketServer:
    """The server's end: one guest after the other."""

    def __init__(self, path: str) -> None:
        """Listen; what a dead server left at the path is removed.

        Raises:
            OSError: the folder is another's, a link or open to others, or cannot be used.
        """
        import socket

        folder = os.path.dirname(path)
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
        if not is_private(folder):
            raise PermissionError(f"{folder} is not this user's alone: prompts go by words")
        _remove_dead(folder)
        _remove_socket(path)
        self._path = path
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._line.bind(path)
            os.chmod(path, 0o600)
            self._line.listen(_CONNECTIONS)
            self._own = os.lstat(path).st_ino
        except OSError:
            self._line.close()
            raise

    def serve(self, answer: Callable[[str], Answer]) -> None:
        """Answer guests until the process ends or the line is closed.

        Args:
            answer: returns the answer to a request, and what to do once it was taken. What it
                raises ends that guest's turn, not this loop.
        """
        while True:
            try:
                guest, _address = self._line.accept()
            except OSError:
                return  # closed
            try:
                if _is_ours(guest):
                    _serve_one(guest, answer)
            except OSError:
                pass  # a guest that went, or waited too long: it has its own way without us
            finally:
                guest.close()

    def close(self) -> None:
        """Stop listening; a later server's socket at the same path is left alone."""
        import socket

        try:
            self._line.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits for a guest
        except OSError:
            pass  # macOS refuses, and closing is enough there
        self._line.close()
        try:
            if os.lstat(self._path).st_ino == self._own:
                os.unlink(self._path)
        except OSError:
            pass  # it is gone already


def _serve_one(guest: Any, answer: Callable[[str], Answer]) -> None:
    request = _read(guest, REQUEST_BYTES, time.monotonic() + GUEST_SECONDS)
    if request is None:
        return
    text, taken = answer(request)
    guest.settimeout(GUEST_SECONDS)
    guest.sendall(_framed(text, ANSWER_BYTES))
    if _read_bytes(guest, 1, time.monotonic() + GUEST_SECONDS) == _TAKEN:
        taken()


def _is_ours(guest: Any) -> bool:
    """Tell whether the other end is this user's process, where the system says so."""
    import socket

    if not hasattr(socket, "SO_PEERCRED"):
        return True  # the folder is private: nobody else came this far
    said = guest.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(said[4:8], sys.byteorder) == os.getuid()


def _remove_socket(path: str) -> None:
    """Remove a socket that nobody listens to any more; anything else stays, and binding fails."""
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
    except FileNotFoundError:
        pass


def _remove_dead(folder: str) -> None:
    """Remove the sockets of clients that are gone."""
    for name in os.listdir(folder):
        pid = name.removesuffix(".sock")
        if pid.isdigit() and not _runs(int(pid)):
            _remove_socket(os.path.join(folder, name))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        pass  # it runs, as another user
    return True
