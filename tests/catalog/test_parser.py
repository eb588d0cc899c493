"""One file as a whole: what is loaded, what is inferred, what is skipped, and that nothing ever raises."""

import hashlib
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from skill_selector.catalog.invisible import without_invisible
from skill_selector.catalog.parser import ParsedSkill, parse, read_body

Load = Callable[..., ParsedSkill]
PLACE = {"skill_id": "kite", "path": "/skills/kite", "file": "/skills/kite/SKILL.md", "root": "/skills"}


def test_a_good_file_gives_every_field_and_no_diagnostic(load: Load) -> None:
    text = (
        "---\nname: kite\ndescription: Folds kites 风筝\nlicense: MIT\nallowed-tools: Read Bash(fold:*)\n"
        "metadata:\n  version: '1.0'\n  category: crafts\n  useWhen: 起风时\n---\n\n# Kites\n\nFold.\n"
    )
    parsed = load(text, "kite")
    skill = parsed.skill
    assert skill is not None
    assert parsed.diagnostics == ()
    assert (skill.id, skill.name, skill.path, skill.root) == ("kite", "kite", "/skills/kite", "/skills")
    assert (skill.version, skill.category, skill.when_to_use) == ("1.0", "crafts", "起风时")
    assert skill.allowed_tools == ("Read", "Bash(fold:*)")
    assert skill.metadata == {"license": "MIT"}
    assert skill.body == "# Kites\n\nFold."
    assert skill.digest == hashlib.sha256(text.encode()).hexdigest()


def test_without_frontmatter_folder_and_first_paragraph_stand_in(load: Load) -> None:
    parsed = load("# Kite folding\n\nFolds kites\nfrom paper.\n\nMore.", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description) == ("kite", "Folds kites from paper.")
    assert parsed.skill.inferred
    assert parsed.skill.body.startswith("# Kite folding")
    assert [(one.kind, one.severity) for one in parsed.diagnostics] == [("no_frontmatter", "warning")]


def test_a_decomposed_folder_name_becomes_a_composed_name(load: Load) -> None:
    parsed = load("Serves coffee.", "cafe\u0301")
    assert parsed.skill is not None
    assert parsed.skill.name == "caf\u00e9"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", "empty_file"),
        (" \n\t\n", "empty_file"),
        ("\u3000\n\ufeff\n", "missing_description"),
        ("---\n---\nOnly a line.", "missing_description"),
        ("---\n\n---\n", "missing_description"),
        ("---\nname: kite\n---\n", "missing_description"),
        ("---\n# nothing\n---\n", None),
        ("***\n---\n", "missing_description"),
    ],
)
def test_a_file_without_usable_text_is_skipped_with_the_reason(load: Load, text: str, kind: str | None) -> None:
    parsed = load(text)
    if kind is None:
        assert parsed.skill is None or parsed.skill.inferred
        assert parsed.diagnostics
        return
    assert parsed.skill is None
    assert [(one.kind, one.severity) for one in parsed.diagnostics] == [(kind, "error")]


def test_an_empty_frontmatter_before_a_finished_text_is_overlooked(load: Load) -> None:
    parsed = load("---\n---\n\n# Kites\n\nThey fly.", "kite")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description, parsed.skill.inferred) == ("kite", "They fly.", True)


def test_a_file_of_frontmatter_only_is_loaded_with_a_warning(load: Load) -> None:
    parsed = load("---\nname: kite\ndescription: Folds\n---\n", "kite")
    assert parsed.skill is not None
    assert parsed.skill.body == ""
    assert [(one.kind, one.severity) for one in parsed.diagnostics] == [("empty_body", "warning")]


def test_invisible_characters_are_taken_out_of_what_is_chosen_by(load: Load) -> None:
    text = "---\nname: ki\u202ete\ndescription: Fo\u200blds\nwhen_to_use: wi\u2060ndy\n---\nBo\u200bdy"
    parsed = load(text, "kite")
    assert parsed.skill is not None
    assert (parsed.skill.name, parsed.skill.description, parsed.skill.when_to_use) == ("kite", "Folds", "windy")
    assert parsed.skill.body == "Bo\u200bdy"
    assert [one.kind for one in parsed.diagnostics] == ["invisible_characters"] * 3
    assert "U+202E" in parsed.diagnostics[0].message


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_no_carriage_return_stays_in_any_field(load: Load, end: str) -> None:
    text = "---\nname: kite\ndescription: >-\n  first part\n  second part\nnote: x\n---\n\nBody\nline\n"
    parsed = load(text.replace("\n", end), "kite")
    assert parsed.skill is not None
    assert parsed.skill.description == "first part second part"
    assert "\r" not in repr(parsed) + parsed.skill.body
    assert parsed.diagnostics == ()


BODIES = [
    "---\nname: kite\ndescription: Folds\n---\n\n# Kites\n\nFold.\n",
    "# Kites\n\nThey fly.\n",
    "```markdown\n---\nname: kite\ndescription: Folds\n---\nFold.\n```",
    "Licence\n\n---\nname: kite\ndescription: Folds\n---\nFold.",
    "---\nname: kite\ndescription: a: b\n\n# Kites\n\nFold.\n",
    "---\n---\nOnly a line.",
]


