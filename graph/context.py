"""The settings that may differ from run to run; Studio shows them as a form."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import Any, Self

from skill_selector.graph.errors import SettingError


def _option(description: str) -> Any:
    return field(default=None, metadata={"description": description})


@dataclass(frozen=True, kw_only=True)
class SelectorContext:
    """Per-run settings. None means not set: the environment, `.env` or the default then decides.

    Keys, the endpoint's address and files are not among them: whoever may change a run, as the users of a server may,
    must not be able to send the key elsewhere or to read what the process can read.
    """

    top_k: int | None = _option("How many candidates Act hands to Reason #2 (5).")
    hit_threshold: float | None = _option("The least score of a hit, 0 to 100 (60).")
    min_gap: float | None = _option("The least lead over the second of a hit, 0 to 100 (10).")
    weight_action: float | None = _option("Weight of the action route (0.4).")
    weight_domain: float | None = _option("Weight of the domain route (0.4).")
    weight_raw: float | None = _option("Weight of the route over the whole task (0.2).")
    max_attempts: int | None = _option("The most analyses of one task, the first included (2).")
    strategy: str | None = _option("The way to choose: react, or source, which is three routes over one text (react).")
    reasoner: str | None = _option("auto, llm or local (auto: the model where a key is set).")
    on_ambiguous: str | None = _option("report, or ask to let a human decide (report).")
    on_failure: str | None = _option("fallback to the local reasoner when the model fails, or raise (fallback).")
    embeddings: str | None = _option("bundled, none, openai:MODEL or sentence-transformers:MODEL (bundled).")
    feedback_prior: float | None = _option("Uses that are assumed of every skill, half of them good (4).")
    feedback_shift: float | None = _option("The most that outcomes shift a piece of context's weight by (0.5).")
    llm_model: str | None = _option("The chat model (glm-5.2).")
    llm_temperature: float | None = _option("Sampling temperature, 0 to 2 (0.2).")
    llm_max_tokens: int | None = _option("The most tokens of one reply (2048).")
    llm_enable_thinking: bool | None = _option("Let the model think before it answers (false).")
    llm_timeout: float | None = _option("Seconds that one model call may take (60).")
    llm_time_budget: float | None = _option("Seconds that all model calls of one selection may take (180).")
    llm_prompt_tokens: int | None = _option("About the most prompt tokens of one round: analysis and ranking (2500).")
    llm_structured_output: str | None = _option(
        "How the model is held to JSON: plain, json_mode, json_schema or function_calling (plain)."
    )
    fallback_model: str | None = _option("The model that takes over after three overloads in a row.")
    context_budget: int | None = _option("Tokens of a compiled context, the whole prompt (2000).")
    route_timeout: float | None = _option("Seconds that each route of a compilation may take (2).")
    preference: str | None = _option("How the person likes examples: none, terse or commented (none).")

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> Self:
        """Return a context of keyword options.

        Raises:
            SettingError: an option has no such name; the message names the nearest ones.
        """
        known = [one.name for one in fields(cls)]
        unknown = [name for name in options if name not in known]
        if unknown:
            near = get_close_matches(unknown[0], known, n=1)
            hint = f"did you mean {near[0]}?" if near else "known are " + ", ".join(known)
            raise SettingError(f"there is no setting {', '.join(map(repr, unknown))}; {hint}")
        return cls(**options)
