"""Duplicates are merged with their sources; the one to be believed stays."""

from typing import Any

from skill_selector.compiler.duplicates import merge_duplicates, merged_into

LONG = "The gateway reuses a connection that the upstream closed after its own shorter keep alive time has run out"


def test_copies_are_merged_and_the_one_with_authority_stays_in_the_place_of_the_first(make_chunk: Any) -> None:
    blog = make_chunk(LONG, path="blog.md", authority=0.2, date="2026-01-01")
    other = make_chunk("Something else entirely.", path="b.md")
    official = make_chunk(f"{LONG} \n", path="doc.md", authority=1.0, date="2020-01-01")
    kept, gone = merge_duplicates([blog, other, official])
    assert kept == [official, other]
    assert gone == {blog.id: official.id}
    assert merged_into(gone) == {official.id: [blog.id]}


def test_of_equal_authority_the_newer_stays(make_chunk: Any) -> None:
    old, new = make_chunk(LONG, path="a", date="2020-01-01"), make_chunk(LONG, path="b", date="2021-01-01")
    assert merge_duplicates([old, new])[0] == [new]


def test_texts_that_differ_in_a_word_or_in_form_are_merged_too(make_chunk: Any) -> None:
    more = " ".join(f"word{at}x" for at in "abcdefghijklmnopqrstuvwxyz")
    one = make_chunk(f"{LONG} {more}", path="a")
    near = make_chunk(f"{LONG.upper()}  {more} indeed", path="b")
    assert len(merge_duplicates([one, near])[0]) == 1


def test_chinese_near_copies_are_merged(make_chunk: Any) -> None:
    one = make_chunk("网关复用了上游已经关闭的连接，请把空闲时间调到比上游短，然后重新加载网关配置即可生效", path="a")
    near = make_chunk(
        "网关复用了上游已经关闭的连接，请把空闲时间调到比上游短，然后重新加载网关配置即可生效！", path="b"
    )
    assert len(merge_duplicates([one, near])[0]) == 1


def test_texts_that_differ_in_a_number_are_no_duplicates(make_chunk: Any) -> None:
    text = f"{LONG} {' '.join(f'word{one}' for one in 'abcdefghijklmnopqrstuvwxyzäöü')} {' '.join('ABCDEFGHIJKLMN')}"
    one, other = make_chunk(f"{text} in 60 seconds", path="a"), make_chunk(f"{text} in 75 seconds", path="b")
    assert len(merge_duplicates([one, make_chunk(f"{text} in  60 seconds!", path="c")])[0]) == 1
    assert merge_duplicates([one, other])[0] == [one, other]


def test_short_texts_must_be_equal(make_chunk: Any) -> None:
    one, other = make_chunk("timeout: ten", path="a"), make_chunk("timeout: zen", path="b")
    assert len(merge_duplicates([one, other])[0]) == 2
