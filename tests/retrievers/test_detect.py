"""The strategies detect and embedding, against the sources' formulas worked out by hand."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings
from word_embeddings import WordEmbeddings

from skill_selector.catalog.skill import Skill
from skill_selector.feedback.sqlite import SqliteFeedback
from skill_selector.graph.errors import EmbedderError, SettingError
from skill_selector.retrievers import rescale as rescale_module
from skill_selector.retrievers.effectiveness import skill_subject
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.meaning import Meaning
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.rescale import Rescale, measure, pairs, rescale_of
from skill_selector.retrievers.search import search
from skill_selector.retrievers.strategy import DETECT, EMBEDDING
from skill_selector.retrievers.textkind import described, started
from skill_selector.retrievers.vectorindex import VectorIndex

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]


class Angles(Embeddings):
    """Vectors whose cosine with the task is given for the word that a text begins with.

    They lie in one plane, or each in a plane of its own.
    """

    identity = "angles"

    def __init__(self, *, plane: bool = False, **cosines: float) -> None:
        self.cosines = cosines
        self.plane = plane

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Return a vector of each text."""
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Return the vector of the task."""
        return [1.0] + [0.0] * max(1, len(self.cosines))

    def _vector(self, text: str) -> list[float]:
        name = text.replace(":", " ").split()[0]
        cosine = self.cosines.get(name, 0.0)
        rest = [0.0] * max(1, len(self.cosines))
        at = 0 if self.plane or name not in self.cosines else list(self.cosines).index(name)
        rest[at] = math.sqrt(1 - cosine**2)
        return [cosine, *rest]


def request_of(
    make_request: MakeRequest,
    skills: Sequence[Skill],
    task: str,
    angles: Angles,
    scale: Rescale | None = None,
    **more: Any,
) -> SearchRequest:
    request = make_request(skills, task, **more)
    meaning = Meaning(VectorIndex(skills, Embedder(angles), kind=request.strategy.text))
    if scale is not None:
        meaning.scale = lambda: scale  # type: ignore[method-assign]
    return replace(request, meaning=meaning)


AS_IT_IS = Rescale(0.0, 0.0, 0.0)
"""No scale: cosines count as they are, as in the source."""


def test_detect_adds_four_tenths_triggers_four_tenths_similarity_two_tenths_context(
    make_skill: MakeSkill, make_request: MakeRequest, tmp_path: Path
) -> None:
    """The source's example, worked out: triggers 2 of 2, similarity 0.92, Dockerfile and no k8s/."""
    (tmp_path / "Dockerfile").write_text("", encoding="utf-8")
    marks = {"context": ["Dockerfile", "k8s/"]}
    skills = [
        make_skill("deployment", triggers=("deploy", "production"), metadata=marks),
        make_skill("monitoring", triggers=("alert", "deploy"), metadata=marks),
        make_skill("testing", triggers=("test", "qa"), metadata={"context": ["pytest.ini"]}),
    ]
    angles = Angles(deployment=0.92, monitoring=0.45, testing=0.1)
    request = request_of(make_request, skills, "Deploy the app to production", angles, AS_IT_IS, strategy=DETECT)
    found = {one["id"]: one for one in search(replace(request, project=str(tmp_path)))}
    assert found["deployment"]["score"] == pytest.approx(0.4 * 1 + 0.4 * 0.92 + 0.2 * 0.5, rel=1e-5)
    assert found["deployment"]["routes"] == pytest.approx(
        {"triggers": 0.4, "similarity": 0.368, "context": 0.1}, rel=1e-5
    )
    assert found["monitoring"]["score"] == pytest.approx(0.4 * 0.5 + 0.4 * 0.45 + 0.2 * 0.5, rel=1e-5)
    assert found["testing"]["score"] == pytest.approx(0.4 * 0.1, rel=1e-4)


def test_a_part_that_a_skill_does_not_state_hands_its_weight_to_the_others(
    make_skill: MakeSkill, make_request: MakeRequest, tmp_path: Path
) -> None:
    (tmp_path / "a").write_text("", encoding="utf-8")
    skills = [
        make_skill("bare"),
        make_skill("words", triggers=("deploy", "other")),
        make_skill("marked", metadata={"context": ["a"]}),
    ]
    angles = Angles(bare=0.6, words=0.6, marked=0.6)
    request = request_of(make_request, skills, "deploy it", angles, AS_IT_IS, strategy=DETECT)
    found = {one["id"]: one["score"] for one in search(replace(request, project=str(tmp_path)))}
    assert found["bare"] == pytest.approx(0.6, rel=1e-5)
    assert found["words"] == pytest.approx((0.4 * 0.5 + 0.4 * 0.6) / 0.8, rel=1e-5)
    assert found["marked"] == pytest.approx((0.4 * 0.6 + 0.2 * 1) / 0.6, rel=1e-5)


