"""All ways to write a remote's address make one key; credentials are in none."""

from __future__ import annotations

import pytest

from aforesaid.domain.projects.git_remote import (
    name_remote,
    normalise_remote,
    resolve_remote,
    strip_credentials,
)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/acme/payments",
        "https://github.com/acme/payments.git",
        "https://github.com/acme/payments.git/",
        "https://github.com/acme/payments/",
        "https://GitHub.com/Acme/Payments.git",
        "https://github.com:443/acme/payments",
        "http://github.com/acme/payments",
        "http://github.com:80/acme//payments",
        "https://ghp_0123456789@github.com/acme/payments.git",
        "https://user:t0ken@github.com/acme/payments.git",
        "https://user:p%40ss@github.com/acme/payments.git",
        "https://us@er:pa@ss@github.com/acme/payments",
        "https://github.com/acme/payments.git?access_token=abc#readme",
        "https://www.github.com/acme/payments",
        "git@github.com:acme/payments.git",
        "git@github.com:/acme/payments.git",
        "github.com:acme/payments",
        "[git@github.com:22]:acme/payments.git",
        "ssh://git@github.com/acme/payments.git",
        "ssh://git@github.com:22/acme/payments",
        "ssh://git@ssh.github.com:443/acme/payments.git",
        "git+ssh://git@github.com/acme/payments.git",
        "git://github.com/acme/payments.git",
        "git://github.com:9418/acme/payments.git",
        "  https://github.com/acme/payments\n",
        "https://github.com./acme/payments",
    ],
)
def test_one_repository_has_one_key_however_it_is_written(url: str) -> None:
    assert "github.com/acme/payments" == normalise_remote(url)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://git.example.org/Team/Tool.git", "git.example.org/Team/Tool"),
        ("https://git.example.org:8443/team/tool", "git.example.org:8443/team/tool"),
        ("ssh://git@git.example.org:2222/team/tool.git", "git.example.org:2222/team/tool"),
        ("https://gitlab.com/Group/Sub/Name.git", "gitlab.com/group/sub/name"),
        ("git@bitbucket.org:Team/Repo.git", "bitbucket.org/team/repo"),
        ("https://me@dev.azure.com/org/proj/_git/repo", "dev.azure.com/org/proj/repo"),
        ("git@ssh.dev.azure.com:v3/org/proj/repo", "dev.azure.com/org/proj/repo"),
        ("https://example.org/a%20b/c", "example.org/a b/c"),
        ("ssh://git@[2001:DB8::1]:2222/a/b.git", "[2001:db8::1]:2222/a/b"),
        ("user@host:~me/repo.git", "host/~me/repo"),
        ("work-alias:acme/payments.git", "work-alias/acme/payments"),
        ("host.org:name.git", "host.org/name"),
        ("/srv/git/payments.git", "file:/srv/git/payments"),
        ("/srv/git/payments/.git", "file:/srv/git/payments"),
        ("/srv/git/../git/payments/", "file:/srv/git/payments"),
        ("file:///srv/git/payments.git", "file:/srv/git/payments"),
        ("file://localhost/srv/git/pay%20ments", "file:/srv/git/pay ments"),
        ("C:\\code\\Payments.git", "file:c:/code/Payments"),
    ],
)
def test_other_hosts_ports_and_paths_are_kept_apart(url: str, key: str) -> None:
    assert key == normalise_remote(url)


@pytest.mark.parametrize(
    "url",
    [
        "", "  ", ".", "..", "../up.git", "sub/repo", "https://", "https://github.com",
        "https://github.com/", "https:///path", "ext::sh -c 'touch /tmp/x'", "fd::17/foo",
        "codecommit::eu-west-1://repo", "javascript://x/y", "git@github.com:", "host:/",
        "https://user:pa/ss@github.com/a/b", "https://github.com/a/../../b", "/",
        "https://github.com/a\x00b", "https://github.com/a\nb", "\udcff", "x" * 3000,
        "https://[::1/a/b", "file://server/share", "https://github.com/.git",
    ],
)  # fmt: skip
def test_what_names_no_repository_has_no_key(url: str) -> None:
    assert normalise_remote(url) is None


@pytest.mark.parametrize(
    ("url", "bare"),
    [
        ("https://user:t0ken@example.org/a/b.git", "https://example.org/a/b.git"),
        ("https://t0ken@example.org/a/b.git", "https://example.org/a/b.git"),
        ("https://us@er:t0@ken@example.org/a/b", "https://example.org/a/b"),
        ("https://user:t0/ken@example.org/a/b", "https://example.org/a/b"),
        ("https://example.org/a/b?token=t0ken#x", "https://example.org/a/b"),
        ("ssh://git:t0ken@example.org:2222/a/b", "ssh://example.org:2222/a/b"),
        ("git@example.org:a/b.git", "git@example.org:a/b.git"),
        ("t0ken@example.org:a/b.git", "example.org:a/b.git"),
        ("user:t0ken@example.org/a/b", "example.org/a/b"),
        ("https://example.org/a@v1/b", "https://example.org/a@v1/b"),
        ("/srv/git/a.git", "/srv/git/a.git"),
    ],
)
def test_no_credential_is_left(url: str, bare: str) -> None:
    assert bare == strip_credentials(url)


def test_the_name_keeps_its_capitals() -> None:
    assert "Acme/Payments" == name_remote("git@GitHub.com:Acme/Payments.git")
    assert "payments" == name_remote("/srv/git/payments.git")
    assert name_remote("..") is None


@pytest.mark.parametrize(
    ("url", "resolved"),
    [
        ("../hub/x.git", "/w/hub/x.git"),
        ("x", "/w/pay/x"),
        ("/abs", "/abs"),
        ("git@h:a/b", "git@h:a/b"),
        (".", "."),
    ],
)
def test_only_relative_paths_are_resolved(url: str, resolved: str) -> None:
    assert resolved == resolve_remote(url, "/w/pay")
