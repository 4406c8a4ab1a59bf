"""Words that decide whether a text names a project (domain/projects/hint_matching.py)."""
# ruff: noqa: SIM905 (a list of words reads better as text)

from __future__ import annotations

#: Function words, and verbs of any request.
PROJECT_STOP_WORDS = frozenset(
    """a an and are as at be by can do does for from has have how i in into is it its me my of on or
    our please should so that the their then there this to up was we what when where which who why
    will with you your about add all any fix get help let make need new not now use using want
    write""".split()
)
#: Common words: a project named by these alone is suggested, never chosen automatically.
EVERYDAY_WORDS = PROJECT_STOP_WORDS | frozenset(
    """
    account accounts action actions admin agent agents alert alerts analysis analytics android api
    apis app apps archive article assets assistant atlas audit auth authentication backend backup
    bank base batch beacon bench benchmark beta billing blog board book books bot box brain brand
    bridge browser bucket budget build builder bundle cache calendar canvas cart catalog center
    chart chat check checkout ci class cli client cloud code coffee collector command commands
    common community company compass compiler config configuration connect console contact content
    control copy core course crawler crm customer customers daily dashboard data database deploy
    deployment design desktop dev devices diary digest discovery docker docs documentation domain
    driver dynamic echo editor email emails engine event events example examples experiments
    explorer export extension extensions family feature features feed feedback file files finance
    firmware flow focus forge form forms forum framework frontend front game games gateway general
    generator go graph grid group guide hardware health helm hello help helper helpers hire home
    hook hooks host hub identity image images import inbox index infra infrastructure ingest
    insight insights install integration internal inventory invoice invoices ios issue issues job
    jobs journal journey kernel key keys kit lab labs landing language launch learn ledger lib
    library light link links list live loader local logger login logs loop mail main manager map
    market marketing marketplace media memory menu merge message messages messaging metrics
    migration migrations mind mirror mobile model models module monitor monitoring multi music nest
    net network new news next node notebook notes notification notifications open operator ops
    optimizer orbit order orders page pages panel parser partner path pay payment payments people
    personal phone photo photos pilot pipeline pipelines plan planner platform play player plugin
    plugins point portal portfolio post posts power presentation pricing print process product
    products profile program project projects prompt prompts proposal prototype proxy public pulse
    python query queue quick react reader recipes record redis registry release releases remote
    report reporting reports repo research resource review router rules runner runtime rust safe
    sales sample sandbox scale scheduler schema school scout scraper script scripts sdk search
    secure security sensor server service services session settings setup shared shell shop signal
    simple site sites skills slack snap social source space spark spec speed sport sprint sql stack
    staging standard start starter state static stats status storage store stories story stream
    studio style suite summary support survey swift switch sync system systems table tag target task
    tasks team teams template templates terminal test testing tests theme thesis time timer todo
    token tool toolbox toolkit tools tower track tracker trading training travel tree trip trust
    tutorial type ui update upload user users util utils vault version video view viewer vision
    voice wallet watch wave weather web webapp webhook webhooks website wiki window work worker
    workers workflow workflows workspace world writer writing zero zone
    auto basic best big black blue bright bulk clean clear cold common custom dark deep direct early
    easy error errors extra false fast final fine fix free full good great green hard hidden high
    hot huge idea ideas input keyword large last late layer lazy light limit little local long low
    magic main max micro mini mode modern my native night null offline old online open output
    parallel plain pretty private pro pure random rate raw real red refactor rest rich rough secret
    serial shared sharp short silent single slow small smart soft solid static strong super sync
    tech thin tiny top total true ultra unit virtual warm weak white wide wild
""".split()
)
#: Before a name these say that it is a project: "project nebula".
PROJECT_NOUNS = frozenset(
    "project repo repository codebase brand product package projekt projet proyecto".split()
)
#: So do these after it: "the nebula repo".
PROJECT_NOUNS_AFTER = PROJECT_NOUNS | frozenset("monorepo service app library".split())
#: Verbs before a name, as in "continue working on nebula", and what may stand between.
WORK_VERBS = frozenset("work working works continue continuing resume resuming".split())
WORK_LINKS = frozenset("on the our my".split())
#: "new project nebula", "unlike nebula", "instead of nebula", "a nebula": not this one, or not yet.
DOUBT_WORDS = frozenset(
    """new unlike not without except instead versus vs than like similar compare compared another
    different ex former old replaces replacing leaving a an""".split()
)
#: Words allowed between such an expression and the name.
DOUBT_LINKS = PROJECT_NOUNS | frozenset("the our my to with of from in".split())
