"""The table of technologies: finding them in text, what they imply, which rival each other."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skill_selector.reasoners.technology import load_technologies


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a Python script for C++ and .NET", ["Python", "C++", ".NET"]),
        ("node.js with vue3 and Spring Boot", ["Node.js", "Vue", "Spring"]),
        ("把这个 C++ 开源库移植到鸿蒙平台", ["C++", "HarmonyOS"]),
        ("用ArkTS写小程序", ["ArkTS", "WeChat Mini Program"]),
        ("ＰＤＦ 转 Word文档", ["PDF", "Word document"]),
        ("report.pdf, data.XLSX and main.py", ["PDF", "Excel", "Python"]),
        ("k8s on AWS", ["Kubernetes", "AWS"]),
        ("we ship it in Go and Swift", ["Go", "Swift"]),
        ("react-native on iOS", ["React Native", "iOS"]),
    ],
)
def test_technologies_are_found_by_name_alias_and_extension(text: str, names: list[str]) -> None:
    assert load_technologies().find(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Go to the shop, then rest.",
        "react swiftly to the rust in spring",
        "an express letter, a notion, a unity of purpose",
        "javax, pythonic, mypdfs",
        "see example.net or mail me@java.example",
        "at 21 C, in the R&D wing",
    ],
)
def test_everyday_words_are_no_technologies(text: str) -> None:
    assert load_technologies().find(text) == []


def test_the_longer_of_two_names_counts() -> None:
    assert load_technologies().find("JavaScript and Ruby on Rails and SQL Server") == [
        "JavaScript",
        "Rails",
        "SQL Server",
    ]


def test_a_framework_implies_its_language() -> None:
    table = load_technologies()
    assert table.with_implied(["Next.js"]) == {"Next.js", "React", "JavaScript"}
    assert "HarmonyOS" in table.with_implied(["ArkTS"])


def test_members_of_a_group_rival_each_other_unless_shared() -> None:
    table = load_technologies()
    assert table.rivals("Android", ["HarmonyOS", "Python", "Android"]) == ["HarmonyOS"]
    assert table.rivals("PDF", ["Excel", "CSV"]) == []
    assert table.rivals("unheard of", ["Python"]) == []


def test_names_from_elsewhere_become_the_tables_own() -> None:
    assert load_technologies().canonical(["go", "react.js", "python 3", "ArkTS", "nonsense"]) == [
        "Go",
        "React",
        "Python",
        "ArkTS",
    ]


def test_no_alias_stands_for_two_technologies() -> None:
    rows = load_technologies().rows.values()
    counts = Counter(alias.lower() for row in rows for alias in (*row.aliases, *row.exact))
    assert [alias for alias, count in counts.items() if count > 1] == []


def test_everything_implied_is_in_the_table() -> None:
    table = load_technologies()
    assert [name for row in table.rows.values() for name in row.implies if name not in table.rows] == []


@given(st.text(max_size=60))
def test_any_text_yields_names_of_the_table_each_once(text: str) -> None:
    table = load_technologies()
    found = table.find(text)
    assert set(found) <= set(table.rows)
    assert len(found) == len(set(found))
