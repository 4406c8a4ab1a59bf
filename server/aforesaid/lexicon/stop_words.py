"""Stop lists, each for one purpose.

They differ on purpose: a word that means nothing in a question may mean much in a topic's name.
Those of digests, in several languages, are in phrases/.
"""
# ruff: noqa: SIM905 (a list of words reads better as text)

from __future__ import annotations

#: Not searched for: they match everything. Dropping them is worth .04 recall@5 on LoCoMo
#: (docs/adr/0012-ranking.md).
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being
    below between both but by can could did do does doing down during each few for from further
    had has have having he her here hers him his how i if in into is it its itself just me more
    most my no nor not of off on once only or other our ours out over own please same she should
    so some such tell than that the their theirs them then there these they this those through to
    too under until up us very was we were what when where which while who whom why will with
    would you your yours don doesn didn isn aren wasn weren couldn shouldn wouldn hasn haven
    hadn""".split()
)
#: Words of a question that an answer need not repeat.
QUESTION_FILLERS = frozenset(
    """able actually amount anybody anyone anything ask asked back became become belong belongs
    call called came change changed changes choose chose chosen come cost count current currently
    date day days decide decided default different exactly fast find format found gave get gets
    give given go goes got happen happened happens help hold holds ideal keep keeps kept kind know
    known last late later learn learned leave left length like list long longer look made make
    makes many max maximum may mean means might min minimum much must myself name named need needed
    needs new newest now number often old one part pick picked possible price put range rate reason
    rule rules run running runs said say says send sends set share show size someone something sort
    special stay still stored take taken tell thing things think thought time times took type unit
    use used user uses using value version versions want wants way went work works write written
    wrong""".split()
)
#: The same in other languages.
FOREIGN_QUESTION_FILLERS = frozenset(
    """aan al alla alle als am an ao aos as auf aus bei bij che chi com come como cosa czy da dans
    das de dei del dem den der des die do dos du een ein eine einen einer el em en er es est et
    para for für gdzie har hat het hoe hvad hvem hver hvilken hvor hvordan hvorfor hvornår ich
    il im is ist jak jaka jaki jakie je kan kann kiedy kto la las le les lo los man med met mit
    na nach nicht no nos og om os où par pas per perché por porque pour pourquoi på qual quale
    quali quand quando quanto quel quelle quelles quels quem qui quoi qué quién quiénes se sich
    sind skal som sont sowie sur till um uma un una und une unter van var vi voor von wann war
    waar waarom warum was welche welchem welcher welches wem wen wer wie wieso wir wird wo
    woher z za zu zum zur à är és é è cómo cuál cuándo cuánto dónde over que está são dlaczego
    który która które ile vad när hur vilken vilket varför och att det til af gilt muss darf
    viele viel""".split()
)
#: Grammatical characters of Chinese and Japanese, without hiragana.
CJK_QUESTION_FILLERS = frozenset("的了吗呢么什哪怎多少是在有我们何谁")
#: Words of any developer's prompts, whatever they are about.
GENERIC_WORDS = frozenset(
    """add added adds make makes made write writes writing written rename use uses used using set
    sets get gets let lets give gives show shows find finds check checks look looks see read reads
    run runs running start starts stop change changes changed update updates create creates build
    builds put move moves remove delete fix fixes fixed explain tell say says try want wants need
    needs needed help work works working go going come can could should would must may might please
    thanks thank ok okay sure yes no not dont done take takes keep keeps turn call calls called
    happen happens happened mean means know think like open print test tests testing file files
    function functions code line lines name names variable variables method class type types value
    values text word words list lists data error errors fails failing failed fail bug issue problem
    thing things way part parts first last next previous new old other another same different one
    two three ten many much more less most few some any all every each again still now today
    yesterday here there what which who why how when where whether if then else also just only even
    very really bit little lot short shorter long longer simple simpler better best good nice right
    wrong big small size comment comments commit diff message example question answer version
    project app page time day days week platform editor operator pattern object string number
    loop""".split()
)
#: Words of a trigger that say when it applies, not to what.
TRIGGER_FILLERS = frozenset(
    """asked asks ask user users wants want wanted need needs needed someone anyone anybody
    whenever time every always please task""".split()
)
#: Words of a question about a time that name no subject ("what did we discuss last week").
TIME_QUESTION_FILLERS = frozenset(
    """add added anything bring chat chatted conversation conversations decided did discuss
    discussed discussion discussions do doing done everything get give go going happen
    happened happening history know learn learned learnt list look made make me memories
    memory mention mentioned need new note notes recall recap remember remind said save
    saved say session sessions show something speak spoke store stored summarise summarize
    summary talk talked tell thing things together up us we went work worked working""".split()
)
