"""The turns of phrase by which a digest tells what a sentence is: Spanish, French, Portuguese.

Here: patterns, nothing else; their names are those of en.py. Not here: joining (__init__.py).
"""
# ruff: noqa: E501 (patterns are tables: broken over more lines they read worse)

from __future__ import annotations

AFFIRMATION = r"^(?:s[ií]|vale|dale|de acuerdo|hazlo|adelante|perfecto|bien|oui|d'accord|vas-y|parfait|ok(?:ay)?|sim|pode(?: ser| fazer)?|isso|beleza|combinado|fechado|claro|genial)\b"
STOP = r"^(?:para|espera|cancela|d[eé]jalo|ahora no|stop|arr[êe]te|attends|laisse tomber|pare|espere|deixa|agora não)\b"
QUESTION = r"^¿|^(?:(?:y|pero|et|mais|e|mas),? )?(?:por qué|qué|cómo|cuál|dónde|cuándo|quién|puedes|podrías|pourquoi|comment|quel(?:le)?s?|où|quand|qui|est-ce que|peux-tu|por que|como|qual|onde|quando|quem|pode você)\b"
WEIGHED = r"\b(?:podría(?:mos)?|quizás?|tal vez|acaso|pourrait|pourrions|peut-être|poderia|talvez|será que|si queremos)\b"
CORRECTION = (
    r"^(?:no[,.!]|(?:non|não|nao)[,.!]?) (?!hay|pasa|importa|problem|il y|tem)|^(?:mal|error|ojo|cuidado|faux|attention|errado|cuidado)[,:.!]|\bno es .{1,40}, (?:es|son|sino)\b|\bno .{1,40} sino\b|\bce n'est pas .{1,40}, c'est\b"
    r"|\b(?:c'est|est) (?:faux|10|incorrect)\b|\bnão é .{1,40}, é\b|\b(?:quise decir|me refería|je voulais dire|eu quis dizer)\b|, no (?:después|antes|el|la|los|las|en|un|al?|por|para)\b|, et non |, (?:pas|não) (?!de\b|encore|besoin|tem\b|é\b|sei\b)\w|, no (?=\S*[-_./\d])\w"
)
CORRECTION_HEAD = (
    r"^(?:no|non|não|nao|ojo|error|faux|errado|mal|attention|cuidado)\s*[,:;.!–—-]+\s*"  # noqa: RUF001
)
RULE = (
    r"\b(?:a partir de (?:ahora|agora)|de ahora en adelante|en adelante|desde ahora|d[ée]sormais|[àa] partir de maintenant|dorénavant|daqui (?:pra|para) frente|de agora em diante)\b"
    r"|\b(?:siempre|toujours|sempre)\b|\b(?:nunca|jamais)\b|\bsolo (?:en|con|por|los|las)\b|\buniquement\b|\bsomente\b|\bexclusivamente\b"
    r"|\b(?:prefiero|odio|me gusta[n]?|no me gusta[n]?|je pr[ée]f[èe]re|je d[ée]teste|j'aime|je n'aime pas|prefiro|não gosto|gosto de|detesto)\b"
    r"|\b(?:est|sont|está|están|é|são) (?:interdite?s?|prohibid[oa]s?|proibid[oa]s?)\b|\b(?:en este|dans ce|nesse|neste) (?:proyecto|projet|projeto|repo)\b.{0,60}|\b(?:nada de|pas de|plus de|sin|zéro) .{2,60}(?:proyecto|projet|projeto|code|código|repo)\b"
    r"|\b(?:recuerda|acuérdate|souviens-toi|rappelle-toi|retiens|lembra|lembre-se)\b"
)
DESCRIBED = r"\b(?:il|elle|ça|la función|el test|a função|o teste|ela|ele|esto|eso) (?:\w+ )?(?:siempre|nunca|toujours|jamais|sempre)\b|\bne .{1,30} jamais que\b"
DECISION = (
    r"\b(?:decidimos|hemos decidido|acordamos|on a (?:d[ée]cid[ée]|choisi)|nous avons (?:d[ée]cid[ée]|choisi)|foi decidido|ficou decidido|combinamos|se decidió|quedamos en)\b"
    r"|\b(?:en vez de|en lugar de|plut[ôo]t que|au lieu de|em vez de|ao inv[ée]s de)\b|^(?:pues|entonces|então|ent[aã]o|alors|bon,? alors|donc)\b .{3,}|\b(?:entonces|alors|então|donc)[.,!]?(?:$| et\b| e\b| y\b)"
    r"|\b(?:nos quedamos|vamos con|on garde|on reste|on part sur|on s'arr[êe]te|vamos usar|vamos de|ficamos com)\b|^(?:decisi[óo]n|d[ée]cision|decisão)\b|\bcontinua (?:\d|com|em|no|na)\b"
)
DECIDED = r"\b(?:decidimos|hemos decidido|acordamos|on a (?:d[ée]cid[ée]|choisi)|nous avons (?:d[ée]cid[ée]|choisi)|foi decidido|ficou decidido|combinamos|se decidió|quedamos en)\b|^(?:decisi[óo]n|d[ée]cision|decisão)\b"
OWN_DECISION = r"\b(?:he (?:elegido|optado)|j'ai (?:choisi|opt[ée])|escolhi|optei)\b"
PROPOSAL = r"\b(?:propongo|sugiero|recomiendo|je propose|je sugg[èe]re|je recommande|proponho|sugiro|recomendo|podríamos|on pourrait|poderíamos)\b|^(?:quieres que|veux-tu que|quer que)\b"
CAUSE = r"\b(?:la causa|el problema|el error|la raz[óo]n|le probl[èe]me|la raison|l'erreur|o problema|a causa|o erro|a raz[ãa]o)\b.{0,20}\b(?:es|era|viene|est|[ée]tait|vient|venait|é|era|vinha|vem)\b|\bporque\b|\bparce qu|\bpor eso\b|\bdebido a\b|\b(?:à|a) cause d|\bc'est (?:parce|pourquoi|d[ûu])|\bpor isso\b|\bd[ûu]e? [àa]\b|\bviene de\b|\bvient de\b|\bvenait d|\bvinha d|\bvem d|\btarda porque\b"
DONE = r"^(?:hecho|listo|arreglado|corregido|añadid[oa]|cambiad[oa]|aplicado|traducid[oa]|c'est fait|fait|corrig[ée]|ajout[ée]|termin[ée]|feito|pronto|corrigido|adicionad[oa]|alterad[oa])\b|\b(?:ahora|maintenant|agora)\b|\bhe (?:quitado|añadido|cambiado|movido|hecho)\b|\bj'ai (?:ajout|chang|corrig|retir|d[ée]plac)"
OPEN = (
    r"\b(?:falta[n]?|queda[n]? (?:pendiente|por|sin|a[úu]n)|pendiente[s]?|por hacer|sin (?:probar|migrar|cubrir))\b|\bno he (?:tocado|probado|migrado|cambiado)\b|\bno tengo acceso\b|\b(?:todav[íi]a|a[úu]n) no\b|\bil reste\b|\breste(?:nt)? (?:à|a|encore)\b|\b(?:pas|sont|est) encore\b|\bencore (?:en|à|au|des)\b|\bje n'ai pas\b|\bn'(?:est|ont|a) pas (?:encore )?(?:test|migr|fait|trait)"
    r"|\bfalta[m]?\b|\bainda (?:não|falta|est)|\bpendentes?\b|\bnão (?:testei|mexi|tenho acesso)\b|\bpr[óo]ximo paso\b|\bprochaine [ée]tape\b|\bpr[óo]ximo passo\b"
)
OPEN_LABEL = r"^(?:pendiente|queda(?: pendiente| por hacer)?|falta|reste [àa] faire|il reste|pendente|falta fazer)\s*:\s*(?=\S)"
LATER = r"\b(?:mañana|más tarde|luego|otro d[íi]a|la semana que viene|pr[óo]xim[ao] (?:semana|sprint)|demain|plus tard|la semaine prochaine|un autre jour|amanh[ãa]|depois(?! d)|semana que vem|outro dia)\b|\bpara otro d[íi]a\b|\bpas aujourd'hui\b|\bhoy no\b|\bhoje não\b"
NARRATION = r"^(?:voy a|d[ée]jame|veamos|miro|reviso|primero|entendido|de acuerdo|je vais|laisse-moi|voyons|je regarde|d'abord|entendu|compris|bien s[ûu]r|vou|deixa eu|vejamos|primeiro|certo|claro|perfecto|parfait)\b[^:]{0,80}$"
ANNOUNCED = r"^(?:(?:y|pero|bueno|bien|vale|por cierto|ok|et|mais|bon|au fait|e|mas|ali[áa]s|ah),? +)+|^(?:decisi[óo]n|pendiente|d[ée]cision|reste|nota|note)\s*: +"
ROUTINE = r"^(?:todas? |tous |todos )?(?:las |les |os |los )?\d* ?(?:pruebas|tests?|testes) (?:pasan|passent|passam)\b.{0,20}$|^(?:hecho|listo|corregido|aplicado|c'est fait|fait|feito|corrigido|se comprueba antes)\b.{0,20}$"
NEXT = r"^(?:falta|queda|pendiente|il reste|reste|pr[óo]ximo)\b"
POLITE = r"^(?:(?:hola|buenas|bonjour|salut|oi|ol[áa]|ok|bien|bueno|vale|bon|gracias|merci)[,.!:]* +)+|^(?:puedes|podrías|peux-tu|pourrais-tu|pode|poderia) |^(?:por favor|s'il te pla[îi]t)[, ]+"
FACT = (
    r"^(?:los|las|les|os|as) [\w ]{2,40} (?:van|vont|vão|ficam) (?:en|dans|em|no|na)\b|\b(?:los|todos los) (?:lunes|martes|miércoles|jueves|viernes|sábados|domingos)\b|\btous les (?:lundis|mardis|mercredis|jeudis|vendredis)\b|\b(?:solo|seulement|só) (?:acepta|admite|funciona|accepte|aceita)\b|"
    r"\b(?:usamos|tenemos|estamos|desplegamos|soportamos|trabajamos|nuestr[oa]s? .{1,40} (?:es|son|tiene|quiere))\b|\bon a (?:une?|des|les?|la|deux|trois|plusieurs|pas)\b|\b(?:on|nous) (?:utilise|utilisons|d[ée]ploie|d[ée]ployons|avons|garde|reste|tourne|supporte|travaille)\b|\b(?:nos|notre) .{1,40} (?:est|sont|veut|veulent|a|ont)\b"
    r"|\b(?:usamos|temos|estamos|fazemos|nosso|nossa)\b|\b(?:ella|él|elle|il|ela|ele|\w+) (?:lleva|se encarga|es (?:la|el) responsable|g[èe]re|s'occupe|est responsable|cuida|é respons[áa]vel)\b"
    r"|\bchez nous\b|\b(?:nous sommes|on est|estamos|estamos en|estamos no) (?:sur|en|no|na)\b"
)
ASIDE = r"\b(?:por cierto|para que conste|ten en cuenta|au fait|pour info|ali[áa]s|para constar|só pra constar|a prop[óo]sito)\b|^(?:nota|note|importante|important|ojo|attention|regla|règle)\b[:,]?"
CONSTRAINT = r"\b(?:por ley|legalmente|convenio|licencia|lo exige|l[ée]galement|convention collective|licence|por lei|juridico|jur[íi]dico|contrato|obsolet[oa]|obsol[èe]te|interdite?|prohibid[oa]|congelad[oa]|gel[ée]e?)\b"
PASSING = r"\b(?:por ahora|de momento|esta vez|hoy|ahora mismo|una vez m[áa]s|pour l'instant|cette fois|aujourd'hui|tout de suite|por enquanto|dessa vez|hoje|agora mesmo|mañana|demain|amanh[ãa])\b"
PERSONAL = r"\b(?:prefiero|odio|me gusta[n]?|me molesta[n]?|je pr[ée]f[èe]re|je d[ée]teste|j'aime|je n'aime|prefiro|gosto|detesto)\b"
HERE = r"\b(?:aqu[íi]|ici|aqui|chez nous|este proyecto|ce projet|n?este projeto|n?esse projeto|usamos|tenemos|temos|on (?:ne|utilise|d[ée]ploie|garde|travaille|fait|met|[ée]crit|veut|pr[ée]f[èe]re|est)|nous|nuestr[oa]s?|notre|nos|noss[oa]s?)\b"
STOP_WORDS = frozenset(
    """el la los las un una unos unas de del al en con por para que se es son y o no si lo le su sus como más ya muy esto eso este esta hay
    le les des du au aux dans sur pour avec est sont et ou ne pas que qui ce cette ces il elle on nous vous je tu plus
    os as um uma do da dos das no na nos nas com em é são e ou não que isso esse essa já""".split()  # noqa: SIM905
)
STATES = r"^(?:los |las |el |la |le |les |l'|o |a |os |as )?[\w' ]{2,50} (?:es|son|está|están|van|est|sont|compte(?:nt)?|vient|viennent|vont|tournent|passent|viene[n]?|sale[n]?|corre[n]?|é|são|fica|ficam|vai|vêm|vão|roda[m]?) "
COPULA = r"\b(?:es|son|está|están|est|sont|é|são|fica|ficam) ?$"
ENVIRONMENT = r"\b(?:producci[óo]n|production|produção|servidor|serveur|puerto|port|porta|(?:la|a|une|una|uma|en|na|de) base|banco|cliente[s]?|clients?|cuenta|compte|conta|rama|branche|contrat\w*|consola|console|despliegues?|d[ée]ploiements?|deploys?|[ée]quipe|equipo|equipe|h[ée]bergeur|proveedor|multa|impuesto|taux|taxa|redis|dns|(?:les|los|os|nos) commits?|commits? e[nm]|c[óo]digo|comentarios|commentaires|coment[áa]rios)\b"
COMPLAINT = r"\b(?:roto|lent[oa]|mal|falla|(?:un|el|da) error|no funciona|cass[ée]|lent|faux|erreur|ne marche pas|plante|quebrad[oa]|errad[oa]s?|não funciona|trava|some (?:da|do|na|no|quando|depois|sempre)|desaparece|tarda)\b"
DENIAL = r"^(?:no|non|não|nao|mal|faux|errado)[.!,]*$"
BLAME = r"^(?:has |tu as |você )\b"
CONTRAST = r"\bno .{1,50} sino\b|, (?:no|pas|não) \w|\ben (?:vez|lugar) de\b|\bau lieu de\b|\bem vez de\b|\b\d[\d.,]*\b|\b(?:antes|après|avant|después|compte(?:nt)?)\b|^(?:el|la|los|las|le|les) \w+$"
LEAD = r"^(?:(?:y|pero|bueno|bien|vale|por cierto|ojo|recuerda que|ten en cuenta que|oui|sí|sim|lembra que|et|mais|bon|au fait|attention|e|mas|aliás|ok)\b[,:.!]* +|(?:non|no|não)[,:.!] +)+"
PROPOSAL_HEAD = r"^(?:propongo|sugiero|recomiendo|je (?:propose|sugg[èe]re|recommande)(?: de)?|proponho|sugiro|recomendo) |^(?:o|ou) "
FRAGMENT = r"^(?:solo|pero|porque|salvo|seulement|mais|sauf|parce que|só|mas|exceto)\b"
CHOICE = r"^(?!.*\b(?:siempre|nunca|toujours|jamais|sempre)\b).*\b(?:en (?:vez|lugar) de|plut[ôo]t que|au lieu de|em vez de)\b"
REASON = r"\b(?:porque|parce qu|car|ya que|pour que|para que|pois)\b"
LASTING = r"\b(?:siempre|nunca|toujours|jamais|sempre|a partir de (?:ahora|agora)|d[ée]sormais|dorénavant|de ahora en adelante)\b"
NEGATION = r"\b(?:no|nunca|sin|ne|pas|jamais|sans|não|nao|sem)\b"
OLD_VALUE = r"^pas [^,;]{2,40}(?=[,;])|\b(?:no es|en vez de|en lugar de|pas|au lieu de|não(?: é)?|em vez de|plut[ôo]t que|, no (?:por|con|en|el|la))(?: el| la| le| o| a| d[eu]| por| par)? [\w.:/-]+"
USE = r"^(?:(?:no|pas|não) [^,;]{2,60}[,;] )?(?:por favor |s'il te plaît )?(?:usa|utiliza|utilise|utilize|conecta\w* a|connecte-toi à)\b(?! (?:esto|eso|ça|cela|isso)\b)"
PURPOSE = r"\b(?:para|pour|como|comme|en|em|dans) \w"
INDEFINITE = r"\b(?:usa|utiliza|utilise|use|no|pas|não|de|sino) (?:une?|una|uma?|des|otr[oa]s?|outr[oa]s?|un autre)\b"
ELEMENT = r"\b(?:bucles?|boucles?|laços?|listas?|listes?|tuplas?|funci[oó]n(?:es)?|fonctions?|funç(?:ão|ões)|m[ée]todos?|m[ée]thodes?|clases?|classes?|variables?|variáve(?:l|is)|constantes?|columnas?|colonnes?|colunas?|filas?|lignes?|linhas?|títulos?|titres?|bot[oó]n|boutons?|bot(?:ão|ões)|comentarios?|commentaires?|map|lambda|azul|bleue?|verde|verte?|roj[oa]|rouge|vermelh[oa]|izquierda|gauche|esquerda|derecha|droite|direita)\b"
THAT = r"\b(?:para|con|pour|avec|com) (?:eso|esto|ça|cela|isso)\b"
ORDER = r"^(?:por favor,? |ahora |y |et |e |maintenant |agora )*(?:devuelve|escribe|guarda|empieza|explica|muestra|elimina|renombra|ordena|envía|manda|espera|deja|renvoie|retourne|enlève|commence|explique|montre|trie|attends|refais|renomme|envoie|laisse|remplace|devolve|retorna|começa|mostra|apaga|renomeia|deixa|troca|añade|haz|crea|cambia|mueve|borra|ejecuta|revisa|mira|prueba|pon|quita|arregla|integra|traduce|lanza|ajoute|fais|crée|change|supprime|lance|regarde|mets|corrige|déplace|teste|vérifie|écris(?! toujours)|adiciona|faz|cria|muda|remove|roda|olha|testa|coloca|arruma|escreve)\b"
DIRECTIVE = RULE
AT_HAND = r"\b(?:siempre|toujours|sempre) (?:falla|da|sale|le m[êe]me|pas|plante|falha|quebra|o mesmo|el mismo)\b|\b(?:est[ea] (?:archivo|funci[óo]n|p[áa]gina|prueba)|ce fichier|cette (?:page|fonction)|(?:esse|este) arquivo)\b|\b(?:ocupad[oa]|en panne|un probl[èe]me|un problema|um problema|todav[íi]a)\b|\bça plante\b"
PAST = r"\b(?:era|eran|fue|estaba|[ée]tait|foi|estava)\b"
RULES_AHEAD = r"^(?:(?:nuestras|las|unas|nos|les|quelques|nossas|as) )*(?:reglas|convenciones|règles|conventions|regras|convenções)(?: [\w' ]{2,30})?\s*:$|^(?:a partir de (?:ahora|agora)|désormais|recuerda|retiens)\s*:$"
