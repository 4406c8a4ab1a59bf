"""The words and turns of phrase by which a digest tells what a sentence is: English.

Here: patterns, nothing else. Not here: other languages (the modules beside this one), joining them
(__init__.py), what is done with them (domain/digest/sentence_classifier.py,
domain/digest/memory_candidates.py).
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
    r"^(?:yes|yep|yeah|yup|yea|ok|okay|k|sure|agreed|sounds good|do (?:it|that)|go (?:ahead|for it)"
    r"|let'?s do (?:it|that)|please do|perfect|great|fine|lgtm|good|right|makes sense)\b"
)
OPTION = (
    r"(?:^|\b(?:option|variant|number|take|go with|pick|choose)\s+)([a-d]|[1-5])\b\s*(?:$|[.,!;:)])"
)
STOP = (
    r"^(?:stop|cancel|abort|never ?mind|nvm|forget (?:it|that)|not (?:now|today|yet)|later|leave it"
    r"|wait|hold on|enough)\b"
)

QUESTION = (
    r"^(?:(?:ok|so|and|but|hmm?|also|right),? )?(?:what'?s|how come|any idea|ideas|why|what|how|which|where|when|who|is|are|do|does|did"
    r"|can|could|should|would|will|has|have)\b"
)
#: A decision that is only weighed is none.
WEIGHED = (
    r"\b(?:could|might|may|maybe|perhaps|would|whether|if we|if you|should (?:we|i)|shall|or should"
    r"|either|not sure|what about|what if|consider(?:ing|ed)?|options|alternatively|wonder)\b"
)

CORRECTION = (
    r"^(?:the|that|this|your) [\w ]{1,30} (?:is|are) (?:wrong|incorrect|outdated|not right)\b|^wrong \w+\b|^not [^,]{1,40}, (?!yet|now|please)\S{1,30}$|\b(?:i|we) told you\b"
    r"|^(?:no+|nope|nah)\b(?!\s*(?:problem|worries|need|idea|rush|matter|hurry|one|longer|more|doubt))"
    r"|^(?:hm+,? |ah,? |oh,? |but )?(?:and )?(?:the |our )?\w[\w ./-]{1,40} (?:is|are|was|isn'?t|has|sits|lives|runs)"
    r" .{1,60}(?:,| and| but)? not (?!yet|sure|only)\S"
    r"|\b(?:scrap|forget|ignore) what i (?:said|wrote|told)\b|^(?:wait|hm+|eh+)[, ]+it'?s not\b|^not .{2,40}[,!] (?:but|it|only|use)"
    r"|^(?:ok|okay|fine|k) but \b|^but (?:we|our|the|no)\b"
    r"|\byou (?:put|used|imported|took|chose|wrote|added|changed|picked) .{2,50}\b(?:again|instead|wrong|in the)\b"
    r"|^(?:wrong|that'?s (?:wrong|outdated|not (?:right|correct|true|what|how|it|the))|not (?:quite|right)\b)"
    r"|^(?:actually|careful|wait|stop)[,:]? .*\b(?:is|are|not|n't|use|uses|we|it'?s|should|instead)\b"
    r"|\bi (?:meant|said|told you|asked (?:you )?(?:for|to))\b|^you (?:forgot|missed|misread|broke)"
    r"|\b(?:undo|revert|roll back) (?:that|this|it|the)\b|^(?:that|this|it)(?:'s| is)n'?t (?:right|what)"
    r"|^don'?t (?:do that|do this)|^it'?s .{2,60}, not\b|^(?:the )?\w[\w .-]{1,40} is .{1,60}, not\b"
)
CORRECTION_HEAD = (
    r"^(?:no(?:pe)?|nah|wrong|stop|wait|actually|careful|that'?s (?:wrong|outdated|old|not (?:right|correct|true)))"
    r"\s*(?:[,:;.!–—-]+\s*|\s(?=(?:it|it'?s|the|we|you|that|that'?s|this|not|never|don'?t)\b))"  # noqa: RUF001
    r"|^(?:(?:hm+|ah|oh|eh+|sorry|wait|ok(?:ay)?)[,.!]? +)+(?:no+[,.!] +)?"
)

RULE = (
    r"\b(?:house style|by convention|off[- ]limits|(?:is|are) (?:forbidden|banned|taboo|mandatory|not allowed|never allowed)|not allowed|forbidden)\b"
    r"|\b(?:everywhere|only ever|not even|for every|for each)\b.*\b(?:here|in (?:this|our)|repo|project|code ?base|service|team|api|now on)\b"
    r"|\b(?:in|to|for|across) (?:this|our|the whole) (?:whole )?(?:repo|repository|project|code ?base|service|crate|team|app|package)\b"
    r"|\bwe (?:always|never|only|don'?t|do not|can'?t|cannot|won'?t|must)\b|\bnobody (?:may|should|is allowed)\b"
    r"|\bi (?:always|never|really)? ?(?:like|love|hate|dislike|can'?t stand|want)\b.{3,}"
    r"|^(?:(?:and|but|so|also|please|oh|btw|no|ok|for the record),? )*i (?:write|keep|use|name|type|read|work)\b"
    r"|\b(?:never|always)\b.{0,60}$|\bfrom here on\b|\brule for you\b|\bnext time\b.*\b(?:prefer|group|show|use|ask)|\bprefer\b.*\bnext time\b"
    r"|\b(?:needs?|requires?) (?:an? )?(?:approval|sign-?off|review)\b|\bask (?:me )?before\b|\bwithout asking\b"
    r"|^(?:(?:and|but|so|also),? )*(?:please )?(?:stop|no more) \w+ing\b|\b(?:no|never) .{2,40} (?:in|for|on) (?:this|our|prod|production|main|master)\b"
    r"|\bgo(?:es)? to .{2,40}, (?:never|not)\b|\b(?:must|has to|have to|should) (?:not |never |always |only |all )?\w+.*\b(?:here|we|customers?|team|review|always|every|all)\b"
    r"|\b(?:so )?don'?t .{2,60}\b(?:ever|by hand|yourself)\b|^(?:only|just) .{2,60} (?:may|can|are allowed)\b|\b\d+ \w+ max\b"
    r"|^(?:no|not) (?!need|problem|idea|worries|rush|hurry|clue|doubt|longer|more|way|thanks|the )\w+.{0,60}(?:, | - | because | since )\w"
    r"|\bonly (?:go|goes|thru|through|via|over)\b|\bgo(?:es)? (?:only )?(?:thru|through|via) \w+"
    r"|\bsame (?:rule|convention)|\bour (?:apis?|code|modules?|tests?|docs|commits?) \w+\b"
    r"|^(?:all|every) \w+.{0,40}\b(?:needs?|must|has to|have to|gets?|should|are|is) "
    r"|^(?:(?:and|but|so|also|please|oh|btw|no|ok|by the way)[,:]? )*(?:always|never)\b"
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
    r"|^(?:remember|keep in mind)[,:]? (?:that|to|we|i|the|our)?\b|\bmake sure (?:to|you|that) .*\balways\b"
)
#: Behaviour of software that is described, not wished for.
DESCRIBED = (
    r"^(?:so |and |but )?(?:it|this|that) (?:looks|seems|fails|works|happens|is broken)\b|\bi (?:want|like) (?:you to|to (?:move|add|see|know|have a look))\b|\bi(?:'d| would) like\b"
    r"|\bi (?:want|need) (?:a|an|the) \w+ (?:that|for|to|which)\b|\b(?:it|that|this|which|test|function|code|he|she|endpoint|job|api|call) (?:always|never)\b"
)

DECISION = (
    r"\b(?:we|i)(?:'re| are|'m| am)? (?:stay|stick|keep|remain)(?:s|ing)? (?:on|with|in|to)\b|^(?:so|ok(?:ay)?|then)[, ]+(?:so )?\S.{2,80} (?:but|instead|then)\b"
    r"|\b(?:then|instead)[.!]?$|\bout\b, we\b|\bis out[,.]|\blet(?:'?s|s) (?:keep|use|go|take|stay|do it with|leave)\b"
    r"|\b(?:but |and )?(?:keep|leave) .{2,60} (?:as|exactly|on|where|in)\b.{2,60}|\bnot worth\b|\b(?:as well|too), (?:it|because|since|that)\b"
    r"|\b(?:we|i) (?:decided|agreed|chose|settled) (?:in|at|on|to|that|last|yesterday|for|against)\b"
    r"|\bwe(?:'ve| have)? (?:decided|agreed|settled|chose|picked)\b|\bi(?:'ve| have)? decided\b"
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
    r"^(?:proposal|suggestion|recommendation|options?)\b[^.]{0,20}:|\bi could (?:either )?\w+|\bwould be (?:cleanest|best|simplest|safest)\b|\bi see (?:two|three|several|\d) \w+:|"
    r"\b(?:i(?:'d| would)? (?:suggest|recommend|propose|go with|lean)|my (?:suggestion|recommendation)"
    r"|i(?:'d| would) (?:use|store|put|keep|make|add|move|drop|replace)|we could|better:)\b"
    r"|^(?:should|shall) (?:i|we)\b|^(?:do you )?want me to\b"
)

CAUSE = (
    r"\b(?:root cause|culprit)\b|\b(?:the )?(?:cause|problem|issue|bug|reason|trouble|catch)(?: here)? (?:is|was|lies|comes)\b"
    r"|\bturn(?:s|ed) out\b|\bcaused by\b|\bdue to\b|\bcomes? from\b|\bstems? from\b|\bthat(?:'s| is) why\b"
    r"|\bbecause\b|\bfound (?:it|the|that|out)\b|\b(?:happens|fails|failed|breaks|broke) (?:when|because|if|only|since)\b"
    r"|\bso (?:the|it|every|each|a) .{3,80}\b(?:fails?|never|twice|wrong|lost|missing|times? out|not have|n't have)\b"
    r"|\bnever (?:closed|called|reached|set|reset|awaited|released|committed)\b|\bwas missing\b|\boff by one\b|\b(?:data race|race condition|race between)\b"
)
DONE = (
    r"^(?:done|fixed|added|implemented|moved|renamed|replaced|removed|updated|wrote|written|created|refactored"
    r"|extracted|rewrote|switched|migrated|merged|committed|released|deployed|finished|set up|reverted|all|both)\b"
    r"|\b(?:now|is|are) (?:uses?|works?|passes|pass|green|computes?|returns?|retries|done|fixed|in place|handled)\b"
    r"|\bnow\b|\bi(?:'ve| have) (?:added|fixed|moved|changed|implemented|updated|written|replaced|removed)\b"
)
OPEN = (
    r"\b(?:is|are|was|were|has|have)(?: been)? (?:still )?(?:not|untouched|unchanged|pending)\b(?= (?:been |yet|\w+ed\b|\w+ yet|done|covered|written|there|in place|idempotent|wired)|[.,]|$)"
    r"|\b(?:isn|aren|wasn|weren|hasn|haven)'?t\b.{0,60}(?:yet|covered|tested|done|ported|handled|updated|wired|touched)|\buntouched\b|\bnot (?:\w+ )?(?:tested|verified|checked|updated|migrated|regenerated|ported|published|touched|wired|run)\b"
    r"|\b(?:have|has|with) (?:no|none)\b.{0,40}(?:yet|access|sample|rights|role|permission)|\bhave none\b|\bi have no\b|\bno access\b|\bdo(?:es)? not (?:yet )?(?:exist|cover|handle|have)\b"
    r"|\bis (?:still )?missing\b|\bstill (?:\w+s|formatted|in|has|have|there|to)\b|\bworth (?:\w+ing|a)\b|\bhas to happen\b|\bremains\b|\bto be (?:done|decided|tested|clarified)\b"
    r"|\bstill (?:to do|open|missing|needs?|fails?|failing|has to|have to|not|remains?|guess|todo|unclear|broken|red)\b"
    r"|\bnot (?:yet|done yet|covered|handled|implemented|tested|started)\b|\b(?:left|remains?|remaining)(?: is| are)?"
    r"(?: open| to do| for (?:later|next|now|tomorrow)|:)|\bto-?do\b|^next(?: steps?)?\b[:,]?|\bnext (?:step|up|time|week|session)\b"
    r"|\bfollow-?up\b|\b(?:have|has|did)(?: no|n'?)t .{2,60}\byet\b|\bopen(?: question| point| end)?s?[:.]"
    r"|: open\b|\bleft open\b|\bremains? open\b|\bout of scope\b|\bwaiting (?:for|on)\b|\bblocked (?:by|on)\b"
    r"|\byou(?:'ll| will)? (?:still )?need to\b|\b(?:i|we) (?:did not|didn'?t|could not(?! reproduce)|couldn'?t(?! reproduce)|was not able|was unable)\b"
)
#: What was not so is so by now: "it was not pinned; pinned it to 16".
REMEDIED = (
    r"[;,] (?:so |and |then |now |i |we ){0,2}"
    r"(?!skipped|deferred|postponed|reverted|dropped|ignored|disabled|marked|noted|need)"
    r"\w{2,}ed (?:it|them|that|this|those)\b"
)
#: A lead-in that the digest's own heading repeats.
OPEN_LABEL = r"^(?:(?:what is |what's )?(?:still |left )?(?:open|to-?\s?do|left)|next(?: steps?)?|remaining)\s*:\s*(?=\S)"
LATER = (
    r"\b(?:next (?:sprint|month|release|monday|tuesday|wednesday|thursday|friday)|at some point|some ?day|eventually|another time|down the road)\b"
    r"|\bstill missing\b|\bnot (?:now|today)[,.!]?|\bfile (?:a|an) (?:note|issue|ticket)\b"
    r"|\b(?:tomorrow|next (?:time|week|session|sprint)|later|another day|on monday|after the release)\b"
    r"|\bwe (?:still )?(?:need|have) to\b.*\b(?:still|later|also|then|before)\b|\bstill (?:need|have|missing|to do|open)\b"
    r"|\bremind me\b|\bleave (?:that|this|it|the .{2,60}) (?:for|open|until)\b|\bpark (?:that|this|it)\b|\bto-?do\b"
    r"|\bnot today\b|\bfor now\b.*\blater\b"
)
#: What an agent says about its own next move; nobody wants to read that a month later.
NARRATION = (
    r"^(?:i'?ll|i will|let me|let'?s (?:see|look|check|run|start)|now (?:i|let|to|the)|looking|checking|running"
    r"|starting|first|reading|searching|next,? i|i'?m going to|i am going to|going to|understood|sure|ok(?:ay)?"
    r"|got it|good|great|perfect|you'?re right|happy to|of course|right)\b[^:]{0,80}$"
    r"|^(?:re)?\w{3,}ing\b(?!.*\b(?:is|are|was|were|fix\w*|solv\w*|makes?|takes?|needs?|costs?|keeps?|went|passed)\b)[^:,;]{0,60}$"
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
    over under again always never use used using please let lets s t ll ve re d m what which how why where when who decided agreed noted""".split()  # noqa: SIM905 (a list of words reads better so)
)

