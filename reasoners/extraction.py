"""Reason #1 without a model: from the task's text to its analysis."""

from collections.abc import Sequence

from skill_selector.graph.records import RankedSkill, TaskAnalysis
from skill_selector.reasoners.constraints import find_constraints
from skill_selector.reasoners.exclusion import excluded_by_task
from skill_selector.reasoners.intent import find_intent
from skill_selector.reasoners.keywords import MOST, find_keywords
from skill_selector.reasoners.technology import TechnologyTable, load_technologies
from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.text import has_chinese, tokenize
from skill_selector.retrievers.text import words as cut
from skill_selector.retrievers.words import WordLists

MOST_TOLD_APART = 5
"""How many words that tell tied skills apart are put in front."""

LONGEST_HEAD, LONGEST_TAIL = 14_000, 6_000
"""Of a longer task, in characters, only the two ends are read: that is where requests stand."""


def analyze_task(
    task: str,
    words: WordLists,
    *,
    tied: Sequence[RankedSkill] = (),
    previous: TaskAnalysis | None = None,
) -> TaskAnalysis:
    """Return what the task asks for.

    Args:
        task: the task's text, English, Chinese or both.
        words: the action and domain words.
        tied: skills that came out too close with the previous analysis; what the task says of one of them and not of
            the others then leads the keywords.
        previous: the analysis that they tied with.
    """
    technologies = load_technologies()
    if len(task) > LONGEST_HEAD + LONGEST_TAIL:
        task = f"{task[:LONGEST_HEAD]}\n{task[-LONGEST_TAIL:]}"
    intent = find_intent(task, words)
    keywords = find_keywords(task, intent, words, technologies)
    if tied:
        telling = telling_words(task, tied)
        known = [*telling, *(previous["keywords"] if previous else keywords)]
        keywords = list(dict.fromkeys(known))[:MOST]
    return {
        "intent": intent,
        "keywords": keywords,
        "constraints": find_constraints(task),
        "tech_stack": _wanted_technologies(task, technologies),
        "when_to_use": _when(intent, task),
    }


def telling_words(task: str, tied: Sequence[RankedSkill]) -> list[str]:
    """Return the task's words that some of the tied skills' names and descriptions hold and others don't, in order."""
    texts = [set(tokenize(f"{one['skill']['name']} {one['skill']['description']}")) for one in tied]
    found: dict[str, None] = {}
    for word in cut(task):
        tokens = [token for token in tokenize(word) if token not in everyday_tokens()]
        holders = sum(any(token in text for token in tokens) for text in texts)
        if 0 < holders < len(texts):
            found[word.lower()] = None
    return list(found)[:MOST_TOLD_APART]


def _wanted_technologies(task: str, technologies: TechnologyTable) -> list[str]:
    """Return the technologies that the task names, without those that it rules out."""
    ruled_out = {name for phrase in excluded_by_task(task) for name in technologies.find(phrase)}
    return [name for name in technologies.find(task) if name not in ruled_out]


def _when(intent: str, task: str) -> str:
    if has_chinese(intent) or (has_chinese(task) and not intent):
        return f"需要{intent}时"
    return f"when you need to {intent}"
