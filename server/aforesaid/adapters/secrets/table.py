"""The formats of secrets, and the names and words around them.

Patterns are compiled at first use and matched only where a literal was found. Every repetition in
them is bounded, so that time is linear in the text. Not here: running the table (filter.py),
deciding whether a value is a secret (values.py).
"""

from __future__ import annotations

import re

# One rule per line: kind, alphabet of the value, its minimum length, prefixes.
# Source: the vendors' documentation and the formats registered with code hosts' secret scanners.
MARKED = """
github-token alnum 30 ghp_ gho_ ghu_ ghs_ ghr_
github-token word 50 github_pat_
gitlab-token url 18 glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-
slack-token dotted 20 xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxe. xoxc- xoxd- xapp-
stripe-key alnum 16 sk_live_ sk_test_ rk_live_ rk_test_
webhook-secret base64 24 whsec_
anthropic-key url 24 sk-ant-
openai-key url 40 sk-proj- sk-svcacct- sk-admin- sk-None-
api-key url 20 sk-or- sk-lf- csk- pplx- xai- nvapi- tvly- gsk_ sk-
api-key alnum 30 r8_ nfp_ ntn_ secret_ lin_api_ lin_oauth_ jina_ sk_ phx_ rnd_
api-key alnum 40 EZAK EZTK CLOJARS_
google-key url 33 AIza
google-secret url 24 GOCSPX-
google-token dotted 30 ya29. 1//0
npm-token alnum 36 npm_
pypi-token url 40 pypi-AgEI pypi-AgEN
huggingface-token alnum 30 hf_ api_org_
twilio-key hex 32 SK
mailgun-key hex 32 key-
brevo-key url 64 xkeysib-
digitalocean-token hex 60 dop_v1_ doo_v1_ dor_v1_
shopify-token hex 32 shpat_ shpca_ shppa_ shpss_
square-token url 22 sq0atp- sq0csp- sq0idp-
figma-token url 36 figd_
sentry-token base64url 40 sntrys_ sntryu_
grafana-token base64url 32 glsa_ glc_
newrelic-key alnum 27 NRAK- NRII-
databricks-token hex 32 dapi
vault-token url 24 hvs. hvb. hvr.
doppler-token alnum 40 dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.
pulumi-token hex 40 pul-
planetscale-token dotted 30 pscale_tkn_ pscale_pw_ pscale_oauth_
supabase-key url 20 sb_secret_
supabase-key hex 40 sbp_
docker-token url 20 dckr_pat_ dckr_oat_
rubygems-key hex 48 rubygems_
atlassian-token base64url 60 ATATT3 ATCTT3
bitbucket-token base64url 24 ATBB
postman-key url 50 PMAK-
langsmith-key word 32 lsv2_pt_ lsv2_sk_
pinecone-key word 40 pcsk_
facebook-token alnum 100 EAA
age-key alnum 50 AGE-SECRET-KEY-1
flyio-token base64url 40 fm2_ fm1r_ fo1_
onepassword-token base64url 100 ops_ey
hubspot-token url 36 pat-na1- pat-na2- pat-eu1-
heroku-key url 36 HRKU-
linear-hook alnum 32 lin_wh_
contentful-token url 43 CFPAT-
dynatrace-token dotted 60 dt0c01. dt0s01. dt0s16.
dropbox-token url 100 sl.
alibaba-key alnum 16 LTAI
typeform-token dotted 40 tfp_
shippo-token hex 40 shippo_live_ shippo_test_
artifactory-token alnum 60 AKCp
nuget-key alnum 42 oy2
e2b-key hex 40 e2b_
"""
ALPHABETS = {
    "alnum": r"[A-Za-z0-9]{0,400}",
    "word": r"\w{0,400}",
    "hex": r"[0-9a-fA-F]{0,400}",
    "url": r"[\w-]{0,600}",
    "dotted": r"[\w.-]{0,2000}",
    "base64": r"[A-Za-z0-9+/=]{0,600}",
    "base64url": r"[\w+/=-]{0,4000}",
}
AT: tuple[int, ...] = (0,)
#: Kind, a literal to search for, offsets before it at which the pattern may begin, the pattern.
#: Group 1 is redacted, or else the whole match.
SHAPED: tuple[tuple[str, str, tuple[int, ...], str], ...] = (
    ("aws-key-id", "AKIA", AT, r"AKIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key-id", "ASIA", AT, r"ASIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key-id", "ABIA", AT, r"ABIA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("aws-key-id", "ACCA", AT, r"ACCA[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("sendgrid-key", "SG.", AT, r"SG\.[\w-]{18,26}\.[\w-]{38,50}"),
    ("resend-key", "re_", AT, r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,30}(?!\w)"),
    ("mailchimp-key", "-us", (32,), r"[0-9a-f]{32}-us\d{1,2}(?!\w)"),
    ("azure-secret", "Q~", (4,), r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
    ("terraform-token", ".atlasv1.", (14,), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{50,90}"),
    ("airtable-token", "pat", AT, r"pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("telegram-token", ":AA", (10, 9, 8), r"\d{8,10}:AA[\w-]{32,34}(?![\w-])"),
    ("discord-token", ".", (26, 25, 24), r"[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])"),
    ("webhook-url", "hooks.slack.com/", AT, r"hooks\.slack\.com/\w{8,9}/([\w/]{20,120})"),
    ("webhook-url", "/api/webhooks/", AT, r"/api/webhooks/(\d{15,21}/[\w-]{40,90})"),
    ("webhook-url", ".webhook.office.com/", AT, r"\.webhook\.office\.com/([\w/@.-]{60,300})"),
    ("signed-url", "sig=", AT, r"sig=([\w%/+=-]{30,200})"),
    ("signed-url", "X-Amz-Signature=", AT, r"X-Amz-Signature=([0-9a-f]{64})"),
    ("signed-url", "X-Amz-Security-Token=", AT, r"X-Amz-Security-Token=([\w%/+=-]{40,2000})"),
    ("jwt", "eyJ", AT, r"eyJ[\w-]{8,4000}\.eyJ[\w-]{6,8000}(?:\.[\w-]{0,4000}){0,4}"),
    ("firebase-key", ":APA91b", (11,), r"[\w-]{11}:APA91b[\w-]{100,200}"),
    ("url-password", "://", AT, r"://[^\s/:@\"'<>`]{0,100}:(?!\d{1,5}[?#;,])([^\s/\"'<>`]{2,200})@"),
    ("url-password", ":\\/\\/", AT, r":\\/\\/[^\s/:@\"'<>`]{0,100}:([^\s/\\\"'<>`]{2,200})@"),
    ("url-password", "%3A%2F%2F", AT, r"%3A%2F%2F[\w.+-]{0,99}%3A(?!\d+%2F)([\w.~%+-]{2,200}?)%40"),
)  # fmt: skip
VALUE = (
    r"(?:[fbr](?=[\\\"'`]))?(?:\"([^\"\n]{4,600})\"|'([^'\n]{4,600})'|`([^`\n]{4,600})`"
    r"|\\\"([^\"\\\n]{4,600})\\\"|([^\s\"'`<>\\]{4,600}))"
)
PATTERNS = {
    # Between a name and its value.
    "assigned": r"(?i)(?:s|_base|_value|\d)?(?:\\?[\"'`]|\]){0,2}"
    r"(?:\*{0,2}[ \t]{0,5}(?::=|=>|={1,2}|[:\uff1a]|%3a|%3d)\*{0,2}"
    # In YAML and JSON the value may have a line of its own.
    r"(?:[ \t]{0,5}|[ \t]{0,5}(?:[|>][+-]?)?[ \t]{0,5}\n[ \t]{1,40}"
    r"(?=[^\s\[{#][^\s()]{3,599}(?<![:{\[])(?:\n|$)))"
    r"|[\"'`](?:[ \t]{0,2},[ \t]{0,3}|[ \t]{1,3}value=)(?=[\"'])"
    r"|>(?=[^\s<>]{4,600}</)"
    r"|\s{0,5}\n\s{0,20}value[\"']?[ \t]{0,3}[:=][ \t]{0,3})" + VALUE,
    "spoken": r"(?i)[\"'`]?(?:[ \t]{1,3}to|"
    r"[ \t]{1,3}(?:for|of|on|f\u00fcr|von|de|para)(?:[ \t]{1,3}[\w.@-]{1,30}){1,4}?"
    r"(?:[ \t]{1,3}(?:is|was|ist|lautet|est|es|\u00e9)|[ \t]?[:=](?=[ \t]))|"
    r"[ \t]{1,3}(?:is|was|ist|lautet|est|es|\u00e9))"
    r"(?:[ \t]now)?[ \t:]{1,3}" + VALUE,
    "words": r"[A-Za-z]{2,20}(?:[ ][A-Za-z0-9]{1,20}){2,8}(?=[.,;|)\"'`#\n]|[ \t]*(?:\n|$))",
    "type": r"(?i)[&*]*\w*(?:string|str|text|char|bytes?|field|column|input|type|schema|any|object|"
    r"option(?:al)?|null|none|nil|undefined|bool(?:ean)?|hash|buffer)[?!*&\[\];,]*|![a-z]+",
    "naming": r"(?i)[a-z_.-]*(?:pass(?:word|wd|phrase|wort)|secret|token|credential)[a-z_.-]*\d?",
    "plain": r"[A-Za-z]+(?:[_.-][A-Za-z]+)*",
    "closed": r"[)\]]\w",
    "flag": r"(?i)[ \t]{1,3}" + VALUE,
    "below": r"(?i)[ \t]{0,3}[:=]?[ \t]{0,3}\n[ \t]{0,20}" + VALUE + r"(?=[ \t]{0,20}(?:\n|$))",
    "header": r"(?i)authorization[\"'\\]{0,2}[\]]?[ \t]{0,3}[:=,][ \t]{0,3}[fbr]?[\"'\\]{0,2}"
    r"(?:basic|bearer|token|apikey|digest|key)[ \t]{1,3}([^\s\"'`<>\\,;]{8,4000})",
    "bearer": r"(?i)bearer[ \t]{1,3}([\w.~+/=-]{16,4000})",
    "basic": r"(?i)basic[ \t]{1,3}([A-Za-z0-9+/=]{16,4000})",
    "docker": r"(?i)\"auth\\?\"[ \t]{0,3}:[ \t]{0,3}\\?\"([A-Za-z0-9+/=]{12,4000})",
    "raw": r"(?i)authorization[\"'\\]{0,2}[\]]?[ \t]{0,3}[:=][ \t]{0,3}"
    r"(?:[fbr](?=[\"'\\]))?[\"'\\]{0,2}([\w.~+/=-]{16,4000})",
    # Not a container's --user NUMBER:NUMBER or NAME:NAME.
    "user": r"(?i)(?:(?<!\S)-u[ =]?|--(?:proxy-)?user[ =])[\"']?([^\s:\"'/]{1,64}):"
    r"(?!(?:\1|\d{1,6})(?!\S))([^\s\"'`<>]{3,200})",
    "identified": r"(?i)identified[ \t]{1,3}by[ \t]{1,3}(?:password[ \t]{1,3})?'([^'\n]{4,200})'",
    "sshpass": r"(?i)sshpass[ \t]{1,3}-p[ \t]{0,3}[\"']?([^\s\"'`<>]{3,200})",
    "mysql": r"(?i)(?:mysql|mariadb)[^\n|;&]{0,120}?[ \t]-p(?![\d:]{1,30}(?!\S))[\"']?"
    r"([^\s\"'`<>]{4,200})",
    "login": r"(?i)login[ \t][^\n|;&]{0,120}?(?<=[ \t])-p[ =]?(?![\d:]{1,30}(?!\S))[\"']?"
    r"([^\s\"'`<>]{4,200})",
    "redis": r"(?i)redis-cli[^\n|;&]{0,120}?[ \t](?:-a|--pass)[ =][\"']?([^\s\"'`<>]{4,200})",
    "cookie": r"(?i)cookie[\"']{0,2}[ \t]{0,3}[:=][ \t]{0,3}[\"']?"
    r"([^\n\"'<>=]{1,40}=[^\n\"'<>]{16,4000})",
    "wifi": r"(?i)\b(?:wi-?fi|wlan)[ \t]key[ \t]{0,3}(?:is[ \t]|[:=])[ \t]{0,3}[\"'`]?"
    r"([^\s\"'`<>]{8,63})",
    "community": r"(?i)community string[ \t]{0,3}(?:is[ \t]|[:=])?[ \t]{0,3}[\"'`]?"
    r"([^\s\"'`<>]{8,63})",
    # "the login for grafana is admin / PASSWORD"
    "pair": r"(?i)(?:login|credentials?)[ \t][^\n.;:=]{0,60}?(?:(?<=is )|(?<=are )|(?<=: )|(?<== ))"
    r"[^\s/]{2,40} / ([^\s\"'`<>]{6,100})",
    "pin": r"(?:(?<![\w-])PIN|(?:(?<=[Mm]y )|(?<=[Yy]our )|(?<=[Dd]oor )|(?<=[Ss]im )|(?<=SIM )"
    r"|(?<=[Cc]ard )|(?<=[Pp]hone )|(?<=[Aa]larm ))pin)(?:[ -](?:code|number))?"
    r"(?:[ ](?:is|was|ist|lautet)[ ]|[ ]?[:=][ ]?|[ ])[\"'`]?(\d{4,8})(?![\w.]\d|\w)",
    # Groups of a bank card, 4-4-4-4 or 4-6-5, with or without gaps.
    "card": r"(?<![\w.,#-])(?:[4-6]\d{3}|2[2-7]\d\d)([ -]?)\d{4}\1\d{4}\1\d{4}(?![\w]|[.-]\d)"
    r"|(?<![\w.,#-])3[47]\d\d([ -]?)\d{6}\2\d{5}(?![\w]|[.-]\d)",
    "aws_secret": r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9/+]{40}",
    "short_key": r"(?=.*[A-Za-z])(?=.*\d.*\d)(?![vV]\d)[A-Za-z0-9_-]{6,80}",
    "at_address": r"(?<![\w/:@.-])[a-z_][\w-]{0,31}:([^\s:@/\"'`<>]{8,40})@"
    r"(?=\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))",
    "pem": r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----",
    # Preceded by the line prefixes of a quotation, comment, listing or string.
    "pem_body": r"(?:[^A-Za-z0-9]|\\[nr]|\d{1,6}(?=[\t\u2192:| ])){0,60}"
    r"(?:[A-Za-z-]{3,20}: [^\n]{0,80}\n\s{0,4}){0,4}[A-Za-z0-9+/]{16}",
    "pem_end": r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----",
    "pem_line": r"(?:(?<=\\[nr])|(?<![\\A-Za-z0-9+/=]))[A-Za-z0-9+/=]{16,}",
    "pem_gap": r"(?:\\[nr]|[^A-Za-z0-9]|\d{1,6}(?=[\t\u2192:| ])){1,24}",
    "pem_last": r"(?:\\[nr]|[^A-Za-z0-9]|\d{1,6}(?=[\t\u2192:| ])){0,24}"
    r"(?:[A-Za-z0-9+/=]{1,15}(?:\\[nr]|[^A-Za-z0-9]|\d{1,6}(?=[\t\u2192:| ])){1,24})?",
    "putty": r"Private-Lines:[ \t]{0,3}\d{1,4}[^A-Za-z0-9]{1,40}[A-Za-z0-9+/]{16}",
    "putty_end": r"Private-(?:MAC|Hash):[ \t]{0,3}[0-9a-fA-F]{16,128}",
    # HOST:PORT:DATABASE:USER:PASSWORD
    "pgpass": r"(?<=[\w*]):(?:\d{1,5}|\*):[^\s:\"']{1,100}:[^\s:\"']{1,100}:([^\s\"']{4,200})",
    "host": r"[\s>#\"'`-]{0,20}[\w.*/-]{1,200}",
    "row": r"[^\n|]{0,1000}\|[^\n]{0,4000}",
    "rule": r":?-+:?|",
    "label": r"[^\W\d][\w .-]*",
    # Invisible characters; joints of continued lines and concatenated strings.
    "unseen": "[\u00ad\u034f\u061c\u180e\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]+",
    "joint": r"\\\n[ \t]{0,40}|[\"'][ \t]{0,5}(?:[+.][ \t]{0,5}\\?\n?|\\?\n[ \t]{0,40}[+.]?)"
    r"[ \t]{0,40}[\"']",
    "hash": r"(?i)(?:wpa\d|argon2|pbkdf2|bcrypt|scrypt|sha-?\d|[hre]s\d{3}$|"
    r"oauth-?\d|base-?\d\d|aes|md5|utf|ed25519)",
    "variable": r"[$%]\{?\(?[A-Za-z_]\w*|\{{1,2}\s?[A-Za-z_][^\n]{0,200}",
    "code": r"[$@&*]{0,2}[A-Za-z_]\w*(?:(?:\.|->|::)[A-Za-z_]\w*)*(?:([\[(]).{0,600})?$",
    "parts": r"[A-Za-z0-9]+",
}  # fmt: skip
#: A value beside one of these names is a secret unless it is clearly something else. In the
#: languages of the digest, and a few more.
PASSWORD_WORDS = (
    *("password", "passwd", "passphrase", "passcode", "pass", "pwd", "pw", "passwort", "kennwort"),
    *("mot de passe", "contrase\u00f1a", "contrasena", "senha", "wachtwoord", "has\u0142o"),
    *("\u5bc6\u7801", "\u5bc6\u78bc", "\u30d1\u30b9\u30ef\u30fc\u30c9"),
    "\ube44\ubc00\ubc88\ud638",
)
#: These may also end an unrelated longer word.
SHORT = ("pass", "pwd", "pw", "senha", "has\u0142o")
#: All words that name a secret.
NAMES = (*PASSWORD_WORDS, "secret", "token", "key", "credential", "_auth")
#: Words before "key" that make it a secret: "api_key", but not "primary_key".
KEYS = tuple(
    word
    for line in (
        "api app access secret private signing sign encryption encrypt master auth account client",
        "shared service admin session jwt crypt webhook storage deploy subscription license",
    )
    for word in line.split()
)

#: Words before "password" ("the db password") after which the value may follow directly.
OWNERS = frozenset(
    """db database root admin wifi fi wlan router ssh sudo ftp sftp mysql postgres redis vpn smtp
    email mail login staging prod production server guest master user service disk backup zip
    with""".split()  # noqa: SIM905 - a list of names reads better so
)

_compiled: dict[str, re.Pattern[str]] = {}


def pattern(name: str, source: str = "") -> re.Pattern[str]:
    """Return the pattern of a name, or of a source, compiled at first use."""
    compiled = _compiled.get(name)
    if compiled is None:
        source = source or PATTERNS.get(name) or ALPHABETS[name]
        compiled = _compiled[name] = re.compile(source)
    return compiled
