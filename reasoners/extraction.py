"""Reason #1 without a model: from the task's text to its analysis."""

from skill_selector.graph.records import TaskAnalysis
from skill_selector.reasoners.constraints import find_constraints
from skill_selector.reasoners.exclusion import excluded_by_task
from skill_selector.reasoners.intent import find_intent
from skill_selector.reasoners.keywords import find_keywords
from skill_selector.reasoners.technology import TechnologyTable, load_technologies
from skill_selector.retrievers.text import has_chinese
from skill_selector.retrievers.words import WordLists

LONGEST_HEAD, LONGEST_TAIL = 14_000, 6_000
"""Of a longer task, in characters, only the two ends are read: that is where requests stand."""


def analyze_task(task: str, words: WordLists) -> TaskAnalysis:
    """Return what the task, English, Chinese or both, asks for."""
    technologies = load_technologies()
    if len(task) > LONGEST_HEAD + LONGEST_TAIL:
        task = f"{task[:LONGEST_HEAD]}\n{task[-LONGEST_TAIL:]}"
    intent = find_intent(task, words)
    keywords = find_keywords(task, intent, words, technologies)
    return {
        "intent": intent,
        "keywords": keywords,
        "constraints": find_constraints(task),
        "tech_stack": _wanted_technologies(task, technologies),
        "when_to_use": _when(intent, task),
    }


def _wanted_technologies(task: str, technologies: TechnologyTable) -> list[str]:
    """Return the technologies that the task names, without those that it rules out."""
    ruled_out = {name for phrase in excluded_by_task(task) for name in technologies.find(phrase)}
    return [name for name in technologies.find(task) if name not in ruled_out]


def _when(intent: str, task: str) -> str:
    if has_chinese(intent) or (has_chinese(task) and not intent):
        return f"需要{intent}时"
    return f"when you need to {intent}"
