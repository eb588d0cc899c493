"""Reranking by somebody else: a cross-encoder, any function, or a chat model."""

import math
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from skill_selector.compiler.retrieval import RouteRunner
from skill_selector.graph.errors import ModelUnavailableError, SettingError
from skill_selector.graph.records import Usage
from skill_selector.graph.settings import Settings
from skill_selector.knowledge.running import run_apart
from skill_selector.prompts.fencing import escape, fence, one_line
from skill_selector.prompts.rendering import render
from skill_selector.prompts.shortening import elide
from skill_selector.reasoners.base import NO_USAGE
from skill_selector.reasoners.exchange import Exchange, Occasion, aask, model_name
from skill_selector.reasoners.reply import ReplyFaultError

TEXT_TOKENS = 300
"""Of each chunk that a chat model sees."""

ScoreFunction = Callable[[str, Sequence[str]], Sequence[float]]
"""Takes the query and texts, and returns a number for each: 0 to 1, or a cross-encoder's logits."""


class PairScorer(Protocol):
    """A cross-encoder as sentence-transformers has it."""

    def predict(self, pairs: Any) -> Any:
        """Return a number for each pair of query and text."""


AnyScorer = ScoreFunction | PairScorer | BaseChatModel


class ScorerError(Exception):
    """A scorer did not answer usably this time; the local scores stand in."""


class Scorer:
    """Asks a scorer, within a time limit."""

    def __init__(self, scorer: AnyScorer) -> None:
        """Take the scorer.

        Raises:
            SettingError: it is none.
        """
        if not (callable(scorer) or isinstance(scorer, BaseChatModel) or callable(getattr(scorer, "predict", None))):
            raise SettingError(
                f"scorer={scorer!r}: pass a function (query, texts) -> scores, a cross-encoder with `predict`, or a "
                "chat model"
            )
        self._scorer = scorer
        self._runner = RouteRunner()

    @property
    def name(self) -> str:
        """As traces and messages call it."""
        return str(getattr(self._scorer, "__name__", type(self._scorer).__name__))

    @property
    def identity(self) -> str:
        """What results are kept by: its text attribute `identity`, a chat model's name, else this very object."""
        own = getattr(self._scorer, "identity", None)
        if isinstance(own, str) and own.strip():
            return own
        if isinstance(self._scorer, BaseChatModel):
            return f"{self.name} {model_name(self._scorer)}"
        return f"{self.name} {id(self._scorer)}"

    def score(self, query: str, texts: Sequence[str], settings: Settings) -> tuple[list[float], Usage]:
        """Return a score of each text, 0 to 1, and what that cost.

        Raises:
            ScorerError: it failed, was late, or returned something else.
            ModelSetupError: the chat model cannot work as it is set up.
        """
        return run_apart(self.ascore(query, texts, settings))

    async def ascore(self, query: str, texts: Sequence[str], settings: Settings) -> tuple[list[float], Usage]:
        """Do the same without blocking the event loop."""
        if isinstance(self._scorer, BaseChatModel):
            return await self._ask(self._scorer, query, texts, settings)
        values = await self._call(query, texts, settings.llm_timeout)
        return normalised(values, len(texts)), NO_USAGE.copy()

    async def _call(self, query: str, texts: Sequence[str], limit: float) -> Any:
        box: list[Any] = []

        def work() -> list[Any]:
            predict = getattr(self._scorer, "predict", None)
            pairs = [(query, text) for text in texts]
            box.append(predict(pairs) if callable(predict) else self._scorer(query, list(texts)))  # type: ignore[operator]
            return []

        outcomes = await self._runner.arun({"scorer": work}, limit)
        if "scorer" in outcomes.failures:
            raise ScorerError(outcomes.failures["scorer"])
        return box[0]

    async def _ask(
        self, model: BaseChatModel, query: str, texts: Sequence[str], settings: Settings
    ) -> tuple[list[float], Usage]:
        exchange: Exchange[list[float]] = Exchange(
            step="refine",
            request=Occasion(settings=settings, attempt=0),
            model=model,
            setting=None,
            fallback_model=None,
            schema=None,
            read=lambda value, _final: read_scores(value, len(texts)),
        )
        try:
            answer = await aask(exchange.steps(score_messages(query, texts)), settings.llm_timeout)
        except ModelUnavailableError as error:
            raise ScorerError(str(error)) from error
        return answer.value, answer.usage


def normalised(values: Any, count: int) -> list[float]:
    """Return numbers as scores from 0 to 1: as they are where all lie there, else each through the logistic function.

    Raises:
        ScorerError: they are no `count` finite numbers.
    """
    try:
        numbers = [float(one) for one in values]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise ScorerError(f"it returned no {count} finite numbers")
    if all(0 <= one <= 1 for one in numbers):
        return numbers
    return [1 / (1 + math.exp(-max(-60.0, min(60.0, one)))) for one in numbers]


def score_messages(query: str, texts: Sequence[str]) -> tuple[BaseMessage, ...]:
    """Return the question; task and texts go in escaped, the texts under ids of their own."""
    pieces = [
        f'<piece id="p{number}">\n{escape(elide(text, TEXT_TOKENS))}\n</piece>' for number, text in enumerate(texts, 1)
    ]
    question = render(
        "scoring_pieces",
        task=fence("task", escape(query)),
        pieces=fence("pieces", "\n".join(pieces)),
        ids=", ".join(f"p{number}" for number in range(1, len(texts) + 1)),
    )
    return SystemMessage(render("scoring")), HumanMessage(question)


def read_scores(value: Any, count: int) -> list[float] | None:
    """Return the scores, 0 to 1, that a decoded reply gives, or None where it is something else.

    Raises:
        ReplyFaultError: pieces are missing or strange, or a score is none.
    """
    listed = value.get("scores") if isinstance(value, dict) else value
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        return None
    faults: list[str] = []
    found: dict[str, float] = {}
    known = {f"p{number}" for number in range(1, count + 1)}
    for one in listed:
        name, score = str(one.get("id", "")), one.get("score")
        if name not in known:
            faults.append(f"there is no piece {one_line(name)[:20]!r}")
        elif name in found:
            faults.append(f"{name} came twice")
        elif isinstance(score, bool) or not isinstance(score, Real) or not 0 <= float(score) <= 100:
            faults.append(f"the score of {name} is {one_line(str(score))[:20]}, not a number from 0 to 100")
        else:
            found[name] = float(score) / 100
    faults += [f"{name} is missing" for name in sorted(known - found.keys())] if not faults else []
    if faults:
        raise ReplyFaultError(*faults[:10])
    return [found[f"p{number}"] for number in range(1, count + 1)]
