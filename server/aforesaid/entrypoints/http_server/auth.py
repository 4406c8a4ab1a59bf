"""Authentication over HTTP: allowed host, no foreign web page, the token.

Every request is checked here first. A web page in a browser can send requests to loopback and, by
a name that resolves there (DNS rebinding), read the answers: such requests carry the page's own
name as Host, or its own Origin.
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

#: Headers that may not be repeated: the first would be checked and the second used.
_ONCE = ("host", "origin", "authorization")
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def allowed_host_names(host: str, port: int, additional: Sequence[str]) -> frozenset[str]:
    """Return the values allowed as a request's Host, in lower case.

    A proxy may omit the port or name its own, so the additional names are allowed with any port.
    """
    own_names = [*_LOOPBACK, f"[{host}]" if ":" in host else host]
    names = {f"{name}:{port}" for name in own_names}
    if port == 80:  # noqa: PLR2004 - the default port, which clients omit
        names |= set(own_names)
    return frozenset(name.lower() for name in (*names, *additional))


class AuthMiddleware:
    """Passes allowed requests on, and refuses all others."""

    def __init__(self, token: str, names: Collection[str]) -> None:
        """Create the middleware.

        Args:
            token: required of each request.
            names: allowed as Host; one without a port allows any port.
        """
        self._expected = f"Bearer {token}".encode()
        self._names = names
        self.app: ASGIApp | None = None
        self.closing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request."""
        assert scope["type"] == "http"
        refusal = self._refusal(Headers(scope=scope))
        if refusal is not None or self.app is None:
            answer = refusal or PlainTextResponse("Starting: try again\n", status_code=503)
            await answer(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        if self.closing:
            return PlainTextResponse("This server is shutting down\n", status_code=503)
        if any(len(headers.getlist(name)) > 1 for name in _ONCE):
            return PlainTextResponse(
                f"Send each of the headers {', '.join(_ONCE)} at most once\n", status_code=400
            )
        if not self._is_allowed(headers.get("host", "")):
            return PlainTextResponse(
                "This Host is not allowed: use 127.0.0.1, or start with --allow-host NAME\n",
                status_code=403,
            )
        origin = headers.get("origin")
        if origin is not None and not self._is_allowed(origin.partition("://")[2]):
            return PlainTextResponse(
                "Requests from web pages of another origin are not allowed\n", status_code=403
            )
        authorization = headers.get("authorization", "").encode("latin-1", "replace")
        if not hmac.compare_digest(authorization, self._expected):
            return PlainTextResponse(
                "Send the header Authorization: Bearer <token>; `aforesaid serve --http` prints "
                "the path of the token file when it starts\n",
                status_code=401,
                headers={"WWW-Authenticate": 'Bearer realm="aforesaid"'},
            )
        return None

    def _is_allowed(self, name: str) -> bool:
        low = name.lower()
        host, _, port = low.rpartition(":")
        return low in self._names or (port.isdigit() and host in self._names)
