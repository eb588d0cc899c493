"""The inflected forms of English words, made by rule.

Too many forms do no harm (nobody writes "editting" and means something else); a missing one hides a word.
"""

_IRREGULAR: dict[str, tuple[str, ...]] = {
    "bring": ("brought",),
    "build": ("built",),
    "buy": ("bought",),
    "choose": ("chose", "chosen"),
    "cut": ("cut",),
    "draw": ("drew", "drawn"),
    "find": ("found",),
    "ghostwrite": ("ghostwrote", "ghostwritten"),
    "give": ("gave", "given"),
    "hide": ("hid", "hidden"),
    "keep": ("kept",),
    "learn": ("learnt",),
    "make": ("made",),
    "overwrite": ("overwrote", "overwritten"),
    "pay": ("paid",),
    "prove": ("proven",),
    "read": ("read",),
    "rebuild": ("rebuilt",),
    "redraw": ("redrew", "redrawn"),
    "rewrite": ("rewrote", "rewritten"),
    "run": ("ran",),
    "sell": ("sold",),
    "send": ("sent",),
    "speed": ("sped",),
    "split": ("split",),
    "take": ("took", "taken"),
    "teach": ("taught",),
    "tear": ("tore", "torn"),
    "write": ("wrote", "written"),
}
_VOWELS = "aeiou"


def noun_forms(noun: str) -> tuple[str, ...]:
    """Return the noun, singular, and its plural."""
    return noun, _with_s(noun)


def verb_forms(verb: str) -> tuple[str, ...]:
    """Return the base form and the forms in -s, -ed and -ing, irregular ones included."""
    stems = [verb]
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        stems = [verb[:-1]]
    elif _doubles(verb):
        stems.append(verb + verb[-1])
    past = verb[:-1] + "i" if _consonant_y(verb) else None
    return (
        verb,
        _with_s(verb),
        *(stem + "ing" for stem in stems),
        *((past + "ed",) if past else (stem + "ed" for stem in stems)),
        *((verb + "d",) if verb.endswith(("ee", "oe", "ye")) else ()),
        *_IRREGULAR.get(verb, ()),
    )


def _with_s(word: str) -> str:
    if _consonant_y(word):
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "z", "ch", "sh")) else "s")


def _consonant_y(word: str) -> bool:
    return len(word) > 1 and word.endswith("y") and word[-2] not in _VOWELS


def _doubles(verb: str) -> bool:
    """Tell whether the verb ends in consonant, vowel, consonant, and so may double the last letter."""
    if len(verb) < 3 or verb[-1] in _VOWELS + "wxy":
        return False
    return verb[-2] in _VOWELS and verb[-3] not in _VOWELS
