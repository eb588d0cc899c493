"""The reason of a judgement, in the task's language: the same findings that made the points."""

from collections.abc import Iterable, Mapping

from skill_selector.reasoners.rubric import EXCLUSION_COVER
from skill_selector.reasoners.signals import Findings
from skill_selector.reasoners.terms import TaskTerms
from skill_selector.retrievers.everyday import everyday_tokens

SHOWN = 4
"""How many words a part of a reason shows."""

_ENGLISH = {
    "lead": "name and description speak of {words}",
    "body": "its text of {words}",
    "gloss": "in the other language: {words}",
    "nothing": "no word in common",
    "languages": "the languages differ",
    "cover": "{share} of the request is covered",
    "shared": "stack: {words}, as asked",
    "open": "stack: no conflict",
    "absent": "stack: does not name {words}",
    "rival": "stack: for {rivals}, the task says {words}",
    "excluded": "it says itself that it is not for {item}",
    "claims": "it claims every task, which says nothing about this one",
    "inferred": "it has no frontmatter, so it needs more evidence",
    "fallback": "found by parts of words only",
    "wrong": "wrong platform or language: for {rivals}, the task says {words}",
    "comma": ", ",
    "semicolon": "; ",
}
_CHINESE = {
    "lead": "名称和说明提到{words}",
    "body": "正文提到{words}",
    "gloss": "按译名相符：{words}",
    "nothing": "没有共同的词",
    "languages": "任务与技能的语言不同",
    "cover": "覆盖了请求的{share}",
    "shared": "技术栈相符：{words}",
    "open": "技术栈无冲突",
    "absent": "技术栈：没有提到{words}",
    "rival": "技术栈不符：它面向{rivals}，任务要的是{words}",
    "excluded": "它自己写明不适用于“{item}”",
    "claims": "它自称适用一切任务，这不能说明它适合本任务",
    "inferred": "没有元数据，需要更多证据",
    "fallback": "只是部分字符相同",
    "wrong": "平台或语言不符：它面向{rivals}，任务要的是{words}",
    "comma": "、",
    "semicolon": "；",
}


def veto_reason(findings: Findings, terms: TaskTerms) -> str | None:
    """Return why the skill is out whatever its points, or None."""
    phrases = _CHINESE if terms.chinese else _ENGLISH
    if findings.stack.exclusive:
        return _stack(phrases, "wrong", findings, terms)
    return None


def explain(findings: Findings, terms: TaskTerms, surface: Mapping[str, str], *, fallback: bool) -> str:
    """Return what speaks for and against the skill, the weightiest first."""
    phrases = _CHINESE if terms.chinese else _ENGLISH
    signals = findings.signals
    parts: list[str] = []
    if findings.matched:
        parts.append(phrases["lead"].format(words=_listed(findings.matched, surface, phrases)))
    if findings.matched_below:
        parts.append(phrases["body"].format(words=_listed(findings.matched_below, surface, phrases)))
    if findings.translated:
        # a stem may be read as another word than the task's: "ported" by "port", so what was looked up is shown
        pairs = [
            f"{one.source or surface.get(token, token)} → {one.text}" for token, one in findings.translated[:SHOWN]
        ]
        parts.append(phrases["gloss"].format(words=phrases["comma"].join(pairs)))
    if parts:
        parts.append(phrases["cover"].format(share=f"{min(signals.glossed_text, 1):.0%}"))
    else:
        parts.append(phrases["nothing"])
    if signals.other_language and not (findings.matched or findings.translated):
        parts.append(phrases["languages"])
    parts.append(_stack(phrases, _stack_kind(findings, terms), findings, terms))
    if signals.exclusion >= EXCLUSION_COVER:
        parts.append(phrases["excluded"].format(item=findings.ruled_out_by))
    if signals.claims:
        parts.append(phrases["claims"])
    if signals.inferred:
        parts.append(phrases["inferred"])
    if fallback:
        parts.append(phrases["fallback"])
    return phrases["semicolon"].join(parts)


def _stack_kind(findings: Findings, terms: TaskTerms) -> str:
    if findings.stack.rivals:
        return "rival"
    if findings.stack.shared:
        return "shared"
    return "absent" if terms.named else "open"


def _stack(phrases: Mapping[str, str], kind: str, findings: Findings, terms: TaskTerms) -> str:
    stack, comma = findings.stack, phrases["comma"]
    shown = {"shared": stack.shared, "absent": terms.named}.get(kind, stack.unmet)
    return phrases[kind].format(words=comma.join(shown[:SHOWN]), rivals=comma.join(stack.rivals[:SHOWN]))


def _listed(tokens: Iterable[str], surface: Mapping[str, str], phrases: Mapping[str, str]) -> str:
    """Join the first few words. Numbers, everyday words and bare stems show only where there is nothing else."""
    known = list(tokens)
    telling = [token for token in known if token in surface and not _plain(token)] or known
    words = dict.fromkeys(surface.get(token, token) for token in telling)
    return phrases["comma"].join(list(words)[:SHOWN])


def _plain(token: str) -> bool:
    return token in everyday_tokens() or token[0].isdigit()
