"""The words and turns of phrase by which a digest tells what a sentence is. English.

Here: patterns, nothing else; another language is another alternative in each. Not here: what is
done with them (language.py).
"""
# ruff: noqa: E501 (patterns are tables: broken over more lines they read worse)

from __future__ import annotations

#: Words that say nothing by themselves: a prompt of only these asks nothing new.
SMALL_TALK = frozenset(
    """a again ahead all alright and awesome bye cheers commit continue cool correct do done exactly
    fine for go good great hello hey hi i it k keep let lgtm like looks love many much nice no now
    ok okay on perfect please proceed push right so sounds sure test thank thanks that thats the
    then this thx to ty very well works y ya yeah yep yes you yup ship merge next
    ja nein danke gut weiter bitte si sí oui non merci gracias vale bien continua continúa""".split()  # noqa: SIM905 (a list of words reads better so)
)
AFFIRMATION = (
    r"^(?:yes|yep|yeah|yup|ok|okay|sure|agreed|sounds good|do (?:it|that)|go (?:ahead|for it)"
    r"|let'?s do (?:it|that)|please do|perfect|great|fine|lgtm|ja|sí|si|oui)\b"
)
OPTION = (
    r"(?:^|\b(?:option|variant|number|take|go with|pick|choose)\s+)([a-d]|[1-5])\b\s*(?:$|[.,!;:)])"
)
STOP = (
    r"^(?:stop|cancel|abort|never ?mind|nvm|forget (?:it|that)|not (?:now|today|yet)|later|leave it"
    r"|wait|hold on|enough)\b"
)

QUESTION = (
    r"^(?:(?:ok|so|and|but|hmm?|also),? )?(?:why|what|how|which|where|when|who|is|are|do|does|did"
    r"|can|could|should|would|will|has|have)\b"
)
#: A decision that is only weighed is none.
WEIGHED = (
    r"\b(?:could|might|may|maybe|perhaps|would|whether|if we|if you|should (?:we|i)|shall|or should"
    r"|either|not sure|what about|what if|consider(?:ing|ed)?|options|alternatively|wonder)\b"
)

CORRECTION = (
    r"^(?:no|nope|nah)\b(?!\s*(?:problem|worries|need|idea|rush|matter|hurry|one|longer|more|doubt))"
    r"|^(?:wrong|that'?s (?:wrong|not (?:right|correct|true|what|how|it|the))|not (?:quite|right)\b)"
    r"|^(?:actually|careful|wait|stop)[,:]? .*\b(?:is|are|not|n't|use|uses|we|it'?s|should|instead)\b"
    r"|\bi (?:meant|said|told you|asked (?:you )?(?:for|to))\b|^you (?:forgot|missed|misread|broke)"
    r"|\b(?:undo|revert|roll back) (?:that|this|it|the)\b|^(?:that|this|it)(?:'s| is)n'?t (?:right|what)"
    r"|^don'?t (?:do that|do this)|^it'?s .{2,60}, not\b|^(?:the )?\w[\w .-]{1,40} is .{1,60}, not\b"
)
CORRECTION_HEAD = (
    r"^(?:no(?:pe)?|nah|wrong|stop|wait|actually|careful|that'?s (?:wrong|not (?:right|correct|true)))"
    r"\s*(?:[,:;.!–—-]+\s*|\s(?=it|the|we|you|use|that|this|not|never|don))"  # noqa: RUF001
)

RULE = (
    r"^(?:(?:and|but|so|also|please|oh|btw|no|ok|by the way)[,:]? )*(?:always|never)\b"
    r"|\b(?:we|i|you|they|must|should|to|please|it) (?:should |must |need to )?(?:always|never)\b"
    r"|^(?:use|keep|write|put|run|make|prefer|add)\b.*\b(?:always|everywhere|from now on|by default"
    r"|in (?:this|our) (?:project|repo|repository|codebase|team)|(?:around )?here)\b"
    r"|,? always[.!]?$|\bfrom now on\b|\bgoing forward\b|\bin (?:the )?future\b,? (?:use|please|do|don)"
    r"|\b(?:i|we|i'd|we'd)(?:'d| would)?(?: really| much| strongly)? (?:prefer|hate|dislike|insist)\b"
    r"|\bi (?:really )?(?:like|want) (?:my|all|every|short|small|to have|it when)\b"
    r"|\b(?:our|my|the (?:team|house|project)) (?:convention|rule|policy|style|standard)\b"
    r"|\b(?:we|i) (?:usually|normally|generally|only|don'?t(?: ever)?|deploy|release|write|use|name)\b"
    r".*\b(?:here|on \w+days?|in (?:this|our)|project|repo|only|with|instead)\b"
    r"|^(?:please )?(?:don'?t|do not|no) (?:ever|use|add|commit|push|touch|mock|write|put)\b"
    r"|^(?:please )?(?:don'?t|do not) .*\b(?:ever|again|any ?more|here|in (?:this|our))\b"
    r"|^(?:remember|note|keep in mind)[,:]? (?:that|to|we|i|the|our)?\b|\bmake sure (?:to|you|that) .*\balways\b"
)
#: Behaviour of software that is described, not wished for.
DESCRIBED = (
    r"\b(?:it|that|this|which|test|function|code|he|she|endpoint|job|api|call) (?:always|never)\b"
)

