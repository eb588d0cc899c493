"""What is asked for, worked out once: the skill, its parameters, and what the routes look for."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from skill_selector.knowledge.definition import SkillDefinition
from skill_selector.knowledge.search import KnowledgeSearch
from skill_selector.retrievers.text import has_chinese, is_chinese, tokenize

LONGEST_QUERY = 2_000
"""Characters of what is searched for by meaning and by words."""
MOST_NAMES = 64
MOST_GLOSSES = 2
"""Of one Chinese term."""

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:[.-]\w+)*", re.ASCII)
_MARKED = re.compile(
    # in backticks, called or followed by its columns, a table named in Chinese, or spelled like a name
    r"`([^`\n]{1,80})`"
    r"|(?<![\w.])([A-Za-z_][\w.]*)(?=\s?\(|\s*表)"
    r"|(?<![\w.])([A-Za-z]\w*(?:[._]\w+)+|[a-z]+[a-z0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)",
    re.ASCII,
)
_LISTED = re.compile(r"\(([^()\n]{1,2000})\)")
_NOT_NAMES = frozenset({"e.g", "i.e", "and", "or", "in", "values", "table", "null", "not"})


@dataclass(frozen=True, kw_only=True)
class CompileRequest:
    """A request. `to_dict` gives plain JSON, which the graph's state carries."""

    definition: SkillDefinition
    parameters: Mapping[str, Any]
    task: str
    query: str
    """What is searched for by meaning and by words: the task, and what the parameters say beyond it."""
    words: str = ""
    """What the search by words looks for: the query, in Chinese with what its terms are called in English."""
    names: tuple[str, ...] = ()
    """Of tables, functions, settings … in the parameters, then in the task."""
    codes: tuple[str, ...] = ()
    """Error codes and exceptions in the parameters and the task."""
    candidates: tuple[tuple[str, str], ...] = ()
    """Id and folder of the skills that were not chosen, the best first."""
    budget: int = 2_000
    preference: str = "none"
    knowledge: Mapping[str, str] = field(default_factory=dict)
    """`directory` and `digest`."""
    skills: tuple[str, ...] = ()
    """The folders of skills."""
    key: str = ""
    """Everything that decides the result, digested."""

    @property
    def chinese(self) -> bool:
        """Whether the task is in Chinese."""
        return is_chinese(self.task or self.query)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return {
            "definition": self.definition.to_dict(),
            "parameters": dict(self.parameters),
            "task": self.task,
            "query": self.query,
            "words": self.words,
            "names": list(self.names),
            "codes": list(self.codes),
            "candidates": [list(one) for one in self.candidates],
            "budget": self.budget,
            "preference": self.preference,
            "knowledge": dict(self.knowledge),
            "skills": list(self.skills),
            "key": self.key,
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Self:
        """Return the request that `to_dict` gave."""
        definition = dict(value["definition"])
        for name in ("preferred_context_types", "related_keywords"):
            definition[name] = tuple(definition[name])
        listed = {name: tuple(value[name]) for name in ("names", "codes", "skills")}
        candidates = tuple((one[0], one[1]) for one in value["candidates"])
        rest = {**value, **listed, "candidates": candidates, "definition": SkillDefinition(**definition)}
        return cls(**rest)


def values_of(parameters: Any) -> list[str]:
    """Return every text and number in the parameters, in order, however deep."""
    if isinstance(parameters, Mapping):
        return [text for value in parameters.values() for text in values_of(value)]
    if isinstance(parameters, list | tuple):
        return [text for value in parameters for text in values_of(value)]
    if isinstance(parameters, str) and parameters.strip():
        return [parameters.strip()]
    return [str(parameters)] if isinstance(parameters, int | float) and not isinstance(parameters, bool) else []


def names_in(texts: Iterable[str], search: KnowledgeSearch) -> list[str]:
    """Return the names in texts: a text that is one, what is spelled or marked like one, what stands in parentheses.

    Of those in parentheses, only the ones that the knowledge base has a name for.
    """
    found: dict[str, None] = {}
    for text in texts:
        if _IDENTIFIER.fullmatch(text):
            found[text] = None
            continue
        for match in _MARKED.finditer(text):
            name = next(group for group in match.groups() if group)
            found.update(dict.fromkeys(_IDENTIFIER.findall(name)[:3] if match[1] else [name]))
        for group in _LISTED.findall(text):
            found.update(dict.fromkeys(search.names_in(group)))
    return [name for name in found if len(name) > 1 and name.lower() not in _NOT_NAMES][:MOST_NAMES]


def query_of(task: str, parameters: Mapping[str, Any]) -> str:
    """Return the task, with the texts of the parameters that it does not hold."""
    parts: list[str] = [task.strip()] if task.strip() else []
    for text in values_of(parameters):
        if not any(text.casefold() in part.casefold() for part in parts):
            parts.append(text)
    return "\n".join(parts)[:LONGEST_QUERY]


def bilingual(query: str) -> str:
    """Return a query with the English glosses of its Chinese terms: most knowledge of code is written in English."""
    if not has_chinese(query):
        return query
    from skill_selector.retrievers.glossary import load_glossary  # noqa: PLC0415 - a quarter of a second

    concepts = load_glossary().concepts(query, tokenize(query))
    glosses = dict.fromkeys(gloss.text for found in concepts.values() for gloss in found[:MOST_GLOSSES])
    return "\n".join([query, *glosses])


def request_digest(*parts: Any) -> str:
    """Return a digest of JSON values."""
    from skill_selector.knowledge.chunk import digest_of  # noqa: PLC0415 - one caller

    return digest_of(json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str))
