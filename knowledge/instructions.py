"""What the instructions of a skill say of parameters, results and its kind of work."""

import re
from collections.abc import Iterator

from skill_selector.catalog.skill import Skill
from skill_selector.knowledge.chunk import ChunkType
from skill_selector.knowledge.guess import Guess
from skill_selector.retrievers.text import normalize

CATEGORIES: dict[str, tuple[str, ...]] = {
    "data_query": ("sql", "query", "queries", "database", "查询", "数据库", "报表"),
    "fault_finding": (
        "debug",
        "diagnose",
        "troubleshoot",
        "error code",
        "incident",
        "root cause",
        "故障",
        "排查",
        "诊断",
        "报错",
    ),
    "code_generation": (
        "write code",
        "generate code",
        "unit test",
        "scaffold",
        "client library",
        "implement",
        "编写代码",
        "生成代码",
        "单元测试",
    ),
    "data_analysis": (
        "analyse",
        "analyze",
        "statistics",
        "chart",
        "dataframe",
        "spreadsheet",
        "csv",
        "分析",
        "统计",
        "图表",
    ),
    "document_writing": (
        "document",
        "report",
        "summary",
        "summarize",
        "translate",
        "slides",
        "文档",
        "报告",
        "纪要",
        "撰写",
        "翻译",
    ),
    "system_operation": (
        "deploy",
        "install",
        "configure",
        "server",
        "kubernetes",
        "docker",
        "backup",
        "部署",
        "运维",
        "配置",
    ),
}
"""Words that speak for a category."""

PREFERRED: dict[str, tuple[ChunkType, ...]] = {
    "data_query": ("table_schema", "sql_example", "query_pattern"),
    "fault_finding": ("error_log", "solution_article", "config_snippet"),
    "code_generation": ("code_snippet", "api_documentation", "example"),
    "data_analysis": ("example", "table_schema", "api_documentation"),
    "document_writing": ("example", "document"),
    "system_operation": ("config_snippet", "api_documentation", "solution_article"),
}
"""What each category likes (source 002 for the first three)."""
OTHER = "general"

_INPUT = re.compile(r"^#{1,6}\s.*(?:\binputs?\b|parameters?|arguments?|options?|参数|输入|入参)", re.IGNORECASE)
_OUTPUT = re.compile(r"^#{1,6}\s.*(?:\boutputs?\b|returns?|results?|deliverables?|输出|返回|产出)", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,6}\s")
_ITEM = re.compile(
    r"^\s*(?:[-*+]|\d+[.)])\s+(?:\*\*)?`(?P<name>-{0,2}[A-Za-z_][\w-]{0,60})`(?:\*\*)?\s*"
    r"(?:[(（](?P<note>[^)）]{1,80})[)）])?\s*[:：—–-]?\s*(?P<says>.*)$"
)
_ROW = re.compile(r"^\s*\|\s*`?(?P<name>-{0,2}[A-Za-z_][\w-]{0,60})`?\s*\|(?P<rest>.*)\|\s*$")
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_]\w{0,60})\s*\}\}")
_OPTIONAL = re.compile(r"optional|可选|选填|default|默认", re.IGNORECASE)
_KINDS = (
    (re.compile(r"\b(?:int|integer|count)\b|整数", re.IGNORECASE), "integer"),
    (re.compile(r"\b(?:float|number|decimal)\b|数字|小数", re.IGNORECASE), "number"),
    (re.compile(r"\b(?:bool|boolean|flag)\b|布尔|是否", re.IGNORECASE), "boolean"),
    (re.compile(r"\b(?:list|array)\b|列表|数组", re.IGNORECASE), "array"),
    (re.compile(r"\b(?:object|dict|json)\b|对象|字典", re.IGNORECASE), "object"),
)


def stated_parameters(body: str) -> list[Guess]:
    """Return the parameters that lists and tables under a heading such as Inputs or 参数 name, and placeholders."""
    found: dict[str, Guess] = {}
    for guess in _listed(body, _INPUT):
        found.setdefault(guess.name, guess)
    for number, line in enumerate(body.split("\n"), 1):
        for name in _PLACEHOLDER.findall(line):
            origin = f"SKILL.md, line {number} of the text: {{{{{name}}}}}"
            found.setdefault(name, Guess(name=name, schema={"type": "string"}, required=True, origin=origin))
    return list(found.values())


def stated_results(body: str) -> list[Guess]:
    """Return the same for what comes out."""
    return list({guess.name: guess for guess in _listed(body, _OUTPUT)}.values())


def category_of(skill: Skill, body: str) -> tuple[str, str]:
    """Return the likeliest category and why."""
    if skill.category:
        return re.sub(r"[^\w]+", "_", skill.category.lower()).strip("_") or OTHER, "the category in the frontmatter"
    head = normalize(f"{skill.name} {skill.description}")
    text = normalize(body[:2_500])
    scores = {
        name: sum(3 * _count(word, head) + min(2, _count(word, text)) for word in words)
        for name, words in CATEGORIES.items()
    }
    best = max(scores, key=lambda name: scores[name])
    if not scores[best]:
        return OTHER, "nothing speaks for another category"
    words = [word for word in CATEGORIES[best] if _count(word, head) or _count(word, text)]
    return best, f"words such as {', '.join(words[:3])}"


def _count(word: str, text: str) -> int:
    return len(re.findall(rf"\b{re.escape(word)}", text)) if word.isascii() else text.count(word)


def _listed(body: str, heading: re.Pattern[str]) -> Iterator[Guess]:
    inside = False
    for number, line in enumerate(body.split("\n"), 1):
        if _HEADING.match(line):
            inside = bool(heading.match(line))
            continue
        item = (_ITEM.match(line) or _ROW.match(line)) if inside else None
        if not item:
            continue
        name = item["name"].lstrip("-").replace("-", "_")
        if name.lower() in {"name", "parameter", "argument", "field", "option", "key"}:
            continue
        about = (
            item.groupdict().get("rest")
            or f"{item.groupdict().get('note') or ''} | {item.groupdict().get('says') or ''}"
        )
        cells = [cell.strip(" `*") for cell in about.split("|") if cell.strip(" `*-")]
        kind = next((kind for pattern, kind in _KINDS for cell in cells[:1] if pattern.search(cell)), "string")
        schema: dict[str, object] = {"type": kind}
        if cells:
            schema["description"] = cells[-1][:300]
        required = not _OPTIONAL.search(about)
        yield Guess(name=name, schema=schema, required=required, origin=f"SKILL.md, line {number} of the text")
