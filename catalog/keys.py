"""Which frontmatter key means which field, in all its spellings."""

from functools import lru_cache
from typing import Literal

Field = Literal[
    "name",
    "description",
    "when_to_use",
    "triggers",
    "tags",
    "version",
    "category",
    "language",
    "compatibility",
    "allowed_tools",
    "disallowed_tools",
    "manual_only",
    "user_invocable",
]

SPELLINGS: dict[Field, tuple[str, ...]] = {
    "name": ("name", "名称"),
    "description": ("description", "描述"),
    "when_to_use": (
        "whentouse",
        "usewhen",
        "whenuse",
        "whentoinvoke",
        "whentoapply",
        "readwhen",
        "适用场景",
        "使用场景",
    ),
    "triggers": ("triggers", "trigger", "triggerwords", "triggerphrases", "triggerkeywords", "触发词", "触发条件"),
    "tags": ("tags", "tag", "keywords", "keyword", "标签", "关键词"),
    "version": ("version", "skillversion", "版本"),
    "category": ("category", "categories", "分类", "类别"),
    "language": ("language", "languages", "lang", "语言"),
    "compatibility": ("compatibility", "兼容性"),
    "allowed_tools": ("allowedtools", "allowtools", "允许工具"),
    "disallowed_tools": ("disallowedtools", "disallowtools", "deniedtools", "blockedtools", "禁用工具"),
    "manual_only": ("disablemodelinvocation",),
    "user_invocable": ("userinvocable",),
}
"""A field's keys in lower case, without hyphens, underscores and spaces; an earlier one beats a later one."""

DESCRIPTION_STAND_INS = ("shortdescription", "summary", "desc", "about", "简介", "说明")
"""Keys that say what a skill does where `description` is missing."""

_FIELDS: dict[str, Field] = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}
_TABLE = str.maketrans("", "", "-_ ")
_OTHERS = {"metadata", "license", "author", "tools", "model", "title", "homepage", "argumenthint"}


@lru_cache(maxsize=4096)
def bare(key: str) -> str:
    """Return a key without case, hyphens, underscores and spaces."""
    return key.translate(_TABLE).lower()


def field_of(key: str) -> Field | None:
    """Return the field that a key gives, or None."""
    return _FIELDS.get(bare(key))


def is_known(key: str) -> bool:
    """Tell whether a key is one that frontmatter is known to have."""
    plain = bare(key)
    return plain in _FIELDS or plain in _OTHERS or plain in DESCRIPTION_STAND_INS
