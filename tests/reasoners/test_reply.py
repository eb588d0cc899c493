from typing import Any

import pytest
from langchain_core.messages import AIMessage

from skill_selector.reasoners.reply import Reply, ReplyFaultError, find_answer

ANSWER = '{"ok": {"c1": 82, "c2": 40}}'


def read(value: Any) -> dict[str, int] | None:
    """Take an object under "ok" as the answer; more than 100 is a fault."""
    if not isinstance(value, dict) or "ok" not in value:
        return None
    if any(points > 100 for points in value["ok"].values()):
        raise ReplyFaultError("too many points")
    answer: dict[str, int] = value["ok"]
    return answer


def answer_of(text: str, **fields: Any) -> dict[str, int]:
    return find_answer(Reply(text, **fields), read)


@pytest.mark.parametrize(
    "text",
    [
        ANSWER,
        f"  \n{ANSWER}\n",
        f"```json\n{ANSWER}\n```",
        f"```\n{ANSWER}\n```\nAnything else?",
        f"Here it is:\n{ANSWER}\nDone.",
        f"Scores for {{task}} below: {ANSWER}",
        f'{{"note": "draft"}}\n{ANSWER}',
        f"[1] as asked [see c1]: {ANSWER}",
        f'<think>maybe {{"ok": {{"c3": 99}}}} or [1,2]? no.</think>\n{ANSWER}',
        f"<think>a</think>\n<THINK>b {{</THINK>\n```json\n{ANSWER}\n```",
        f'first I thought {{"ok": {{"c3": 99}}}}\n</think>\n\n{ANSWER}',
        f"<thinking>\nmulti\nline\n</thinking>{ANSWER}",
        ANSWER.replace('"', "'"),
        ANSWER.replace(":", "：").replace(",", "，"),
        ANSWER.replace("40}", "40,}"),
        f"{ANSWER}\nAgain: {ANSWER}",
        f'{{"ok": {{"c1": 850}}}} was wrong, so: {ANSWER}',
    ],
)
def test_the_answer_is_found(text: str) -> None:
    assert answer_of(text) == {"c1": 82, "c2": 40}


def test_thoughts_are_taken_out_only_where_the_whole_text_is_no_json() -> None:
    assert find_answer(Reply('{"ok": "<think>not a thought</think>"}'), lambda value: value["ok"]) == (
        "<think>not a thought</think>"
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "it was empty"),
        ("   \n\t", "it was empty"),
        ("I cannot say.", "no complete JSON object"),
        ('{"scores": 1}', "no complete JSON object"),
        (ANSWER[:-1], "no complete JSON object"),
        ("<think>" + ANSWER, "no complete JSON object"),
        ('{"ok": {"c1": 850}}', "too many points"),
        (ANSWER + ' or {"ok": {"c1": 10}}', "2 different answers"),
        ("{" * 50_000, "no complete JSON object"),
    ],
)
def test_what_is_not_clear_is_a_fault(text: str, fault: str) -> None:
    with pytest.raises(ReplyFaultError, match=fault):
        answer_of(text)


def test_a_reply_that_was_cut_off_is_never_read() -> None:
    with pytest.raises(ReplyFaultError, match="cut off"):
        answer_of(ANSWER, cut_off=True)


def test_reasoning_counts_only_without_text_and_without_fault() -> None:
    assert answer_of("", reasoning=ANSWER) == {"c1": 82, "c2": 40}
    assert answer_of('{"ok": {"c1": 1}}', reasoning=ANSWER) == {"c1": 1}
    with pytest.raises(ReplyFaultError, match="it was empty"):
        answer_of("", reasoning='{"ok": {"c1": 850}}')
    with pytest.raises(ReplyFaultError, match="no complete"):
        answer_of("hm", reasoning=ANSWER)


@pytest.mark.parametrize("key", ["finish_reason", "stop_reason", "done_reason"])
@pytest.mark.parametrize("value", ["length", "max_tokens", "MAX_TOKENS"])
def test_every_spelling_of_a_cut_off_reply_is_known(key: str, value: str) -> None:
    assert Reply.from_message(AIMessage("x", response_metadata={key: value})).cut_off
    assert not Reply.from_message(AIMessage("x", response_metadata={key: "stop"})).cut_off


def test_filters_and_refusals_are_known() -> None:
    assert Reply.from_message(AIMessage("", response_metadata={"finish_reason": "content_filter"})).refusal
    assert Reply.from_message(AIMessage("", additional_kwargs={"refusal": "I can't"})).refusal == "I can't"
    assert Reply.from_message(AIMessage("", additional_kwargs={"refusal": None})).refusal is None


def test_content_in_blocks_is_read_with_its_reasoning_apart() -> None:
    message = AIMessage(
        content=[
            {"type": "reasoning", "reasoning": "hm"},
            {"type": "text", "text": '{"ok"'},
            {"type": "text", "text": ": {}}"},
        ]
    )

    reply = Reply.from_message(message)

    assert reply.text == '{"ok": {}}'
    assert reply.reasoning == "hm"


def test_reasoning_beside_the_content_is_kept() -> None:
    assert Reply.from_message(AIMessage("", additional_kwargs={"reasoning_content": ANSWER})).reasoning == ANSWER


def test_usage_is_taken_over_and_zero_where_there_is_none() -> None:
    usage = {"input_tokens": 7, "output_tokens": 3, "total_tokens": 10}

    told = Reply.from_message(AIMessage("x", usage_metadata=usage))
    untold = Reply.from_message(AIMessage("x"))

    assert (told.prompt_tokens, told.completion_tokens) == (7, 3)
    assert (untold.prompt_tokens, untold.completion_tokens) == (0, 0)


@pytest.mark.parametrize("odd", ["many", -3, 12.5, None, True, [1]])
def test_what_is_no_count_of_tokens_counts_as_none(odd: Any) -> None:
    message = AIMessage("x")
    message.usage_metadata = {"input_tokens": odd, "output_tokens": 4, "total_tokens": 4}

    told = Reply.from_message(message)

    assert (told.prompt_tokens, told.completion_tokens) == (0, 4)


@pytest.mark.parametrize("odd", ["many", 7, [1]])
def test_usage_that_is_no_record_is_left_out(odd: Any) -> None:
    message = AIMessage("x")
    message.usage_metadata = odd

    assert Reply.from_message(message).prompt_tokens == 0
