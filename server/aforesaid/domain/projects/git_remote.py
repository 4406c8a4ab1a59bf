"""What the address of a git remote says: which host, which path, under which name.

Here: pure text rules that make one key of all the ways to write one address.
Not here: which remote of a repository counts (detection.py), reading one (adapters/git_reader).
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
# Second doors of one host (mostly ssh over port 443): same repositories, same project.
_OTHER_DOORS = {
    "www.github.com": "github.com",
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
# Hosts that refuse a second repository whose path differs by case alone. Elsewhere case counts:
# taking two projects for one would show one's memories to the other (docs/adr/0005).
_CASE_BLIND = frozenset(
    {"github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitea.com", "dev.azure.com"}
)

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NUMBER_MARKS = "0123456789abcdefABCDEF:.%"  # of an address in brackets


def normalise_remote(url: str) -> str | None:
    """Return ``host/owner/name`` for an address, or ``file:/path`` for a local one.

    The result is a key: without scheme, user, password, default port, query, ``.git`` or closing
    slash; the host in lower case, the path too where the host does not tell cases apart. None for
    what names no repository: blank, relative (``resolve_remote`` first), a transport helper
    (``ext::sh -c ...``), or an address without a path. Never raises.
    """
    parts = _split(url)
    if parts is None:
        return None
    host, path = parts
    if not host:
        return f"file:{path}"
    return f"{host}/{path.lower() if host in _CASE_BLIND else path}"


def key_of_address(text: str) -> str | None:
    """Return the key of the project that an address, or such a key itself, names; else None.

    A name is none: only what has a scheme, or a user before a host.
    """
    text = text.strip()
    if text.startswith("git:") and "//" not in text:
        text = text.removeprefix("git:")
        text = text.removeprefix("file:") if text.startswith("file:") else f"https://{text}"
    elif "://" not in text and not text.startswith("git@"):
        return None
    found = normalise_remote(text)
    return None if found is None else f"git:{found}"


def name_of_key(key: str) -> str:
    """Return the name of a remote's key: ``owner/name``."""
    address = key.removeprefix("git:")
    if address.startswith("file:"):
        return posixpath.basename(address)
    return address.partition("/")[2] or address


def name_remote(url: str) -> str | None:
    """Return the name that people know it by: ``owner/name`` as written, or a local basename."""
    parts = _split(url)
    if parts is None:
        return None
    host, path = parts
    return path if host else posixpath.basename(path) or None


def resolve_remote(url: str, base: str) -> str:
    """Return the address with a relative local path made absolute against ``base``."""
    text = url.strip()
    head = text.split("/", 1)[0]
    if not text or ":" in head or text.startswith("/") or text in {".", ".."}:
        return text
    return posixpath.normpath(posixpath.join(base, text))


def strip_credentials(url: str) -> str:
    """Return the address without user, password, query and fragment; ``git@`` stays."""
    text = _printable(url).strip()
    scheme, mark, rest = text.partition("://")
    if mark:
        rest = _without_query(rest)
        authority, slash, path = rest.partition("/")
        if "@" not in authority and "@" in path and not _is_host(authority):
            # A password with an unescaped slash: everything up to the last @ may be secret.
            authority, slash, path = rest.rpartition("@")[2].partition("/")
        return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"
    head, slash, path = text.partition("/")
    if "@" in head and not head.startswith(("git@", "[git@")):
        head = head.rpartition("@")[2]
    elif head.count("@") > 1:
        head = "git@" + head.rpartition("@")[2]
    return f"{head}{slash}{path}"


def _split(url: str) -> tuple[str, str] | None:
    """Return (host with any odd port, path), or ("", absolute path) of a local address."""
    text = url.strip()
    if not text or len(text) > MAX_ADDRESS_CHARS or text != _printable(text):
        return None
    scheme, mark, rest = text.partition("://")
    if mark:
        return _split_address(scheme.lower(), _without_query(rest))
    return _split_short(text)


