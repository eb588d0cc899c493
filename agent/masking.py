"""Secrets taken out of what is kept or shown: by the name of their key, by their look, or because they are known."""

import re
from collections.abc import Collection, Mapping
from typing import Any

MASK = "***"
SHORTEST_KNOWN = 6
"""Characters that a known secret must have: shorter ones would mask ordinary words."""
DEPTH = 8
"""Levels of nested values that are looked into; what lies deeper is masked whole."""

_KEYS = re.compile(
    r"pass(word|wd|phrase|code)|pwd|secret|token|api_?key|access_?key|private_?key|auth(orization)?$|credential|cookie"
    r"|session_?id|signature|密码|口令|密钥|令牌|凭证",
    re.IGNORECASE,
)
_NOT_KEYS = re.compile(
    r"(max|prompt|completion|total|input|output|num|count)_?tokens?|tokens?_?(count|limit|budget)|tokeni[sz]e",
    re.IGNORECASE,
)
_VALUES = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)", re.DOTALL),
    re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[\w-]{10,})"),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bLTAI[A-Za-z0-9]{12,}"),
    re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"),
    re.compile(r"(?<![\d.])(?:\+?86[- ]?)?1[3-9]\d(?:[- ]?\d{4}){2}(?![\d.])"),  # mobile numbers of China
    re.compile(r"(?<!\w)\+\d{1,3}[- ]?(?:\(\d+\)[- ]?)?\d{2,4}(?:[- ]?\d{2,4}){2,3}(?!\d)"),  # international ones
)
_BEARER = re.compile(r"\b((?:bearer|basic)\s+)[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE)
_IN_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+(?=@)", re.IGNORECASE)
_STATED = re.compile(
    r"((?<![A-Za-z])(?:[\w-]*(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?key|token)|密码|口令|密钥|令牌)"
    r"[\"']?\s*(?:[=:：]|是|为)\s*)(\"[^\"]+\"|'[^']+'|[^\s,;，；&\"'}]+)",
    re.IGNORECASE,
)


def mask_text(text: str, known: Collection[str] = ()) -> str:
    """Return the text with its secrets masked; `known` are secrets whose exact text must not be seen."""
    for secret in sorted((one for one in known if len(one) >= SHORTEST_KNOWN), key=len, reverse=True):
        text = text.replace(secret, MASK)
    for pattern in _VALUES:
        text = pattern.sub(MASK, text)
    text = _BEARER.sub(rf"\1{MASK}", text)
    text = _IN_ADDRESS.sub(rf"\1{MASK}", text)
    return _STATED.sub(lambda match: match[0] if _NOT_KEYS.search(match[1]) else match[1] + MASK, text)


def mask(value: Any, known: Collection[str] = (), *, depth: int = DEPTH) -> Any:
    """Return a JSON value with its secrets masked; whatever is not JSON becomes text."""
    if value is None or isinstance(value, bool | int | float):
        # a number such as a telephone's is a secret of the same kind as its text
        return value if isinstance(value, bool | None) or mask_text(str(value), known) == str(value) else MASK
    if isinstance(value, str):
        return mask_text(value, known)
    if depth == 0:
        return MASK
    if isinstance(value, Mapping):
        return {
            mask_text(str(key), known): MASK if _secret(str(key), inner) else mask(inner, known, depth=depth - 1)
            for key, inner in value.items()
        }
    if isinstance(value, list | tuple | set | frozenset):
        return [mask(inner, known, depth=depth - 1) for inner in value]
    return mask_text(str(value), known)


def _secret(key: str, value: object) -> bool:
    return bool(_KEYS.search(key)) and not _NOT_KEYS.search(key) and value not in (None, "", True, False)
