"""The reasoner that needs no key and no network."""

import asyncio
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from skill_selector.graph.records import Candidate
from skill_selector.reasoners.base import AnalysisReply, AnalysisRequest, Judgement, RankReply, RankRequest
from skill_selector.reasoners.extraction import analyze_task
from skill_selector.reasoners.reasons import explain, veto_reason
from skill_selector.reasoners.rubric import most_points, points
from skill_selector.reasoners.signals import Findings, measure
from skill_selector.reasoners.terms import TaskTerms, task_terms
from skill_selector.retrievers.standing import SEMANTIC
from skill_selector.retrievers.text import word_tokens
from skill_selector.retrievers.text import words as cut

_JOINER = re.compile(r"[-_./]")


@dataclass(frozen=True)
class LocalReasoner:
    """Both Reason steps by word lists, the technology table and the index's statistics.

    The async halves work in a thread: the first Chinese text loads jieba, and data files are read.
    """

    name: str = "local"

    def analyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task, the same at every attempt.

        A tie tells it nothing that the task did not: leaning on the words that tell the tied skills apart was tried,
        and made the wrong one win.
        """
        return AnalysisReply(analysis=request.previous or analyze_task(request.task, request.words))

    async def aanalyze(self, request: AnalysisRequest) -> AnalysisReply:
        """Understand the task."""
        return await asyncio.to_thread(self.analyze, request)

    def rank(self, request: RankRequest) -> RankReply:
        """Score every candidate by itself."""
        terms = task_terms(request.task, request.analysis, request.index, request.words)
        surface = _surface([request.task, *request.analysis["keywords"]])
        semantic = any(one["routes"].get(SEMANTIC) for one in request.candidates)
        judgements = tuple(
            _judge(candidate, request, terms, surface, semantic=semantic) for candidate in request.candidates
        )
        return RankReply(judgements=judgements)

    async def arank(self, request: RankRequest) -> RankReply:
        """Score every candidate by itself."""
        return await asyncio.to_thread(self.rank, request)


def _judge(
    candidate: Candidate, request: RankRequest, terms: TaskTerms, surface: Mapping[str, str], *, semantic: bool
) -> Judgement:
    findings = measure(terms, request.skills[candidate["id"]], request.index, request.words)
    fallback = candidate["fallback"]
    veto = veto_reason(findings, terms)
    reason = explain(findings, terms, surface, fallback=fallback)
    return Judgement(
        skill_id=candidate["id"],
        points=points(
            findings.signals,
            semantic=semantic,
            standing=candidate.get("standing"),
            matched=findings.any_match,
            fallback=fallback,
            models=request.models,
        ),
        reason=f"{veto}; {reason}" if veto and not terms.chinese else f"{veto}；{reason}" if veto else reason,
        veto=veto,
    )


def highest_score(findings: Findings, terms: TaskTerms, *, fallback: bool) -> float:
    """Return the most that the skill's score can come to, 0 to 100: 0 after a veto."""
    if veto_reason(findings, terms):
        return 0.0
    return most_points(findings.signals, matched=findings.any_match, fallback=fallback)


def _surface(texts: Iterable[str]) -> dict[str, str]:
    """Return the word as the task writes it for each token, so that reasons show no stems."""
    found: dict[str, str] = {}
    for text in texts:
        for word in cut(text):
            for part in (word, *_JOINER.split(word)):
                tokens = word_tokens(part)
                if len(tokens) == 1:
                    found.setdefault(tokens[0], part)
                elif tokens:
                    found.setdefault(part.casefold(), part)
    return found
