"""Which text of a skill its vector is made of."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import SettingError
from skill_selector.retrievers.vectors import embedded_text, text_key

LONGEST_DESCRIPTION = 1024
"""Characters of a description that are embedded: the format's own limit."""
BODY_START = 200
"""Characters of a body that are embedded (source 003)."""


@dataclass(frozen=True)
class TextKind:
    """One way to put a skill into words; vectors of different kinds are kept apart."""

    name: str
    text: Callable[[Skill], str]
    """What is embedded. It may read the skill's body from its file."""
    key: Callable[[Skill], bytes]
    """What the vector is found by, without reading anything: equal for skills whose text is equal."""


def described(skill: Skill) -> str:
    """Return `name: description` (source 001)."""
    return f"{skill.name}: {' '.join(skill.description.split())[:LONGEST_DESCRIPTION]}"


def started(skill: Skill) -> str:
    """Return name, description and how the body starts (source 003)."""
    try:
        body = skill.body.strip()[:BODY_START]
    except OSError:  # gone since the scan: the next one will not find it
        body = ""
    return f"{skill.name}\n{' '.join(skill.description.split())[:LONGEST_DESCRIPTION]}\n{body}".strip()


def _started_key(skill: Skill) -> bytes:
    digest = skill.body_digest or sha256(skill.body.encode("utf-8", "surrogatepass")).hexdigest()
    return text_key(f"{skill.name}\n{skill.description}\n{digest}")


SUMMARY = TextKind("summary", embedded_text, lambda skill: text_key(embedded_text(skill)))
DESCRIBED = TextKind("description", described, lambda skill: text_key(described(skill)))
STARTED = TextKind("start", started, _started_key)

TEXT_KINDS = {one.name: one for one in (SUMMARY, DESCRIBED, STARTED)}


def text_kind(name: str) -> TextKind:
    """Return the kind of that name.

    Raises:
        SettingError: there is none; the message lists the known ones.
    """
    if name not in TEXT_KINDS:
        raise SettingError(f"there is no kind of embedded text {name!r}; known are {', '.join(TEXT_KINDS)}")
    return TEXT_KINDS[name]