DECISION = (
    r"\bwe(?:'ve| have)? (?:decided|agreed|settled|chose|picked)\b|\bi(?:'ve| have)? decided\b"
    r"|\b(?:let'?s|we'?ll|we will|i'?ll|we'?re going to) (?:go|stick|stay) with\b"
    r"|^(?:ok(?:ay)?|then|so|good|right|fine|alright)?[,.:]? ?let'?s (?:use|keep|drop|switch|move|make|store"
    r"|split|skip|not|take|put|call|adopt|replace|do it)\b"
    r"|\bwe(?:'ll| will| are going to|'re going to) (?:use|keep|drop|switch|move|store|adopt|replace)\b"
    r"|^(?:decision|decided|agreed)\b|\bgo(?:ing)? with\b|\bwent with\b|\bsettled on\b|\bopt(?:ed|ing)? for\b"
    r"|\b(?:switch|move|migrate|change)(?:d|s|ing)? (?:over )?(?:from .{2,60} )?to .{2,60} (?:instead|from|because|since)\b"
    r"|\b(?:use|using|store|keep|pick|take|choose|chose|chosen)\b.{2,80}\b(?:instead of|rather than|not)\b"
    r"|\b(?:must|has to|have to) (?:not |only )?(?:be|go|use|stay|keep|run|live|survive|work|come)\b"
    r"|\breplace .{2,60} (?:with|by)\b|\bin favou?r of\b|\bdrop(?:ped|ping)? (?:support|the idea)\b"
)
#: An agent decides in the past or present tense; what it is about to do is no decision yet.
OWN_DECISION = (
    r"\bi (?:went|have gone|am going) with\b|\bi(?:'ve| have)? (?:chose|chosen|decided|picked|opted)\b"
    r"|\b(?:kept|used|chose|picked|switched to|moved to) .{2,100}\b(?:instead of|rather than|because)\b"
    r"|^decision\b|^decided\b|\bwe (?:agreed|decided|settled)\b|\b(?:replaced|swapped) .{2,60} (?:with|by|for)\b"
)
PROPOSAL = (
    r"\b(?:i(?:'d| would)? (?:suggest|recommend|propose|go with|lean)|my (?:suggestion|recommendation)"
    r"|i(?:'d| would) (?:use|store|put|keep|make|add|move|drop|replace)|we could|better:)\b"
    r"|^(?:should|shall) (?:i|we)\b|^(?:do you )?want me to\b"
)

