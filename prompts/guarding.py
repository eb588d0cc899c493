"""Long text of strangers that must stay as it was written, code and all, and still cannot leave its block.

Escaping every bracket would spoil what a skill teaches: `a < b`, `&&`, `<div>`. So only those brackets are escaped that
begin a tag of ours, or one of the markers that separate the turns of a chat.
"""

import re
import unicodedata

from skill_selector.prompts.fencing import clean

GUARDED_TAGS = (
    "available_skills",
    "context",
    "source",
    "skill",
    "skill_content",
    "skill_file",
    "skill_resources",
    "left_out",
    "truncated",
)
"""The tags that text inside a block may neither close nor open."""

_OPENING = re.compile(r"[<\uff1c\ufe64\u2039\u3008\u27e8](\s*[/\\\uff0f\u2044\u2215]*\s*)")
"""A plain bracket or one that a model may take for it, with what may stand between it and a tag's name."""
_LOOK = 64
"""Characters that are looked at for the name; longer than any tag or marker."""
_NAME = re.compile(rf"(?:{'|'.join(GUARDED_TAGS)})(?![\w-])", re.IGNORECASE)
_MARKER = re.compile(r"\|[\w\u2581 -]{1,40}\|>")


def guard(text: str) -> str:
    """Return the text, cleaned, with every bracket escaped that begins a tag of ours or a marker of a chat template.

    Full-width and spaced spellings count too.
    """
    text = clean(text)

    def replaced(found: re.Match[str]) -> str:
        behind = unicodedata.normalize("NFKC", text[found.end() : found.end() + _LOOK])
        if _NAME.match(behind) or (not found[1] and _MARKER.match(behind)):
            return f"&lt;{found[1]}"
        return found[0]

    return _OPENING.sub(replaced, text)
