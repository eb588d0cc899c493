"""A sorted dictionary in a block of text answers as the dictionary it was made of."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from skill_selector.retrievers.blocks import Guard, block_sums
from skill_selector.retrievers.lexicon import BUCKET, Lexicon, lexicon_arrays

tokens = st.lists(st.text(st.characters(exclude_characters="\n"), min_size=1), unique=True, max_size=3 * BUCKET)


def lexicon(names: list[str]) -> Lexicon:
    arrays = lexicon_arrays(sorted(name.encode("utf-8", "surrogatepass") for name in names))
    text = arrays["text"]
    return Lexicon(arrays, Guard(Path("none"), text, block_sums(text)), len(names))


@given(tokens, st.lists(st.text(min_size=1)))
def test_it_knows_its_tokens_by_their_place_and_no_others(names: list[str], others: list[str]) -> None:
    found = lexicon(names)
    ordered = sorted(names, key=lambda name: name.encode("utf-8", "surrogatepass"))

    assert [found.get(name) for name in ordered] == list(range(len(names)))
    assert all(found.get(other) is None for other in others if other not in names)
    assert [*found] == ordered


def test_parts_of_tokens_and_several_at_once_are_none() -> None:
    names = [f"w{number:03}" for number in range(2 * BUCKET)]
    found = lexicon(names)

    assert found.get("w01") is None
    assert found.get("w0101") is None
    assert found.get("w001\nw002") is None
    assert found.get("a") is None
    assert found.get("") is None
    assert found.get("nowhere", 7) == 7
