import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from word_embeddings import WordEmbeddings

from skill_selector.catalog.skill import Skill
from skill_selector.graph.errors import EmbedderError
from skill_selector.retrievers import meaning as meaning_module
from skill_selector.retrievers.embedder import Embedder
from skill_selector.retrievers.meaning import Meaning
from skill_selector.retrievers.request import SearchRequest
from skill_selector.retrievers.search import search
from skill_selector.retrievers.semantic import MOST_SENTENCES, SemanticRoute, semantic_route, sentences
from skill_selector.retrievers.steps import collapse_copies
from skill_selector.retrievers.strategy import RouteSpec, Strategy
from skill_selector.retrievers.vectorindex import VectorIndex

MakeSkill = Callable[..., Skill]
MakeRequest = Callable[..., SearchRequest]

ALONE = Strategy(name="alone", routes=(RouteSpec("semantic"),))


def meaning_of(skills: Sequence[Skill], words: WordEmbeddings, **options: Any) -> Meaning:
    return Meaning(VectorIndex(skills, Embedder(words)), ("/skills",), **options)


def with_meaning(request: SearchRequest, meaning: Meaning | None) -> SearchRequest:
    object.__setattr__(request, "meaning", meaning)
    return request


def route_of(request: SearchRequest) -> SemanticRoute:
    common = {"name": "semantic", "index": request.index, "eligible": None, "limit": 50}
    route = semantic_route(request, RouteSpec("semantic"), common)
    assert isinstance(route, SemanticRoute)
    return route


