"""Parses and normalises the addresses of git remotes, so that all spellings give one key.

Choosing among remotes: detection.py. Reading them: adapters/git_reader.
"""

from __future__ import annotations

import posixpath

MAX_ADDRESS_CHARS = 2_000

_DEFAULT_PORTS = {
    "ssh": "22",
    "git+ssh": "22",
    "ssh+git": "22",
    "https": "443",
    "http": "80",
    "git": "9418",
    "ftp": "21",
    "ftps": "990",
}
# Alternative names of a host, mostly for ssh over port 443, with the same repositories.
_HOST_ALIASES = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
# Hosts on which paths are case-insensitive. Elsewhere case matters: treating two projects as one
# would show the memories of one in the other (docs/adr/0005).
_CASE_INSENSITIVE = frozenset(
    {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com", "dev.azure.com"}
)

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_IP_CHARS = "0123456789abcdefABCDEF:.%"  # of an IP address in brackets


def normalise_remote(url: str) -> str | None:
    """Return ``host/owner/name`` for an address, or ``file:/path`` for a local one.

    Scheme, user, password, default port, query, ``.git`` and trailing slashes are dropped; the host
    becomes lower case, and so does the path on hosts that ignore its case. Returns None for a text
    that names no repository: empty, a relative path (use ``resolve_remote`` first), a transport
    helper (``ext::sh -c ...``), or an address without a path. Never raises.
    """
    parts = _split(url)
    if parts is None:
        return None
    host, path = parts
    if not host:
        return f"file:{path}"
    return f"{host}/{path.lower() if host in _CASE_INSENSITIVE else path}"


def key_of_address(text: str) -> str | None:
    """Return the project key for an address or a ``git:`` key; None for any other text.

    An address has a scheme, or begins with ``git@``.
    """
    text = text.strip()
    if text.startswith("git:") and "//" not in text:
        text = text.removeprefix("git:")
        text = text.removeprefix("file:") if text.startswith("file:") else f"https://{text}"
    elif "://" not in text and not text.startswith("git@"):
        return None
    address = normalise_remote(text)
    return None if address is None else f"git:{address}"


def name_of_key(key: str) -> str:
    """Return the project name for a ``git:`` key: ``owner/name``, or the basename of a path."""
    address = key.removeprefix("git:")
    if address.startswith("file:"):
        return posixpath.basename(address)
    return address.partition("/")[2] or address


def name_remote(url: str) -> str | None:
    """Return ``owner/name`` as written in an address, or the basename of a local one."""
    parts = _split(url)
    if parts is None:
        return None
    host, path = parts
    return path if host else posixpath.basename(path) or None


def resolve_remote(url: str, base: str) -> str:
    """Return the address, with a relative local path resolved against ``base``."""
    text = url.strip()
    head = text.split("/", 1)[0]
    if not text or ":" in head or text.startswith("/") or text in {".", ".."}:
        return text
    return posixpath.normpath(posixpath.join(base, text))


def strip_credentials(url: str) -> str:
    """Return the address without user, password, query and fragment; ``git@`` is kept."""
    text = _printable(url).strip()
    scheme, mark, rest = text.partition("://")
    if mark:
        rest = _without_query(rest)
        authority, slash, path = rest.partition("/")
        if "@" not in authority and "@" in path and not _is_host(authority):
            # A password with an unescaped slash: everything before the last @ may be secret.
            authority, slash, path = rest.rpartition("@")[2].partition("/")
        return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"
    head, slash, path = text.partition("/")
    if "@" in head and not head.startswith(("git@", "[git@")):
        head = head.rpartition("@")[2]
    elif head.count("@") > 1:
        head = "git@" + head.rpartition("@")[2]
    return f"{head}{slash}{path}"


def _split(url: str) -> tuple[str, str] | None:
    """Return (host with non-default port, path), or ("", absolute path) for a local address."""
    text = url.strip()
    if not text or len(text) > MAX_ADDRESS_CHARS or text != _printable(text):
        return None
    scheme, mark, rest = text.partition("://")
    if mark:
        return _split_address(scheme.lower(), _without_query(rest))
    return _split_scp(text)


def _split_scp(text: str) -> tuple[str, str] | None:
    """Return the parts of a path or an scp-like address such as ``git@host:owner/name``."""
    if text[0] in _LETTERS and text[1:3] in {":\\", ":/"}:
        return _local(text[0].lower() + text[1:].replace("\\", "/"))
    if text.startswith("/"):
        return _local(text)
    parts = _split_at_host(text)
    if parts is None or parts[1].startswith(":"):  # helper::address runs a program
        return None
    host, path = parts
    if host.startswith("[") and host.count(":") <= 1:
        # "[user@host:port]:path" is the scp-like form with a port.
        host = host[1:-1].rpartition("@")[2]
    return _remote("ssh", host, path)


def _split_at_host(text: str) -> tuple[str, str] | None:
    """Return host and path of ``user@host:path``, or None for another form."""
    user, at, rest = text.partition("@")
    if not at or any(mark in user for mark in "/:["):
        rest = text
    if rest.startswith("["):
        host, bracket, rest = rest.partition("]")
        host += bracket
        is_valid = bracket and host != "[]" and "/" not in host and rest.startswith(":")
        return (host, rest[1:]) if is_valid else None
    host, colon, path = rest.partition(":")
    return (host, path) if colon and _is_plain_host(host) else None


def _split_address(scheme: str, rest: str) -> tuple[str, str] | None:
    authority, _, path = rest.partition("/")
    path = _unescape(path)
    if scheme == "file":
        # On POSIX, git can open no host but the local one.
        return _local(f"/{path}") if authority.lower() in {"", "localhost"} else None
    if scheme not in _DEFAULT_PORTS:
        return None
    return _remote(scheme, authority.rpartition("@")[2], path)


def _remote(scheme: str, host: str, path: str) -> tuple[str, str] | None:
    host = host.lower().rstrip(".")
    if not _is_host(host):
        return None
    name, colon, port = host.rpartition(":")
    if (
        colon
        and "]" not in port
        and (port in {"", _DEFAULT_PORTS[scheme]} or name in _HOST_ALIASES)
    ):
        host = name
    host = _HOST_ALIASES.get(host, host)
    path = _bare_path(path).lstrip("/")
    if host == "dev.azure.com":
        path = path.removeprefix("v3/").replace("/_git/", "/")
    if not path or any(part in {".", ".."} for part in path.split("/")):
        return None
    return host, path


def _local(path: str) -> tuple[str, str] | None:
    path = _bare_path(posixpath.normpath(path))
    if path.startswith("//"):
        path = path[1:]
    return ("", path) if path.strip("/") else None


def _bare_path(path: str) -> str:
    """Return the path without double and trailing slashes and without ``.git``."""
    while "//" in path:
        path = path.replace("//", "/")
    path = path.rstrip("/")
    if path.endswith(".git"):
        path = path[: -len(".git")].rstrip("/")
    return path


def _is_host(text: str) -> bool:
    """Return whether a text is a host name or a bracketed IP address, with or without a port."""
    if text.startswith("["):
        address, bracket, rest = text[1:].partition("]")
        is_valid = bool(bracket and address) and not address.strip(_IP_CHARS)
    else:
        name, colon, port = text.partition(":")
        is_valid, rest = _is_plain_host(name), colon + port
    port = rest.removeprefix(":")
    return is_valid and (not port or (rest != port and port.isdecimal()))


def _is_plain_host(text: str) -> bool:
    """Return whether a text could be a host name: no whitespace, no delimiter."""
    return text.split() == [text] and not any(delimiter in text for delimiter in "[]:/@")


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


def _unescape(path: str) -> str:
    """Return the path percent-decoded, or unchanged if the result is not printable."""
    if "%" not in path:
        return path
    import re  # rarely needed, and slow to import for a hook

    raw = re.sub(
        rb"%([0-9A-Fa-f]{2})",
        lambda match: bytes([int(match[1], 16)]),
        path.encode("utf-8", "surrogatepass"),
    )
    text = raw.decode("utf-8", "replace")
    return text if text == _printable(text) and "\ufffd" not in text else path


def _printable(text: str) -> str:
    """Return the text without control characters and lone surrogates."""
    if text.isprintable():  # nearly always, so hooks need not import re
        return text
    import re

    return re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "", text)
