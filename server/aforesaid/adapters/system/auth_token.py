"""The secret that HTTP clients must bear: made at the first use, in a file of the user's alone."""

from __future__ import annotations

import os
import secrets

from aforesaid.domain.errors import UnavailableError

TOKEN_BYTES = 32
MIN_CHARS = 16  #: shorter ones could be guessed


def read_token(path: str) -> str:
    """Return the token of a file, made if there is none.

    Raises:
        UnavailableError: it cannot be read or made, or is too short to keep anybody out.
    """
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        _make(path)
        if os.name == "posix" and os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o600)
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(f"the token file {path} cannot be used: {error}") from error
    if len(token) < MIN_CHARS or not (token.isascii() and token.isprintable()):
        raise UnavailableError(
            f"the token in {path} is no {MIN_CHARS} or more ASCII characters: delete the file, "
            "a new one is made at the next start"
        )
    return token


def _make(path: str) -> None:
    """Write a new token, unless there is one; nobody ever reads half of it."""
    if os.path.exists(path):
        return
    draft = f"{path}.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(TOKEN_BYTES) + "\n")
    try:
        os.link(draft, path)  # another process may have been faster: then its token holds
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
