"""`skill-selector calibrate` and `calibrate=` as people use them, over the repository's own examples in miniature."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import skill_selector
from skill_selector import aselect_skill, build_selector, calibrate, select_skill
from skill_selector.cli import main
from skill_selector.evaluation import Calibrated, evaluate, load_tasks
from skill_selector.graph.errors import EvaluationError, SettingError
from skill_selector.reasoners.calibration import Calibration, load_calibration, total_weights
from skill_selector.reasoners.rubric import MODELS
from skill_selector.testing import ScriptedChatModel

EXAMPLES = Path(__file__).parents[2] / "examples"
SKILLS = EXAMPLES / "skills"
ENGLISH = "Half of the replicas never turn ready after the rollout; kubectl rollout status hangs."
CHINESE = "把这几份扫描的合同合并成一个 PDF"


@pytest.fixture(autouse=True)
def words_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Go without vectors, which take seconds to load."""
    monkeypatch.setenv("SELECTOR_EMBEDDINGS", "none")


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    """Return every second example task, so that all languages and kinds are there."""
    lines = (EXAMPLES / "tasks.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines][::2]


@pytest.fixture(scope="module")
def queries(rows: list[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("calibrate") / "任务.jsonl", rows)


@pytest.fixture(scope="module")
def made(queries: Path) -> Calibrated:
    return calibrate(queries, SKILLS, wrong_hit=0.1, processes=1, embeddings="none")


@pytest.fixture
def lenient(tmp_path: Path) -> Path:
    """Return the file of a calibration that makes a hit of everything that anything speaks for."""
    return strange(tmp_path / "lenient.json", threshold=1.0, shift=20.0)


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in rows), encoding="utf-8")
    return path


def strange(path: Path, *, threshold: float, shift: float, gap: float = 0.0) -> Path:
    about = dict.fromkeys(("tasks", "match", "none", "ambiguous", "skills"), 1)
    digests = dict.fromkeys(("tasks_digest", "catalog_digest", "embeddings"), "none")
    calibration = Calibration(
        hit_threshold=threshold,
        min_gap=gap,
        model="lexical",
        weights=total_weights(MODELS["lexical"]),
        shift=shift,
        goal={"wrong_hit": 0.05},
        fitted_on={**about, **digests, "strategy": "react"},
        figures={"before": {}, "after": {}},
    )
    path.write_text(json.dumps(calibration.to_dict()), encoding="utf-8")
    return path


def test_figures_before_and_after_are_over_the_same_tasks(made: Calibrated, rows: list[dict[str, Any]]) -> None:
    assert {name: one.n for name, one in made.before.items()} == {name: one.n for name, one in made.after.items()}
    assert made.after["wrong_hit"].n == len(rows)
    assert made.calibration.goal == {"wrong_hit": 0.1}
    assert made.calibration.fitted_on["tasks"] == len(rows)
    assert made.calibration.model == "lexical"
    assert any("few" in one for one in made.warnings)


def test_before_is_what_evaluate_measures(made: Calibrated, queries: Path) -> None:
    measured = evaluate(load_tasks(queries), SKILLS, offline=True, processes=1).figures

    assert made.before["right_hit"] == measured["match"]["right_hit"]
    assert made.before["wrong_hit"] == measured["all"]["wrong_hit"]
    assert made.before["abstained"] == measured["none"]["abstained"]


def test_the_number_of_processes_changes_nothing(made: Calibrated, queries: Path) -> None:
    assert calibrate(queries, SKILLS, wrong_hit=0.1, processes=2).to_dict() == made.to_dict()


