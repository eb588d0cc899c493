"""What a context is worth to its task: needed facts that it says, and what of it is noise."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from skill_selector.evaluation.context_task import ContextTask
from skill_selector.knowledge.chunk import Chunk


@dataclass(frozen=True, kw_only=True)
class Piece:
    """A chunk as it stands in a prompt."""

    chunks: tuple[Chunk, ...]
    """The chunk itself, then those whose duplicate it is."""
    tokens: int


@dataclass(frozen=True, kw_only=True)
class ContextScore:
    """Of one prompt."""

    coverage: float
    """Share of the facts that the prompt says, 0 to 1."""
    noise: float
    """Share of the pieces' tokens that do not belong, 0 to 1; 0 where there is no piece."""
    missed: tuple[str, ...]
    """Facts."""
    noisy: tuple[str, ...]
    """Sources, those that cost most first."""


def comparable(text: str) -> str:
    """Return a text as wordings are compared: NFKC, case folded, white space joined.

    Quotation marks may be escaped in JSON, and the compiler sets names in bold.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().replace('\\"', '"').replace("**", "")
    return " ".join(plain.split())


def says(text: str, wordings: Iterable[str]) -> bool:
    """Say whether a comparable text holds one of the wordings."""
    return any(comparable(one) in text for one in wordings)


def first_said(text: str, wordings: Iterable[str]) -> int | None:
    """Return where the first of the wordings stands in a comparable text; None where none does."""
    return min((at for at in (text.find(comparable(one)) for one in wordings) if at >= 0), default=None)


def score_context(task: ContextTask, prompt: str, pieces: Sequence[Piece]) -> ContextScore:
    """Return what a prompt is worth.

    A piece is noise when it holds what is wrong for the task; or when it holds no fact of it and is not on its subject.
    Of a shortened piece, only what the prompt still shows counts.
    """
    shown = comparable(prompt)
    missed = tuple(fact.what for fact in task.facts if not says(shown, fact.any))
    noisy = sorted((one for one in pieces if _is_noise(task, shown, one)), key=lambda one: -one.tokens)
    total = sum(one.tokens for one in pieces)
    return ContextScore(
        coverage=1 - len(missed) / len(task.facts),
        noise=sum(one.tokens for one in noisy) / total if total else 0.0,
        missed=missed,
        noisy=tuple(one.chunks[0].source for one in noisy),
    )


def _is_noise(task: ContextTask, shown: str, piece: Piece) -> bool:
    text = comparable(_whole(piece.chunks[0]))
    if any(_shows(text, shown, fact.wrong) for fact in task.facts):
        return True
    if any(_shows(text, shown, fact.any) for fact in task.facts):
        return False
    return not any(_is_useful(task, chunk) for chunk in piece.chunks)


def _shows(text: str, shown: str, wordings: Iterable[str]) -> bool:
    return says(text, [one for one in wordings if comparable(one) in shown])


def _is_useful(task: ContextTask, chunk: Chunk) -> bool:
    text = comparable(_whole(chunk))
    return any(path == chunk.path and comparable(wanted) in text for path, wanted in task.useful)


def _whole(chunk: Chunk) -> str:
    return f"{chunk.title}\n{chunk.text}"
