"""Texts of skills that address the model that chooses instead of saying what the skill is for.

They change nothing here: descriptions are escaped and quoted, and no such claim earns a point. Whoever installs the
skill may want to know.
"""

import re

from skill_selector.catalog.diagnostic import Report

_MARKUP = re.compile(
    r"</?\s*(?:available_)?(?:skills?|descriptions?|instructions?|system|tools?|tool_call|prompt|task|candidates?|user|assistant|human)"
    r"\s*/?>|<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"""
    \b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|every|the|your|of|other|previous|prior|earlier|above|preceding)\s+){1,4}
        (?:instructions?|rules?|prompts?|text|skills?|messages?|context|candidates?)\b
    |\bnew\s+(?:rules?|instructions?)\s*[:：]
    |\b(?:score|rate|rank)\s+(?:this|me|it)\b[^.\n]{0,30}\b(?:100|highest|first|top)\b
    |\bgive\s+(?:this|me|it)\b[^.\n]{0,20}\b(?:points|score)\b
    |(?:忽略|无视|忘记)(?:之前|以上|前面|上述|其他|其它|别的|所有|一切)(?:的)?(?:所有)?(?:指令|规则|提示|技能|内容|要求)
    |(?:给|为)(?:本|此|这个|该)?(?:技能|我)?(?:打|评)(?:满分|最高分|100)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CLAIMS = re.compile(
    r"""
    \b(?:(?:any|every)\s+(?:and\s+every\s+)?(?:kind\s+of\s+|possible\s+|user\s+)?(?:task|job|request|prompt)
        |all\s+(?:kinds\s+of\s+|possible\s+|user\s+)?(?:tasks|jobs|requests|prompts))\b
        (?!\s+(?:that|which|about|involving|requiring|needing|needs?|like|related|with|where|in|on|of|from|to|for)\b)
        (?![ -]\w+ing\b)
    |\bwhatever\s+the\s+(?:task|job|request)
    |\b(?:use|choose|pick|select|prefer|load)\s+(?:this|me|it)\b[^.;!?\n]{0,40}\b
        (?:for\s+everything|(?:before|over|instead\s+of)\s+(?:any|all|every)\s+others?)\b
    |\b(?:before|over|above)\s+(?:any|all|every)\s+others?\b
    |\bignore\s+(?:all\s+|any\s+|the\s+)?(?:other|previous)\b
    |(?:任何|所有|一切|全部)(?:的)?(?:任务|请求|场景|问题)(?:都)?(?:必须|要|应|请|可以|能|适用|优先)
    |(?:必须|务必|总是|始终|永远)(?:先|优先|首先)?(?:选择?我?|使用我|调用我|用我)|忽略(?:其他|其它|别的)
    """,
    re.IGNORECASE | re.VERBOSE,
)


def claims_everything(text: str) -> bool:
    """Tell whether a skill claims to serve every task, or to come before others: that says nothing of this task."""
    return _CLAIMS.search(text) is not None


def check_intentions(text: str, report: Report) -> None:
    """Note what a skill's description and when-to-use say to the model that chooses."""
    found = dict.fromkeys(match.group()[:60] for pattern in (_MARKUP, _ORDERS) for match in pattern.finditer(text))
    if found:
        message = f"the description addresses the model or its prompt: {', '.join(map(repr, [*found][:5]))}"
        report.warning(
            "suspicious_text", message, "say what the skill is for, and nothing else; read it before you use it"
        )
    if claims_everything(text):
        message = "the description claims every task, or precedence over other skills; that earns no points"
        report.note("claims_every_task", message, "say which tasks the skill is for")
