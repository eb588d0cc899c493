from hypothesis import given
from hypothesis import strategies as st

from skill_selector.reasoners.difference import MOST_WORDS, own_words


def test_words_that_only_one_text_has_are_named_as_written() -> None:
    texts = ["Merges several PDF files, with bookmarks.", "Splits a PDF file by page ranges.", "合并PDF文件并压缩"]
    merge, split, chinese = own_words(texts)
    assert [word for word in ("Merges", "bookmarks") if word in merge] == ["Merges", "bookmarks"]
    assert "ranges" in split
    assert "压缩" in chinese
    assert not {"PDF", "files", "file"} & {*merge, *split, *chinese}


def test_inflections_of_one_word_tell_nothing_apart() -> None:
    assert own_words(["merge the reports", "merging a report"]) == [[], []]


def test_what_differs_behind_a_long_common_beginning_is_found() -> None:
    common = "Reviews infrastructure code for mistakes. " * 40
    assert own_words([common + "Terraform only.", common + "Pulumi only."]) == [["Terraform"], ["Pulumi"]]


def test_equal_texts_have_no_words_of_their_own() -> None:
    assert own_words(["Merge PDF files"] * 3) == [[], [], []]


@given(st.lists(st.text(max_size=60), max_size=4))
def test_it_takes_any_text_and_names_few_words(texts: list[str]) -> None:
    own = own_words(texts)
    assert len(own) == len(texts)
    assert all(len(words) <= MOST_WORDS for words in own)