def test_detect_without_vectors_goes_by_triggers_and_context(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("words", triggers=("deploy", "other")), make_skill("bare")]
    found = search(make_request(skills, "deploy it", strategy=DETECT))
    assert [(one["id"], one["score"]) for one in found] == [("words", 0.5)]


def test_embedding_multiplies_similarity_by_the_factor_of_the_source(
    make_skill: MakeSkill, make_request: MakeRequest, tmp_path: Path
) -> None:
    """similarity · (0.3 + 0.7 · effectiveness): 0.8 · 0.475, 0.6 · 0.825, 0.5 · 0.65."""
    skills = [make_skill("near"), make_skill("proven"), make_skill("new")]
    store = SqliteFeedback(tmp_path / "counts.sqlite")
    store.count([skill_subject(skills[0])], injected=4, good=1)
    store.count([skill_subject(skills[1])], injected=4, good=3)
    angles = Angles(near=0.8, proven=0.6, new=0.5)
    request = request_of(make_request, skills, "merge files", angles, strategy=EMBEDDING, feedback_prior=0)
    found = search(replace(request, feedback=store))
    store.close()
    assert [(one["id"], round(one["score"], 4)) for one in found] == [
        ("proven", 0.495),
        ("near", 0.38),
        ("new", 0.325),
    ]
    assert found[0]["routes"] == pytest.approx({"similarity": 0.6, "effectiveness": 0.825}, rel=1e-5)


