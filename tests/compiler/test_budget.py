"""What fits into the budget, and what is left of a text that does not."""

from skill_selector.compiler.budget import LEAST_PIECE, Piece, pack, trim
from skill_selector.compiler.needs import Need
from skill_selector.prompts.shortening import CUT, estimate_tokens


def free(_kind: str) -> int:
    return 0


def test_the_general_goes_before_what_touches_the_parameters() -> None:
    pieces = [Piece("general", "k", False, 60), Piece("vital", "k", True, 60), Piece("small", "k", False, 30)]
    packed = pack(pieces, 100, free)
    assert packed.whole == ["vital", "small"]
    assert packed.short == {}


def test_a_heading_costs_once_for_each_kind() -> None:
    pieces = [Piece("a", "x", True, 40), Piece("b", "x", True, 40), Piece("c", "y", True, 10)]
    assert pack(pieces, 90, lambda _kind: 10).whole == ["a", "b"]
    assert pack(pieces, 110, lambda _kind: 10).whole == ["a", "b", "c"]


def test_a_vital_piece_without_room_is_shortened_and_a_general_one_left_out() -> None:
    assert pack([Piece("a", "k", True, 500)], LEAST_PIECE, free).short == {"a": LEAST_PIECE}
    assert pack([Piece("a", "k", True, 500)], LEAST_PIECE - 1, free) == ([], {})
    assert pack([Piece("a", "k", False, 500)], 499, free) == ([], {})


def test_code_keeps_its_head_and_the_lines_that_touch_the_parameters() -> None:
    lines = ["def head():", *(f"    filler_{at} = {at}" for at in range(50)), "    amount = 3", "    tail = 1"]
    short = trim("\n".join(lines), 30, [Need("amount", "amount", True)], prose=False)
    assert short.startswith("def head():\n")
    assert "    amount = 3" in short
    assert CUT in short
    assert estimate_tokens(short) <= 30


def test_what_fits_stays_whole() -> None:
    assert trim("a\nb", 100, [], prose=False) == "a\nb"


def test_a_long_table_keeps_rows_and_not_sentences() -> None:
    table = "\n".join(["| name | type |", "| --- | --- |", *(f"| c{at} | int |" for at in range(100))])
    short = trim(table, 40, [Need("c77", "c77", True)], prose=True)
    assert short.startswith("| name | type |\n")
    assert "| c77 | int |" in short
