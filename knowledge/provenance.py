"""When something was written and how far it is to be believed."""

import re
from datetime import date
from typing import Any

AUTHORITY = {
    "official": 1.0,
    "maintainer": 0.8,
    "team": 0.6,
    "unknown": 0.5,
    "community": 0.4,
    "personal": 0.2,
    "官方": 1.0,
    "核心开发者": 0.8,
    "团队": 0.6,
    "社区": 0.4,
    "个人": 0.2,
}
"""Official documents before core developers, those before a team's notes, a forum, somebody's blog (source 002)."""
DEFAULT_AUTHORITY = AUTHORITY["unknown"]

_DAY = re.compile(r"(?<!\d)(\d{4})\s*(?:[-/.年])\s*(\d{1,2})(?:\s*(?:[-/.月])\s*(\d{1,2}))?")


def day_of(value: Any) -> str | None:
    """Return the first date in a value as ISO 8601, to the day; a month stands for its first day."""
    found = _DAY.search(str(value)[:80])
    if not found:
        return None
    try:
        return date(int(found[1]), int(found[2]), int(found[3] or 1)).isoformat()
    except ValueError:
        return None


def authority_of(value: Any) -> float | None:
    """Return an authority, 0 to 1, given by name or number; None where it is neither."""
    named = AUTHORITY.get(str(value).strip().lower())
    if named is not None:
        return named
    try:
        number = float(value)
    except (TypeError, ValueError):
        return None
    return number if 0 <= number <= 1 else None
