"""The bearer token of the HTTP server: created at first use, in a file private to the user."""

from __future__ import annotations

import os
import secrets

from aforesaid.domain.errors import UnavailableError

TOKEN_BYTES = 32
MIN_CHARS = 16  #: shorter tokens could be guessed


def read_token(path: str) -> str:
    """Return the token in a file, which is created if it does not exist.

    Raises:
        UnavailableError: the file cannot be used, or its token is too short or not ASCII.
    """
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        _create(path)
        if os.name == "posix" and os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o600)
        with open(path, encoding="utf-8") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UnavailableError(f"cannot read or create the token file {path}: {error}") from error
    if len(token) < MIN_CHARS or not (token.isascii() and token.isprintable()):
        raise UnavailableError(
            f"the token in {path} must have at least {MIN_CHARS} ASCII characters: delete the file "
            "to have a new one created at the next start"
        )
    return token


def _create(path: str) -> None:
    """Write a new token atomically, unless the file exists."""
    if os.path.exists(path):
        return
    draft = f"{path}.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(TOKEN_BYTES) + "\n")
    try:
        os.link(draft, path)  # if another process was faster, its token stays
    except FileExistsError:
        pass
    finally:
        os.unlink(draft)
