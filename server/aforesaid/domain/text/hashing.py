"""Short hashes of texts, with and without the installation's secret."""

from __future__ import annotations

from .sanitize import normalise_for_hash

__all__ = ["blake2b", "content_hash", "fence_nonce", "keyed_hash", "text_checksum"]

try:  # without hashlib, which loads OpenSSL first: 3 ms of the hook path
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def content_hash(text: str) -> str:
    """Return 32 hex digits that ignore case, white space and punctuation."""
    digest: str = blake2b(normalise_for_hash(text).encode(), digest_size=16).hexdigest()
    return digest


def text_checksum(*parts: str) -> str:
    """Return 16 hex digits that change with any byte of any part."""
    data = "\0".join(parts).encode("utf-8", "surrogatepass")
    digest: str = blake2b(data, digest_size=8).hexdigest()
    return digest


def keyed_hash(text: str, secret: str) -> str:
    """Return 32 hex digits of the normalised text that reveal nothing without the secret."""
    key = secret.encode()[:64]
    digest: str = blake2b(normalise_for_hash(text).encode(), digest_size=16, key=key).hexdigest()
    return digest


def fence_nonce(text: str, secret: str) -> str:
    """Return 8 hex digits that the text cannot predict, equal for equal texts.

    Equal, because a client that resumes a session keeps an unchanged text only once.
    """
    key = secret.encode()[:64]
    nonce: str = blake2b(text.encode(), digest_size=4, key=key).hexdigest()
    return nonce