def test_near_duplicates_leave_the_better_and_their_places_to_the_next(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    """Vectors in a plane: two skills are near-duplicates where the angle between them has a cosine over 0.9."""
    skills = [make_skill(name) for name in ("a", "twin", "b", "c")]
    angles = Angles(plane=True, a=0.95, twin=0.9, b=0.5, c=0.02)
    assert math.cos(math.acos(0.95) - math.acos(0.9)) > 0.9
    request = request_of(make_request, skills, "merge files", angles, strategy=EMBEDDING, top_k=2)
    found = search(request)
    assert [(one["id"], one["copies"]) for one in found] == [("a", ["twin"]), ("b", [])]


def test_only_three_times_top_k_are_looked_at(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill(f"s{at}") for at in range(5)]
    angles = Angles(plane=True, **{f"s{at}": 0.99 - at / 1000 for at in range(5)})
    request = request_of(make_request, skills, "merge files", angles, strategy=EMBEDDING, top_k=1)
    [found] = search(request)
    assert (found["id"], found["copies"]) == ("s0", ["s1", "s2"])


def test_embedding_without_vectors_says_what_it_needs(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    with pytest.raises(SettingError, match="needs vectors"):
        search(make_request([make_skill("a")], "x", strategy=EMBEDDING))


def test_the_embedded_texts_are_those_of_the_sources(make_skill: MakeSkill) -> None:
    skill = make_skill("pdf-merge", "Joins\n files.", "A" * 150 + "B" * 150)
    assert described(skill) == "pdf-merge: Joins files."
    assert started(skill) == "pdf-merge\nJoins files.\n" + "A" * 150 + "B" * 50
    assert DETECT.text.name == "description"
    assert EMBEDDING.text.name == "start"


def test_a_skill_whose_body_alone_changed_is_embedded_anew_for_its_start_only(make_skill: MakeSkill) -> None:
    one, other = make_skill("a", "d", "one"), make_skill("a", "d", "other")
    assert EMBEDDING.text.key(one) != EMBEDDING.text.key(other)
    assert DETECT.text.key(one) == DETECT.text.key(other)


def test_the_scale_puts_strangers_at_zero_and_the_boundary_at_one_half() -> None:
    """Three pairs: fits 0.8, 0.7, 0.6; each task's nearest stranger 0.3, their mean 0.2; 0.45 parts 0.6 from 0.3."""
    tasks = np.eye(3, dtype=np.float32)
    skills = np.array([[0.8, 0.3, 0.1], [0.3, 0.7, 0.1], [0.1, 0.3, 0.6]], dtype=np.float32).T
    scale = measure(tasks, skills)
    assert scale.boundary == pytest.approx(0.45)
    assert scale.stranger == pytest.approx(0.2)
    assert scale.spread == pytest.approx(0.1)
    cosines = np.array([0.2, 0.325, 0.45, 0.7, 0.0, np.nan], dtype=np.float32)
    expected = [0, 0.25, 0.5, 1 - math.exp(-1) / 2, 0, float("nan")]
    assert scale.apply(cosines, 3).tolist() == pytest.approx(expected, nan_ok=True, rel=1e-5)


def test_the_boundary_rises_with_the_number_of_skills() -> None:
    """0.04 + 0.08 · √(2 ln 13452) = 0.3888, and 0.23 as long as that is less."""
    scale = Rescale(0.04, 0.08, 0.23)
    assert scale.boundary_among(1) == scale.boundary_among(10) == 0.23
    assert scale.boundary_among(13452) == pytest.approx(0.04 + 0.08 * math.sqrt(2 * 9.50688), rel=1e-4)
    assert float(scale.apply(np.array([0.3888], dtype=np.float32), 13452)[0]) == pytest.approx(0.5, abs=1e-3)


def test_an_embedder_that_tells_nothing_apart_keeps_its_cosines() -> None:
    scale = measure(np.eye(2, dtype=np.float32), np.ones((2, 2), dtype=np.float32))
    assert scale.apply(np.array([-0.2, 0.4], dtype=np.float32), 2).tolist() == pytest.approx([0, 0.4])


cosine = st.floats(-1, 1, width=32)


@given(cosine, st.floats(0, 1), cosine, st.lists(cosine, min_size=2, max_size=20), st.integers(0, 10**6))
def test_a_scale_never_turns_the_order_and_stays_within_its_ends(
    stranger: float, spread: float, boundary: float, cosines: list[float], count: int
) -> None:
    scaled = Rescale(stranger, spread, boundary).apply(np.array(sorted(cosines), dtype=np.float32), count)
    assert (np.diff(scaled) >= 0).all()
    assert ((scaled >= 0) & (scaled <= 1)).all()


def test_a_scale_is_measured_once_and_kept_in_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rescale_module, "_scales", {})
    words = WordEmbeddings("scaled")
    first = rescale_of(Embedder(words), tmp_path / "scales")
    assert len(words.documents) == len(pairs()[0]) == 24
    assert rescale_of(Embedder(words), tmp_path / "scales") == first
    monkeypatch.setattr(rescale_module, "_scales", {})
    assert rescale_of(Embedder(words), tmp_path / "scales") == first
    assert len(words.documents) == 24
    [file] = (tmp_path / "scales").iterdir()
    file.write_text("{", encoding="utf-8")
    monkeypatch.setattr(rescale_module, "_scales", {})
    assert rescale_of(Embedder(words), tmp_path / "scales") == first
    assert len(words.documents) == 48


def test_a_model_that_is_not_installed_says_how_to_install_it() -> None:
    from skill_selector.graph.settings import Settings
    from skill_selector.retrievers.embedder import choose_embedder

    chosen = choose_embedder(Settings(embeddings="sentence-transformers:some/model"))
    assert chosen is not None
    assert chosen.identity == "sentence-transformers:some/model"
    with pytest.raises(EmbedderError, match=r"pip install 'skill-selector\[transformers\]'"):
        chosen.queries(["x"])


def test_a_model_that_runs_here_gets_its_own_prompt_for_queries(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    from skill_selector.retrievers.transformer import TransformerEmbeddings

    (tmp_path / "sentence_transformers.py").write_text(
        "class SentenceTransformer:\n"
        "    prompts = {'query': 'Q: '}\n"
        "    def __init__(self, name): self.name = name\n"
        "    def encode(self, texts, normalize_embeddings, show_progress_bar, prompt_name=None):\n"
        "        return [[1.0 if prompt_name else 0.0, float(len(one))] for one in texts]\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    try:
        model = TransformerEmbeddings("some/model")
        assert model.embed_documents(["ab", "c"]) == [[0.0, 2.0], [0.0, 1.0]]
        assert model.embed_query("ab") == [1.0, 2.0]
    finally:
        sys.modules.pop("sentence_transformers", None)
