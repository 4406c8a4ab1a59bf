"""Texts that are made to be slow: beginnings of secrets, over and over, that never become one."""

from __future__ import annotations

SEEDS = (
    *(
        "sk-",
        "sk-a1",
        "eyJ",
        "eyJaaaaaaaa.",
        "eyJ.eyJ.",
        "ghp_",
        "a.",
        "M.",
        "MTIzNDU2.",
        "pat",
        "-us",
    ),
    *("Q~", ":AA", "1:AA", "password=", "password: ", "password is ", "token", "token=a1", "pwd:"),
    *(
        "api_key=",
        "api_key",
        "key",
        "://",
        "://a:",
        "a://b:c",
        "://:",
        "-u a:",
        "-u",
        "--user ",
        "a1",
    ),
    *("authorization: bearer ", "authorization:", "bearer ", "bearer a1b2c3d4e5f6g7h8", "secret,"),
    *(
        "-----BEGIN ",
        "-----BEGIN PRIVATE KEY-----",
        "-----BEGIN PRIVATE KEY-----\nA: b\n",
        "-----END ",
    ),
    *(
        "sig=",
        "sig=%",
        "SG.",
        "SG.aaaaaaaaaaaaaaaaaaaaaa.",
        "re_",
        "T3BlbkFJ",
        "sk-T3BlbkFJ",
        "ya29.",
    ),
    *(
        "--password ",
        '"password", "',
        "password\n value: ",
        'secret=\\"',
        "xoxb-",
        "xoxb-1.",
        " ",
        "\n",
    ),
    *(
        "1//0",
        "hooks.slack.com/services/",
        "/api/webhooks/",
        "X-Amz-Security-Token=",
        ".atlasv1.",
        '"',
    ),
    *(
        "a" * 14 + ".atlasv1.",
        "0" * 32 + "-us",
        "--token",
        "--",
        "é",
        "\u0130",
        "$",
        "{{",
        "[redacted:",
    ),
    *("token=ab", "fm2_", "sntrys_", "_auth", "passpasspwd", "credential=x.y(", "key:" + " " * 5),
)


def hostile_texts(length: int) -> dict[str, str]:
    """Return texts of a length, by what they repeat; each also as one word and by lines."""
    texts = {seed: (seed * (length // len(seed) + 1))[:length] for seed in SEEDS}
    texts.update({f"{seed}|": (f"{seed} " * length)[:length] for seed in SEEDS})
    texts.update({f"{seed}/": (f"{seed}\n" * length)[:length] for seed in SEEDS})
    texts.update({f"{seed}+a": (seed + "a1" * length)[:length] for seed in SEEDS})
    return texts