#: Facts of a project or its people that a user tells in passing.
FACT = (
    r"^i(?:'m| am) on an? \w+$|^(?:the |our |all )?\w[\w -]{1,30} (?:lives?|goes|publish(?:es)?|belongs?) (?:in|to|on|under) \S|\b(?:customer|client|partner|bank|auditor|management|boss|legal|security|infra)s? (?:insists?|requires?|demands?|expects?) |\bon purpose\b|\bby design\b|\bintentionally\b|\bour .{2,40} (?:follows?|uses?|targets?|supports?) "
    r"|\bour (?!tests?\b|builds?\b|ci\b|page|login|demo)\w+ (?:\w+ )?(?:works?|lives?|speaks?|sits?|pays?|reads?|writes?|wants?|expects?) (?:in|on|with|only|for|from)\b|\bthis (?:box|machine|server|laptop|host|vm|cluster) (?:has|is|runs|only)\b|^(?:every|all|each) \w+(?: \w+){0,3} (?:has|have|are|is) \w"
    r"|^(?!these|those|there|they|things|yes|always)\w+s are (?!you|we|they|not |now |all |in\b|there|here)\w+|\bmeans? .{2,}\b(?:here|in this|for us|to us)\b|\bonly (?:accepts?|takes?|supports?|allows?|reads|understands?|speaks?)\b|\bneeds? an? (?:restart|reboot|vpn|certificate|licen[cs]e)\b"
    r"|^we (?:all |both |mostly |usually )?(?!need|want|have|had|should|could|can|can'?t|must|got|get|see|saw|are|were|will|won'?t|just|might|may|also|still|almost|never|always|do\b|did|don'?t|know|think|thought|hope|lost|found|broke|made|took|left|went|came|said|told|ran|began|put\b|cut\b|set\b|hit\b|let\b|shut\b|try|tried|look|wait|wrote|forgot|chose)\w+(?<!ed)(?<!ing)\b(?! (?:this|that|it|the|these|those|at)\b)"
    r"|\b\w+ only (?:runs?|works?|uses?|goes?|lives?|builds?|deploys?|ships?)\b|^(?:the )?\w+(?: \w+)? (?:team|app|service|backend|frontend|client|site|pipeline|job|repo|project|sdk)s? (?:uses?|runs?|needs?|expects?|speaks?|talks?) "
    r"|\bthis (?:project|repo|repository|service|codebase|code base|crate|package|app|team|monorepo) (?:is|uses?|runs?|talks?|has|needs?|targets?|supports?|follows?|only)\b|^(?:the |our )?\w[\w./ -]{1,40} (?:is|are|lives?|runs?|sits?|goes?|comes?) .{1,50}, not (?!yet|sure|only)\S"
    r"|\b(?:is|are) (?:not )?(?:written|managed|owned|handled|stored|kept|versioned|generated|hosted|published|signed|reviewed|maintained|protected|checked in|encrypted|numbered|tagged|measured|counted) ?(?:by|in|on|with|as|from|to|via|at)?\b|\bevery (?:\d+ )?(?:day|night|hour|morning|evening|week|month|quarter|year|sprint|release|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|december)s?\b"
    r"|(?-i:\b(?!The\b|This\b|It\b|That\b|We\b|You\b)[A-Z][a-z]{2,})(?: from \w+)? (?:handles|reviews|approves|decides|maintains|owns|knows)\b|\b(?:legal|compliance|security|privacy|infra|licen[cs]ing|the customer) (?:doesn'?t|won'?t|don'?t|does not|will not) (?:allow|permit|want|accept)\b"
    r"|,? so (?:keep|don'?t|dont|no|never|always) \w|\bstays? (?:on|until|in|at|with)\b|\b(?:we|us) (?:squash|rebase|sign|version|branch|lint|monitor|document|track|prefix|count|do) \w"
    r"|\b(?:we|us) (?!(?:need|want) (?:a|an|the|some|to|this|that)\b)(?:(?:only|all|still|just|currently|also|mostly) )?(?:use|support|target|run|build|deploy|release|host|ship|work|have|sit|keep|store|pay|sell|serve"
    r"|stay|need|want|call|publish|tag|write|own|follow|test|rotate)\b|\bwe(?:'re| are) (?:on|in|leaving|moving|using|building|not|stuck|still|bound|behind|migrating)\b"
    r"|\bour \w[\w -]{1,40} (?:is|are|has|have|wants?|needs?|uses?|runs?|lives?|expects?|sits?|comes?|goes?|only)\b"
    r"|\b(?:s?he|they|\w+) (?:owns?|maintains?|is responsible for|takes care of|looks after|(?:is|are) in charge of|is our|leads|runs) (?:the|our|all|that|it)?\b"
)
#: What announces a fact worth keeping.
ASIDE = r"\b(?:btw|by the way|fyi|for the record|for your information|heads[- ]up|just so you know|keep (?:that )?in mind|note that|for next time|good to know)\b|^(?:note|remember|reminder|important|attention|rule)\b[:,]?"
#: What makes a thing a constraint.
CONSTRAINT = (
    r"\b(?:is|are|was|were|it'?s|they'?re) (?:\w+ )?(?:frozen|legacy|deprecated|archived|certified|decommissioned|read[- ]?only|templated|shared|generated|vendored|dead|dying|required by|owned by|managed by|maintained by|gone|eol|self[- ]hosted|case[- ]sensitive|immutable|public|private|audited)\b"
    r"|\b(?:legally|contractually|by law|by contract|compliance|security insists|legal wants|audit(?:ors)?|gdpr|licen[cs]e|customers? (?:is|are|wants?)|requirement|regulation|policy|house rule)\b"
)
#: It holds for the moment only.
PASSING = r"\b(?:for now|yesterday|right now|just now|this time|today|tonight|in a minute|once more|again pls|again please|yet|in this (?:commit|pr|branch|test|file|function|case|session)|for this (?:commit|pr|branch|test|one|case)|temporarily|for the moment|for a moment|just once|until (?:then|tomorrow)|almost|tomorrow|next week|next sprint)\b"
#: About the person, wherever they work.
PERSONAL = r"\bi (?:\w+ )?(?:prefer|like|love|hate|dislike|can'?t stand|always want|never want|write|use|work|read|type|speak|am)\b|\b(?:for|show|tell|ask|give|send|call) me\b|\b(?:your|the) (?:answers?|replies|responses|explanations)\b|\bexplain every|^call me\b|\bmy (?:own|style|taste|keyboard|editor|name|commits?|posts?|machine|time ?zone)\b|\bmy posts\b"
#: About this project, whoever says it.
HERE = r"\b(?:here|in (?:this|our|the)(?: whole)? (?:repo|repository|project|code ?base|crate|service|team|package|app|module)|this (?:repo|repository|project|code ?base|crate|service|package|app)|we|our|us)\b"
#: A decision of weight, told as one.
DECIDED = (
    r"^(?:the |our )?(?:decision|decided|agreed)\b|\blet'?s (?:settle|agree|standardi[sz]e) on\b|"
    r"\b(?:we|the team|they)(?:'ve| have| had)? (?:\w+ )?(?:decided|agreed|settled|chose|picked)\b|^(?:decision|decided|agreed)\b|\bi(?:'ve| have)? decided\b"
    r"|\bwe(?:'re| are|'ll| will)? (?:stay|stick|staying|sticking|going|go) (?:on|with)\b|\blet'?s (?:keep|stay with|stick with)\b"
)
#: A plain statement of what something is; a fact only together with what makes it one.
STATES = (
    r"^(?:the |all |both |these |those |only )?[\w./'-]+(?: [\w./'()-]+){0,5} (?:is|are|were|was|gets?|goes|go|comes?|lives?|runs?|listens?|answers?|sits?|stays?|belongs?|wants?|expects?|needs?|applies|apply|strips?)"
    r""
)
#: It is in some state, which may be that of the moment.
COPULA = r"\b(?:is|are|was|were|gets?|stays?) ?$"
#: What a project's surroundings are made of.
ENVIRONMENT = r"\b(?:prod|production|staging|live|servers?|hosts?|box|port|db|database|bucket|account|branch|ci|runners?|cluster|region|registry|domain|broker|contracts?|customers?|clients?|tenants?|legal|retention|backups?|alerts?|releases?|deploys?|docs|keys?|vault|warehouse|tables?|limits?|max(?:imum)?|rates?|mails?|team|ops|finance|support|sre|vpn|proxy|cdn|license|sla|schema|environment|machine|replica|mirror|bastion|namespace)\b"
#: What is told is a fault to look at, nothing that holds.
COMPLAINT = r"\b(?:is|are|was|were) not (?:aligned|shown|updated|working|loading|rendered|saved|sent|found|there|visible|correct|right)\b|(?:\b(?:is|are|was|were)|'s|'re) (?:now |still |all |so |too |very |really )?(?:green|red|passing|ok|fine|done|good|bad|ugly|up|down|back|ready|gone|locked|out of date|expired|big|small|long|short|many|much|few|huge|tiny|old|new|fast|full|unclear|unused|unreadable|in the way|on holiday|different|identical|the same)\b|\b(?:broken|slow|wrong|fail(?:s|ed|ing|ure)?|(?:an|the|same|get|got|this|that|with|throws?|gives?) errors?\b|errors? (?:out|when|on|again|message)|crash\w*|doesn'?t work|not working|missing|stuck|weird|flicker\w*|times? out|hangs?|loops?|bug|lost|leaks?|empty|looks? (?:off|odd|weird)|still (?:not|there|slow|red)|prints?|returns?|shows?|throws?|complain\w*|confus\w*|outdated|getting|seeing|unreachable|unavailable|stale|red\b|down\b)\b"
#: A denial that stands alone: what follows puts right.
DENIAL = r"^(?:no+|nope|nah|wrong|that'?s wrong|not (?:quite|right)|incorrect)[.!,]*$"
#: What a correction says of the agent's work alone.
BLAME = r"\b(?:there|this one|that one)[.!]?$|^(?:you |that'?s (?:wrong|not)|undo|revert|roll back|i (?:meant|said)|not that|the other)\b(?!.*\b(?:always|never|here|we|our)\b)"
#: One thing set against another.
CONTRAST = r"\b\w[\w.' -]{0,40}(?:,| and| but)? not \w|\binstead of\b|\brather than\b|\b(?:isn'?t|is not|aren'?t|wasn'?t) .{1,40}[,;.] ?(?:it'?s|but)\b|(?!^)\bonly\b|\bcan(?:'t|not)\b|\b\d[\d.,]*\b"
#: Words that only lead to what is said.
LEAD = (
    r"^(?:(?:one more|another|last) thing|for the future|just so you know|you should know(?: that)?|reminder|as i said|like i said|i (?:already )?(?:said|told you)|in general|generally|remember that|good to know|yes|yeah|yep|yup|sure|perfect|exactly|agreed)\b[,:;.!-]* +"
    r"|^(?:(?:and|but|so|also|oh|ok(?:ay)?|k|thx|thanks|nice|cool|great|good|super|right|hey|hm+|well|please|pls|sorry|note|fyi|btw|by the way|for the record|heads[- ]up|rule for you|remember|keep in mind|noted|wait|ah)(?: that)?\b[,:.!]* +|no+[,.!;:] +)+"
    r"|,? (?:btw|fyi|by the way|pls|please|though|anyway|thx|thanks)\b(?=[.,!]|$)|(?<=\w) (?:btw|fyi|by the way) (?=\w)|,? keep that in mind[.!]*$"
)
#: Words with which a proposal opens.
PROPOSAL_HEAD = r"^(?:so,? )?(?:should|shall) (?:i|we) |^(?:do you )?want me to |^i(?:'d| would)? (?:suggest|recommend|propose)(?: (?:to|that|we))? |^(?:proposal|suggestion|recommendation): +|^or "
#: A fragment that only goes on with the sentence before it.
FRAGMENT = r"^(?:only|but|except|unless|needs?|because|since|so that|otherwise)\b"
#: One way taken instead of another; no word of "always" in it.
CHOICE = r"^(?!.*\b(?:always|never|from now on)\b).*(?:\blet'?s (?!see|look|check)\w+|\binstead of\b|\brather than\b|\bgo(?:ing)? with\b|\breplace \w+|\bswitch (?:over )?to\b)"
#: What a choice gives as its reason.
REASON = r"(?:: \w|\bbecause\b|\bsince\b|\bso that\b|, (?:it|they|we|that|this|the \w+) (?:is|are|has|have|must|need|can|cost|do|use|want|survive|keep|'?s)\b)"
#: It holds on, whatever else the sentence says.
LASTING = r"\b(?:always|never|ever|from (?:now|here) on|going forward|in (?:this|our) (?:repo|repository|project|code ?base|team)|everywhere|every time)\b"
NEGATION = r"\b(?:no|not|never|none|nothing|without|avoid|forbidden|cannot|can'?t|don'?t|dont|won'?t|isn'?t|aren'?t|mustn'?t|shouldn'?t|doesn'?t)\b"
#: A value that a correction names as the wrong one.
OLD_VALUE = r"^not [^,;]{2,40}(?=[,;])|^no [\w.-]+(?=,| here| please)|, never [\w.:/-]+|\b(?:not(?: to| from| at| by| with| for| on| in)?(?: the| an?)?|instead of|rather than|no longer|was|is not|isn'?t) [\w.:/-]+"
#: Asks for one thing to be used, by name; what it is not may stand before it ("don't use npm, use
#: pnpm").
USE = r"^(?:(?:not|no|(?:we )?(?:don'?t|do not|never) \w+) [^,;]{2,60}[,;] (?:but |so )?)?(?:please |better |rather |just )*(?:use|take|go through|(?:connect|deploy|publish|upload|push|point|build|run|test|install|format|talk|log in)(?: [\w-]+){0,2}? (?:to|at|against|with|into))\b(?! (?:it|them|that|those|these|this|the (?:same|other|first|second|third|last|previous|old|new|right))\b)"
#: Says what a thing is used for, or as what.
PURPOSE = (
    r"\b(?:for|as|on|when|in|to|with|through|via|against|from) (?:(?:the|our|all|any|every) )?\w"
)
#: No thing in particular: a means of the work at hand.
INDEFINITE = (
    r"\b(?:use|take|to|with|not|instead of|rather than) (?:an?|another|some|more|fewer|less)\b"
)
#: What code, a page or a text is made of.
ELEMENT = r"\b(?:(?:for|while|inner|outer) loops?|loops?|maps?|lambdas?|comprehensions?|(?:list|dict|set|tuple|array|vector|string|int(?:eger)?|float|bool|enum|struct|class|object|function|method|argument|parameter|variable|constant|field|attribute|property|return|import|decorator|generator|iterator|exception|regex|interface|trait|module|helper|component|hook|prop|button|header|footer|title|heading|label|icon|logo|font|colou?r|margin|padding|border|pixel|column|row|line|paragraph|sentence|word|comment|file|folder|option|tab|space|page|modal|dialog|spinner|sprite)(?:e?s)?|\w+\.(?:py|jsx?|tsx?|go|rs|cp*|hp*|java|kt|rb|php|cs|s?css|html|md|sh)|range|enumerate|zip|filter|reduce|flexbox|grid|css|rem|px|\d+ ?px|red|green|blue|yellow|white|gr[ae]y|left|right|top|bottom|bold|italic)\b"
#: Points at what the agent said.
THAT = r"\b(?:for|with|to|in|on|at) (?:that|this|it)\b"
#: What begins with one of these asks for something.
ORDER = r"^(?!(?:i|we|you|they|s?he|is|do|does|did|was|has|so|if|and|but) )\w+ (?:it|them|both)\b|^(?:please |pls |only |now |then |also |and |so |ok(?:ay)?,? |just |go |can you |could you )*(?:do|use|open|add|make|fix|run|write|create|update|change|move|put|remove|delete|drop|rename|check|look|see|show|tell|explain|find|search|try|test|build|push|commit|merge|start|restart|install|bump|upgrade|downgrade|migrate|convert|split|refactor|extract|implement|set|turn|switch|leave|close|review|document|give|let|take|get|read|list|print|revert|undo|roll|clean|format|lint|generate|port|copy|import|export|wire|hook|handle|replace|rewrite|simplify|inline|help|continue|proceed|investigate|debug|profile|describe|summari[sz]e|draft|finish|apply|enable|disable|increase|decrease|reduce|raise|lower|hide|sort|sync|pull|rebase|squash|cherry-pick|tag|release|deploy|ship|send|post|call|ask|wait|hold|skip|ignore|mark|note down|file|log|track|double-check|verify|ensure|make sure)\b(?!(?: [\w/-]+){0,2} (?:is|are|was|has|goes|gets|comes|runs|lives|needs|must|may|stays?)\b)"
#: A rule that holds on: told as one, of the house, or a wish of the person.
DIRECTIVE = (
    r"^(?:please )?(?:always|never) (?!mind|the same|saw|seen|heard|had|happened|worked|used to|look on|fails?|returns?|gets?|got|works?|shows?|throws?|prints?|again)\w+|\b(?:we|i|you) (?:should |must |need to |have to )?(?:always|never) (?!get|gets|got|see|saw|had|fail|find|forget|wanted|mind)\w+(?<!ed)\b"
    r"|\b(?:from (?:now|here) on|going forward)\b|^(?:please )?(?:ask|use|keep|write|put|run|make|prefer|add|name|call|log|sign|check|fix|stop|show|test|seeds?)\b.*,? always\b|: always\b|,? always[.!]?$|\b(?:don'?t|dont|do not)\b.*\bever\b"
    r"|^(?:use|keep|write|put|run|make|prefer|add|name|log)\b.*\b(?:everywhere|by default|around here)[.!,]?(?:$| )|\bnext time\b|^(?:keep|use) \w+ (?:only|for all)\b|\b(?:please )?stop \w+ing\b.*\b(?:always|instead|fix)\b"
    r"|\bmust (?:always|never)\b|\bnever to \w+|\b(?:so|and) (?:never|don'?t ever)\b|^(?:please )?(?:don'?t|dont|do not) (?:ever|(?:mock|use|push|commit|deploy|tag|send|log|edit)(?! (?:the|this|that|it|these|those|yet)\b))\b"
)
HOUSE = (
    r"^(?:every|each|all) (?:prs?|commits?|releases?|branch(?:es)?|migrations?|changes?|deploys?|endpoints?|tables?|functions?|services?|packages?|modules?) (?:needs?|must|has to|have to|gets?|should) |^(?:use|keep|prefer|avoid) (?!the\b|this|that|it\b)[^,]{2,60}, \w+ (?:is|are) (?:blocked|not allowed|forbidden|unsupported)|(?:is|are) (?:blocked|not allowed|forbidden|unsupported|switched off|taken)\b[^,;]{0,40}[,;] (?:so )?use "
    r"|^(?:please )?(?:don'?t|dont|do not) (?:squash|rebase|reformat|amend|rename|force[- ]push) (?!the\b|this|that|it\b)|^(?:write|name|format|spell|indent) .{2,50} here$|\bwhere(?:ver)? possible\b|\bwhenever possible\b|\bmust (?:stay|remain) \w+|\b(?:is|are) (?:never|always) \w+ed\b"
    r"|^(?:please |pls )?stop \w+ing \w+, (?:we|use)\b"
    r"|\b(?:on|only|never|not) (?:mon|tues|wednes|thurs|fri|satur|sun)days\b|\bonly on \w+days?\b"
    r"|^no (?!changes?|errors?|differences?|luck|output|results?|signs?|ideas?|problems?|issues?|need|reason|way|one|tests?)\w+(?: \w+){0,3} (?:outside|without|inside|except|other than|on|before|above|over) |^(?:please )?(?:don'?t|do not) ask (?:me )?(?:for|before|to|about)\b|^(?:please )?\w+ tests first$"
    r"|^(?:please )?(?:explain|describe|answer|write) (?:things|everything) \w+|^(?:use|keep|prefer|avoid|name|put|write) (?!the\b|this|that|it\b|these|those|both)[^,]{2,60}, (?:we|they|it'?s|our|that'?s|the \w+ (?:wants?|team|needs?)) ?\w+|^(?:please )?(?:prefer|avoid) (?!the\b|this|that|it\b|option)\w+"
    r"|\bi(?:'m| am| read| use| work| write| type)\b.*,? (?:so )?(?:keep|no|don'?t|dont|never|please|make) "
    r"|\b(?:keep|write|make) (?:your |the |my |all )?(?:answers?|replies|responses|explanations|summaries|commit messages?|commits|subjects|pr descriptions|comments|functions|modules|names) \w+|\b(?:commit messages?|commits|answers|replies|comments|docs|docstrings|branch names|names|variables|tests) (?:in (?!the\b|this|that|here)|under|without|max|are (?:in|named|written)) ?\w+"
    r"|^(?:please )?no (?:emojis?|comments?|docstrings?|abbreviations|fluff|filler|ticket numbers?|globals?|magic)\b|^(?:please )?(?:don'?t|do not) (?:explain|add comments|comment|summari[sz]e|apologi[sz]e|use emojis?|reformat)\b|^call me \w+$|^to \w+(?: \w+){0,2}: |^run (?:the )?(?:tests?|lint\w*|migrations?|builds?) (?:with|through|via) "
    r"|^no (?!worries|problems|thanks|changes|errors|issues|results|tests|ideas)(?:\w+ )?\w+s$|^\w+(?: \w+)? are .{2,40} here$|^(?:deploys?|releases?|merges?|changes|migrations?|prs?|hotfix\w*|reviews?) needs? (?:a|an|two|three) "
    r"|\b(?:needs?|requires?) (?:two|three|\d) (?:approvals?|reviews?|sign-?offs?)\b|[,;] (?:so )?(?:always|never) \w+|^\w+s are (?:always|never) \w"
    r"|\b(?:in|to|for|across) (?:this|our|the whole|this whole) (?:whole )?(?:repo|repository|project|code ?base|service|crate|team|app|package|company|org)\b|\b(?:house style|by convention|(?:our|the (?:team|house|project)'?s?) (?:convention|rule|policy|style|standard))\b"
    r"|\b(?:off[- ]limits|forbidden|banned|taboo|not allowed|frowned upon)\b|\bnobody (?:may|should|is allowed)\b|\b(?:needs?|requires?) (?:an? )?(?:approval|sign-?off)\b|\b(?:ask (?:me )?before|without asking)\b|\b(?:only|just) (?:go|goes|thru|through|via) \w+"
    r"|\bwe (?:usually|normally|generally|only) \w+|\bwe (?:don'?t|do not|can'?t|cannot|won'?t) (?:use|do|write|mock|deploy|run|allow|support|ship|commit|push|tag|merge|store|log(?! in\b)|release)\b(?! (?:this|that|it|the)\b)|\bno \w+ (?:in|on) (?:prod|production|main|master|this|our)\b|\b(?:don'?t|dont|never|not|no)\b.*\bby hand\b|\b\w+ style,"
    r"|^no(?:t a)? (?!need|tests? for|problem|idea)\w+[^.]{0,60}, (?:we|it'?s|they|nobody|our|the)\b"
)
WISH = (
    r"\bi (?:really |strongly |much |always )?(?:prefer|hate|love|like|dislike|can'?t stand) (?!the\b|this|that|these|those|it\b(?! when)|option|your|to see|both|how|where|what)\w+|\bi (?:always |never )?want (?:my|all|every|short|small|no|only)\b|\bi (?:don'?t|dont|do not) (?:want|like) (?:any|\w+s\b)"
    r"|\bi (?:use|write|work|type|read)\b.*\bso (?:never|don'?t|dont|no|please|always|keep|use)\b"
)
#: What speaks of the thing at hand, of a wish for a feature, of what is happening: nothing lasts.
AT_HAND = (
    r"\b(?:this|that|these|those)(?: (?:one|function|file|test|button|page|branch|pr|commit|bug|method|class|line|run|ticket|issue|error|column|table|query|view|component|screen|time|error))?(?:[.,!;]|$)|^(?!.*\bwe (?:have|use)\b).*\bfor (?:this|that|it)\b(?! (?:whole )?(?:repo|repository|project|code ?base|service|crate|team|app|package|company|machine|customer))|\bin (?:this|that) (?:function|file|test|page|pr|commit|method|class|case|query|view)\b"
    r"|\bthis (?:function|file|test|button|page|branch|bug|method|class|line|run|ticket|issue|error|column|table|query|view|component|screen)\b|\bwants? (?:a|an|the|to|this|it|us|that)\b|\bneeds? to (?:be|work|go|look|show|return|pass)\b|\bneed to pass\b|\bwe need\b"
    r"|\bwe(?:'re| are) (?!leaving|moving|migrating|switching|staying|using|building|stuck|bound|dropping|going|not|on|in|all|a |an )\w+ing\b|\bit should\b|^(?:it|this|that|the \w+(?: \w+)?) (?:should|must|needs?)\b(?!.*\b(?:not|always say|customers?)\b)|^(?:all|every|each) (?:the )?(?!prs?\b|commits?\b|releases?\b|branch|migrations?\b|changes?\b|deploys?\b|endpoints?\b|tables?\b|functions?\b|services?\b|packages?\b|modules?\b)\w+ (?:should|must|needs?)\b(?!.*\b(?:repo|project|code ?base|here|service|team)\b)"
    r"|, (?:check|update|delete|fix|review|look|add|remove|change|see)\b(?: (?:it|them|this|that|all|at))|\bi'?d (?:prefer|like)\b(?!.*\b(?:always|never)\b)|\b(?:is|are|starts?) at \d{1,2}(?::\d\d)? ?(?:am|pm|uhr|h|o'clock)?(?:\b|$)|^my (?:branch|test|code|change|pr|commit|build|function|demo)\b|\balready in use\b|(?:\b(?:is|are)|'s) (?:fine|ok(?:ay)?|nicer|better|enough)\b|\bstill \w+ing\b|^don'?t \w+, just \w+ (?:it|this|that)\b|\bremember to\b|^(?:you|we|i) (?:need|have) to (?:wait|restart|go|do|fix|check|ship|finish|talk|ask|leave|merge|stop|start|be|look)\b|\bdon'?t (?:worry|forget)\b|\bwe \w+ed (?:an?|two|some|\d+) \w+ ago\b|\bhere[,.] .*\b(?:error|fail)|\bnever got\b|\balways get\b"
    r"|\b(?:the|a) (?:bug|problem|error|issue|cause|fix|failure|culprit) (?:is|was)\b"
)
#: Where a new clause begins that holds on, after one that only asks.
CLAUSE = r"(?:,|;| -)? (?:and|but|also|oh|btw)(?: also| please|,)? (?=(?:please )?(?:always|never|from now on|going forward|in this (?:repo|project|codebase)|we (?:always|never|only|use|don'?t|deploy|release)|our \w+ (?:is|are)|i (?:prefer|hate|like))\b)"
#: It was so: nothing is said of what holds.
PAST = r"\b(?:was|were|had|did|went|saw|used to)\b"
#: A line that leads a list of rules.
RULES_AHEAD = r"^(?:(?:ok|so|and|also|here are|these are|some|our|my|the|a few|general|ground|house|project|team|coding|basic)[, ]+)*(?:rules|conventions|guidelines|preferences|standards)(?: (?:here|that apply|we have|you should know|(?:for|in|of) (?:this|our|the) (?:repo|repository|project|code ?base|team|service)))?\s*:$|^(?:please )?(?:remember|keep in mind|from now on|going forward|always)(?: the following| these)?\s*:$"