def test_the_command_writes_a_file_that_select_and_evaluate_read(
    queries: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "标定.json"
    files = ["--skills", str(SKILLS), "--queries", str(queries), "--processes", "1"]

    assert main(["calibrate", *files, "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert [line.split()[0] for line in shown.out.splitlines()][:3] == ["figure", "right_hit", "wrong_hit"]
    assert "threshold" in shown.err
    assert str(out) in shown.err
    assert load_calibration(out).fitted_on["skills"] == 27
    assert main(["calibrate", *files, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["calibration"] == json.loads(out.read_text(encoding="utf-8"))
    assert main(["evaluate", *files, "--offline", "--calibration", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["hit_threshold"] == load_calibration(out).hit_threshold
    chosen = ["select", CHINESE, "--skills", str(SKILLS), "--offline", "--calibration", str(out), "--json"]
    assert main(chosen) in (0, 1)
    assert json.loads(capsys.readouterr().out)["ranked"][0]["skill"]["id"] == "pdf/pdf-merge"


@pytest.mark.parametrize("task", [ENGLISH, CHINESE])
def test_a_calibration_counts_by_argument_and_by_setting_sync_and_async(
    task: str, lenient: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = select_skill(task, SKILLS, offline=True)
    by_argument = select_skill(task, SKILLS, offline=True, calibration=lenient)
    by_async = asyncio.run(aselect_skill(task, SKILLS, offline=True, calibration=load_calibration(lenient)))
    monkeypatch.setenv("SELECTOR_CALIBRATION", str(lenient))
    by_setting = select_skill(task, SKILLS, offline=True)

    assert by_argument.top_score > 99
    assert by_argument.ranked[-1]["score"] > plain.ranked[-1]["score"] + 20
    assert by_argument.top_score == by_async.top_score == by_setting.top_score
    assert by_argument.ranked == by_async.ranked == by_setting.ranked
    assert sum(by_argument.ranked[0]["dimensions"].values()) == pytest.approx(by_argument.top_score, abs=0.2)


def test_what_the_caller_sets_beats_the_calibration(lenient: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert select_skill(ENGLISH, SKILLS, offline=True, calibration=lenient).hit
    assert not select_skill(ENGLISH, SKILLS, offline=True, calibration=lenient, min_gap=90.0).hit
    monkeypatch.setenv("SELECTOR_MIN_GAP", "90")
    assert not select_skill(ENGLISH, SKILLS, offline=True, calibration=lenient).hit


def test_a_graph_reads_its_calibration_once_when_it_is_built(lenient: Path) -> None:
    graph = build_selector(calibration=lenient, context={"reasoner": "local"})
    lenient.unlink()

    found = graph.invoke({"task": ENGLISH, "skill_directory": str(SKILLS)})
    assert found["top_score"] > 99
    with pytest.raises(SettingError, match="cannot be read"):
        build_selector(calibration=lenient)


def test_a_calibration_does_not_count_where_a_model_or_another_strategy_decides(tmp_path: Path) -> None:
    strict = strange(tmp_path / "strict.json", threshold=100.0, shift=-20.0, gap=100.0)

    assert select_skill(ENGLISH, SKILLS, offline=True, calibration=strict).outcome == "no_match"
    assert select_skill(ENGLISH, SKILLS, offline=True, calibration=strict, strategy="source").outcome == "hit"
    # A model that does not answer: the local reasoner then stands in as it is shipped.
    assert select_skill(ENGLISH, SKILLS, llm=ScriptedChatModel([TimeoutError()] * 9), calibration=strict).hit


def test_workers_decide_by_the_calibration_too(queries: Path, lenient: Path) -> None:
    tasks = load_tasks(queries)[:4]
    alone = evaluate(tasks, SKILLS, offline=True, processes=1, calibration=lenient)

    assert evaluate(tasks, SKILLS, offline=True, processes=2, calibration=lenient).predictions == alone.predictions
    assert alone.predictions[0]["top_score"] > 99


def test_too_few_or_one_sided_tasks_are_refused(
    rows: list[dict[str, Any]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(EvaluationError, match=r"5 labelled tasks are too few .* 10 or more"):
        calibrate(write(tmp_path / "few.jsonl", rows[:5]), SKILLS, processes=1)
    nothing = [{**one, "kind": "none", "gold": []} for one in rows[:12]]
    with pytest.raises(EvaluationError, match="only 0 of 12 tasks have a skill that fits"):
        calibrate(write(tmp_path / "none.jsonl", nothing), SKILLS, processes=1)
    arguments = ["calibrate", "--skills", str(SKILLS), "--queries", str(tmp_path / "few.jsonl")]
    assert main(arguments) == 2
    assert capsys.readouterr().err.startswith("skill-selector: 5 labelled tasks are too few")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"wrong_hit": 0}, "wrong_hit is 0"),
        ({"wrong_hit": "much"}, "wrong_hit is 'much'"),
        ({"reasoner": "llm"}, "local reasoner alone"),
        ({"on_ambiguous": "ask"}, "nobody is there"),
        ({"processes": 0}, "processes is 0"),
        ({"colour": 1}, "no setting 'colour'"),
    ],
)
def test_an_option_that_cannot_be_used_is_named(options: dict[str, Any], words: str, queries: Path) -> None:
    with pytest.raises(SettingError, match=words):
        calibrate(queries, SKILLS, **options)


def test_a_damaged_file_is_one_line_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cal.json"
    path.write_text('{"format": "skill-selector calibration", "version": 99}', encoding="utf-8")

    assert main(["select", "x", "--skills", str(SKILLS), "--offline", "--calibration", str(path)]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "version is 99" in err


def test_a_server_s_user_cannot_name_a_calibration() -> None:
    with pytest.raises(SettingError, match="no setting 'calibration'"):
        skill_selector.SelectorContext.from_options({"calibration": "/etc/passwd"})
