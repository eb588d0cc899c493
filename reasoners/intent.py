"""What a task asks for, as one clause that starts with a verb.

A task is cut into sentences, the one that asks is found by its wording (an imperative, "I need", "can you", 帮我, 怎么)
and stripped of politeness; context, greetings and examples are left behind.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from skill_selector.reasoners.exclusion import excluded_by_task
from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.text import has_chinese, tokenize
from skill_selector.retrievers.words import WordLists

LONGEST = 120
"""The most characters of an intent."""

_NOISE = re.compile(r"^[ \t]*```.*?^[ \t]*```|<[^<>\n]{1,80}>|https?://\S+", re.DOTALL | re.MULTILINE)
_BULLET = re.compile(r"^[\s#>*•\-–]*(?:\(?\d{1,2}[.)、:]\s*)?(?:step\s*\d+\s*[:.]\s*)?", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？!?；;])|\n+|\s[-–—]\s")

# What must not end a clause that was cut.
_DANGLING = re.compile(
    r"(?:\s+(?:an?|the|in|of|to|for|with|and|or|on|at|by|from|that|which|into|is|are))+$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Wording:
    """A way to ask. The request stands after the match, or is the whole sentence."""

    points: float
    """How surely it asks, 0 to 4."""
    pattern: re.Pattern[str]
    verb_follows: bool = False
    whole: bool = False


def _wording(points: float, pattern: str, *, verb: bool = False, whole: bool = False) -> _Wording:
    return _Wording(points, re.compile(pattern, re.IGNORECASE), verb, whole)


_HELP = r"(?:help\s+(?:me|us)\s+(?:to\s+)?)"
_ENGLISH = (
    _wording(
        3.2,
        r"\b(?:your|the|my|next|whole)\s+(?:\w+\s+)?(?:task|job|goal|objective|aim|step|part|ask)\s+(?:is|will\s+be)\s+to\s+",
        verb=True,
    ),
    _wording(3.0, rf"\b(?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+)?{_HELP}?", verb=True),
    _wording(3.0, r"\b(?:i|we)(?:['’]d|\s+would)?\s+(?:need|want|like)\s+you\s+to\s+", verb=True),
    _wording(3.0, rf"\bplease\s+{_HELP}?", verb=True),
    _wording(3.0, rf"\b{_HELP}", verb=True),
    _wording(3.0, r"\bhelp\s+(?:me\s+|us\s+)?with\s+"),
    _wording(2.8, r"\b(?:what\s+i(?:['’]m\s+after|\s+want|\s+need)|goal|task|objective|ask|wanted)\s*:\s*"),
    _wording(2.6, r"\bhow\s+(?:do|can|should|would|could)\s+(?:i|we|you|one)\s+|\bhow\s+to\s+", verb=True),
    _wording(2.6, r"\byou\s+(?:need|have|are\s+(?:asked|required))\s+to\s+|\byou\s+(?:must|will|should)\s+", verb=True),
    _wording(2.5, r"\b(?:i|we)(?:['’]d|\s+would)\s+(?:like|love|prefer)\s+(?:help\s+)?to\s+", verb=True),
    _wording(2.5, r"\b(?:i|we)\s+(?:really\s+|just\s+|also\s+)?(?:need|want|wish)\s+(?:help\s+)?to\s+", verb=True),
    _wording(2.4, r"\b(?:i|we)(?:['’]d|\s+would)\s+(?:like|love|prefer)\s+(?:help\s+with\s+)?"),
    _wording(2.4, r"\b(?:i|we)\s+(?:really\s+|just\s+|also\s+)?(?:need|want)\s+(?:help\s+with\s+)?"),
    _wording(
        2.3,
        r"\b(?:i['’]m|we['’]re|i\s+am|we\s+are)\s+(?:trying|looking|hoping|planning|going|supposed)\s+to\s+",
        verb=True,
    ),
    _wording(2.3, r"\b(?:i['’]m|we['’]re|i\s+am|we\s+are)\s+looking\s+for\s+"),
    _wording(2.3, r"\b(?:is\s+there|what(?:['’]s|\s+is)\s+the\s+\w+)\s+(?:a\s+|any\s+)?way\s+to\s+", verb=True),
    _wording(2.3, r"^(?:need|want|trying|looking|wanting|hoping|time)\s+(?:help\s+)?to\s+", verb=True),
    _wording(2.3, r"^(?:need|want|looking\s+for)\s+(?:help\s+with\s+)?"),
    _wording(2.2, r"^let['’]?s\s+", verb=True),
    _wording(1.9, r"\b(?:i|we)\s+(?:have\s+to|must|should|plan\s+to|hope\s+to|intend\s+to|got\s+to)\s+", verb=True),
)
_CHINESE = (
    _wording(
        3.0,
        r"(?:想)?(?:请|麻烦|劳驾|拜托|求)?(?:你|您)?(?:帮忙|帮我们|帮我|帮着|替我|(?<![转发寄递留推借分传教告问跟])给我(?=[^的]))(?:把把关|看看)?",
    ),
    _wording(2.8, r"^(?:请|麻烦|劳驾|拜托)(?:你|您)?"),
    _wording(
        2.6,
        r"(?:我们|咱们|我)?(?:现在|今年|这次)?(?:就|只|还|也)?(?:(?<![感思猜幻联理不])想要|(?<![感思猜幻联理不])想(?!想|法|不|到|着)"
        r"|打算|准备(?!好)|希望|(?<!不)需要|(?<=我)得|还得|就得)(?:能|要|用)?(?:请(?:你|您))?(?:帮我)?(?=.{4})",
    ),
    _wording(2.4, r"(?:怎么样|怎样|怎么|如何|咋)(?!样[？?，,。]|了|回事)", whole=True),
    _wording(2.2, r"(?:能不能|可不可以|能否|有没有办法|可否)(?:帮我)?"),
)
_POLITE = re.compile(
    r"^(?:(?:hi|hello|hey|dear|ok|okay|so|and|then|also|now|first|next|finally|just|maybe|kindly|please|basically)\b[\s,!:]*"
    r"(?:(?:there|all|team|everyone|folks)\b)?[\s,!]*)+"
    r"|^(?:(?:你好|您好|大家好|请问|请|麻烦|那个|嗯|然后|先|再|就|还|也|一下|来|直接)[，,\s]*)+",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"^(?:what|which|who|whose|why|where|when|should|is|are|does|do|did|can|has|have|was|will|would|any)\b|\?\s*$"
    r"|[？?]$|[吗呢么]$|哪[些个里]|什么|多少|是不是|为什么|为啥|几[个天次]|怎么|如何|怎样",
    re.IGNORECASE,
)
# What stands before a thing that is wanted.
_WANTED = re.compile(r"(?:\b(?:need|want|like|love|prefer|looking\s+for)|要|想|需要|希望)\s*$", re.IGNORECASE)
_QUESTION_WORD = re.compile(r"(?:what|which|who|whose|why|where|when|whether|how)\b", re.IGNORECASE)
_REFUSAL = re.compile(
    r"(?:\bdo\s+not|\bdon['’]t|\bnot|\bno\s+need\s+to|不用|不要|不需要|不必|别|无需)\s*(?:再)?$", re.IGNORECASE
)
_REFUSED = re.compile(r"^(?:do\s+not|don['’]t|no\s+need)\b|^(?:不用|不要|不需要|不必|别|无需)", re.IGNORECASE)
# Verbs that lead a request but say nothing of what kind of work it is, so the lists leave them out.
_PLAIN_VERBS = frozenset(
    """
    give show tell get take turn pull put bring keep let stop help figure work walk point use add set do change handle
    cover ensure reduce increase determine look go think pick choose provide deal reach allow make
    """.split()  # noqa: SIM905 - reads better than sixty quoted words
)
_PLAIN_CHINESE = re.compile(
    r"处理|查明|写|画|查|改|做|看|算|找|修|剪|翻|译|搭|装|配|调|跑|拆|存|抽|换|压|测|盯|记|发|出|给|教|讲|挑|列|定|编|排|建|切|读|弄"
    r"|理|选|用|让|拿|设|接|拉|推|加|去掉|说|带|管|订|聊|捋|核|估|拟|搬|抄|合|分|评|审|练|背|约|退|投|租|卖|买|种|养|拍|录|听|谈"
    r"|陪|追|抓|爬|搜|删|移|校|标|传|提|交|报|批|转"
)
_IMPERATIVE = re.compile(
    r"^([a-z]+)\s+(?:our|the|my|this|these|those|me|us|it|them|all|your|an?|every|each|any|some)\b", re.IGNORECASE
)
_NOT_A_VERB = frozenset(
    """
    in on at for with from by to of about after before during since under over into as if when while because although
    half all both is are was were has have had does did can could will would should may might must i we you he she it
    they there here this that these those what which who where why how and but or so not no only once until unless
    than like per see
    """.split()  # noqa: SIM905 - reads better than sixty quoted words
)
_FINITE = re.compile(
    r"^\w+\s+(?:\w+\s+)?(?:is|are|was|were|can|could|will|would|has|have|had|should|may|might)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class _Ask:
    points: float
    clause: str
    verb_led: bool
    wanted: bool = False
    """The clause is the thing that somebody wants to have."""


def find_intent(task: str, words: WordLists) -> str:
    """Return what the task asks for: one clause of at most `LONGEST` characters that starts with a verb."""
    asks = [_judge(sentence, words) for sentence in sentences(task)] or [_Ask(0.0, task.strip(), False)]
    # Requests stand at the ends of a task rather than in its middle; what follows the first is mostly detail.
    ends = {0: 0.3, len(asks) - 1: 0.3}
    best = max(range(len(asks)), key=lambda at: (asks[at].points + ends.get(at, 0.0) - 0.05 * min(at, 10), -at))
    clause = _shortened(asks[best].clause)
    return clause if asks[best].verb_led else _shortened(_led_by_verb(clause, words, wanted=asks[best].wanted))


def sentences(task: str) -> Iterator[str]:
    """Yield the sentences of a task, without code, addresses and bullets."""
    for part in _SENTENCE.split(_NOISE.sub(" ", task)):
        sentence = _BULLET.sub("", part).strip()
        if any(character.isalpha() for character in sentence):
            yield sentence


def _judge(sentence: str, words: WordLists) -> _Ask:
    """Rate how surely the sentence asks, and cut away what stands before the request."""
    sentence = _POLITE.sub("", sentence).strip() or sentence
    points, clause, verb_led = _asked(sentence, words)
    wanted = _WANTED.search(sentence[: len(sentence) - len(clause)]) is not None
    clause = _POLITE.sub("", clause).strip() or clause
    points += 0.25 * min(3, len(set(words.find_domain(clause)))) + 0.35 * bool(words.find_action(clause))
    points -= 0.4 * max(0, 3 - len(_content(clause))) + 1.5 * bool(_REFUSED.match(clause))
    return _Ask(points, clause, verb_led, wanted)


def _asked(sentence: str, words: WordLists) -> tuple[float, str, bool]:
    """Return points, the clause that asks, and whether its wording makes it start with a verb."""
    chinese = has_chinese(sentence)
    best = (0.0, sentence, False)
    for wording in _CHINESE if chinese else _ENGLISH:
        match = wording.pattern.search(sentence)
        if not match or _REFUSAL.search(sentence, 0, match.start()):
            continue
        rest = sentence[match.end() :]
        # Late in a sentence it asks less surely: the front is then a part of the request.
        points = wording.points - 0.4 * (match.start() > len(sentence) / 2)
        if points <= best[0] or len(rest) < (2 if chinese else 6):
            continue
        if wording.whole or _loses_its_object(sentence[: match.start()], rest):
            best = (points, sentence, False)
        else:
            best = (points, rest, wording.verb_follows and not _starts_with_noun(rest))
    imperative = 2.7 if _starts_with_verb(sentence, words) else 1.2 if _QUESTION.search(sentence) else 0.0
    return best if best[0] >= imperative else (imperative, sentence, False)


def _loses_its_object(front: str, rest: str) -> bool:
    """Tell whether what is asked about stands before the asking words: "the tap drips, how do I fix it"."""
    return len(_content(rest)) < 3 and len(_content(front)) > 1 and not excluded_by_task(front)


def _content(text: str) -> set[str]:
    return set(tokenize(text)) - everyday_tokens()


def _starts_with_noun(clause: str) -> bool:
    return re.match(r"(?:an?|the|my|our|this|these|some|any|with|for)\b", clause, re.IGNORECASE) is not None


def _starts_with_verb(clause: str, words: WordLists) -> bool:
    if has_chinese(clause[:4]):
        return any(clause.startswith(word) for word in words.find_action(clause[:6])) or bool(
            _PLAIN_CHINESE.match(clause)
        )
    first = re.match(r"[A-Za-z]+", clause)
    if not first or _FINITE.match(clause):
        return False
    word = first.group().lower()
    # An action word of two words, such as "speed up".
    phrase = words.find_action(" ".join(clause.split()[:2]))
    if phrase and clause.lower().startswith(f"{phrase[0]} "):
        return True
    if word in words.action or word in _PLAIN_VERBS or (word.endswith("ing") and words.is_action(word)):
        return True
    imperative = _IMPERATIVE.match(clause)
    return imperative is not None and word not in _NOT_A_VERB and not word.endswith(("ing", "ed", "ly"))


def _shortened(clause: str) -> str:
    """Cut the clause at the last clause border, else the last space, before the limit."""
    clause = " ".join(clause.split()).rstrip(" .。!！?？;；,，:：")
    if len(clause) <= LONGEST:
        return clause
    head = clause[:LONGEST]
    border = max(head.rfind(mark) for mark in ("，", ", ", "、", "：", ": "))
    if border < LONGEST // 2:
        border = head.rfind(" ") if not has_chinese(head[-20:]) else LONGEST
    return _DANGLING.sub("", head[: border if border > 0 else LONGEST].rstrip(" ,，、：:"))


def _led_by_verb(clause: str, words: WordLists, *, wanted: bool) -> str:
    """Make the clause start with a verb: its own where it does, the base form of a gerund, else a neutral one."""
    if has_chinese(clause):
        if _starts_with_verb(clause, words):
            return clause
        verb = "查明" if _QUESTION.search(clause) else "提供" if wanted else "处理"
        return verb + re.sub(r"^(?:把|将)", "", clause)
    first, _, rest = clause.partition(" ")
    if first.lower().endswith("ing") and words.is_action(first):
        return f"{words.find_action(first)[0]} {rest}".strip()
    lower = clause[0].lower() + clause[1:] if first.istitle() or first in ("I", "A") else clause
    if _starts_with_verb(clause, words):
        return lower
    return f"{'provide' if wanted else _neutral_verb(clause)} {lower}"


NEUTRAL_VERBS = ("handle", "provide", "find out", "处理", "提供", "查明")
"""What leads an intent whose task names no verb; it says nothing about the task."""


def _neutral_verb(clause: str) -> str:
    if _QUESTION_WORD.match(clause):
        return "find out"
    return "find out:" if _QUESTION.match(clause) else "handle"
