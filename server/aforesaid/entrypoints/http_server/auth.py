"""Who may come in over HTTP: the right host, no stranger's web page, the token.

Every request passes here before anything reads it. A web page that a browser shows can send
requests to loopback, and by a name that it resolves there (DNS rebinding) read the answers: its
requests carry its own name as Host, or its own Origin.
"""

from __future__ import annotations

import hmac
import ipaddress
from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from starlette.types import ASGIApp, Receive, Scope, Send

#: Who reads the first of two is deceived by the second.
_ONCE = ("host", "origin", "authorization")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Tell whether only this machine reaches that address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def names_of(host: str, port: int, more: Sequence[str]) -> frozenset[str]:
    """Return what a request's Host may say, in lower case.

    A proxy before us may leave the port out or name its own: further names hold with any.
    """
    own = [*_LOOPBACK, f"[{host}]" if ":" in host else host]
    names = {f"{name}:{port}" for name in own}
    if port == 80:  # noqa: PLR2004 - HTTP's own, which clients leave out
        names |= set(own)
    return frozenset(name.lower() for name in (*names, *more))


class AuthMiddleware:
    """Lets requests in, or answers them itself."""

    def __init__(self, token: str, names: Collection[str]) -> None:
        """Guard a server.

        Args:
            token: what each request must bear.
            names: what its Host may say; with a port, or for any port without one.
        """
        self._expected = f"Bearer {token}".encode()
        self._names = names
        self.inside: ASGIApp | None = None
        self.closing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        assert scope["type"] == "http"
        refused = self._refusal(Headers(scope=scope))
        if refused is not None or self.inside is None:
            answer = refused or PlainTextResponse("Starting: try again\n", status_code=503)
            await answer(scope, receive, send)
            return
        await self.inside(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        if self.closing:
            return PlainTextResponse("This server is ending\n", status_code=503)
        if any(len(headers.getlist(name)) > 1 for name in _ONCE):
            return PlainTextResponse(
                f"Send each of the headers {', '.join(_ONCE)} once at most\n", status_code=400
            )
        if not self._is_ours(headers.get("host", "")):
            return PlainTextResponse(
                "This Host is not served here: use 127.0.0.1, or start with --allow-host NAME\n",
                status_code=403,
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_ours(origin.partition("://")[2]):
            return PlainTextResponse(
                "Web pages of another origin may not read this memory\n", status_code=403
            )
        told = headers.get("authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(told, self._expected):
            return PlainTextResponse(
                "Send the header Authorization: Bearer <token>; `aforesaid serve --http` says at "
                "its start where the token is\n",
                status_code=401,
                headers={"WWW-Authenticate": 'Bearer realm="aforesaid"'},
            )
        return None

    def _is_ours(self, name: str) -> bool:
        low = name.lower()
        host, _, port = low.rpartition(":")
        return low in self._names or (port.isdigit() and host in self._names)
