"""Words that occur in the outputs of many commands, and hardly distinguish errors."""

from __future__ import annotations

COMMON_WORDS = frozenset(
    """access add an and android api app application are assertion at bash be because build by
    cache call called can cannot class client code com command compile compiling config
    container could create daemon database date debug default dependencies dependency
    details dev did directory does edge end environment err error errors exception exec
    execution exist exists exit expected export fail failed failing failure fatal file files
    find following for found from function get git go has have host id if image import
    imported in info information install installed internal invalid io is it java job jobs
    json key kind last lib library line linux list load loaded loading lock log main make
    missing model models module more name named no node not object of on open operation
    option or org other out output package packages passed path please previous process
    project py python query read remote request requested required response rs run runner
    running script see server service session set sh source spec sql src ssl start started
    starting status step successfully such system target task test tests that the this to
    token too ts type unable unknown update use user using valid value variable version warn
    warning was went what where while with write wrong you your zsh""".split()  # noqa: SIM905
)
