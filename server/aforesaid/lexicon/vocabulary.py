"""English words that the duplicate gate treats as equal, and words it must not ignore.

A word belongs here only if all developers read it the same way. After a change, run
bench/duplicates: false merges must stay at 0 (docs/adr/0007-duplicate-gate.md).
"""

from __future__ import annotations


def _table(text: str) -> dict[str, str]:
    """Return ``"a=b c=d"`` as a mapping."""
    return dict(pair.split("=", 1) for pair in text.split())


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ARTICLES = frozenset(("the", "an"))
#: "a few" and "few" mean opposite things; before a word of grammar, "a" is a label ("plan a or b").
KEEPS_A_BEFORE = _words(
    "few little lot bit couple and or is be to with in on for over not instead of by from as "
    "if when than"
)
#: Small words of other languages: a text with one of these is not folded as English.
FOREIGN = _words(
    "der das und nicht nichts ist ein eine kein keine mit wird wir auf el los las que por para una "
    "les est pas pour dans ne che della och att som ikke het een niet voor jest nie"
)
NEGATIONS = _words(
    "not no never without neither nor none nobody nothing nowhere hardly barely scarcely except "
    "unless only but instead non rather"
)
#: Commas matter beside these: "admins, who are on call" are all, "admins who are on call" some.
COMMA_MATTERS = NEGATIONS | frozenset(("who", "whom", "which", "whose", "where"))
MODALS = _words(
    "must should shall may might can could will would need needs want wants try tries plan plans "
    "probably maybe perhaps optional mandatory required think thinks likely"
)
SCOPES = _words(
    "all some any every each only most few many both either one just even also almost always "
    "sometimes often usually at least more less fewer"
)
OPPOSITES = _table(
    "before=after enable=disable enabled=disabled on=off allow=deny allowed=denied "
    "allow=forbid include=exclude first=last always=never increase=decrease "
    "minimum=maximum sync=async public=private ascending=descending "
    "encrypt=decrypt upstream=downstream pass=fail inside=outside start=stop accept=reject "
    "valid=invalid show=hide old=new inbound=outbound left=right push=pull open=close "
    "with=without since=until more=less all=none lock=unlock add=remove up=down true=false"
)

#: One spelling for words that every developer reads as the same thing.
SYNONYMS = _table(
    "db=database dbs=database repo=repository repos=repository config=configuration "
    "configs=configuration docs=documentation doc=documentation folder=directory "
    "folders=directory dir=directory dirs=directory app=application apps=application "
    "prod=production k8s=kubernetes postgres=postgresql mongo=mongodb js=javascript prs=pr "
    "utilise=use utilises=use utilize=use utilizes=use each=every max=maximum min=minimum "
    "approx=approximately info=information grey=gray colour=color behaviour=behavior "
    "favour=favor honour=honor neighbour=neighbor favourite=favorite centre=center "
    "licence=license catalogue=catalog dialogue=dialog cancelled=canceled labelled=labeled "
    "is=be are=be am=be has=have does=do goes=go analyse=analyze caches=cache "
    "okay=ok spec=specification specs=specification"
)
NUMBER_WORDS = _table(
    "zero=0 one=1 two=2 three=3 four=4 five=5 six=6 seven=7 eight=8 nine=9 ten=10 eleven=11 "
    "twelve=12 thirteen=13 fourteen=14 fifteen=15 sixteen=16 seventeen=17 eighteen=18 "
    "nineteen=19 twenty=20 thirty=30 forty=40 fifty=50 sixty=60 seventy=70 eighty=80 ninety=90"
)
#: Units, after a number. Case matters: Mb is not MB.
UNITS = _table(
    "s=s sec=s secs=s second=s seconds=s ms=ms millisecond=ms milliseconds=ms us=us "
    "microsecond=us microseconds=us min=min mins=min minute=min minutes=min h=h hr=h hrs=h "
    "hour=h hours=h d=d day=d days=d week=week weeks=week month=month months=month year=year "
    "years=year B=B byte=B bytes=B kB=kB KB=kB kilobyte=kB kilobytes=kB MB=MB megabyte=MB "
    "megabytes=MB GB=GB gigabyte=GB gigabytes=GB TB=TB KiB=KiB MiB=MiB GiB=GiB "
    "%=percent percent=percent px=px m=m k=k K=k M=M x=x"
)
#: Names with several spellings; any other word with inner capitals is an identifier.
BRANDS = _words(
    "postgresql mysql sqlite mongodb dynamodb redis rabbitmq graphql github gitlab bitbucket "
    "typescript javascript coffeescript numpy scipy pytorch tensorflow openai fastapi "
    "sqlalchemy pypi macos ios iphone ipad vscode nosql oauth websocket websockets devops "
    "circleci jetbrains pycharm intellij webstorm nodejs langchain huggingface youtube linkedin "
    "cloudflare digitalocean bigquery clickhouse elasticsearch opensearch mariadb cockroachdb "
    "couchdb influxdb timescaledb neo4j javadoc latex yaml json toml html css xml readme "
    "kubernetes docker terraform grpc webassembly powershell wsl pagerduty datadog "
    "node.js next.js vue.js nuxt.js three.js d3.js express.js c++ c# f# .net asp.net"
)
#: Words that end in s and mean something else, or nothing, without it.
NO_PLURAL = _words(
    "https news windows users means contents always sometimes perhaps besides towards series "
    "species kubernetes times odds goods customs sales stats locals globals pandas rails jenkins "
    "keras airs analytics graphics basics statics physics mathematics savings arms thanks "
    "lets ours yours theirs hers whereas afterwards backwards forwards upwards downwards "
    "internals externals originals rights lefts outs tails lens glasses pants is as"
)
#: In capitals these are not pronouns.
CAPITALS_MATTER = frozenset(("IT", "US", "WHO"))
#: A word before one of these is a name, and names have no plural.
NAMED_THINGS = _words(
    "table service column field branch bucket topic queue directory module package class function "
    "method endpoint route collection index schema database repository flag variable command tag "
    "label namespace cluster channel key property attribute parameter argument option"
)
#: So is a word after one of these.
NAMED_THINGS_BEFORE = _words(
    "table column field bucket topic flag variable namespace label tag function module package "
    "class key channel command schema collection called named directory option"
)
#: In a sentence about these, "v1.2" and "1.2" are two spellings, not one version.
SPELLS_OUT = _words(
    "tag branch prefix path route url header name directory called named label format string "
    "start spelling folder"
)
#: The next word is a name.
CALLED = frozenset(("called", "named", "titled"))

