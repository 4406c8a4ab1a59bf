"""Patterns of rules that forbid a command, an edit of a file, or a text in files."""
# ruff: noqa: E501 (tables of patterns)

from __future__ import annotations

#: Typographic quotes and dashes, as the patterns have them.
PLAIN = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": " - "}
)
#: Command-line tools; a rule that forbids words beginning with one forbids that command.
TOOLS = frozenset(
    [
        "ansible",
        "apk",
        "apt",
        "apt-get",
        "aws",
        "az",
        "bash",
        "brew",
        "bun",
        "bundle",
        "bunx",
        "cargo",
        "chmod",
        "chown",
        "conda",
        "composer",
        "curl",
        "dd",
        "deno",
        "django-admin",
        "docker",
        "docker-compose",
        "dotnet",
        "dropdb",
        "eslint",
        "firebase",
        "flutter",
        "flyctl",
        "gcloud",
        "gem",
        "gh",
        "git",
        "go",
        "gradle",
        "gsutil",
        "helm",
        "heroku",
        "java",
        "jest",
        "just",
        "kill",
        "killall",
        "kubectl",
        "make",
        "mix",
        "mvn",
        "mysql",
        "ng",
        "npm",
        "npx",
        "nx",
        "php",
        "pip",
        "pip3",
        "pipenv",
        "pkill",
        "pnpm",
        "podman",
        "poetry",
        "prettier",
        "prisma",
        "psql",
        "pulumi",
        "pytest",
        "python",
        "python3",
        "rails",
        "rake",
        "redis-cli",
        "rm",
        "rsync",
        "rustup",
        "sbt",
        "scp",
        "sed",
        "serverless",
        "sls",
        "sqlite3",
        "ssh",
        "sudo",
        "supabase",
        "systemctl",
        "terraform",
        "tofu",
        "tox",
        "tsc",
        "turbo",
        "uv",
        "vercel",
        "wrangler",
        "yarn",
        "yum",
    ]
)
#: Tools that are also English words: they count only with a verb such as "run", or in quotes.
WORDS = frozenset(
    ["bun", "bundle", "conda", "go", "helm", "just", "kill", "make", "mix", "rails", "turbo"]
)
NOT = r"(?:never|don'?t|do not|must not|mustn'?t|should not|shouldn'?t|may not|no longer|avoid|no)(?: ever)?"
#: The rule holds under a condition that an action does not show.
CONDITION = r"(?i)\b(?:unless|without|if|when|whenever|while|until|before|after|except|during|(?:in|on|against|to) (?:the )?(?:prod|production|staging|ci|main|master|fridays?|weekends?))\b"
#: Verbs, and what follows them, of a forbidden edit, command and text.
EDIT = rf"(?i)\b{NOT} (?:hand-?|manually |directly )?(?:edit|touch|modify|change|overwrite|write (?:to|into)|format|rename)(?:ing)?\b(?P<rest>.*)"
RUN = rf"(?i)\b{NOT} (?P<verb>run(?:ning)?|execut(?:e|ing)|us(?:e|ing)|call(?:ing)?|invok(?:e|ing)|start(?:ing)?|do|through|via|with)? *(?P<rest>.*)"
#: What follows the object of a verb.
OBJECT_END = r"(?i)[,;:]|\s-\s|\s(?:because|since|so|as|it|they|that|which|is|are)\b"
ADD = rf"(?i)\b{NOT} (?:(?:us(?:e|ing)|writ(?:e|ing)|leav(?:e|ing)|add(?:ing)?|put(?:ting)?|call(?:ing)?|introduc(?:e|ing)|allow(?:ing)?|have|any) ){{0,2}}(?P<rest>.*)"
INSTEAD = r"(?i)(?:, not|\binstead of|\brather than|\bover)(?P<verb>) (?P<rest>.*)"
#: Words after a command that do not belong to it.
COMMAND_END = r"(?i)[,;:()]|\s-\s|[.!?](?:\s|$)|\s(?:here|in|on|to|from|for|because|since|as|it|by|with|directly|manually|again|anymore|ever|at|and|or|is|anywhere|yourself|locally|this|the|our|your|any|all)\b"
#: Where a forbidden text may not be.
IN = r"(?i)^(?: calls?| statements?| imports?| types?| blocks?| comments?)?\s+(?:in|inside|within|under|below|anywhere in)\s+(?P<where>.*)"
#: An identifier in code, with or without brackets.
CODE = r"(?:[A-Za-z_$@][\w$]*(?:(?:\.|::|->)[\w$]+)+|[\w$.]+\(|[a-z]+[A-Z]\w*|[a-z]+(?:_[a-z]+)+|@[\w-]{3,})(?:\(?\))?"
#: A path, a pattern of paths, or the name of a file; "client/server" is not a path.
FILE = (
    r"(?:[\w.@*-]+/)*[\w.@*-]*\.[A-Za-z*]\w{0,7}|(?:[\w.@*-]+/)+[\w.@-]*\*[\w.@*-]*|(?:[\w.@*-]+/)+"
    r"|(?:[\w.@*-]+/){2,}[\w.@*-]+|\.[a-z]\w{2,}|\.[\w.-]+/[\w.@*/-]+"
    r"|(?:src|lib|apps?|packages|docs?|tests?|specs?|db|config|scripts|vendor|build|dist|gen(?:erated)?"
    r"|migrations|proto|assets|pkg|cmd)/[\w.@*/-]*[\w*]"
)
#: Phrases that mean everywhere, so that no pattern of files is needed.
EVERYWHERE = r"(?i)^(?:the |this |our |any |new )?(?:code(?:base)?|repo(?:sitory)?|project|source|production code)\b"