CAUSE = (
    r"\b(?:root cause|culprit)\b|\b(?:the )?(?:cause|problem|issue|bug|reason|trouble|catch)(?: here)? (?:is|was|lies|comes)\b"
    r"|\bturn(?:s|ed) out\b|\bcaused by\b|\bdue to\b|\bcomes? from\b|\bstems? from\b|\bthat(?:'s| is) why\b"
    r"|\bbecause\b|\bfound (?:it|the|that|out)\b|\b(?:happens|fails|failed|breaks|broke) (?:when|because|if|only|since)\b"
    r"|\bso (?:the|it|every|each|a) .{3,80}\b(?:fails?|never|twice|wrong|lost|missing|times? out|not have|n't have)\b"
    r"|\bnever (?:closed|called|reached|set|reset|awaited|released|committed)\b|\bwas missing\b|\boff by one\b|\brace\b"
)
DONE = (
    r"^(?:done|fixed|added|implemented|moved|renamed|replaced|removed|updated|wrote|written|created|refactored"
    r"|extracted|rewrote|switched|migrated|merged|committed|released|deployed|finished|set up|reverted|all|both)\b"
    r"|\b(?:now|is|are) (?:uses?|works?|passes|pass|green|computes?|returns?|retries|done|fixed|in place|handled)\b"
    r"|\bnow\b|\bi(?:'ve| have) (?:added|fixed|moved|changed|implemented|updated|written|replaced|removed)\b"
)
OPEN = (
    r"\bstill (?:to do|open|missing|needs?|fails?|failing|has to|have to|not|remains?|guess|todo|unclear|broken|red)\b"
    r"|\bnot (?:yet|done yet|covered|handled|implemented|tested|started)\b|\b(?:left|remains?|remaining)(?: is| are)?"
    r"(?: open| to do| for (?:later|next|now|tomorrow)|:)|\bto-?do\b|^next(?: steps?)?\b[:,]?|\bnext (?:step|up|time|week|session)\b"
    r"|\bfollow-?up\b|\b(?:have|has|did)(?: no|n'?)t .{2,60}\byet\b|\bopen(?: question| point| end)?s?[:.]"
    r"|: open\b|\bleft open\b|\bremains? open\b|\bout of scope\b|\bwaiting (?:for|on)\b|\bblocked (?:by|on)\b"
    r"|\byou(?:'ll| will)? (?:still )?need to\b|\b(?:i|we) (?:did not|didn'?t|could not|couldn'?t|was not able|was unable)\b"
)
#: A lead-in that the digest's own heading repeats.
OPEN_LABEL = r"^(?:(?:what is |what's )?(?:still |left )?(?:open|to-?\s?do|left)|next(?: steps?)?|remaining)\s*:\s*(?=\S)"
LATER = (
    r"\b(?:tomorrow|next (?:time|week|session|sprint)|later|another day|on monday|after the release)\b"
    r"|\bwe (?:still )?(?:need|have) to\b.*\b(?:still|later|also|then|before)\b|\bstill (?:need|have|missing|to do|open)\b"
    r"|\bremind me\b|\bleave (?:that|this|it|the .{2,60}) (?:for|open|until)\b|\bpark (?:that|this|it)\b|\bto-?do\b"
    r"|\bnot today\b|\bfor now\b.*\blater\b"
)
#: What an agent says about its own next move; nobody wants to read that a month later.
NARRATION = (
    r"^(?:i'?ll|i will|let me|let'?s (?:see|look|check|run|start)|now (?:i|let|to|the)|looking|checking|running"
    r"|starting|first|reading|searching|next,? i|i'?m going to|i am going to|going to|understood|sure|ok(?:ay)?"
    r"|got it|good|great|perfect|you'?re right|happy to|of course|right)\b[^:]{0,80}$"
)
ANNOUNCED = (
    r"^(?:we (?:have |'ve )?(?:decided|agreed)|decision|decided|agreed|noted|fixed|done|understood"
    r"|found it|root cause|next(?: steps?| up)?|to-?do|open(?: points?| questions?)?|remember|note|still open"
    r"|correct|right|good|great|ok(?:ay)?|also|and|but|so|then)(?:, noted)?(?:[:;!.]| [-–—]) +"  # noqa: RUF001
    r"|^(?:\w+ )?(?:things?|points?|bits?) (?:is|are|remain|still) (?:left|open|to do|missing)[:,] +"
    r"|^(?:(?:and|but|so|also|ok(?:ay)?|right|then|please),? +)?let'?s (?!not )"
    r"|^(?:and|but|so|also|ok(?:ay)?|right|then|please|btw|by the way|thanks|nice|we'll(?= use)),? +"
)
#: Reports that the digest's own lines on commands and commits make superfluous.
ROUTINE = (
    r"^(?:(?:all|the|both|\d+)\b.{0,30}\b)?(?:tests?|suite|build|checks?|lint|types?|everything|it|\d+)"
    r"(?: now| still)? (?:pass(?:es)?|(?:is|are) (?:green|clean|ok|fine))\b.{0,20}$"
    r"|^(?:committed|pushed|done|merged)\b.{0,60}$"
)
NEXT = r"^(?:next(?: steps?| up)?|to-?do|still open|open)\b"
POLITE = (
    r"^(?:(?:hi|hello|hey|ok(?:ay)?|so|well|alright|great|good|thanks|please|perfect|nice|cool|yes|yep)(?: there)?"
    r"[,.!:]* +)+|^(?:can|could|would|will) you (?:please )?|^(?:please )?(?:go ahead and |help me (?:to )?)"
    r"|^i(?:'d| would) like (?:you )?to |^i (?:want|need) you to |^we (?:need|have) to |^i need to "
)
STOP_WORDS = frozenset(
    """the a an and or but of to in on at for with by from is are was were be been it its this that
    these those we i you he she they our your my me us as so if then than not no do does did done
    have has had will would can could should may might must just also now here there up out into
    over under again always never use used using please let lets s t ll ve re d m what which how why where when who""".split()  # noqa: SIM905 (a list of words reads better so)
)
