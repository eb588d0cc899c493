"""The script that makes the dictionary of CC-CEDICT."""

import runpy
from pathlib import Path
from typing import Any

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "make_dictionary.py"


@pytest.fixture(scope="module")
def tool() -> dict[str, Any]:
    return runpy.run_path(str(TOOL))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("# a comment", {}),
        ("合同 合同 [he2 tong5] /(business) contract/CL:個|个[ge4]/", {"合同": ["contract"]}),
        ("數據庫 数据库 [shu4 ju4 ku4] /database/data base; database/", {"数据库": ["database", "data base"]}),
        ("字 字 [zi4] /letter/", {}),
        ("某縣 某县 [Mou3 xian4] /Mou county in Henan/", {}),
        ("下載 下载 [xia4 zai3] /to download/also written 下傳|下传/", {"下载": ["to download"]}),
        ("長句 长句 [chang2 ju4] /a gloss of far more words than any search needs/", {}),
    ],
)
def test_entries_are_read(tool: dict[str, Any], line: str, found: dict[str, list[str]]) -> None:
    assert tool["read_entries"]([line]) == found
