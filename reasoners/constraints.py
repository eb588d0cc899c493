"""What a task demands of the way it is done: platform, output language, limits, versions, what must and must not be."""

import re
from collections.abc import Iterator

from skill_selector.reasoners.intent import sentences
from skill_selector.retrievers.text import has_chinese, normalize

MOST = 8
"""How many constraints an analysis holds at most."""

_LONGEST = 70

# The whole clause from the cue on is the constraint.
_ENGLISH = re.compile(
    r"""\b(?:
      without|except|only|exactly|at\s+(?:most|least)|no\s+(?:more|less|fewer|longer)\s+than|up\s+to|(?:more|less|fewer)\s+than
     |must(?:\s+not|n['’]t)?|should(?:\s+not|n['’]t)|do(?:es)?(?:\s+not|n['’]t)|don['’]?t|never|avoid|nothing|no\s+(?!one\b|idea\b|need\b|longer\b)
     |instead\s+of|rather\s+than|compatible\s+with|limited\s+to|within\s+\d|under\s+\d|below\s+\d|over\s+\d|between\s+\d
     |(?:in|into|to)\s+(?:plain\s+)?(?:english|chinese|mandarin|japanese|korean|german|french|spanish|portuguese|russian)
     |(?:runs?|works?|has\s+to\s+run|deployed?)\s+(?:on|in|with|under)\s
     |offline|read-only|headless|self-hosted|in\s+place|from\s+scratch|free\s+of\s+charge
    )\b.*""",
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE = re.compile(
    r"(?:不要|(?<!能)不能|(?<!可)不可|不得|不想|不许|不准|不用|不需要|不含|不带|不超过|不少于|不低于|不改|无需|禁止|切勿|(?<![分识辨区特个级性差告])别(?=[^的人家墅处])|避免"
    r"|只能|只要|只用|只讲|只看|只放|只写|只做|只(?=[^是有好])|仅|必须|务必|一定要|至少|最多|最少|控制在|限制在|限定|以内|之内|离线|本地运行"
    r"|(?:用|写成|翻成|译成|输出)(?:简体|繁体)?(?:中文|英文|英语|日语|日文|韩语|德语|法语)|适配|兼容|在.{1,12}(?:上|环境|平台)(?:跑|运行)"
    r"|要求|除了).*"
)
_BORDER = re.compile(
    r"[,，;；:：()（）]|\s(?:and|but|so|because|since|which|while|then)\s|(?<!\d)\.(?=\s|$)|[。！？!?]"
)
_VERSION = re.compile(r"\b[A-Z][A-Za-z+#.]{1,20}[ -]v?\d+(?:\.\d+)*\b|\bv\d+(?:\.\d+)+\b")
_LIMIT = re.compile(
    r"(?:(?:[<>≤≥=~±]|under|below|within|over|不到|不超过|小于|大于|超过|至少|最多)\s*)?\d[\d,.]*\s?"
    r"(?:%|ms|fps|px|dpi|[KMGT]i?B|kHz|Hz|words?|characters|pages?|slides?|minutes?|seconds?|字|页|张|分钟|秒|毫秒|个字)(?![A-Za-z])",
    re.IGNORECASE,
)


def find_constraints(task: str) -> list[str]:
    """Return at most `MOST` constraints, as the task words them, in order."""
    found: dict[str, str] = {}
    for sentence in sentences(task):
        for constraint in _of_sentence(sentence):
            found.setdefault(normalize(constraint), constraint)
    texts = list(found.values())
    # A limit that a longer constraint states already is not another one.
    return [text for text in texts if not any(text != other and text in other for other in texts)][:MOST]


def _of_sentence(sentence: str) -> Iterator[str]:
    pattern = _CHINESE if has_chinese(sentence) else _ENGLISH
    for clause in _BORDER.split(sentence):
        match = pattern.search(clause)
        if match:
            text = _cut(match.group().strip())
            if len(text) > 3:
                yield text
        for other in (_VERSION, _LIMIT):
            yield from (found.group().strip() for found in other.finditer(clause))


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    head = text[:_LONGEST]
    return head[: head.rfind(" ")] if " " in head[_LONGEST // 2 :] else head