def test_a_chinese_task_finds_the_english_skill_without_a_common_word(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    skills = [make_skill("charts", "draw charts"), make_skill("joiner", "merge file")]
    request = with_meaning(make_request(skills, "合并文件", strategy=ALONE), meaning_of(skills, WordEmbeddings()))
    assert search(request)[0]["id"] == "joiner"
    assert search(request)[0]["routes"]["semantic"] > 0


def test_the_score_is_four_whole_four_sentences_two_intent(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    class Fixed(WordEmbeddings):
        """cosine 0.5 for the whole, 0.2 and 0.8 for the sentences, 0.1 for the intent"""

        def _vector(self, text: str) -> list[float]:
            cosine = {"one sentence.": 0.2, "two sentence.": 0.8, "the intent": 0.1, "a. skill": 1.0}.get(text, 0.5)
            return [cosine, math.sqrt(1 - cosine**2)]

    skills = [make_skill("a", "skill")]
    request = make_request(skills, "one sentence. two sentence.", intent="the intent")
    [score] = route_of(with_meaning(request, meaning_of(skills, Fixed()))).scores
    spread = math.log((math.exp(2) + math.exp(8)) / 2) / 10
    assert score == pytest.approx(4 * 0.5 + 4 * spread + 2 * 0.1, rel=1e-5)


def test_scores_are_never_negative(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill(f"skill-{number}", f"word{number}") for number in range(30)]
    request = with_meaning(make_request(skills, "quite another matter"), meaning_of(skills, WordEmbeddings()))
    assert (route_of(request).scores >= 0).all()


def test_a_skill_without_a_vector_counts_as_the_mean_of_the_others(
    make_skill: MakeSkill, make_request: MakeRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    skills = [make_skill(f"skill-{number}", f"merge word{number}") for number in range(4)]
    words = WordEmbeddings()
    vectors = VectorIndex(skills, Embedder(words))
    vectors._made.append((tuple(list(vectors._first)[:3]), Embedder(words).documents(list(vectors.texts)[:3])))
    monkeypatch.setattr(meaning_module, "ON_THE_SPOT", 0)
    meaning = Meaning(vectors, ("/skills",))
    scores = route_of(with_meaning(make_request(skills, "merge word1"), meaning)).scores
    assert scores[3] == pytest.approx(scores[:3].mean(), rel=1e-5)
    assert len(words.documents) == 3
    [fault] = meaning.faults
    assert fault["what"] == "vectors"
    assert fault["why"] == "1 of 4 skills have none yet"
    assert "skill-selector index /skills" in fault["instead"]


def test_too_many_missing_vectors_leave_the_word_routes_alone_at_once(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    skills = [make_skill(f"skill-{number}", f"word{number}") for number in range(1234)]
    words = WordEmbeddings()
    meaning = meaning_of(skills, words)
    assert (route_of(with_meaning(make_request(skills, "word7"), meaning)).scores == 0).all()
    assert words.documents == words.queries == []
    assert meaning.faults[0]["why"] == "1,234 of 1,234 skills have none yet"


def test_an_embedder_that_fails_is_reported_or_raised_as_asked(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    skills = [make_skill("a", "merge files"), make_skill("b", "draw")]
    words = WordEmbeddings()
    words.fail_after = 0
    meaning = meaning_of(skills, words)
    assert (route_of(with_meaning(make_request(skills, "merge"), meaning)).scores == 0).all()
    assert meaning.faults[0]["what"] == "embedder"
    assert "does not answer" in meaning.faults[0]["why"]
    strict = with_meaning(make_request(skills, "merge"), meaning_of(skills, words, strict=True))
    with pytest.raises(EmbedderError):
        _ = route_of(strict).scores


def test_without_vectors_the_route_finds_nothing(make_skill: MakeSkill, make_request: MakeRequest) -> None:
    skills = [make_skill("a", "merge files")]
    assert route_of(make_request(skills, "merge")).scores.tolist() == [0]


def test_tasks_fall_into_sentences_of_both_languages() -> None:
    assert sentences("First do this one. Then do that one!\nand a line\n\nok") == [
        "First do this one.",
        "Then do that one!",
        "and a line",
    ]
    assert sentences("先把文件合并成一个。然后再发给所有的人!") == ["先把文件合并成一个。", "然后再发给所有的人!"]
    assert sentences("merge") == ["merge"]
    assert len(sentences("this is a line\n" * 40)) == MOST_SENTENCES


def test_skills_of_one_name_that_mean_the_same_are_copies_once_vectors_are_there(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    text = "merge several file into one new big file with pages in the right order"
    skills = [
        make_skill("a", text, "one body", name="pdf"),
        make_skill("b", f"{text} again", "another body", name="pdf"),
        make_skill("c", "draws charts for tables", "third body", name="pdf"),
        make_skill("d", text, "fourth body", name="other"),
    ]
    meaning = meaning_of(skills, WordEmbeddings())
    request = with_meaning(make_request(skills, "merge", strategy=ALONE), meaning)
    before = collapse_copies([_candidate(one.id) for one in skills], request)
    assert [one["id"] for one in before] == ["a", "b", "c", "d"]
    meaning.cosines(["merge"])
    after = collapse_copies([_candidate(one.id) for one in skills], request)
    assert [(one["id"], one["copies"]) for one in after] == [("a", ["b"]), ("c", []), ("d", [])]


def test_skills_of_one_name_and_body_are_copies_whatever_their_descriptions_say(
    make_skill: MakeSkill, make_request: MakeRequest
) -> None:
    skills = [
        make_skill("a", "one", "the same body", name="pdf"),
        make_skill("b", "two", "the same body", name="pdf"),
        make_skill("c", "one", "", name="x"),
        make_skill("d", "two", "", name="x"),
        make_skill("e", "two", "", name="x"),
    ]
    found = collapse_copies([_candidate(one.id) for one in skills], make_request(skills, "merge"))
    assert [(one["id"], one["copies"]) for one in found] == [("a", ["b"]), ("c", []), ("d", ["e"])]


def _candidate(skill_id: str) -> Any:
    return {"id": skill_id, "score": 1.0, "routes": {}, "fallback": False, "copies": []}


def test_cosines_come_in_the_order_of_the_index(make_skill: MakeSkill) -> None:
    skills = [make_skill(f"skill-{number}", f"word{number % 5}") for number in range(20)]
    words = WordEmbeddings()
    cosines = meaning_of(skills, words).cosines(["word3"])
    assert cosines is not None
    alone = [
        float((Embedder(words).documents([f"skill {n}. word{n % 5}"]) @ Embedder(words).queries(["word3"]).T)[0, 0])
        for n in range(20)
    ]
    assert np.allclose(cosines[:, 0], alone, atol=1e-5)
