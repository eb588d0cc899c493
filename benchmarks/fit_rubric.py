"""Fit the constants of the local reasoner's score to labelled tasks, and say how good it is on tasks it has not seen.

    python benchmarks/fit_rubric.py --skills DIR --queries FILE [--skills DIR2 --queries FILE2 …]

Each task is analysed and searched as in a local run; the best ten skills become rows of signals, with the label 1 where
the task's gold holds the skill or a copy, 0.5 where the list `soft` of its line does, else 0. A ridge regression by
Newton's method, cross-validated by task, then gives a weight for each signal. `fit_rubric.md` holds a result.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

import numpy as np

from skill_selector.evaluation.calibration import (
    Floats,
    TaskRows,
    area_under_curve,
    cross_validate,
    fit,
)
from skill_selector.evaluation.task import LabelledTask, load_tasks
from skill_selector.graph.settings import Settings
from skill_selector.reasoners.extraction import analyze_task
from skill_selector.reasoners.rubric import EVEN_ODDS
from skill_selector.reasoners.signals import measure
from skill_selector.reasoners.terms import task_terms
from skill_selector.retrievers.library import LibraryCache
from skill_selector.retrievers.search import SearchRequest, search
from skill_selector.retrievers.strategy import get_strategy
from skill_selector.retrievers.words import load_words

MODEL_SIGNALS = ("standing", "glossed_text", "lead_precision", "inferred", "technology", "conflict")
LIMIT = 10
THRESHOLD, GAP = 60.0, 10.0
FOLDS, SEEDS = 10, 3


def rows_of(folder: Path, tasks: Sequence[LabelledTask], soft: Mapping[str, Collection[str]]) -> list[TaskRows]:
    """Return the signals of each task's candidates, with their labels."""
    settings, words, strategy = Settings(), load_words(), get_strategy("react")
    library = LibraryCache().load([str(folder)])
    index = library.index(fields=strategy.fields)
    found: list[TaskRows] = []
    for task in tasks:
        analysis = analyze_task(task.task, words)
        request = SearchRequest(
            task=task.task,
            analysis=analysis,
            skills=library.skills,
            index=index,
            settings=settings,
            words=words,
            strategy=strategy,
        )
        terms = task_terms(task.task, analysis, index, words)
        signals, fits = [], []
        for one in search(request, limit=LIMIT):
            skill = index.skills[index.position(one["id"])]
            values = measure(terms, skill, index, words).signals.as_dict() | {"standing": one.get("standing", 0.0)}
            signals.append([values[name] for name in MODEL_SIGNALS])
            ids = {one["id"], *one["copies"]}
            fits.append(1.0 if ids & task.gold_ids else 0.5 if ids & set(soft.get(task.id, ())) else 0.0)
        found.append(TaskRows(np.array(signals), np.array(fits)))
    return found


def outcomes(tasks: Sequence[LabelledTask], rows: Sequence[TaskRows], log_odds: Sequence[Floats]) -> dict[str, float]:
    """Return the figures of the decision at the default threshold and gap, each with the kind of task it is over."""
    found: defaultdict[str, list[bool]] = defaultdict(list)
    for task, own, line in zip(tasks, rows, log_odds, strict=True):
        scores = 100 / (1 + np.exp(-(EVEN_ODDS + line)))
        best, second = [*np.argsort(-scores, kind="stable"), None][:2]
        right = bool(own.fits[best] == 1)
        clear = second is None or scores[best] - scores[second] >= GAP
        hit, tied = scores[best] >= THRESHOLD and clear, scores[best] >= THRESHOLD and not clear
        found["all wrong_hit"].append(hit and not right)
        if task.kind == "match":
            found["match right_hit"].append(hit and right)
            found[f"match/{task.lang} hit@1"].append(right)
        elif task.kind == "none":
            found["none abstained"].append(not hit)
        else:
            found["ambiguous uncertain"].append(tied)
    return {name: float(np.mean(values)) for name, values in sorted(found.items())}


def reliability(rows: Sequence[TaskRows], log_odds: Sequence[Floats]) -> Iterator[tuple[str, float, int]]:
    """Yield, for bands of the score of each task's first, the band, which share of them fits, and how many they are."""
    firsts = [
        (100 / (1 + np.exp(-(EVEN_ODDS + line.max()))), own.fits[line.argmax()])
        for own, line in zip(rows, log_odds, strict=True)
    ]
    for low, high in ((0, 20), (20, 40), (40, 60), (60, 80), (80, 101)):
        fits = [fit for score, fit in firsts if low <= score < high and fit != 0.5]
        if fits:
            yield f"{low} to {min(high, 100)}", float(np.mean(fits)), len(fits)


def show(sets: Sequence[tuple[str, Sequence[LabelledTask], Sequence[TaskRows]]]) -> None:
    """Print the weights, and for each set of tasks the cross-validated figures."""
    rows = [one for _, _, own in sets for one in own]
    weights = fit(rows)
    means = np.concatenate([one.signals for one in rows]).mean(axis=0)
    print("| signal | weight a unit | mean |\n|---|---|---|")
    for name, slope, mean in zip(MODEL_SIGNALS, weights.slopes, means, strict=True):
        print(f"| {name} | {slope:.2f} | {mean:.2f} |")
    print(f"| intercept | {weights.intercept:.2f} | |")
    runs = [cross_validate(rows, FOLDS, seed) for seed in range(SEEDS)]
    start = 0
    for title, tasks, own in sets:
        parts = [run[start : start + len(own)] for run in runs]
        start += len(own)
        print(f"\n{title}: AUC {np.mean([area_under_curve(part, own) for part in parts]):.3f}\n")
        print("| figure, cross-validated | mean |\n|---|---|")
        figures = [outcomes(tasks, own, part) for part in parts]
        for name in figures[0]:
            print(f"| {name} | {np.mean([one[name] for one in figures]):.3f} |")
        print("\n| score of the first | fits | n |\n|---|---|---|")
        for band, share, count in reliability(own, parts[0]):
            print(f"| {band} | {share:.2f} | {count} |")


def main() -> int:
    """Read the arguments, fit, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--skills", type=Path, action="append", required=True, help="a folder of skills; may be repeated"
    )
    parser.add_argument("--queries", type=Path, action="append", required=True, help="the file of tasks for it")
    parser.add_argument("--most", type=int, action="append", default=[], help="how many tasks of it to use; 0 for all")
    arguments = parser.parse_args()
    if len(arguments.skills) != len(arguments.queries):
        parser.error("give as many --queries as --skills")
    sets = []
    for folder, file, most in zip_longest(arguments.skills, arguments.queries, arguments.most[: len(arguments.skills)]):
        tasks = load_tasks(file)[: most or None]
        lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        rows = rows_of(folder, tasks, {line["id"]: line.get("soft") or () for line in lines})
        sets.append((file.stem, tasks, rows))
    show(sets)
    return 0


if __name__ == "__main__":
    sys.exit(main())
