"""Who may send a request: the viewer's own pages, in the browser that brought the one-time token.

Every request passes here first, and every response leaves with the headers set here. A page of
another site can send requests to loopback, and read answers by a name that resolves there (DNS
rebinding); a stored text can contain markup. Source: docs/adr/0058.
"""

from __future__ import annotations

import hmac
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 1_000_000  #: of a form: the longest content, percent-encoded, with room
MAX_FIELDS = 2_000  #: of a form
_TOKEN_BYTES = 32
_METHODS = frozenset(("GET", "HEAD", "POST"))
#: Headers that may not be repeated: the first would be checked and the second used.
_ONCE = ("host", "origin", "cookie", "content-length", "content-type")
_FORM = "application/x-www-form-urlencoded"
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    # not no-referrer: with that, browsers send `Origin: null` with this site's own forms
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    '<meta name="viewport" content="width=device-width">'
    '<link rel="icon" href="data:,"><title>Aforesaid</title>{head}</head>'
    "<body><main><h1>Aforesaid</h1><p>{text}</p></main></body></html>"
)
_AGAIN = "Run <code>aforesaid ui</code> again to open it."


class Access:
    """The secrets of one running viewer, and when it was last asked for something."""

    def __init__(self, port: int) -> None:
        """Create the secrets.

        Args:
            port: that the viewer listens at.
        """
        self.hosts = frozenset((f"127.0.0.1:{port}", f"localhost:{port}"))
        self.cookie = f"aforesaid_viewer_{port}"
        self.one_time_token: str | None = secrets.token_urlsafe(_TOKEN_BYTES)
        self.session = secrets.token_urlsafe(_TOKEN_BYTES)
        self.csrf = secrets.token_urlsafe(_TOKEN_BYTES)
        self.last_request = time.monotonic()

    def redeem(self, token: str) -> bool:
        """Return whether this is the one-time token, which then no longer works."""
        if self.one_time_token is None or not _is_equal(token, self.one_time_token):
            return False
        self.one_time_token = None
        return True


class SecurityMiddleware:
    """Passes allowed requests on, refuses all others, and sets the headers of every response."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on or refuse one request; a form's fields are left in the request's state."""
        assert scope["type"] == "http"

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                static = scope["path"].startswith("/static/")
                headers["Cache-Control"] = "no-cache" if static else "no-store"
            await send(message)

        headers = Headers(scope=scope)
        answer = self._refusal_of_place(scope, headers) or self._exchange(scope)
        answer = answer or self._refusal_of_caller(scope, headers)
        if answer is None:
            self._access.last_request = time.monotonic()
            scope.setdefault("state", {})["form"] = ()
            if scope["method"] == "POST":
                answer = await self._read_form(scope, headers, receive)
        await (answer or self._app)(scope, receive, send_with_headers)

    def _refusal_of_place(self, scope: Scope, headers: Headers) -> HTMLResponse | None:
        """Refuse what was sent to another name than this viewer's, or by a method it lacks."""
        if scope["method"] not in _METHODS:
            return _refuse(405, "This method is not allowed.")
        if any(len(headers.getlist(name)) > 1 for name in _ONCE):
            return _refuse(400, "A header was sent twice.")
        if headers.get("host", "").lower() not in self._access.hosts:
            return _refuse(403, "The viewer answers at 127.0.0.1 only.")
        return None

    def _exchange(self, scope: Scope) -> HTMLResponse | None:
        """Give the browser that brings the one-time token its cookie.

        The answer is a page that goes on to the first one, not a redirect: after a redirect, a
        browser that came from another site's link would not send the strict cookie.
        """
        if scope["path"] != "/" or scope["method"] != "GET":
            return None
        fields = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if "token" not in fields:
            return None
        if not self._access.redeem(fields["token"]):
            return _refuse(403, f"This address opens the viewer once, and was used. {_AGAIN}")
        page = _PAGE.format(
            head='<meta http-equiv="refresh" content="0;url=/">',
            text='<a href="/">Open the viewer</a>',
        )
        answer = HTMLResponse(page)
        answer.set_cookie(
            self._access.cookie, self._access.session, httponly=True, samesite="strict", path="/"
        )
        return answer

    def _refusal_of_caller(self, scope: Scope, headers: Headers) -> HTMLResponse | None:
        """Refuse what another site's page sent, and what comes without the cookie."""
        origin = headers.get("origin")
        if scope["method"] == "POST" and origin is None:
            return _refuse(403, "A change needs the header Origin.")
        if origin is not None and origin.lower() not in {
            f"http://{host}" for host in self._access.hosts
        }:
            return _refuse(403, "Requests from pages of another site are not allowed.")
        if headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
            return _refuse(403, "Requests from pages of another site are not allowed.")
        if not _is_equal(_cookie(headers, self._access.cookie), self._access.session):
            return _refuse(403, f"This browser has no access, or lost it. {_AGAIN}")
        return None

    async def _read_form(
        self, scope: Scope, headers: Headers, receive: Receive
    ) -> HTMLResponse | None:
        """Read a form into the request's state; refuse it without this viewer's CSRF token."""
        if headers.get("content-type", "").partition(";")[0].strip().lower() != _FORM:
            return _refuse(415, "A change must be sent as a form.")
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return _refuse(400, "The request was cut short.")
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MAX_BODY_BYTES:
                return _refuse(413, "The form is too large.")
        try:
            fields = parse_qsl(
                body.decode("ascii"),
                keep_blank_values=True, strict_parsing=bool(body), errors="strict",
                max_num_fields=MAX_FIELDS,
            )  # fmt: skip
        except ValueError:
            return _refuse(400, "The form cannot be read.")
        tokens = [value for name, value in fields if name == "csrf"]
        if len(tokens) != 1 or not _is_equal(tokens[0], self._access.csrf):
            return _refuse(403, "This form is out of date: reload the page and try again.")
        scope["state"]["form"] = tuple((name, value) for name, value in fields if name != "csrf")
        return None


def _cookie(headers: Headers, name: str) -> str:
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return "" if morsel is None else morsel.value


def _is_equal(received: str, expected: str) -> bool:
    return hmac.compare_digest(received.encode("utf-8", "replace"), expected.encode())


def _refuse(status: int, text: str) -> HTMLResponse:
    return HTMLResponse(_PAGE.format(head="", text=text), status_code=status)