#: Openings that add nothing to a sentence. True: only if a comma or colon follows.
LEAD_INS: tuple[tuple[tuple[str, ...], bool], ...] = (
    (("please", "note", "that"), False),
    (("note", "that"), False),
    (("remember", "that"), False),
    (("please", "remember", "to"), False),
    (("remember", "to"), False),
    (("keep", "in", "mind", "that"), False),
    (("bear", "in", "mind", "that"), False),
    (("ensure", "to"), False),
    (("be", "sure", "to"), False),
    (("please",), False),
    (("kindly",), False),
    (("fyi",), False),
    (("note",), True),
    (("remember",), True),
    (("reminder",), True),
    (("important",), True),
    (("for", "the", "record"), True),
    (("by", "the", "way"), True),
    (("btw",), True),
)
#: Phrases, and what they are folded to.
PHRASES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("rather", "than"), ("instead", "of")),
    (("in", "order", "to"), ("to",)),
    (("make", "sure"), ("ensure",)),
    (("ensure", "that"), ("ensure",)),
    (("pull", "request"), ("pr",)),
    (("back", "end"), ("backend",)),
    (("front", "end"), ("frontend",)),
    (("data", "base"), ("database",)),
    (("file", "name"), ("filename",)),
    (("time", "out"), ("timeout",)),
    (("code", "base"), ("codebase",)),
    (("web", "site"), ("website",)),
    (("set", "up"), ("setup",)),
    (("be", "using"), ("use",)),
    (("prefer", "using"), ("prefer",)),
    (("prefer", "to", "use"), ("prefer",)),
    (("this", "project"), ("project",)),
    (("the", "team"), ("we",)),
    (("our", "team"), ("we",)),
)
#: "We never X" and "Never X" are one rule; "We retry X" and "Retry X" are a fact and a task.
DROP_WE_BEFORE = _words("use prefer must should always never")
DROP_YOU_BEFORE = _words("must should can may")
#: A clause at the start of a sentence begins with one of these.
FRONTED = _words(
    "in on for at when before after during if while until unless since whenever inside within "
    "under with from once"
)
#: Participles of "X is handled by Y", which is "Y handles X".
PARTICIPLES = _table(
    "used=use called=call handled=handle managed=manage owned=own generated=generate built=build "
    "triggered=trigger hosted=host sent=send served=serve validated=validate created=create "
    "consumed=consume published=publish maintained=maintain written=write stored=store "
    "deployed=deploy reviewed=review provided=provide wrapped=wrap imported=import run=run"
)
#: A passive sentence with one of these is not made active: that may change its subject.
TURNS_BADLY = NEGATIONS | SCOPES | MODALS | frozenset(("and", "or", "be", "was", "were", "that"))

CONTRACTIONS: tuple[tuple[str, str], ...] = (
    ("n't", "not"),
    ("'re", "be"),
    ("'ve", "have"),
    ("'ll", "will"),
    ("'m", "be"),
)
IRREGULAR_CONTRACTIONS: dict[str, tuple[str, ...]] = {
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
    "cant": ("can", "not"),
    "won't": ("will", "not"),
    "it's": ("it", "be"),
    "that's": ("that", "be"),
    "there's": ("there", "be"),
    "what's": ("what", "be"),
    "here's": ("here", "be"),
}
BARE_CONTRACTIONS = _words(
    "dont doesnt didnt isnt arent wasnt werent couldnt shouldnt wouldnt mustnt hasnt havent"
)
