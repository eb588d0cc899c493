"""What a skill's text is searched for: the task's terms with their importance and rarity, worked out once a task."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from skill_selector.graph.records import TaskAnalysis
from skill_selector.reasoners.exclusion import excluded_by_task
from skill_selector.reasoners.intent import NEUTRAL_VERBS
from skill_selector.reasoners.technology import load_technologies
from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.glossary import Concepts, Gloss, load_glossary
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.text import has_chinese, tokenize
from skill_selector.retrievers.words import WordLists

FIELD = "source"
"""The field of the index whose statistics are used."""

PRIOR_SIZE = 50.0
"""How many skills the prior rates below weigh as much as: in a folder of three, counts alone say nothing."""
PRIOR_RATE, ACTION_RATE, EVERYDAY_RATE = 0.004, 0.05, 0.15
"""Which share of skills is taken to hold a word before counting: any word, an action word, an everyday word."""

RAW_WEIGHT, CONSTRAINT_WEIGHT, INTENT_WEIGHT, STACK_WEIGHT = 0.35, 0.4, 0.85, 0.8
"""How much a term counts by where it stands; keywords count 1, falling with their place by `KEYWORD_DECAY`."""
KEYWORD_DECAY = 0.06
EVERYDAY_WEIGHT, EXCLUDED_WEIGHT, NUMBER_WEIGHT, PART_WEIGHT = 0.3, 0.15, 0.2, 0.5
"""Factors for everyday words, what the task rules out, numbers, and words inside longer Chinese words."""
LONG_TASK = 40
"""From this many distinct tokens on, what stands only in the task itself counts less and less."""

_JOINERS = re.compile(r"[-_./]")


@dataclass(frozen=True, kw_only=True)
class TaskTerms:
    """What is looked for, worked out once a task."""

    weights: Mapping[str, float]
    """Token to importance, 0 to 1."""
    rarity: Mapping[str, float]
    """Token to -ln of the share of skills that hold it, in nats."""
    keywords: frozenset[str]
    constraints: frozenset[str]
    spelled: str
    """The task as `spelling` gives it."""
    pairs: frozenset[tuple[str, str]]
    """Neighbouring tokens of the task."""
    actions: frozenset[str]
    """Tokens of the action words in the intent."""
    named: tuple[str, ...]
    """Technologies that the task names, as the table spells them."""
    chinese: bool
    glosses: Concepts = field(default_factory=dict)
    """What its words are called in the other language; nothing where no skill is in that."""

    def tokens_of(self, text: str) -> list[str]:
        """Return the tokens of a skill's text; its Chinese words are not looked up where the task has none."""
        return tokenize(text, dictionary=self.chinese)

    @property
    def total(self) -> float:
        """The rarity of everything looked for, weighed."""
        return math.fsum(weight * self.rarity[token] for token, weight in self.weights.items())


def task_terms(task: str, analysis: TaskAnalysis, index: SkillIndex, words: WordLists) -> TaskTerms:
    """Work out what is looked for."""
    technologies = load_technologies()
    named = technologies.canonical(analysis["tech_stack"])
    weights = _weights(task, analysis)
    # Each word of "pull request" is an everyday one; together they are not.
    phrases = _tokens(phrase for phrase in words.find_domain(task) if " " in phrase)
    _lower(weights, excluded=_tokens(excluded_by_task(task)), everyday=everyday_tokens() - phrases)
    chinese = has_chinese(task)
    others = ~index.chinese if chinese else index.chinese
    actions = {token for word in words.find_action(analysis["intent"]) for token in tokenize(word)}
    return TaskTerms(
        weights=weights,
        rarity={token: rarity(token, index, words) for token in weights},
        keywords=frozenset(token for keyword in analysis["keywords"] for token in tokenize(keyword)),
        constraints=_tokens(analysis["constraints"]) - everyday_tokens(),
        spelled=spelling(task),
        pairs=neighbours(tokenize(task)),
        actions=frozenset(actions - everyday_tokens()),
        named=tuple(named),
        chinese=chinese,
        glosses=_glosses(task, weights) if others.any() else {},
    )


def _glosses(task: str, weights: Mapping[str, float]) -> Concepts:
    """Return the glosses of each term, before them those of the longer words of the task that it is a part of."""
    concepts = load_glossary().concepts(task, weights)
    longer = [word for word in concepts if word not in weights]
    found: dict[str, tuple[Gloss, ...]] = {}
    for token in weights:
        around = [gloss for word in longer if token in word for gloss in concepts[word]]
        if glosses := (*around, *concepts.get(token, ())):
            found[token] = glosses
    return found


def rarity(token: str, index: SkillIndex, words: WordLists) -> float:
    """Return -ln of the share of skills that hold the token, smoothed by its prior rate; more than 0."""
    prior = EVERYDAY_RATE if token in everyday_tokens() else ACTION_RATE if words.is_action_token(token) else PRIOR_RATE
    found = index.document_frequency(FIELD, token)
    return -math.log((found + prior * PRIOR_SIZE) / (len(index) + PRIOR_SIZE))


def spelling(text: str, *, dictionary: bool = True) -> str:
    """Return the text's words as tokens between spaces, whatever joins them: `release-notes` is in "Release note"."""
    return f" {' '.join(tokenize(_JOINERS.sub(' ', text), dictionary=dictionary))} "


def neighbours(tokens: list[str]) -> frozenset[tuple[str, str]]:
    """Return the pairs of tokens that stand side by side."""
    return frozenset((left, right) for left, right in pairwise(tokens) if left != right)


def _weights(task: str, analysis: TaskAnalysis) -> dict[str, float]:
    """Return each token's importance, 0 to 1, by the weightiest place where it stands."""
    weights: dict[str, float] = {}

    def raise_to(weight: float, texts: Iterable[str]) -> None:
        for token in _tokens(texts):
            weights[token] = max(weights.get(token, 0.0), weight)

    raise_to(RAW_WEIGHT * min(1.0, LONG_TASK / max(1, len(_tokens([task])))), [task])
    raise_to(CONSTRAINT_WEIGHT, analysis["constraints"])
    raise_to(INTENT_WEIGHT, [analysis["intent"]])
    chinese = has_chinese(analysis["intent"])
    for token in _tokens(verb for verb in NEUTRAL_VERBS if chinese or verb.isascii()) - _tokens([task]):
        weights.pop(token, None)
    raise_to(STACK_WEIGHT, analysis["tech_stack"])
    for place, keyword in enumerate(analysis["keywords"]):
        raise_to(1 / (1 + KEYWORD_DECAY * place), [keyword])
    return weights


def _lower(weights: dict[str, float], *, excluded: frozenset[str], everyday: frozenset[str]) -> None:
    chinese = [token for token in weights if has_chinese(token)]
    for token in weights:
        if token in excluded:
            weights[token] *= EXCLUDED_WEIGHT
        elif token in everyday:
            weights[token] *= EVERYDAY_WEIGHT
        elif token.replace(".", "").isdigit():
            weights[token] *= NUMBER_WEIGHT
        elif any(token != whole and token in whole for whole in chinese):
            weights[token] *= PART_WEIGHT


def _tokens(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(token for text in texts for token in tokenize(text))
