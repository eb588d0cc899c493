"""Bytes to text: marks, encodings, line ends, and data that is no text."""

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.catalog.diagnostic import Report
from skill_selector.catalog.encoding import decode

TEXT = "---\nname: kettle\ndescription: Boils water for 红茶 and 绿茶 🍵\n---\n\nFill the kettle.\n"
CHINESE = "---\nname: 茶艺\ndescription: 教人如何冲泡绿茶、红茶和乌龙茶，并说明水温。\n---\n\n先把水烧开。\n"


def kinds(report: Report) -> list[str]:
    return [diagnostic.kind for diagnostic in report.diagnostics]


def test_utf8_is_taken_as_it_is_and_without_a_word() -> None:
    report = Report("f")
    assert decode(TEXT.encode(), report) == TEXT
    assert report.diagnostics == []


def test_a_byte_order_mark_is_dropped_and_one_further_on_is_left_alone() -> None:
    report = Report("f")
    text = TEXT + "a\ufeffb"
    assert decode(codecs.BOM_UTF8 + text.encode(), report) == text
    assert [one.severity for one in report.diagnostics] == ["note"]


@pytest.mark.parametrize(
    ("encoding", "mark"),
    [
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
        ("utf-16-le", b""),
        ("utf-16-be", b""),
    ],
)
def test_wide_encodings_are_recognised_with_their_mark_and_16_bit_ones_without(encoding: str, mark: bytes) -> None:
    report = Report("f")
    assert decode(mark + TEXT.encode(encoding), report) == TEXT
    assert kinds(report) == ["not_utf8"]
    assert encoding.upper() in report.diagnostics[0].message


def test_gb18030_is_recognised() -> None:
    report = Report("f")
    assert decode(CHINESE.encode("gb18030"), report) == CHINESE
    assert "GB18030" in report.diagnostics[0].message


@pytest.mark.parametrize(
    "text",
    [
        "---\nname: café\ndescription: Réserve une table à l'élan du matin, très tôt, près d'ici\n---\n\nVoilà.\n",
        "---\nname: kite\ndescription: Wählt schöne Drachen für Kinder\n---\n\nHöher, länger, größer.\n",
    ],
)
def test_western_accents_are_not_taken_for_chinese(text: str) -> None:
    report = Report("f")
    assert decode(text.encode("cp1252"), report) == text
    assert kinds(report) == ["not_utf8"]


def test_a_damaged_byte_costs_one_character_of_utf8_and_names_the_line() -> None:
    report = Report("f")
    data = TEXT.encode().replace("红".encode(), "红".encode()[:2])
    text = decode(data, report)
    assert text is not None
    assert "绿茶 🍵" in text
    assert "\ufffd" in text
    assert kinds(report) == ["invalid_bytes"]
    assert "line 3" in report.diagnostics[0].message


@pytest.mark.parametrize("end", ["\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
def test_every_line_end_becomes_a_newline(end: str, encoding: str) -> None:
    assert decode(CHINESE.replace("\n", end).encode(encoding), Report("f")) == CHINESE


def test_mixed_line_ends_make_no_extra_lines() -> None:
    assert decode(b"a\r\nb\nc\rd\r\n", Report("f")) == "a\nb\nc\nd\n"


def test_stray_nul_characters_are_removed_and_reported() -> None:
    report = Report("f")
    assert decode(TEXT.encode().replace(b"water", b"wa\0ter"), report) == TEXT
    assert kinds(report) == ["nul_characters"]
    assert "line 3" in report.diagnostics[0].message


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)) * 20,
        bytes(range(256)) * 8,
        b"PK\x03\x04\x14\0\x08\0" + bytes([7, 0, 200, 3, 255, 1]) * 200,
        b"\0" * 3000,
        b"\xff\xfe" + b"\x01\0\x02\0" * 400,
    ],
)
def test_binary_data_is_not_text(data: bytes) -> None:
    report = Report("f")
    assert decode(data, report) is None
    assert [(one.kind, one.severity) for one in report.diagnostics] == [("binary", "error")]


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n  "])
def test_nothing_but_white_space_is_an_empty_file(data: bytes) -> None:
    report = Report("f")
    assert decode(data, report) is None
    assert kinds(report) == ["empty_file"]


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1).filter(str.strip))
def test_any_utf8_text_comes_back_unchanged(text: str) -> None:
    data = text.encode()
    decoded = decode(data, Report("f"))
    assert decoded in (text.removeprefix("\ufeff"), None)
    assert decoded is not None or "\0" in text or not text.encode().strip() or text.isspace()


def test_the_locale_plays_no_part(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from skill_selector.catalog.parser import read_body

    monkeypatch.setattr("locale.getpreferredencoding", lambda *_: "cp1252")
    monkeypatch.setattr("locale.getencoding", lambda: "gbk")
    file = tmp_path / "SKILL.md"
    file.write_bytes(TEXT.replace("Fill", "倒 → Fill").encode())
    assert read_body(str(file)) == "倒 → Fill the kettle."
