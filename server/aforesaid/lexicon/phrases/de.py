"""The turns of phrase by which a digest tells what a sentence is: German.

Here: patterns, nothing else; their names are those of en.py. Not here: joining (__init__.py).
"""
# ruff: noqa: E501 (patterns are tables: broken over more lines they read worse)

from __future__ import annotations

AFFIRMATION = (
    r"^(?:ja|jo|jap|jup|jawohl|klar|passt|einverstanden|ok(?:ay)?|gut|genau|gerne|mach(?: das| mal| es)?|so machen wir'?s?"
    r"|machen wir|in ordnung|super|perfekt|tu das|bitte)\b"
)
STOP = r"^(?:stopp?|halt|abbrechen|vergiss es|lass (?:es|das)|nicht jetzt|später|warte)\b"
QUESTION = r"^(?:(?:ok|und|aber|hm+),? )?(?:warum|wieso|weshalb|was|wie|welche[rsn]?|wo|wann|wer|kannst|könntest|gibt es|ist das)\b"
WEIGHED = r"\b(?:könnte[n]?|vielleicht|eventuell|würde[n]?|ob wir|entweder|nicht sicher|was wenn|überlege)\b"
CORRECTION = (
    r"^(?:nein|nee|nö|falsch|stopp?|halt|moment|vorsicht|achtung|quatsch)\b|\bstimmt (?:so )?nicht\b|\b(?:ist|war) (?:so )?falsch\b"
    r"|\bnicht .{1,50}, sondern\b|^(?:das|es|die|der|den) .{1,60}, nicht \S|^zu (?:lang|kurz|viel|wenig|groß|klein|hoch|niedrig)\b"
    r"|\bdu hast .{2,60}\b(?:eingetragen|vergessen|genommen|übersehen|verwechselt|falsch)\b|\bich (?:meinte|hatte gesagt|sagte)\b|\bmach(?:e)? das rückgängig\b"
)
CORRECTION_HEAD = r"^(?:nein|nee|nö|falsch|stopp?|halt|moment)\s*[,:;.!–—-]+\s*"  # noqa: RUF001
RULE = (
    r"\b(?:ab (?:jetzt|sofort|heute)|künftig|zukünftig|in zukunft|von nun an|grundsätzlich|prinzipiell|niemals|immer (?!noch)|ausschließlich)\b"
    r"|\bnie (?!mand)\w+|\bso halten wir\b|\b(?:bei uns|hier im projekt|in diesem (?:projekt|repo|repository))\b|\bdas ist (?:vorgabe|pflicht|vorschrift|so vorgeschrieben)\b"
    r"|\bich (?:mag|bevorzuge|hasse|will|möchte|hätte gern[e]?) (?:kein|nie|immer|lieber)|\bich (?:mag|bevorzuge|hasse)\b|\b(?:ist|sind) (?:verboten|nicht erlaubt|tabu|untersagt)\b"
    r"|\bwir (?:nehmen|verwenden|benutzen|nutzen|machen|deployen|schreiben|committen)\b.{0,60}\b(?:kein\w*|nur|immer|nie|hier)\b|\b(?:nur noch|nur) (?:mit|über|per|auf|von|als|durch)\b.{0,60}\b(?:nie|nicht|sonst)\b"
    r"|^(?:kein\w*|nie) .{3,80}, (?:kein|das|weil|denn|sonst)|\b(?:bitte )?(?:auf|in) (?:deutsch|englisch)\b|\bmerk dir\b|\bdenk(?:e)? (?:immer )?dran\b|\bsonst ist die\b"
)
DESCRIBED = r"\b(?:es|das|die funktion|der test) (?:ist|gibt|liefert|schlägt|läuft) (?:immer|nie)\b"
DECISION = (
    r"\bwir (?:haben|hatten)\b.{0,40}\b(?:beschlossen|entschieden|vereinbart|festgelegt|geeinigt)\b|\b(?:statt|anstatt|anstelle)\b|\bwir (?:bleiben|gehen|setzen|nehmen|wechseln)\b"
    r"|^(?:ok(?:ay)?,? |gut,? )?(?:dann|also|lieber|nimm|mach(?:en wir)?(?: nur)?)\b .{3,}|\bich habe (?:mich )?(?:entschieden|beschlossen)\b|^(?:entscheidung|beschluss|beschlossen)\b"
)
DECIDED = r"\bwir (?:haben|hatten)\b.{0,40}\b(?:beschlossen|entschieden|vereinbart|festgelegt|geeinigt)\b|\bwir bleiben (?:auf|bei)\b|^(?:entscheidung|beschluss)\b"
OWN_DECISION = (
    r"\bich habe mich (?:für|gegen)\b|\bstatt(?:dessen)? .{2,60} (?:genommen|verwendet)\b"
)
PROPOSAL = r"\bich (?:würde|schlage vor|empfehle)\b|\bmein vorschlag\b|^soll(?:en)? (?:ich|wir)\b|\bsoll ich\b|\bwir könnten\b|\bvorschlag:"
CAUSE = r"\b(?:die |der )?(?:ursache|grund|problem|fehler)(?: ist| war| liegt|:)|\b(?:das|es) (?:liegt|lag) (?:daran|an)\b|\bweil\b|\bdeshalb\b|\bdaher\b|\bdeswegen\b|\bverursacht\b|\bwegen\b|\bkommt (?:daher|von)\b"
DONE = r"^(?:erledigt|fertig|behoben|geändert|hinzugefügt|umgestellt|entfernt|ergänzt|angepasst|umbenannt|korrigiert)\b|\b(?:jetzt|nun|ab jetzt)\b|\bwieder\b|\b(?:laufen|läuft) (?:alle )?(?:durch|grün|mit)\b|\bich habe .{2,80}(?:t|en)\b"
OPEN = (
    r"\b(?:noch )?offen\b|\bfehl(?:t|en)\b(?! nicht)|\bbleib(?:t|en) (?:noch|offen)\b|\b(?:ist|sind|wurde[n]?|habe) .{0,60}(?:noch )?nicht (?:ge\w+|getrennt|\w+t)\b|\bnoch (?:nicht|kein\w*|zu)\b|\brückt .{0,40}nicht\b"
    r"|\bich (?:habe|hatte) (?:keinen zugriff|keine rechte|nur)\b|\bmuss (?:noch|jemand)\b|\bals nächstes\b|\bnächster schritt\b|\bsteht (?:noch )?aus\b"
)
OPEN_LABEL = r"^(?:(?:noch )?offen(?: ist| bleibt)?(?: noch)?|was noch fehlt|bleibt noch|nächste schritte?|fehlt noch)\s*:\s*(?=\S)"
LATER = r"\b(?:morgen|später|nächste[nrs]? (?:woche|mal|sprint|monat)|ein andermal|irgendwann)\b|\bto-?do\b|\berinner mich\b|\bfehlt noch\b|\bnicht heute\b|\bnach dem release\b"
NARRATION = r"^(?:ich (?:schaue|sehe|prüfe|suche|lese|starte|beginne|werde)|lass mich|schauen wir|mal sehen|zuerst|als erstes|verstanden|alles klar|gut|okay?|klar|gerne)\b[^:]{0,80}$"
ANNOUNCED = r"^(?:(?:und|aber|also|ok(?:ay)?|ach|gut|bitte|übrigens|danke|todo|notiz|merke)[,:]? +)+|^(?:die ursache|ursache|entscheidung|offen|todo): +"
ROUTINE = r"^(?:alle |die )?\d* ?tests? (?:sind grün|laufen(?: durch)?|bestehen)\b.{0,20}$|^(?:committet|gepusht|erledigt|fertig|geändert)\b.{0,30}$"
NEXT = r"^(?:offen|als nächstes|nächster schritt|fehlt noch|bleibt noch)\b"
POLITE = r"^(?:(?:hallo|hi|hey|moin|ok(?:ay)?|also|gut|danke|bitte|super)[,.!:]* +)+|^(?:kannst|könntest) du (?:bitte |mal )*|^(?:bitte )?(?:hilf mir )|^ich (?:möchte|will|brauche),? "
FACT = (
    r"^alle \w+ (?:sind|haben)\b|\b(?:liegt|liegen) (?:auf|in|unter) \S+|"
    r"\b(?:der|die) (?:kunde|kunden|chef|chefin|rechtsabteilung|datenschutz|betrieb) (?:will|wollen|verlangt|braucht)\b|"
    r"\bjede[nrs]? (?:nacht|tag|woche|monat|montag|dienstag|mittwoch|donnerstag|freitag)\b|"
    r"\b(?:unser\w*|wir) .{0,40}\b(?:ist|sind|hat|haben|läuft|laufen|nutzen|verwenden|bleiben|brauchen|liegt|liegen|kommen|müssen|dürfen|unterstützen|wollen|will)\b|\bwir (?:nutzen|verwenden|bleiben|brauchen|unterstützen|haben|sind|hosten|deployen|laufen)\b"
    r"|\b(?:sie|er|\w+) (?:ist unsere?|ist zuständig|kümmert sich|betreut|verantwortet|macht das)\b|^mach(?:t|en) [A-ZÄÖÜ]\w+|\bgehört (?:dem|der|zu)\b"
)
ASIDE = r"\b(?:übrigens|zur info|nebenbei|nur zur info|am rande|fürs protokoll|denk daran|zur erinnerung)\b|^(?:hinweis|wichtig|merke|notiz|regel)\b[:,]?"
CONSTRAINT = r"\b(?:ist|sind) (?:\w+ )?(?:eingefroren|veraltet|abgeschaltet|zertifiziert|gesperrt|vorgeschrieben|verboten|generiert|intern|öffentlich)\b|\b(?:gesetzlich|datenschutz|vorgabe|dsgvo|vertraglich|der kunde (?:will|möchte)|lizenz|garantie)\b"
PASSING = r"\b(?:jetzt gerade|gerade|diesmal|dieses mal|heute|fürs erste|vorerst|erst ?mal|noch ?mal|schnell|vorübergehend|morgen|nächste woche|mal eben)\b"
PERSONAL = r"\bich (?:mag|bevorzuge|hasse|liebe|schreibe|arbeite|nutze|tippe|möchte lieber)\b|\b(?:mir|meine?[mnrs]?) (?!ist|war|fehlt|aufgefallen)\b"
HERE = r"\b(?:hier|bei uns|wir|unser\w*|in diesem (?:projekt|repo|repository|modul|dienst)|im (?:projekt|repo|team))\b"
STOP_WORDS = frozenset(
    """der die das den dem des ein eine einen einem einer eines und oder aber zu zum zur in im an am auf aus bei mit nach von vom vor
    für ist sind war waren wird werden hat haben es er sie wir ihr ich du mich mir dich dir uns sich nicht kein keine so wie was wer wenn
    dann als auch noch nur schon mal bitte jetzt hier da doch dass weil kann soll sondern""".split()  # noqa: SIM905
)
STATES = r"^(?:der|die|das|den|im|am|auf|in)? ?\w[\w./-]+(?: [\w./()-]+){0,4} (?:ist|sind|gilt|gelten|läuft|laufen|wird|werden|(?:lieg|steh|gehör|heiß|komm|bekomm|geh|bleib|zähl|nutz|brauch)(?:t|en))"
COPULA = r"\b(?:ist|sind|wird|werden|bleib(?:t|en)) ?$"
ENVIRONMENT = r"\b(?:prod(?!uct)\w*|staging|live|server|rechner|port|datenbank|db|broker|konto|kunde[n]?|mandant\w*|branch|registry|domäne|domain|vertrag|frist|backups?|doku|release|tresor|team|büro|behörden?|schema|umgebung|proxy|gateway)\b"
COMPLAINT = r"\b(?:kaputt|langsam|falsch|fehler|schlägt fehl|stürzt|hängt|geht nicht|funktioniert nicht|fehlt|leer|bricht|verschwindet|bug|ruckelt)\b"
DENIAL = r"^(?:nein|nee|nö|falsch|stimmt nicht|quatsch)[.!,]*$"
BLAME = r"^(?:du hast|das ist falsch|mach das rückgängig|ich meinte)\b"
CONTRAST = r"\bnicht .{1,50}, sondern\b|, nicht \w|\bstatt\b|(?!^)\bnur\b|\b\d[\d.,]*\b|\bzählen\b|\breich(?:t|en)\b"
LEAD = r"^(?:(?:und|aber|also|ach|ok(?:ay)?|gut|danke|super|übrigens|hinweis|wichtig|merke|merk dir|denk dran|zur info|ja|genau|bitte|nein|nee|falsch)\b[,:.!]* +)+|,? (?:übrigens|bitte|danke)\b(?=[.,!]|$)|(?<=\w) übrigens (?=\w)"
PROPOSAL_HEAD = r"^(?:ich (?:würde|schlage|empfehle)(?: vor(?:schlagen)?)?,? (?:dass wir |wir )?|soll(?:en)? (?:ich|wir) |(?:mein )?vorschlag: |oder )"
FRAGMENT = r"^(?:nur|aber|außer|weil|denn|sonst)\b"
CHOICE = r"^(?!.*\b(?:immer|nie|künftig|ab jetzt)\b).*\b(?:statt|anstatt|anstelle|nimm)\b"
REASON = r"(?:\bweil\b|\bdenn\b|\bdamit\b|\bwegen\b)"
LASTING = r"\b(?:immer|nie|niemals|ab (?:jetzt|sofort)|künftig|grundsätzlich|in diesem (?:projekt|repo))\b"
NEGATION = r"\b(?:nicht|kein\w*|nie|niemals|ohne)\b"
OLD_VALUE = r"^nicht [^,;]{2,40}(?=[,;])|\b(?:nicht|statt|anstatt|nicht mehr|kein) [\w.:/-]+"
USE = r"^(?:(?:nicht|kein\w*) [^,;]{2,60}[,;] (?:sondern )?)?(?:bitte |besser |lieber )*(?:nimm|(?:wir )?nehm\w+|benutz\w*|verwende\w*|nutz\w*|deploy\w* (?:nach|auf)|verbinde? dich mit)\b(?! (?:es|das|den|die|dies\w*)\b(?: (?:gleiche|andere|erste|zweite|letzte|alte|neue)\w*)?(?:[ ,.!]|$))|^(?!wir\b)[^,;]{2,60} (?:nehmen|nutzen|verwenden|benutzen)\b"
PURPOSE = r"\b(?:für|als|bei|zum|zur|im) \w"
INDEFINITE = r"\b(?:nimm|nehmt|benutz\w*|verwende\w*|nutz\w*|nicht|statt|sondern|lieber) (?:eine?[nmrs]?|andere\w*|mehr|weniger)\b"
ELEMENT = r"\b\w*(?:schleifen?|liste|(?<=\w)listen|funktion(?:en)?|methoden?|klassen?|variablen?|konstanten?|parameter|argumente?|spalten?|zeilen?|überschrift(?:en)?|schrift|schalter|knopf|knöpfe|seiten?|kommentare?|dateien?|ordner|farben?)\b|\b(?:map|lambda|rot|grün|blau|gelb|schwarz|weiß|grau|links|rechts|oben|unten|fett|kursiv)\b"
THAT = r"\b(?:dafür|damit|hierfür)\b"
ORDER = r"^(?:bitte |jetzt |dann |und |auch |mal )*(?:mach(?!ine)\w*|gib|geh|kürz\w*|sortier\w*|starte|stopp\w*|speicher\w*|fang|schick\w*|formatier\w*|nenn\w*|wart\w*|bau\w*|füg\w*|schreib\w*|schau\w*|prüf\w*|änder\w*|nimm|setz\w*|start\w*|lösch\w*|benenn\w*|verschieb\w*|erstell\w*|zeig\w*|erklär\w*|teste|entfern\w*|leg(?!a)\w*|ruf|lass|such\w+|öffne|schließ\w*|führ\w*|aktualisier\w*)\b(?! [A-ZÄÖÜ]\w+,)"
DIRECTIVE = RULE
AT_HAND = r"\b(?:immer noch|immer wieder|schon immer|diese[rnsm]? (?:datei|funktion|seite|test|zeile|klasse|methode)|nicht erreichbar|dafür|hierfür)\b|\bmuss .{2,40} (?:fertig|weg|raus)\b|\bwir (?:haben|hatten) (?:einen?|ein) (?:fehler|problem|bug)\b"
CLAUSE = r",? und (?=(?:bitte )?(?:immer|nie|niemals|ab jetzt|künftig)\b)"
PAST = r"\b(?:war|waren|hatte|hatten|wurde)\b"
RULES_AHEAD = r"^(?:(?:hier|unsere|die|ein paar|noch) )*(?:regeln|konventionen|vorgaben)(?: (?:hier|bei uns|für (?:dieses|unser) (?:repo|projekt)))?\s*:$|^(?:bitte )?(?:merk dir(?: bitte)?|ab jetzt|künftig)\s*:$"
