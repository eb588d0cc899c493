"""The words of a task with their weights: what the routes over the whole task search for."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from skill_selector.graph.records import TaskAnalysis
from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.text import has_chinese, tokenize
from skill_selector.retrievers.words import WordLists

Kind = Literal["action", "domain", "raw"]

EARLY = 80
"""The weight of a word falls with its first place in the task, by e in this many tokens, to `LATE_FLOOR`."""
LATE_FLOOR = 0.5
MOST_TIMES = 9
"""Occurrences of a word that count: a gate that a long task repeats at every step is not what the task is about."""
EVERYDAY_WEIGHT, NUMBER_WEIGHT = 0.5, 0.3
"""Factors for everyday words and for numbers."""
ADDED_WEIGHT = 0.7
"""The weight of a word that only Reason #1's keywords hold, such as a translation."""


@dataclass(frozen=True, kw_only=True)
class TaskQuery:
    """A task as its routes search for it."""

    weights: Mapping[str, float]
    """Token to weight, more than 0: √times, bounded; less where it comes late, is an everyday word or a number."""
    kinds: Mapping[str, Kind]
    """What each token is: an action word, a word of the subject, or any other."""
    chinese: bool

    def of_kind(self, kind: Kind) -> dict[str, float]:
        """Return the weights of the tokens of one kind."""
        return {token: weight for token, weight in self.weights.items() if self.kinds[token] == kind}


def task_query(task: str, analysis: TaskAnalysis, words: WordLists) -> TaskQuery:
    """Weigh the words of a task, and of the keywords that Reason #1 adds to them."""
    tokens = tokenize(task)
    first: dict[str, int] = {}
    for place, token in enumerate(tokens):
        first.setdefault(token, place)
    weights = {
        token: math.sqrt(min(times, MOST_TIMES)) * (LATE_FLOOR + (1 - LATE_FLOOR) * math.exp(-first[token] / EARLY))
        for token, times in Counter(tokens).items()
    }
    keywords = [token for keyword in analysis["keywords"] for token in tokenize(keyword)]
    for token in keywords:
        weights.setdefault(token, ADDED_WEIGHT)
    for token in weights:
        if token in everyday_tokens():
            weights[token] *= EVERYDAY_WEIGHT
        if token.replace(".", "").isdigit():
            weights[token] *= NUMBER_WEIGHT
    texts = [task, *analysis["keywords"]]
    actions = _tokens(phrase for text in texts for phrase in words.find_action(text))
    domains = _tokens(phrase for text in texts for phrase in words.find_domain(text)) | set(keywords)
    kinds: dict[str, Kind] = {
        token: "action" if token in actions else "domain" if token in domains else "raw" for token in weights
    }
    return TaskQuery(weights=weights, kinds=kinds, chinese=has_chinese(task))


def _tokens(phrases: Iterable[str]) -> set[str]:
    return {token for phrase in phrases for token in tokenize(phrase)}
