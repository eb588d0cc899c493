"""What speaks for and against one skill, measured: the ground that the rubric stands on.

Every signal depends on the task, the skill and the catalogue's statistics, never on the other candidates. Terms are
distinct search tokens weighed by how rare they are, so that stuffed and repeated words count once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from math import fsum

from skill_selector.catalog.skill import Skill
from skill_selector.reasoners.exclusion import Scope, claims_everything, split_scope
from skill_selector.reasoners.stack import Stack, compare_stacks
from skill_selector.reasoners.technology import load_technologies
from skill_selector.reasoners.terms import CONSTRAINT_WEIGHT, FIELD, TaskTerms, neighbours, rarity, spelling
from skill_selector.retrievers.everyday import everyday_tokens
from skill_selector.retrievers.glossary import Gloss
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.text import count_chinese
from skill_selector.retrievers.words import WordLists

EVIDENCE_HALF, TEXT_HALF = 9.0, 14.0
"""Matched rarity, in nats, at which `evidence` and `text_evidence` reach one half."""
GLOSS_SHARE = 0.7
"""How much of a word counts where its translation is found."""
PAIRS_FULL = 3
"""How many neighbouring words in common make `phrases` 1."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Signals:
    """What was measured of one skill: each from 0 to 1, and 0 where there is nothing to measure unless it says else."""

    lead_cover: float
    """Share of what is looked for, by rarity, that stands in name, description or when-to-use."""
    text_cover: float
    """The same, the head of the body included."""
    glossed_lead: float
    """`lead_cover`, where a word whose translation stands there counts `GLOSS_SHARE`."""
    glossed_text: float
    """`text_cover`, the same way."""
    evidence: float
    """Matched rarity in the lead, saturating at 1."""
    text_evidence: float
    """Matched rarity in the lead and the head of the body, saturating at 1."""
    keyword_cover: float
    """Share of the keywords' rarity that stands in the lead."""
    name_cover: float
    """Share of the name's rarity that the task holds: a name that the task spells out."""
    named: float
    """1 where the task spells out the skill's whole name of two words or more, or one word and "skill"."""
    lead_precision: float
    """Share of the lead's rarity that the task holds."""
    phrases: float
    """Neighbouring words of the task that are neighbours in the lead too; 1 for three or more pairs."""
    actions: float
    """Share of the intent's action words that are among the skill's; 0.5 where the intent has none."""
    technology: float
    """Share of the named technologies that the skill names; 0.5 where the task names none."""
    constraints: float
    """Share of the constraints' rarity that stands anywhere in the skill; 0.5 where the task has none."""
    conflict: float
    """1 where the skill is for a rival technology alone, 0.5 where it names one in place of the task's."""
    exclusion: float
    """How far the skill's own negated clauses cover the task."""
    claims: float
    """1 where the skill claims to serve every task, or gives orders to whoever chooses."""
    inferred: float
    """1 where name and description were guessed by the scan."""
    other_language: float
    """1 where task and skill are in different languages."""

    def as_dict(self) -> dict[str, float]:
        """Return the signals by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Findings:
    """The signals of one skill, with the words behind them, for the reason."""

    signals: Signals
    matched: tuple[str, ...]
    """Tokens found in the lead, the most telling first."""
    matched_below: tuple[str, ...]
    """Tokens found only in the body."""
    translated: tuple[tuple[str, Gloss], ...]
    """Other tokens that are found by what they are called in the other language, with that."""
    stack: Stack
    ruled_out_by: str | None
    """The item of the skill's negated clauses that covers the task."""

    @property
    def any_match(self) -> bool:
        """Whether the skill's text holds anything of the task."""
        return bool(self.matched or self.matched_below or self.translated)


