"""Feedback as tracing tools give it: a run, a key, a score or a value, a comment."""

import math
from collections.abc import Collection
from typing import Any
from uuid import UUID

from skill_selector.feedback.counts import Subject
from skill_selector.feedback.store import FeedbackStore
from skill_selector.graph.errors import FeedbackError

GOOD = frozenset({"good", "yes", "true", "positive", "pass", "correct", "up", "thumbs_up", "好", "是", "有用"})
BAD = frozenset({"bad", "no", "false", "negative", "fail", "incorrect", "down", "thumbs_down", "坏", "否", "没用"})


class FeedbackHook:
    """Takes what a LangSmith client's `create_feedback` takes, and credits what was injected in that run.

    Several scores of one run count each: give `keys` where an evaluator sends more than one.
    """

    def __init__(self, store: FeedbackStore, *, keys: Collection[str] | None = None, least_good: float = 0.5) -> None:
        """Take the store.

        Args:
            store: where the counts are; injections must have been recorded there with their run.
            keys: the feedback keys that count; None for all.
            least_good: the score from which on a use was good; a lower one is bad. 0.5 fits scores from 0 to 1 and from
                -1 to 1 alike.
        """
        self._store = store
        self._keys = None if keys is None else frozenset(keys)
        self._least_good = least_good

    def create_feedback(
        self,
        run_id: UUID | str | None = None,
        key: str = "unnamed",
        *,
        score: float | bool | None = None,
        value: Any = None,
        comment: str | None = None,
        subjects: Collection[Subject] = (),
        **_more: Any,
    ) -> list[str]:
        """Count a judgement, and return the ids of the records that it went to.

        Args:
            run_id: the run that is judged.
            key: what was judged.
            score: 0 to 1, or -1 to 1, or true and false.
            value: a word such as "good" or "bad" where there is no score.
            comment: is kept; neither score nor value with a comment is a note that counts as nothing.
            subjects: what is judged, where the run does not say it.
            **_more: what other arguments a client passes along.

        Raises:
            FeedbackError: nothing is known to have been injected in that run, or the score is no number.
        """
        if self._keys is not None and key not in self._keys:
            return []
        judged = list(subjects) or (self._store.injected_in(str(run_id)) if run_id is not None else [])
        if not judged:
            raise FeedbackError(
                f"no injection is known of run {str(run_id)!r}: record it with `record_injection(…, run_id=…)`, or "
                "pass `subjects`"
            )
        number, good = self._judge(score, value)
        note = (key, number, comment or "") if comment or number is not None else None
        return self._store.count(judged, good=int(good is True), bad=int(good is False), note=note)

    async def acreate_feedback(self, *arguments: Any, **options: Any) -> list[str]:
        """As `create_feedback`."""
        import asyncio  # noqa: PLC0415 - the sync half does without

        return await asyncio.to_thread(self.create_feedback, *arguments, **options)

    def _judge(self, score: Any, value: Any) -> tuple[float | None, bool | None]:
        """Return the score as a number, and whether that is good; None for neither."""
        given = value if score is None and isinstance(value, int | float) else score
        if given is not None:
            try:
                number = float(given)
            except (TypeError, ValueError):
                number = float("nan")
            if math.isnan(number):
                raise FeedbackError(f"the score is {given!r}; it must be a number, true or false")
            return number, number >= self._least_good
        word = value.strip().lower() if isinstance(value, str) else ""
        return None, True if word in GOOD else False if word in BAD else None
