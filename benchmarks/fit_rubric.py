"""Fit the constants of the local reasoner's score to labelled tasks, and say how good it is on tasks it has not seen.

    python benchmarks/fit_rubric.py --skills DIR --queries FILE [--skills DIR2 --queries FILE2 …] [--words-only]

Each task is analysed and searched as in a local run; the best ten skills become rows of signals, with the label 1 where
the task's gold holds the skill or a copy, 0.5 where the list `soft` of its line does, else 0. The same tasks are also
put to small catalogues, drawn from the folder: the gold of a few tasks, skills that are somewhat like it, others at
random; and, as tasks that no skill fits, those of another such catalogue. A ridge regression by Newton's method,
cross-validated by task, then gives a weight for each signal. `--priors` compares other priors of the standing.
`fit_rubric.md` holds a result.
"""

import argparse
import json
import random
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from skill_selector.catalog.skill import Skill
from skill_selector.evaluation.measured import Measured, measure_candidates, rows_of
from skill_selector.evaluation.regression import (
    Floats,
    TaskRows,
    area_under_curve,
    cross_validate,
    fit,
    log_loss,
)
from skill_selector.evaluation.task import LabelledTask, load_tasks
from skill_selector.graph.settings import Settings, resolve_settings
from skill_selector.reasoners.extraction import analyze_task
from skill_selector.reasoners.rubric import score_of
from skill_selector.retrievers.embedder import Embedder, choose_embedder
from skill_selector.retrievers.index import SkillIndex
from skill_selector.retrievers.library import LibraryCache
from skill_selector.retrievers.meaning import Meaning
from skill_selector.retrievers.search import SearchRequest, build_retriever, search
from skill_selector.retrievers.standing import PRIOR, PRIOR_SEMANTIC, Prior, Standing
from skill_selector.retrievers.strategy import get_strategy
from skill_selector.retrievers.vectorindex import VectorIndex
from skill_selector.retrievers.words import load_words

MODEL_SIGNALS = ("standing", "glossed_text", "lead_precision", "inferred", "technology", "conflict")
LIMIT, RANKED = 10, 5
"""Candidates that are rows, and those that decide an outcome, as in a run."""
THRESHOLD, GAP = 60.0, 10.0
FOLDS, SEEDS = 10, 3
SIZES = {10: 2, 30: 3, 100: 6, 300: 12}
"""Skills of the small catalogues, with how many tasks share one."""
SMALL_WEIGHT = 0.25
"""How much a task counts over a small catalogue; it is there once for each size."""
RELATED = (60, 300)
"""Places of a task's retrieval that its small catalogue is half filled from: near the task, but hardly fitting it."""
PRIORS = tuple((count, *moments) for count, moments in product((100, 1000, 3000), ((0.2, 0.25), (0.8, 0.55))))


@dataclass(frozen=True)
class Case:
    """A task over a catalogue."""

    title: str
    """Of the table that it belongs to."""
    task: LabelledTask
    kind: str
    measured: list[Measured]
    totals: NDArray[np.float32]
    """The fused scores of all skills."""
    soft: Collection[str]
    weight: float

    def rows(self, prior: Prior) -> TaskRows:
        """Return its rows, with the standing under a prior."""
        standing = Standing.among(self.totals, prior)
        seen: list[Measured] = [
            {**one, "signals": {**one["signals"], "standing": standing.of(one["score"])}} for one in self.measured
        ]
        gold = self.task.gold_ids if self.kind != "none" else ()
        return rows_of(seen, MODEL_SIGNALS, gold, self.soft, self.weight)


