"""Synthetic secrets in contexts, and harmless lines that look a little like them.

All is made from a seed at run time: no line of this file looks like a live secret to a scanner.
Contexts and harmless templates are split in two: the test part uses none of the dev part's.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
ALNUM = LOWER + UPPER + DIGITS
HEX = DIGITS + "abcdef"
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"
BASE32 = UPPER + "234567"

Make = Callable[[random.Random], str]


def text(rng: random.Random, alphabet: str, length: int) -> str:
    """Return a random text with at least one digit, as real ones of this length have."""
    while True:
        made = "".join(rng.choice(alphabet) for _ in range(length))
        if length < 12 or not set(alphabet) & set(DIGITS) or any(char in DIGITS for char in made):
            return made


def fixed(prefix: str, alphabet: str, length: int, suffix: str = "") -> Make:
    return lambda rng: prefix + text(rng, alphabet, length) + suffix


def _jwt(rng: random.Random) -> str:
    def part(value: dict[str, object]) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    head = part({"alg": rng.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"})
    body = part({"sub": text(rng, DIGITS, 10), "name": "A", "iat": rng.randrange(10**9, 2 * 10**9)})
    return f"{head}.{body}.{text(rng, URLSAFE, rng.choice([43, 86, 342]))}"


def _pem(kind: str) -> Make:
    def make(rng: random.Random) -> str:
        lines = [text(rng, BASE64, 64) for _ in range(rng.randrange(3, 14))]
        lines.append(text(rng, BASE64, rng.randrange(8, 60)) + "==")
        dashes = "-" * 5
        return "\n".join([f"{dashes}BEGIN {kind}{dashes}", *lines, f"{dashes}END {kind}{dashes}"])

    return make


def password(rng: random.Random) -> str:
    """Return a password as people choose or managers make them."""
    style = rng.randrange(4)
    if style == 0:
        return text(rng, ALNUM, rng.randrange(12, 24))
    if style == 1:
        word = rng.choice(["Winter", "Dragon", "Coffee", "Berlin", "Falcon", "Purple"])
        return f"{word}{rng.randrange(10, 9999)}{rng.choice('!#*$?')}"
    if style == 2:
        return text(rng, ALNUM + "!#%*^-_", rng.randrange(14, 22))
    words = rng.sample(["correct", "horse", "staple", "orbit", "velvet", "cactus", "ninja"], 3)
    return "-".join(words) + str(rng.randrange(10, 99))


def _url(scheme: str, host: str) -> Make:
    def make(rng: random.Random) -> str:
        secret = text(rng, ALNUM + "-_.~", rng.randrange(10, 24))
        return f"{scheme}://{rng.choice(['app', 'admin', 'svc_user'])}:{secret}@{host}"

    return make


def _slack_hook(rng: random.Random) -> str:
    host = "hooks." + "slack.com/services"
    return f"https://{host}/T{text(rng, UPPER + DIGITS, 10)}/B{text(rng, UPPER + DIGITS, 10)}/" + (
        text(rng, ALNUM, 24)
    )


def _discord_hook(rng: random.Random) -> str:
    host = "discord.com/api/" + "webhooks"
    return f"https://{host}/{text(rng, DIGITS, 18)}/{text(rng, URLSAFE, 68)}"


def _connection(rng: random.Random) -> str:
    key = text(rng, BASE64, 86) + "=="
    return (
        f"DefaultEndpointsProtocol=https;AccountName=shop{rng.randrange(99)};"
        f"Account" + f"Key={key};EndpointSuffix=core.windows.net"
    )


def _sas(rng: random.Random) -> str:
    signature = text(rng, ALNUM, 40) + "%2B" + text(rng, ALNUM, 2) + "%3D"
    return (
        "https://shop.blob.core.windows.net/in/a.csv?sv=2023-11-03&st=2025-01-01T00%3A00%3A00Z"
        "&se=2026-01-01T00%3A00%3A00Z&sr=b&sp=r&" + f"sig={signature}"
    )


def _sql_server(rng: random.Random) -> str:
    return (
        "Server=tcp:db1,1433;Database=shop;User ID=app;Pass" + f"word={password(rng)};Encrypt=yes"
    )


#: Secrets that show what they are by themselves.
MARKED: dict[str, Make] = {
    "aws id": fixed("AK" + "IA", BASE32, 16),
    "aws session id": fixed("AS" + "IA", BASE32, 16),
    "github classic": fixed("gh" + "p_", ALNUM, 36),
    "github oauth": fixed("gh" + "o_", ALNUM, 36),
    "github server": fixed("gh" + "s_", ALNUM, 36),
    "github fine": lambda r: "github" + "_pat_" + text(r, ALNUM, 22) + "_" + text(r, ALNUM, 59),
    "gitlab personal": fixed("glp" + "at-", URLSAFE, 20),
    "gitlab runner": fixed("glr" + "t-", URLSAFE, 20),
    "gitlab deploy": fixed("gld" + "t-", URLSAFE, 20),
    "slack bot": lambda r: (
        "xox" + f"b-{text(r, DIGITS, 12)}-{text(r, DIGITS, 13)}-{text(r, ALNUM, 24)}"
    ),
    "slack user": lambda r: (
        "xox"
        f"p-{text(r, DIGITS, 11)}-{text(r, DIGITS, 11)}-{text(r, DIGITS, 12)}-" + text(r, HEX, 32)
    ),
    "slack app": lambda r: (
        "xap" + f"p-1-A{text(r, UPPER + DIGITS, 10)}-{text(r, DIGITS, 13)}-{text(r, HEX, 64)}"
    ),
    "slack hook": _slack_hook,
    "stripe live": fixed("sk_" + "live_", ALNUM, 24),
    "stripe long": fixed("sk_" + "live_51", ALNUM, 97),
    "stripe restricted": fixed("rk_" + "live_", ALNUM, 24),
    "stripe hook": fixed("whs" + "ec_", ALNUM, 32),
    "openai old": lambda r: "s" + f"k-{text(r, ALNUM, 20)}" + "T3Blbk" + "FJ" + text(r, ALNUM, 20),
    "openai project": lambda r: (
        "sk-" + f"proj-{text(r, URLSAFE, 74)}" + "T3Blbk" + "FJ" + text(r, URLSAFE, 74)
    ),
    "openai service": fixed("sk-" + "svcacct-", URLSAFE, 120),
    "anthropic": fixed("sk-" + "ant-api03-", URLSAFE, 93, "AA"),
    "anthropic oauth": fixed("sk-" + "ant-oat01-", URLSAFE, 93, "AA"),
    "openrouter": fixed("sk-" + "or-v1-", HEX, 64),
    "deepseek": fixed("s" + "k-", HEX, 32),
    "google key": fixed("AI" + "za", URLSAFE, 35),
    "google oauth secret": fixed("GOC" + "SPX-", URLSAFE, 28),
    "google access": fixed("ya" + "29.a0", URLSAFE, 150),
    "npm": fixed("np" + "m_", ALNUM, 36),
    "pypi": fixed("py" + "pi-AgEIcHlwaS5vcmc", URLSAFE, 120),
    "hugging face": fixed("h" + "f_", LOWER + UPPER, 34),
    "twilio": fixed("S" + "K", HEX, 32),
    "sendgrid": lambda r: "S" + f"G.{text(r, URLSAFE, 22)}.{text(r, URLSAFE, 43)}",
    "mailgun": fixed("ke" + "y-", HEX, 32),
    "mailchimp": lambda r: text(r, HEX, 32) + "-us" + str(r.randrange(1, 22)),
    "brevo": lambda r: "xkey" + f"sib-{text(r, HEX, 64)}-{text(r, ALNUM, 16)}",
    "digitalocean": fixed("do" + "p_v1_", HEX, 64),
    "azure storage": _connection,
    "azure sas": _sas,
    "azure client": lambda r: text(r, ALNUM, 3) + "8" + "Q~" + text(r, ALNUM + "_.-", 34),
    "sql server": _sql_server,
    "jwt": _jwt,
    "rsa key": _pem("RSA PRIVATE " + "KEY"),
    "pkcs8 key": _pem("PRIVATE " + "KEY"),
    "openssh key": _pem("OPENSSH PRIVATE " + "KEY"),
    "ec key": _pem("EC PRIVATE " + "KEY"),
    "pgp key": _pem("PGP PRIVATE " + "KEY BLOCK"),
    "postgres url": _url("postgres" + "ql", "db.internal:5432/shop"),
    "mysql url": _url("my" + "sql", "10.0.0.5/shop"),
    "mongo url": _url("mongodb" + "+srv", "cluster0.ab1cd.mongodb.net/shop"),
    "amqp url": _url("am" + "qp", "queue:5672/vhost"),
    "https url": _url("htt" + "ps", "git.example.com/team/api.git"),
    "redis url": lambda r: "redi" + f"s://:{text(r, ALNUM, 20)}@cache:6379/0",
    "telegram": lambda r: text(r, DIGITS, 10) + ":AA" + text(r, URLSAFE, 33),
    "discord": lambda r: (
        "M" + text(r, ALNUM, 23) + "." + text(r, ALNUM, 6) + "." + text(r, URLSAFE, 38)
    ),
    "discord hook": _discord_hook,
    "shopify": fixed("shp" + "at_", HEX, 32),
    "square": fixed("sq0" + "csp-", URLSAFE, 43),
    "linear": fixed("lin_" + "api_", ALNUM, 40),
    "notion": fixed("nt" + "n_", ALNUM, 46),
    "notion old": fixed("sec" + "ret_", ALNUM, 43),
    "figma": fixed("fig" + "d_", URLSAFE, 40),
    "sentry": fixed("sntr" + "ys_eyJ", BASE64, 120),
    "grafana": lambda r: "gl" + f"sa_{text(r, ALNUM, 32)}_{text(r, HEX, 8)}",
    "new relic": fixed("NR" + "AK-", UPPER + DIGITS, 27),
    "databricks": fixed("da" + "pi", HEX, 32),
    "vault": fixed("hv" + "s.", URLSAFE, 95),
    "doppler": fixed("dp." + "pt.", ALNUM, 43),
    "pulumi": fixed("pu" + "l-", HEX, 40),
    "planetscale": fixed("pscale" + "_tkn_", URLSAFE, 43),
    "supabase": fixed("sb" + "p_", HEX, 40),
    "terraform cloud": lambda r: text(r, ALNUM, 14) + ".atlas" + "v1." + text(r, URLSAFE, 67),
    "docker": fixed("dckr" + "_pat_", URLSAFE, 27),
    "rubygems": fixed("ruby" + "gems_", HEX, 48),
    "atlassian": fixed("ATA" + "TT3xFfGF0", URLSAFE, 172, "=1A2B3C4D"),
    "postman": lambda r: "PM" + f"AK-{text(r, HEX, 24)}-{text(r, HEX, 34)}",
    "groq": fixed("gs" + "k_", ALNUM, 52),
    "perplexity": fixed("ppl" + "x-", ALNUM, 48),
    "replicate": fixed("r" + "8_", ALNUM, 37),
    "xai": fixed("xa" + "i-", ALNUM, 80),
    "nvidia": fixed("nva" + "pi-", URLSAFE, 64),
    "langsmith": lambda r: "lsv2" + f"_pt_{text(r, HEX, 32)}_{text(r, HEX, 10)}",
    "pinecone": lambda r: "pc" + f"sk_{text(r, ALNUM, 5)}_{text(r, ALNUM, 63)}",
    "airtable": lambda r: "pa" + f"t{text(r, ALNUM, 14)}.{text(r, HEX, 64)}",
    "age": fixed("AGE-SECRET-" + "KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
    "netlify": fixed("nf" + "p_", ALNUM, 36),
    "flyio": fixed("Fly" + "V1 fm2_lJPECAAA", BASE64, 120),
    "resend": lambda r: "r" + f"e_{text(r, ALNUM, 8)}_{text(r, ALNUM, 24)}",
    "tavily": fixed("tv" + "ly-dev-", ALNUM, 32),
    "easypost": fixed("EZ" + "AK", ALNUM, 54),
}
#: Secrets that only their surroundings give away: the value, and the name it is given.
NAMED: dict[str, tuple[Make, tuple[str, ...]]] = {
    "password": (password, ("password", "DB_PASSWORD", "passwd", "admin_pwd", "PGPASSWORD")),
    "hex key": (fixed("", HEX, 32), ("api_key", "API_KEY", "apikey", "datadog_api_key")),
    "long hex": (fixed("", HEX, 64), ("SECRET_KEY", "encryption_key", "signing_secret")),
    "base64 key": (fixed("", BASE64, 43, "="), ("secret", "client_secret", "JWT_SECRET")),
    "aws secret": (fixed("", BASE64, 40), ("aws_secret_access_key", "AWS_SECRET_ACCESS_KEY")),
    "opaque token": (
        fixed("", URLSAFE, 40),
        ("access_token", "auth_token", "CLOUDFLARE_API_TOKEN"),
    ),
    "refresh token": (fixed("1//0", URLSAFE, 60), ("refresh_token", "REFRESH_TOKEN")),
    "uuid key": (
        lambda r: "-".join(text(r, HEX, n) for n in (8, 4, 4, 4, 12)),
        ("HEROKU_API_KEY", "api-key", "client_secret"),
    ),
    "short key": (fixed("", ALNUM, 16), ("secret_key", "access_key", "private_token")),
}
MARKED_CONTEXTS = (
    "The deploy uses {s} for now, rotate it next week.",
    "export SERVICE_CREDENTIAL={s}",
    "  client = Client('{s}')",
    '{{"level": "debug", "msg": "calling upstream with {s}", "code": 200}}',
    "curl -sS https://api.example.com/v1/items -H 'X-Auth: {s}'",
    "We found {s} in the logs of build 4711.",
    "value: {s}",
    "2025-03-01 12:00:01 ERROR refused: {s} (expired)",
    "I pasted `{s}` into the settings page.",
    'settings.yaml:12:    credential: "{s}"',
    "first line\n{s}\nlast line",
    "use {s}, it works on staging",
)
NAMED_CONTEXTS = (
    "{n}={s}",
    '{n} = "{s}"',
    "{n}: {s}",
    '  "{n}": "{s}",',
    "export {n}='{s}'",
    "The {n} is {s}, keep it out of the repo.",
    "docker run -e {n}={s} app:latest",
    "config.{n} = '{s}';",
    "- name: {n}\n  value: {s}",
    "--{n}={s}",
    "set {n} to {s} on staging",
    "{n} => '{s}',",
    '{n} := "{s}"',
    "https://api.example.com/v1/items?{n}={s}&page=2",
)
HEADER_CONTEXTS = (
    "Authorization: Bearer {s}",
    "curl -H 'Authorization: Bearer {s}' https://api.example.com",
    "headers = {{'Authorization': 'Bearer {s}'}}",
    "Authorization: Basic {b}",
    '-H "X-Api-Key: {s}"',
    'requests.get(url, headers={{"Authorization": f"token {s}"}})',
    "curl -u admin:{s} https://repo.example.com/artifact",
    "proxy-authorization: Basic {b}",
)


def secrets(seed: int, part: str, per_kind: int = 4) -> list[tuple[str, str, str]]:
    """Return ``(kind, secret, line)``, three lines for each secret, in a fixed order."""
    rng = random.Random(seed)
    odd = part == "test"
    made: list[tuple[str, str, str]] = []
    for kind, make in MARKED.items():
        for _ in range(per_kind):
            secret = make(rng)
            contexts = rng.sample(MARKED_CONTEXTS[odd::2], 3)
            made += [(kind, secret, context.format(s=secret)) for context in contexts]
    for kind, (make, names) in NAMED.items():
        for _ in range(per_kind):
            secret = make(rng)
            contexts = rng.sample(NAMED_CONTEXTS[odd::2], 3)
            made += [
                (kind, secret, context.format(s=secret, n=rng.choice(names)))
                for context in contexts
            ]
    for _ in range(2 * per_kind):
        secret = text(rng, URLSAFE, 32)
        for context in rng.sample(HEADER_CONTEXTS[odd::2], 3):
            encoded = base64.b64encode(f"admin:{secret}".encode()).decode()
            inner = encoded if "{b}" in context else secret
            made.append(("header", inner, context.format(s=secret, b=encoded)))
    return made


def needle(secret: str) -> str:
    """Return the part of a secret that must be gone: the value inside its structure."""
    if "PRIVATE " + "KEY" in secret:
        return secret.splitlines()[1]
    if "://" in secret and "@" in secret:
        return secret.split("://", 1)[1].rsplit("@", 1)[0].split(":", 1)[1]
    for mark in ("AccountKey=", "Password=", "sig="):
        if mark in secret:
            return secret.split(mark, 1)[1].split(";", 1)[0]
    return secret.rsplit("/", 1)[1] if secret.startswith("https://") else secret


BENIGN = (
    "The fix landed in commit {git}.",
    "git show {short} -- src/app.py",
    "Merge commit {git} into main",
    "request id {uuid} took {n} ms",
    "trace_id={hex32} span_id={hex16}",
    "sha256:{hex64}",
    "{hex64}  dist/app-1.2.{n}.tar.gz",
    "image: registry.example.com/app@sha256:{hex64}",
    '"integrity": "sha512-{b64_86}==",',
    "--hash=sha256:{hex64}",
    "md5sum {hex32}  file.iso",
    'ETag: "{hex32}"',
    "aGVsbG8gd29ybGQ= is base64 for hello world",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64_43} me@laptop",
    "ssh fingerprint SHA256:{b64_43}",
    "password_hash VARCHAR(255) NOT NULL",
    "users.password_hash is bcrypt with cost 12",
    "The token is stored in VAULT.",
    "The token is read from the environment at start.",
    "Read the API key from OPENAI_API_KEY.",
    "export GITHUB_TOKEN=<your-token>",
    "API_KEY=${{API_KEY}}",
    "api_key: ${{{{ secrets.API_KEY }}}}",
    "password: {{{{ vault_db_password }}}}",
    "DB_PASSWORD=changeme",
    "password=xxxxxxxx",
    "token = os.environ['SLACK_TOKEN']",
    "const token = process.env.TOKEN;",
    "secret = get_secret('prod/db')",
    "password = getpass.getpass()",
    "def login(user: str, password: str) -> Token:",
    "password: string;",
    "api_key: Optional[str] = None",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    'curl -H "Authorization: Bearer ${{TOKEN}}" https://api.example.com',
    "headers['Authorization'] = f'Bearer {{token}}'",
    "postgresql://user:password@localhost:5432/db",
    "postgres://$USER:$PASS@db:5432/app",
    "https://example.com/docs?page={n}#install",
    "git@github.com:team/repo.git",
    "https://github.com/team/repo/blob/{git}/README.md",
    "max_tokens={n}",
    "token_count: {n}",
    "tokens per second: {n}",
    "secret_name: prod-db-credentials",
    "secretKeyRef: {{name: db, key: password}}",
    "primary_key = 'order_id'",
    "cache_key = f'user:{{user_id}}:{n}'",
    "public_key_path: /etc/keys/app.pub",
    "private_key_path = '/etc/ssl/private/server.key'",
    "ssl_certificate_key /etc/nginx/tls/server.key;",
    "sort_key: created_at",
    "The password must have 12 characters.",
    "Password reset mails expire after 30 minutes.",
    "Ask Maria for the password of the staging database.",
    "The secret to fast tests is a warm cache.",
    "Tokens are rotated every 90 days.",
    "JWTs are signed with RS256 and carry the tenant id.",
    "use sk- prefixed keys only in tests",
    "GitHub tokens start with ghp_ and GitLab's with glpat-.",
    "AWS key ids start with AKIA.",
    "your key looks like sk_test_XXXXXXXXXXXXXXXXXXXXXXXX",
    "OPENAI_API_KEY=sk-...",
    "ANTHROPIC_API_KEY=your-api-key-here",
    "client_secret: REDACTED",
    "password: '********'",
    "The flag --password-file reads it from disk.",
    "--token-file /run/secrets/token",
    "kubectl get secret db-credentials -o yaml",
    "vault kv get secret/data/app",
    "ARN arn:aws:iam::{d12}:role/deploy-{n}",
    "s3://bucket-{n}/path/{uuid}/file.parquet",
    "pod api-{hex8}b-x{n}z9 restarted",
    "CreateCustomerSubscriptionRequestHandlerFactoryImpl{n}",
    "test_that_refresh_token_is_rotated_after_{n}_minutes",
    "import {{ useAuthenticatedSession }} from '@app/auth';",
    "color: #a1b2c3; background: #ffeedd;",
    "0x{hex16} in ?? () from /lib/libc.so.6",
    "uuid = '{uuid}'",
    "id: 01HZX3K8W9Q2V7N4M6T5R1P0YA",
    "numpy==1.26.{n} ; python_version < '3.12'",
    "resolved https://packages.example.com/lodash/-/lodash-4.17.21.tgz#{git}",
    "BuildID[sha1]={git}, stripped",
    "index {short}..{short2} 100644",
    "phone +49 30 {d12}",
    "IBAN test DE89 3704 0044 0532 0130 00",
    "The session cookie is HttpOnly and Secure.",
    "csrf_token is checked in the middleware.",
    "basic auth is off on staging",
    "Basic authentication is deprecated in favour of OAuth.",
    "The bearer of this ticket gets one review.",
    "pk_test keys are publishable",
    "refresh_token_ttl = {n}",
    "access_token_expires_in: 3600",
    "auth_token_header: X-Auth-Token",
    "api_key_header = 'X-Api-Key'",
    "password_min_length = 12",
    "PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']",
    "secret: true",
    "token: null",
    "password: null",
    "token: Token",
    "credentials: include",
    "passwords: hashed with argon2id",
    "api key: see 1Password",
    "the password is in 1Password under 'staging db'",
    "the token is valid for 24 hours",
    "the secret is mounted at /run/secrets/db",
    "the api key is passed in the X-Api-Key header",
    "password = form.cleaned_data['password']",
    "self.token = token",
    "token=self.token, secret=self.secret",
    "setPassword(event.target.value)",
    "if password != confirm_password:",
    "assert response.json()['token']",
    "password=settings.DB_PASSWORD,",
    "api_key=config.api_key,",
    "secret=Secret.from_name('db'),",
    "auth=(user, password)",
    "mysql -u root -p app < dump.sql",
    "ssh -i ~/.ssh/id_ed25519 deploy@host",
    "BEGIN CERTIFICATE blocks are public",
    "-----BEGIN CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----",
    "The order of SK{n} items is fixed",
    "risk-based-authentication-is-enabled-for-all-administrators",
    "task-runner-configuration-for-continuous-integration-{n}",
    "disk-usage-monitoring-alert-threshold-percentage",
    "sk-learn-contrib-imbalanced-learn",
    "npm_config_registry=https://registry.example.com",
    "npm_lifecycle_event=test",
    "hf_transfer speeds up downloads",
    "re_compile_all_the_patterns_before_use",
    "pat14 is the fourteenth pattern",
    "dp.point.x is the column",
    "s3 prefix: logs/{date}/{hex16}/",
    "Cookie consent is stored for {n} days",
    "license key format: XXXXX-XXXXX-XXXXX-XXXXX",
    "password: <REDACTED>",
    'password = ""',
    'token: "test"',
    "token: 'abc123'",
    "PASSWORD=password",
    "SECRET_KEY=dev",
    "http://localhost:{n}/?token=<token>",
    "secret/data/prod/payments holds the Stripe key",
    "the key of the map is customer_id + {n}",
    "pwd=/home/app/src",
    "PWD=/srv/project/server",
    "auth: required",
    "auth: none",
    "key: value",
    "private_key: str = Field(repr=False)",
    "apiKey: process.env.OPENAI_API_KEY,",
    'api_key = st.secrets["openai"]',
    "TOKEN=$(cat /run/secrets/token)",
    "password=$(pass show db/prod)",
    "token: ${{{{ github.token }}}}",
    "secrets: inherit",
    "The encryption key is derived with scrypt, N=2^15.",
    "api_token is an opaque string of 40 characters",
    "password policy: at least 12 characters, no reuse",
    "bearer token authentication middleware",
    "Set-Cookie: theme=dark; Path=/",
    "uses: actions/checkout@{git}",
    "rev: {git}",
    "FROM python:3.12-slim@sha256:{hex64}",
    "nonce: {n}",
    "ulid 01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "session_id: {uuid}",
    "correlation-id: {hex32}",
    'checksum = "{hex64}"',
    "The digest is {hex64}.",
    "model revision {git} is pinned",
    "h1:{b64_43}= in go.sum",
    "golang.org/x/text v0.14.0 h1:{b64_43}=",
    "docker run --rm -e PASSWORD app",
    "Redis runs without a password on localhost.",
    "redis://localhost:6379/0",
    "amqp://guest:guest@localhost:5672/",
    "mongodb://localhost:27017/test",
    "The webhook secret is checked with hmac.compare_digest.",
    "signing key id: kid-{n}",
    "kid: {uuid}",
    "aws_access_key_id = <your key id>",
    "aws configure set region eu-central-1",
    "gcloud auth print-access-token",
    "gh auth token",
    "op read op://vault/item/password",
    "pass: 12, fail: 0, skip: 3",
    "passed=120 failed=0",
    "tests passed: {n}",
    "passphrase: none",
    "token bucket: 100 per second",
    "secret santa is on Friday",
)


def benign(seed: int, part: str, count: int = 500) -> list[str]:
    """Return harmless lines, each from a template of this part with fresh random fillings."""
    rng = random.Random(seed + 1)
    templates = BENIGN[(part == "test") :: 2]
    return [
        templates[index % len(templates)].format(
            git=text(rng, HEX, 40),
            short=text(rng, HEX, 8),
            short2=text(rng, HEX, 8),
            uuid="-".join(text(rng, HEX, n) for n in (8, 4, 4, 4, 12)),
            hex8=text(rng, HEX, 8),
            hex16=text(rng, HEX, 16),
            hex32=text(rng, HEX, 32),
            hex64=text(rng, HEX, 64),
            b64_43=text(rng, BASE64, 43),
            b64_86=text(rng, BASE64, 86),
            d12=text(rng, DIGITS, 12),
            n=rng.randrange(2, 9000),
            date=f"2025-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
        )
        for index in range(count)
    ]
