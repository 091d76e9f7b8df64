"""German-to-English grammars: statements from a few hundred words, and number words."""

from functools import cache
from typing import Final

from explorer.tasks.grammar import Grammar, Rule

# The forms of a verb, with its object. A form is the finite verb, the rest of the verb, and both in
# English. "VERB" is the kind of verb. "nicht ein" would be "kein", so a negated object is definite.
_PREDICATES: Final = tuple(
    (forms.replace("VERB", verb).split(" | "), definite if "nicht" in forms else thing)
    for verb, thing, definite in (
        ("transitive", "{object}", "{definite}"),
        ("intransitive", "", ""),
    )
    for forms in (
        "{VERB present} |  | {VERB present}",
        "hat | {VERB participle} | has {VERB participle}",
        "{modal} | {VERB infinitive} | {modal} {VERB infinitive}",
        "{VERB denied} | nicht | does not {VERB denied}",
        "hat | nicht {VERB participle} | has not {VERB participle}",
    )
)
# Gender; articles as der, den, ein, einen; the adjective's ending after each article.
_ARTICLES: Final = (
    ("m", ("der", "den", "ein", "einen"), ("e", "en", "er", "en")),
    ("f", ("die", "die", "eine", "eine"), ("e", "e", "e", "e")),
    ("n", ("das", "das", "ein", "ein"), ("e", "e", "es", "es")),
)
_BEINGS: Final = {
    "m": "Hund dog, Mann man, Vater father, Bruder brother, Sohn son, Onkel uncle, Freund friend, "
    "Lehrer teacher, Arzt doctor, König king, Koch cook, Ritter knight, Dieb thief, Vogel bird, "
    "Fisch fish, Fuchs fox, Wolf wolf, Igel hedgehog",
    "f": "Katze cat, Frau woman, Mutter mother, Schwester sister, Tochter daughter, Tante aunt, "
    "Königin queen, Hexe witch, Maus mouse, Kuh cow, Ente duck, Eule owl, Ziege goat, "
    "Schlange snake, Spinne spider, Biene bee",
    "n": "Kind child, Mädchen girl, Baby baby, Pferd horse, Tier animal, Schaf sheep, Huhn hen, "
    "Schwein pig, Kamel camel, Kaninchen rabbit, Krokodil crocodile, Monster monster",
}
_THINGS: Final = {
    "m": "Ball ball, Tisch table, Stuhl chair, Baum tree, Brief letter, Apfel apple, "
    "Schlüssel key, Hut hat, Ring ring, Kuchen cake, Löffel spoon, Stern star, Berg mountain, "
    "Turm tower, Schuh shoe, Mantel coat",
    "f": "Tür door, Blume flower, Lampe lamp, Brücke bridge, Straße street, Tasse cup, Uhr clock, "
    "Karte map, Stadt city, Schule school, Insel island, Rose rose, Flasche bottle, Suppe soup, "
    "Sonne sun",
    "n": "Haus house, Buch book, Bild picture, Auto car, Brot bread, Boot boat, Fenster window, "
    "Messer knife, Glas glass, Schiff ship, Schloss castle, Ei egg, Bett bed, Dorf village, "
    "Licht light",
}
_ADJECTIVES: Final = (
    "groß big, klein small, alt old, jung young, neu new, schön beautiful, arm poor, reich rich, "
    "stark strong, schnell fast, klug clever, still quiet, müd tired, krank sick, fremd strange, "
    "rot red, blau blue, grün green, schwarz black, gelb yellow"
)
# Infinitive, present and participle, in German and then in English.
_VERBS: Final = {
    "transitive": "sehen sieht gesehen see sees seen, finden findet gefunden find finds found, "
    "suchen sucht gesucht seek seeks sought, lieben liebt geliebt love loves loved, "
    "kennen kennt gekannt know knows known, brauchen braucht gebraucht need needs needed, "
    "malen malt gemalt paint paints painted, waschen wäscht gewaschen wash washes washed, "
    "holen holt geholt fetch fetches fetched, tragen trägt getragen carry carries carried, "
    "zeichnen zeichnet gezeichnet draw draws drawn, retten rettet gerettet save saves saved, "
    "verlieren verliert verloren lose loses lost, "
    "vergessen vergisst vergessen forget forgets forgotten, "
    "verstecken versteckt versteckt hide hides hidden, "
    "besuchen besucht besucht visit visits visited, wählen wählt gewählt choose chooses chosen, "
    "bringen bringt gebracht bring brings brought, hassen hasst gehasst hate hates hated, "
    "berühren berührt berührt touch touches touched",
    "intransitive": "lachen lacht gelacht laugh laughs laughed, "
    "schlafen schläft geschlafen sleep sleeps slept, warten wartet gewartet wait waits waited, "
    "arbeiten arbeitet gearbeitet work works worked, tanzen tanzt getanzt dance dances danced, "
    "singen singt gesungen sing sings sung, weinen weint geweint cry cries cried, "
    "träumen träumt geträumt dream dreams dreamt, spielen spielt gespielt play plays played, "
    "lügen lügt gelogen lie lies lied, schreien schreit geschrien shout shouts shouted, "
    "zittern zittert gezittert tremble trembles trembled",
}
_WORDS: Final = {
    "modal": "kann can, muss must, soll should, wird will, darf may",
    "thinks": "glaubt believes, sagt says, weiß knows, hofft hopes, denkt thinks",
    "conjunction": "weil because, obwohl although, während while, bevor before, wenn when",
    "adverb": "heute today, jetzt now, oft often, hier here, dort there, manchmal sometimes, "
    "vielleicht perhaps, plötzlich suddenly, leider sadly, heimlich secretly, endlich finally",
}


