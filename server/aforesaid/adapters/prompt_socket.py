"""Both sides of the Unix socket between the prompt hook and the session's MCP server.

Here: the socket's path, access checks, message framing. Not here: the request
(operations/prompt_hook.py) and the answer (operations/prompt_handler.py). A connection carries a
request, an answer, and one byte by which the hook confirms that the answer arrived in time; without
it, the answer does not count as shown.
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

    #: The text, and the function to call once the hook has confirmed receipt.
    Answer = tuple[str, Callable[[], None]]

REQUEST_BYTES = 64_000
ANSWER_BYTES = 64_000
WAIT_SECONDS = 0.15  #: how long a prompt waits for its answer, by default
HOOK_SECONDS = 1.0  #: how long the server waits for each message of a hook
_PATH_BYTES = 100  #: macOS allows 104 for a socket's path, Linux 108
_CONFIRMED = b"\x01"
_LENGTH_BYTES = 4  #: of a message's length prefix
_BACKLOG = 8  #: pending connections


def socket_path(client: int, environment: Mapping[str, str]) -> str:
    """Return the path of the socket on which a client's server listens.

    Args:
        client: the client's pid: the server's parent process, also known to hooks.
        environment: the process environment; both ends inherit the client's.
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


def is_private(folder: str, user: int | None = None) -> bool:
    """Return whether a path is a folder, not a link, that only a user may access.

    Args:
        folder: the path.
        user: the user's id; by default this user's.
    """
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    owner = os.getuid() if user is None else user
    return stat.S_ISDIR(status.st_mode) and status.st_uid == owner and not status.st_mode & 0o077


class PendingReply:
    """An answer whose receipt is not yet confirmed."""

    __slots__ = ("_socket", "text")

    def __init__(self, text: str, connection: Any) -> None:
        self.text = text
        self._socket = connection

    def confirm(self) -> None:
        """Confirm to the server that the answer is used."""
        try:
            self._socket.send(_CONFIRMED)
        finally:
            self._socket.close()


def ask(path: str, request: str, max_seconds: float = WAIT_SECONDS) -> PendingReply | None:
    """Return the server's answer, or None if there is no server or it does not answer in time.

    Raises:
        OSError: the connection failed.
    """
    # the socket module would import selectors and enum
    import _socket

    if not hasattr(_socket, "AF_UNIX") or not is_private(os.path.dirname(path)):
        return None
    deadline = time.monotonic() + max_seconds
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(max_seconds)
        connection.connect(path)
        connection.sendall(_frame(request, REQUEST_BYTES))
        answer = _receive(connection, ANSWER_BYTES, deadline)
    except (FileNotFoundError, ConnectionError, TimeoutError):
        answer = None
    if answer is None:
        connection.close()
        return None
    connection.settimeout(max_seconds)
    return PendingReply(answer, connection)


def _frame(text: str, max_bytes: int) -> bytes:
    """Return a message: its length in four bytes, big-endian, then UTF-8."""
    data = text.encode("utf-8", "replace")[:max_bytes]
    return len(data).to_bytes(_LENGTH_BYTES, "big") + data


def _receive(connection: Any, max_bytes: int, deadline: float) -> str | None:
    """Return one message; None if it is incomplete or too long. Raises TimeoutError."""
    prefix = _receive_bytes(connection, _LENGTH_BYTES, deadline)
    size = int.from_bytes(prefix, "big")
    if len(prefix) < _LENGTH_BYTES or size > max_bytes:
        return None
    data = _receive_bytes(connection, size, deadline)
    return data.decode("utf-8", "replace") if len(data) == size else None


def _receive_bytes(connection: Any, count: int, deadline: float) -> bytes:
    """Return ``count`` bytes, or fewer if the other end closed. Raises TimeoutError."""
    data = b""
    while len(data) < count:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        connection.settimeout(remaining)
        chunk = connection.recv(min(count - len(data), 65_536))
        if not chunk:
            break
        data += chunk
    return data


class PromptSocketServer:
    """The server's side: serves one hook after another."""

    def __init__(self, path: str) -> None:
        """Listen; a socket left behind by a dead server is removed.

        Raises:
            OSError: the folder is not private to this user, or cannot be used.
        """
        import socket

        folder = os.path.dirname(path)
        try:
            os.mkdir(folder, 0o700)
        except FileExistsError:
            pass
        if not is_private(folder):
            raise PermissionError(
                f"{folder} is not private to this user: prompt recall uses words only"
            )
        _remove_stale_sockets(folder)
        _remove_socket(path)
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.bind(path)
            os.chmod(path, 0o600)
            self._socket.listen(_BACKLOG)
            self._inode = os.lstat(path).st_ino
        except OSError:
            self._socket.close()
            raise

    def serve(self, answer: Callable[[str], Answer]) -> None:
        """Answer hooks until the process ends or the socket is closed.

        Args:
            answer: returns the answer to a request, and the function to call once the hook has
                confirmed receipt. Its OSErrors end the connection, not this loop.
        """
        while True:
            try:
                connection, _address = self._socket.accept()
            except OSError:
                return  # closed
            try:
                if _is_same_user(connection):
                    _serve_connection(connection, answer)
            except OSError:
                pass  # the hook is gone or timed out: it then searches on its own
            finally:
                connection.close()

    def close(self) -> None:
        """Stop listening; a later server's socket at the same path is not removed."""
        import socket

        try:
            self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread that is in accept()
        except OSError:
            pass  # macOS refuses; closing is enough there
        self._socket.close()
        try:
            if os.lstat(self._path).st_ino == self._inode:
                os.unlink(self._path)
        except OSError:
            pass  # already removed


def _serve_connection(connection: Any, answer: Callable[[str], Answer]) -> None:
    request = _receive(connection, REQUEST_BYTES, time.monotonic() + HOOK_SECONDS)
    if request is None:
        return
    text, on_confirmed = answer(request)
    connection.settimeout(HOOK_SECONDS)
    connection.sendall(_frame(text, ANSWER_BYTES))
    if _receive_bytes(connection, 1, time.monotonic() + HOOK_SECONDS) == _CONFIRMED:
        on_confirmed()


def _is_same_user(connection: Any) -> bool:
    """Return whether the peer process runs as this user, if the system can tell."""
    import socket

    if not hasattr(socket, "SO_PEERCRED"):
        return True  # only this user can reach the socket: its folder is private
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
    return int.from_bytes(credentials[4:8], sys.byteorder) == os.getuid()


def _remove_socket(path: str) -> None:
    """Remove a stale socket; anything else at the path stays, and binding fails."""
    try:
        if stat.S_ISSOCK(os.lstat(path).st_mode):
            os.unlink(path)
    except FileNotFoundError:
        pass


def _remove_stale_sockets(folder: str) -> None:
    """Remove the sockets of clients that have exited."""
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