class Searcher:
    """Runs tasks over a folder's skills, or over some of them."""

    def __init__(self, folder: Path, embedder: Embedder | None, settings: Settings) -> None:
        self._settings, self._words, self._strategy = settings, load_words(), get_strategy("react")
        library = LibraryCache().load([str(folder)], cache_dir=settings.cache_dir)
        self.skills, self.embedder = library.skills, embedder
        self.index = library.index(fields=self._strategy.fields)
        self.vectors = library.vectors(embedder) if embedder else None
        if self.vectors:
            self.vectors.complete()

    def part(self, skills: Sequence[Skill]) -> tuple[SkillIndex, VectorIndex | None]:
        """Return an index and vectors over some of the skills."""
        vectors = VectorIndex(skills, self.embedder) if self.embedder else None
        if vectors:
            vectors.complete()
        return SkillIndex.build(skills, self._strategy.fields), vectors

    def order(self, task: LabelledTask) -> list[str]:
        """Return what retrieval over all skills brings up, best first."""
        return [one["id"] for one in search(self._request(task, self.index, self.vectors), limit=RELATED[1])]

    def case(
        self,
        title: str,
        task: LabelledTask,
        soft: Collection[str],
        *,
        over: tuple[SkillIndex, VectorIndex | None] | None = None,
        kind: str | None = None,
        weight: float = 1.0,
    ) -> Case:
        """Return a task over all skills, or over a part of them."""
        index, vectors = over or (self.index, self.vectors)
        request = self._request(task, index, vectors)
        by_id = {skill.id: skill for skill in index.skills}
        measured = measure_candidates(
            task.task, request.analysis, search(request, limit=LIMIT), skills=by_id, index=index, words=self._words
        )
        totals = build_retriever(request).totals()
        assert totals is not None  # noqa: S101 - all routes of the strategy are over the index
        return Case(title, task, kind or task.kind, measured, totals[index.mask(index.skills)], soft, weight)

    def _request(self, task: LabelledTask, index: SkillIndex, vectors: VectorIndex | None) -> SearchRequest:
        return SearchRequest(
            task=task.task,
            analysis=analyze_task(task.task, self._words),
            skills=index.skills,
            index=index,
            settings=self._settings,
            words=self._words,
            strategy=self._strategy,
            meaning=Meaning(vectors, strict=True) if vectors else None,
        )


def cases_of(
    searcher: Searcher, title: str, tasks: Sequence[LabelledTask], soft: Mapping[str, Collection[str]], weight: float
) -> Iterator[Case]:
    """Yield the tasks over all skills, then over the small catalogues."""
    for task in tasks:
        yield searcher.case(f"{title}, {len(searcher.index):,} skills", task, soft[task.id], weight=weight)
    related = {task.id: searcher.order(task)[RELATED[0] :] for task in tasks}
    chance = random.Random(5)  # noqa: S311 - a draw that can be repeated
    for size, share in SIZES.items():
        if size * 2 > len(searcher.skills):
            continue
        drawn = chance.sample(tasks, len(tasks))
        groups = [drawn[at : at + share] for at in range(0, len(drawn), share)]
        for group, others in zip(groups, [*groups[1:], groups[0]], strict=True):
            held = draw(searcher.skills, group, related, size, chance)
            over = searcher.part([skill for skill in searcher.skills if skill.id in held])
            named = f"{title}, {size} of them"
            for task in group:
                yield searcher.case(named, task, soft[task.id], over=over, weight=weight * SMALL_WEIGHT)
            for task in others:
                if task.kind != "none" and not held & (task.gold_ids | set(soft[task.id])):
                    yield searcher.case(named, task, (), over=over, kind="none", weight=weight * SMALL_WEIGHT)