@pytest.mark.parametrize("text", BODIES)
def test_the_body_read_again_is_the_body_that_was_parsed(load: Load, tmp_path: Path, text: str) -> None:
    file = tmp_path / "SKILL.md"
    file.write_text(text, encoding="utf-8")
    parsed = load(text)
    assert parsed.skill is None or read_body(str(file)) == parsed.skill.loaded_body


def test_the_body_of_a_vanished_or_binary_file_is_an_error_or_empty(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_body(str(tmp_path / "SKILL.md"))
    (tmp_path / "SKILL.md").write_bytes(bytes(range(256)) * 9)
    assert read_body(str(tmp_path / "SKILL.md")) == ""


def check(data: bytes) -> None:
    """Parse bytes and check what holds of every result."""
    parsed = parse(data, **PLACE)
    if parsed.skill is None:
        assert any(one.severity == "error" for one in parsed.diagnostics)
    else:
        assert parsed.skill.name
        assert parsed.skill.description == parsed.skill.description.strip() != ""
        assert parsed.skill.loaded_body is not None
        assert parsed.skill.loaded_body == parsed.skill.loaded_body.strip()
    assert all(one.message and one.fix and one.path == PLACE["file"] for one in parsed.diagnostics)
    repr(parsed).encode()


@given(st.binary(max_size=400))
def test_no_bytes_make_it_raise(data: bytes) -> None:
    check(data)
    check(b"---\n" + data)
    check(b"---\nname: kite\ndescription: " + data + b"\n---\nBody")


PIECES = st.sampled_from(
    ["---", "\n---\n", "\n", "\n\n", "\r\n", "  ", "\t", ": ", "：", " #", "#", '"', "'", "[", "]", "{", "}", "- ",
     "? ", "|", ">", ">-\n", "&a ", "*a", "!t ", "%", "@", "`", "```\n", "<!--", "-->", "<<<<<<< a\n", "=======\n",
     ">>>>>>> b\n", "\\", "name", "description", "metadata:\n  ", "allowed-tools: ", "kite", "风筝", "...", "\0",
     "\ufeff", "\u200b", "\u2028", "\x85", "\ud7ff", "~", "+++", "—", "| "]
)  # fmt: skip


@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(PIECES, max_size=60), st.sampled_from(["utf-8", "utf-16", "gb18030"]))
def test_no_heap_of_yaml_and_markdown_makes_it_raise(pieces: list[str], encoding: str) -> None:
    check("".join(pieces).encode(encoding, "replace"))


GOOD = "---\nname: kite\ndescription: 'Folds: kites'\ntags: [a, b]\nmetadata:\n  x: |\n    y\n---\n\n# Kites\n\nFold.\n"


@settings(max_examples=400)
@given(st.lists(st.tuples(st.integers(0, len(GOOD)), st.integers(0, 6), PIECES), max_size=8))
def test_no_damage_to_a_good_file_makes_it_raise(edits: list[tuple[int, int, str]]) -> None:
    text = GOOD
    for at, cut, piece in edits:
        text = text[:at] + piece + text[at + cut :]
    check(text.encode())


PLAIN = st.text(st.characters(min_codepoint=32, codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=40)


@given(PLAIN, PLAIN, st.sampled_from(['"', "'", None]))
def test_a_clean_frontmatter_says_what_pyyaml_says(name: str, description: str, style: str | None) -> None:
    assume(not {name, description} & {"~", "null", "Null", "NULL"})
    assume(not any(without_invisible(one)[1] for one in (name, description)))
    values = {"name": name, "description": description}
    header = yaml.safe_dump(values, allow_unicode=True, default_style=style, width=1000)
    expected = yaml.load(header, Loader=yaml.BaseLoader)  # noqa: S506 - builds texts only
    skill = parse(f"---\n{header}---\n\nBody\n".encode(), **PLACE).skill
    assert skill is not None
    assert {"name": skill.name, "description": skill.description} == expected == values


SIZE = 200_000


@pytest.mark.parametrize(
    "unit",
    [" ", "\t", "\n", "-", "#", "[", '"', "`", "<", "|", "\u3000", "<!--", "```\n", "---\n", "\n---", "- ", "? ", "a: ",
     "a:\n", "a: [\n", 'a: "\n', "<<<<<<< x\n", "name: x\n", "[a](", "**", "# ", "\xe9", "中"],
)  # fmt: skip
def test_no_long_run_of_anything_takes_long(unit: str) -> None:
    filling = unit * (SIZE // len(unit))
    header = filling[:40_000]
    started = time.process_time()
    for text in (
        filling,
        f"---\n{filling}",
        f"---{filling}\nname: x",
        f"---\nname: x\ndescription: {filling}\n---\nBody",
        f"---\nname: [x\ndescription: y: z\n{header}\n---\nBody",
        f"---\nname: x\nmetadata:\n  {header}\n  z: a: b\n---\nBody",
    ):
        check(text.encode())
    check(b"\xe9 " + filling.encode())
    assert time.process_time() - started < 5  # a pattern that is not linear would take minutes
