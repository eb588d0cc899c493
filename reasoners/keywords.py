"""The words of a task that tell best what it is about.

Analysis comes before any catalogue is known, so rarity is judged by kind: technologies and identifiers, domain words,
the request's action words, other words that are not everyday ones. Repetition counts little: twenty incidental words
must not outweigh two that matter.
"""

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from skill_selector.reasoners.exclusion import excluded_by_task
from skill_selector.reasoners.technology import TechnologyTable
from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.text import has_chinese, normalize, tokenize, word_tokens
from skill_selector.retrievers.text import words as cut
from skill_selector.retrievers.words import WordLists

MOST = 15
"""How many keywords an analysis holds at most."""
ENOUGH = 2
"""From this many telling words on, everyday words are left out."""

TECHNOLOGY, FORMAT, DOMAIN, ACTION, IDENTIFIER, NAME, PLAIN, EVERYDAY = 3.0, 1.6, 2.4, 2.0, 1.9, 1.7, 1.4, 0.25
"""How telling each kind of word is; file formats are technologies that many tasks mention in passing."""

COMMON = 0.4
"""Factor for action and domain words that are everyday words as well: run, data."""

IN_REQUEST = 1.5
"""Factor for words of the sentence that asks."""

OUTSIDE_ACTION = 0.4
"""Factor for action words outside it: they tell what others do, or did."""

EXCLUDED = 0.3
"""Factor for words that the task names only to rule them out."""

_PATH = re.compile(r"/.*[/._]|[._].*/|\\|^\w[\w-]*\.[a-z]{2,5}$")
_POSSESSIVE = re.compile(r"['’]s$")
_IDENTIFIER = re.compile(r"[a-z][A-Z]|[A-Za-z][0-9]|[0-9][A-Za-z]|[A-Za-z][._+#][A-Za-z0-9+#]|^[A-Z][A-Z0-9]{1,7}$")
_QUANTITY = re.compile(r"^[\d.,:x×/%-]+(?:[a-z]{1,3}|st|nd|rd|th|am|pm)?$", re.IGNORECASE)
# Verbs of one character are left out of search; skills write the long form.
_LONG_FORMS = {
    "剪": "剪辑", "画": "绘制", "写": "撰写", "查": "查询", "改": "修改", "译": "翻译",
    "修": "修复", "测": "测试", "搜": "搜索", "删": "删除", "拍": "拍摄", "编": "编写",
    "录": "录制", "订": "预订", "算": "计算", "装": "安装", "抄": "抄写", "背": "背诵",
}  # fmt: skip
_SHORT_VERB = re.compile(rf"([{''.join(_LONG_FORMS)}])(?=一下|一[份个张篇段封套条部版首]|[个成出完好]|[一两三]遍)")


@dataclass(slots=True)
class _Word:
    text: str
    weight: float
    first: int
    count: int = 1


def find_keywords(task: str, intent: str, words: WordLists, technologies: TechnologyTable) -> list[str]:
    """Return at most `MOST` keywords, the most telling first."""
    request = set(tokenize(intent))
    excluded = {token for phrase in excluded_by_task(task) for token in tokenize(phrase)}
    found: dict[str, _Word] = {}
    for position, (text, weight) in enumerate(_weighted(task, intent, words, technologies)):
        tokens = set(tokenize(text))
        factor = (IN_REQUEST if tokens <= request else 1.0) * (EXCLUDED if tokens <= excluded else 1.0)
        key = normalize(text)
        if key in found:
            found[key].count += 1
        else:
            found[key] = _Word(text, weight * factor if tokens else weight, position)
    ranked = sorted(found.values(), key=lambda word: (-word.weight * (1 + 0.25 * math.log2(word.count)), word.first))
    return list(_distinct(ranked))[:MOST]


def _weighted(task: str, intent: str, words: WordLists, technologies: TechnologyTable) -> Iterator[tuple[str, float]]:
    for name in technologies.find(task):
        yield name, FORMAT if technologies.rows[name].group == "file format" else TECHNOLOGY
    asked = set(words.find_action(intent))
    for action in words.find_action(task):
        yield action, ACTION * (1.0 if action in asked else OUTSIDE_ACTION) * _commonness(action)
    for verb in _SHORT_VERB.findall(task):
        yield _LONG_FORMS[verb], ACTION * OUTSIDE_ACTION
    for domain in words.find_domain(task):
        yield domain, DOMAIN * _commonness(domain)
    for word in _whole_words(task):
        weight = _plain_weight(word, words)
        if weight:
            yield normalize(_POSSESSIVE.sub("", word)), weight


def _commonness(word: str) -> float:
    return COMMON if all(token in everyday_tokens() for token in tokenize(word)) else 1.0


def _whole_words(task: str) -> Iterator[str]:
    """Yield the words, without the parts that searching cuts from long Chinese ones."""
    found = cut(task)
    for position, word in enumerate(found):
        near = found[position + 1 : position + 8]
        if not has_chinese(word) or not any(word != other and word in other for other in near):
            yield word


def _plain_weight(word: str, words: WordLists) -> float:
    tokens = word_tokens(word)
    if (
        not tokens
        or len(word) == 1
        or _QUANTITY.match(word)
        or _PATH.search(word)
        or words.is_action(word)
        or words.is_domain(word)
    ):
        return 0.0
    if all(token in everyday_tokens() for token in tokens):
        return EVERYDAY
    if _IDENTIFIER.search(word):
        return IDENTIFIER
    return NAME if word[:1].isupper() and not word.isupper() else PLAIN


def _distinct(ranked: Iterable[_Word]) -> Iterator[str]:
    """Leave out what a better one has said (API after REST API), and everyday words where there are others."""
    said: set[str] = set()
    kept = 0
    for word in ranked:
        tokens = set(tokenize(word.text)) or {word.text}
        if tokens <= said or (word.weight <= EVERYDAY * IN_REQUEST and kept >= ENOUGH):
            continue
        said |= tokens
        kept += 1
        yield word.text