def measure(terms: TaskTerms, skill: Skill, index: SkillIndex, words: WordLists) -> Findings:
    """Measure one skill against what is looked for."""
    scope = split_scope("\n".join((skill.description, skill.when_to_use, *skill.triggers, *skill.tags)))
    name = terms.tokens_of(skill.name)
    tokens = [*name, *terms.tokens_of(scope.included)]
    lead = set(tokens)
    found = lead & set(terms.weights)
    known = lead.union(*map(terms.tokens_of, scope.excluded))
    below = _only_below(terms, skill, index, known)
    in_lead, in_text = _mass(found, terms), _mass(found, terms) + _mass(below, terms)
    glossed = _glossed(terms, skill, index, lead, found | below)
    glossed_lead = _mass((token for token, (_, leads) in glossed.items() if leads), terms) * GLOSS_SHARE
    glossed_text = _mass(glossed, terms) * GLOSS_SHARE
    stack = compare_stacks(terms.named, skill, scope.included, load_technologies())
    exclusion, item = _exclusion(terms, scope, lead, index, words)

    def share_of(held: Iterable[str]) -> float:
        return _share(held, set(terms.weights), {token: rarity(token, index, words) for token in held})

    signals = Signals(
        lead_cover=in_lead / (terms.total or 1.0),
        text_cover=in_text / (terms.total or 1.0),
        glossed_lead=(in_lead + glossed_lead) / (terms.total or 1.0),
        glossed_text=(in_text + glossed_text) / (terms.total or 1.0),
        evidence=in_lead / (in_lead + EVIDENCE_HALF),
        text_evidence=in_text / (in_text + TEXT_HALF),
        keyword_cover=_share(terms.keywords, lead, terms.rarity),
        name_cover=share_of({token for token in name if token.isalnum()}),
        named=float(_is_named(terms, skill.name)),
        lead_precision=share_of(lead),
        phrases=min(1.0, len(terms.pairs & neighbours(tokens)) / PAIRS_FULL),
        actions=len(terms.actions & lead) / len(terms.actions) if terms.actions else 0.5,
        technology=len(stack.shared) / len(terms.named) if terms.named else 0.5,
        constraints=_share(terms.constraints, lead | below, terms.rarity) if terms.constraints else 0.5,
        conflict=(1.0 if stack.exclusive else 0.5) if stack.rivals else 0.0,
        exclusion=exclusion,
        # an order such as "choose no other" is a negated clause, which `included` has no longer
        claims=float("instructs_reader" in skill.flags or claims_everything(scope.included)),
        inferred=float(skill.inferred),
        other_language=float(_other_language(terms.chinese, f"{skill.name} {scope.included}")),
    )
    return Findings(
        signals=signals,
        matched=_telling(found, terms),
        matched_below=_telling(below, terms),
        translated=tuple((token, glossed[token][0]) for token in _telling(glossed, terms)),
        stack=stack,
        ruled_out_by=item,
    )


def _is_named(terms: TaskTerms, name: str) -> bool:
    spelled = spelling(name, dictionary=terms.chinese)
    whole = spelled if len(spelled.split()) > 1 else f"{spelled}skill "
    return bool(spelled.strip()) and whole in terms.spelled


def _only_below(terms: TaskTerms, skill: Skill, index: SkillIndex, known: set[str]) -> set[str]:
    """Return the terms that stand in the head of the body only."""
    if skill.id not in index:
        return set()
    return index.held(FIELD, index.position(skill.id), (token for token in terms.weights if token not in known))


def _glossed(
    terms: TaskTerms, skill: Skill, index: SkillIndex, lead: set[str], found: set[str]
) -> dict[str, tuple[Gloss, bool]]:
    """Return the other terms that are found by a translation: which one, and whether it stands in the lead."""
    searched = {token: glosses for token, glosses in terms.glosses.items() if token not in found}
    below: set[str] = set()
    if skill.id in index:
        tokens = {one for glosses in searched.values() for gloss in glosses for one in gloss.tokens}
        below = index.held(FIELD, index.position(skill.id), tokens)
    glossed: dict[str, tuple[Gloss, bool]] = {}
    for token, glosses in searched.items():
        for gloss in glosses:
            if lead.issuperset(gloss.tokens):
                glossed[token] = gloss, True
                break
            if token not in glossed and below.issuperset(gloss.tokens):
                glossed[token] = gloss, False
    return glossed


def _mass(tokens: Iterable[str], terms: TaskTerms) -> float:
    return fsum(terms.weights[token] * terms.rarity[token] for token in tokens)


def _telling(tokens: Iterable[str], terms: TaskTerms) -> tuple[str, ...]:
    return tuple(sorted(tokens, key=lambda token: (-terms.weights[token] * terms.rarity[token], token)))


def _share(wanted: Iterable[str], held: set[str], rarities: Mapping[str, float]) -> float:
    total = fsum(rarities[token] for token in wanted)
    return fsum(rarities[token] for token in wanted if token in held) / total if total else 0.0


def _other_language(chinese: bool, text: str) -> bool:
    """Tell whether the text has hardly a word of the task's language: less than 1 in 20 letters."""
    letters = sum(map(str.isalpha, text))
    han = count_chinese(text)
    return (han if chinese else letters - han) * 20 < letters


def _exclusion(
    terms: TaskTerms, scope: Scope, lead: set[str], index: SkillIndex, words: WordLists
) -> tuple[float, str | None]:
    """Return how far the skill's negated clauses cover the task, and the item that covers it best.

    Words that the skill claims elsewhere don't count: "for Python; not for Python notebooks" is about notebooks.
    """
    best, best_item = 0.0, None
    for item in scope.excluded:
        tokens = {token for token in terms.tokens_of(item) if token not in everyday_tokens()}
        hits = {token for token in tokens if terms.weights.get(token, 0) >= CONSTRAINT_WEIGHT}
        if not hits - lead:
            continue
        share = _share(tokens, hits, {token: rarity(token, index, words) for token in tokens})
        if share > best:
            best, best_item = share, item
    return best, best_item