def draw(
    skills: Sequence[Skill],
    group: Sequence[LabelledTask],
    related: Mapping[str, Sequence[str]],
    size: int,
    chance: random.Random,
) -> set[str]:
    """Return the ids of a small catalogue that holds one skill of each gold group of some tasks."""
    known = {skill.id for skill in skills}
    gold = [sorted(known.intersection(one)) for task in group for one in task.gold]
    held = {chance.choice(one) for one in gold if one}
    near = sorted({one for task in group for one in related[task.id] if one not in task.gold_ids} - held)
    held.update(chance.sample(near, min(len(near), max(0, (size - len(held)) // 2))))
    rest = sorted(known - held)
    return held | set(chance.sample(rest, max(0, size - len(held))))


def outcomes(cases: Sequence[Case], rows: Sequence[TaskRows], log_odds: Sequence[Floats]) -> dict[str, float]:
    """Return the figures of the decision at the default threshold and gap."""
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for case, own, line in zip(cases, rows, log_odds, strict=True):
        scores = [min(score_of(at), one["most"]) for at, one in zip(line[:RANKED], case.measured, strict=False)]
        best, second = [*np.argsort(-np.array(scores), kind="stable"), None, None][:2]
        right = best is not None and bool(own.fits[best] == 1)
        clear = best is not None and (second is None or scores[best] - scores[second] >= GAP)
        high = best is not None and scores[best] >= THRESHOLD
        found["wrong_hit"].append(high and clear and not right)
        if case.kind == "match":
            found["right_hit"].append(high and clear and right)
            found["hit@1"].append(right)
        elif case.kind == "none":
            found["abstained"].append(not (high and clear))
        else:
            found["uncertain"].append(high and not clear)
    return {name: float(np.mean(values)) for name, values in found.items()}


def reliability(rows: Sequence[TaskRows], log_odds: Sequence[Floats]) -> Iterator[tuple[str, float, int]]:
    """Yield, for bands of the score of each task's first, the band, which share of them fits, and how many they are."""
    firsts = [
        (score_of(float(line.max())), own.fits[line.argmax()])
        for own, line in zip(rows, log_odds, strict=True)
        if len(line)
    ]
    for low, high in ((0, 20), (20, 40), (40, 60), (60, 80), (80, 101)):
        fits = [fit for score, fit in firsts if low <= score < high and fit != 0.5]
        if fits:
            yield f"{low} to {min(high, 100)}", float(np.mean(fits)), len(fits)


def by_title(cases: Sequence[Case]) -> dict[str, list[int]]:
    """Return the places of the cases of each table."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for at, case in enumerate(cases):
        places[case.title].append(at)
    return places


def compare_priors(cases: Sequence[Case], priors: Sequence[Prior]) -> None:
    """Print the cross-validated loss of each prior, over the catalogues of each size."""
    places = by_title(cases)
    print(f"| prior | {' | '.join(places)} | mean |\n|---|{'---|' * (len(places) + 1)}")
    for prior in priors:
        rows = [case.rows(prior) for case in cases]
        lines = cross_validate(rows, FOLDS, groups=[case.task.id for case in cases])
        losses = [log_loss([lines[at] for at in own], [rows[at] for at in own], 3) for own in places.values()]
        print(f"| {prior} | {' | '.join(f'{loss:.3f}' for loss in losses)} | {np.mean(losses):.4f} |", flush=True)


def show(cases: Sequence[Case], prior: Prior) -> None:
    """Print the weights, and the figures by catalogue, cross-validated and in sample."""
    rows = [case.rows(prior) for case in cases]
    weights = fit(rows)
    print("| signal | weight a unit | mean |\n|---|---|---|")
    for name, slope, mean in zip(
        MODEL_SIGNALS, weights.slopes, np.concatenate([one.signals for one in rows]).mean(axis=0), strict=True
    ):
        print(f"| {name} | {slope:.2f} | {mean:.2f} |")
    print(f"| intercept | {weights.intercept:.2f} | |\n")
    groups = [case.task.id for case in cases]
    runs = [cross_validate(rows, FOLDS, seed, groups=groups) for seed in range(SEEDS)]
    runs.append([weights.log_odds(one.signals) for one in rows])
    names = ("right_hit", "wrong_hit", "abstained", "uncertain", "hit@1")
    print(f"| tasks, cross-validated (in sample) | AUC | {' | '.join(names)} |\n|---|---|{'---|' * len(names)}")
    for title, places in by_title(cases).items():
        own = [rows[at] for at in places]
        lines = [[run[at] for at in places] for run in runs]
        area = np.mean([area_under_curve(one, own) for one in lines[:-1]])
        figures = [outcomes([cases[at] for at in places], own, one) for one in lines]
        cells = [
            f"{np.mean([one[name] for one in figures[:-1]]):.3f} ({figures[-1][name]:.3f})"
            if name in figures[0]
            else ""
            for name in names
        ]
        print(f"| {title} | {area:.3f} | {' | '.join(cells)} |")
    for title, places in list(by_title(cases).items())[:1]:
        print(f"\n{title}:\n\n| score of the first | fits | n |\n|---|---|---|")
        for band, share, count in reliability([rows[at] for at in places], [runs[0][at] for at in places]):
            print(f"| {band} | {share:.2f} | {count} |")


def main() -> int:
    """Read the arguments, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--skills", type=Path, action="append", required=True, help="a folder of skills; may be repeated"
    )
    parser.add_argument("--queries", type=Path, action="append", required=True, help="the file of tasks for it")
    parser.add_argument("--most", type=int, action="append", default=[], help="how many tasks of it to use; 0 for all")
    parser.add_argument("--weight", type=float, action="append", default=[], help="how much each of them counts (1)")
    parser.add_argument("--words-only", action="store_true", help="without vectors")
    parser.add_argument("--priors", action="store_true", help="compare priors of the standing first")
    given = parser.parse_args()
    if len(given.skills) != len(given.queries):
        parser.error("give as many --queries as --skills")
    settings = replace(resolve_settings(), embeddings="none" if given.words_only else "bundled")
    embedder = choose_embedder(settings)
    cases: list[Case] = []
    for folder, file, most, weight in zip_longest(given.skills, given.queries, given.most, given.weight):
        tasks = load_tasks(file)[: most or None]
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        soft = {line["id"]: line.get("soft") or () for line in lines}
        searcher = Searcher(folder, embedder, settings)
        cases += cases_of(searcher, file.stem, tasks, soft, 1.0 if weight is None else weight)
        print(f"{file.stem}: {len(cases):,} cases so far", file=sys.stderr)
    if given.priors:
        compare_priors(cases, PRIORS)
    show(cases, PRIOR if given.words_only else PRIOR_SEMANTIC)
    return 0


if __name__ == "__main__":
    sys.exit(main())