def _split_short(text: str) -> tuple[str, str] | None:
    """Return the parts of an address without scheme: ``git@host:owner/name``, or a path."""
    if text[0] in _LETTERS and text[1:3] in {":\\", ":/"}:
        return _local(text[0].lower() + text[1:].replace("\\", "/"))
    if text.startswith("/"):
        return _local(text)
    short = _split_at_host(text)
    if short is None or short[1].startswith(":"):  # helper::address is a program to run
        return None
    host, path = short
    if host.startswith("[") and host.count(":") <= 1:
        # "[user@host:port]:path" is git's own way to give the short form a port.
        host = host[1:-1].rpartition("@")[2]
    return _remote("ssh", host, path)


def _split_at_host(text: str) -> tuple[str, str] | None:
    """Return host and path of ``user@host:path``, or None if it is no such thing."""
    user, at, rest = text.partition("@")
    if not at or any(mark in user for mark in "/:["):
        rest = text
    if rest.startswith("["):
        host, bracket, rest = rest.partition("]")
        host += bracket
        fits = bracket and host != "[]" and "/" not in host and rest.startswith(":")
        return (host, rest[1:]) if fits else None
    host, colon, path = rest.partition(":")
    return (host, path) if colon and _is_plain_host(host) else None


def _split_address(scheme: str, rest: str) -> tuple[str, str] | None:
    authority, _, path = rest.partition("/")
    path = _unescape(path)
    if scheme == "file":
        # On POSIX an authority is the local host or nothing that git could open.
        return _local(f"/{path}") if authority.lower() in {"", "localhost"} else None
    if scheme not in _DEFAULT_PORTS:
        return None
    return _remote(scheme, authority.rpartition("@")[2], path)


def _remote(scheme: str, host: str, path: str) -> tuple[str, str] | None:
    host = host.lower().rstrip(".")
    if not _is_host(host):
        return None
    name, colon, port = host.rpartition(":")
    if colon and "]" not in port and (port in {"", _DEFAULT_PORTS[scheme]} or name in _OTHER_DOORS):
        host = name
    host = _OTHER_DOORS.get(host, host)
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
    """Return the path without doubled and closing slashes and without its ``.git``."""
    while "//" in path:
        path = path.replace("//", "/")
    path = path.rstrip("/")
    if path.endswith(".git"):
        path = path[: -len(".git")].rstrip("/")
    return path


def _is_host(text: str) -> bool:
    """Return whether it is a name or a bracketed number, with or without a port."""
    if text.startswith("["):
        number, bracket, rest = text[1:].partition("]")
        fits = bool(bracket and number) and not number.strip(_NUMBER_MARKS)
    else:
        name, colon, port = text.partition(":")
        fits, rest = _is_plain_host(name), colon + port
    port = rest.removeprefix(":")
    return fits and (not port or (rest != port and port.isdecimal()))


def _is_plain_host(text: str) -> bool:
    """Return whether it could be a host's name: no blank and no mark that ends one."""
    return text.split() == [text] and not any(mark in text for mark in "[]:/@")


def _without_query(text: str) -> str:
    return text.partition("?")[0].partition("#")[0]


def _unescape(path: str) -> str:
    """Return the path with its ``%20`` and the like decoded, where the result is printable."""
    if "%" not in path:
        return path
    import re  # rarely needed, and slow to import for a hook

    raw = re.sub(
        rb"%([0-9A-Fa-f]{2})",
        lambda found: bytes([int(found[1], 16)]),
        path.encode("utf-8", "surrogatepass"),
    )
    text = raw.decode("utf-8", "replace")
    return text if text == _printable(text) and "\ufffd" not in text else path


def _printable(text: str) -> str:
    """Return the text without control characters and lone surrogates."""
    if text.isprintable():  # nearly always: hooks need not import re
        return text
    import re

    return re.sub("[\x00-\x1f\x7f-\x9f\ud800-\udfff]", "", text)