@cache
def german_to_english() -> Grammar:
    """Statements in several tenses, negated or not, with or without a verb-final clause."""
    rules = _Rules()
    add, add_words = rules.add, rules.add_words
    add("text", "{sentence} | {sentence}", "{sentence} . | {sentence} .")
    add(
        "sentence",
        "{main} | {main}",
        "{fronted} | {fronted}",
        "{main} , {conjunction} {subordinate} | {main} {conjunction} {subordinate}",
        "{subject} {thinks} , dass {subordinate} | {subject} {thinks} that {subordinate}",
    )
    # German puts the finite verb second and the rest of the verb last; in a subordinate clause, the
    # finite verb comes after the rest. English has both before the object.
    for (finite, rest, english), thing in _PREDICATES:
        statement = f"{{subject}} {english} {thing}"
        add("main", f"{{subject}} {finite} {thing} {rest} | {statement}")
        add("fronted", f"{{adverb}} {finite} {{subject}} {thing} {rest} | {{adverb}} {statement}")
        add("subordinate", f"{{subject}} {thing} {rest} {finite} | {statement}")
    add("subject", "er | he", "sie | she", "es | it")
    add("definite", "ihn | him", "sie | her", "es | it")
    add("object", "{definite} | {definite}", "{indefinite} | {indefinite}")
    for gender, articles, endings in _ARTICLES:
        being, noun = f"{{being {gender}}}", f"{{noun {gender}}}"
        phrases = (
            ("subject", "the", being),
            ("definite", "the", noun),
            ("subject", "a", being),
            ("indefinite", "a", noun),
        )
        for phrase, article, ending in zip(phrases, articles, endings, strict=True):
            symbol, english, which = phrase
            adjective = f"{{adjective {ending}}}"
            add(symbol, f"{article} {which} | {english} {which}")
            add(symbol, f"{article} {adjective} {which} | {english} {adjective} {which}")
        add(f"noun {gender}", f"{being} | {being}", f"{{thing {gender}}} | {{thing {gender}}}")
        add_words(f"being {gender}", _BEINGS[gender])
        add_words(f"thing {gender}", _THINGS[gender])
    for ending in ("e", "en", "er", "es"):
        for both in _ADJECTIVES.split(","):
            stem, english = both.split()
            add(f"adjective {ending}", f"{stem}{ending} | {english}")
    for kind, verbs in _VERBS.items():
        for forms in verbs.split(","):
            infinitive, present, participle, to_do, does, done = forms.split()
            add(f"{kind} present", f"{present} | {does}")
            add(f"{kind} denied", f"{present} | {to_do}")  # he sees, he does not see
            add(f"{kind} infinitive", f"{infinitive} | {to_do}")
            add(f"{kind} participle", f"{participle} | {done}")
    for symbol, words in _WORDS.items():
        add_words(symbol, words)
    return Grammar(rules.by_symbol, "text")


@cache
def number_words() -> Grammar:
    """0 to 999 in pieces. German puts the ones before the tens: "ein und zwanzig", "twenty one"."""
    rules = _Rules()
    add, add_words = rules.add, rules.add_words
    add(
        "number",
        "null | zero",
        "{below hundred} | {below hundred}",
        "{digit} hundert | {digit} hundred",
        "{digit} hundert {below hundred} | {digit} hundred {below hundred}",
    )
    add(
        "below hundred",
        "{tens} | {tens}",
        "{digit} und {tens} | {tens} {digit}",
        "eins | one",  # alone or at the end; before another piece it is "ein"
        "{two to nine} | {two to nine}",
        "sech zehn | sixteen",
        "sieb zehn | seventeen",
    )
    add("digit", "ein | one", "{two to nine} | {two to nine}")
    add_words(
        "two to nine",
        "zwei two, drei three, vier four, fünf five, sechs six, sieben seven, acht eight, "
        "neun nine",
    )
    add_words("below hundred", "zehn ten, elf eleven, zwölf twelve")
    for teen in (
        "drei thirteen",
        "vier fourteen",
        "fünf fifteen",
        "acht eighteen",
        "neun nineteen",
    ):
        add("below hundred", teen.replace(" ", " zehn | "))
    add_words(
        "tens",
        "zwanzig twenty, dreißig thirty, vierzig forty, fünfzig fifty, sechzig sixty, "
        "siebzig seventy, achtzig eighty, neunzig ninety",
    )
    return Grammar(rules.by_symbol, "number")


class _Rules:
    """Collects the rules of a grammar."""

    def __init__(self) -> None:
        self.by_symbol: dict[str, list[Rule]] = {}

    def add(self, symbol: str, *both: str) -> None:
        """Add rules written as "German | English"."""
        self.by_symbol.setdefault(symbol, []).extend(map(Rule.parse, both))

    def add_words(self, symbol: str, words: str) -> None:
        """Add pairs of a word and its translation, separated by commas."""
        self.add(symbol, *(both.strip().replace(" ", " | ") for both in words.split(",")))
