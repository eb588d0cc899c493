"""Where the frontmatter is: fences of every kind, and things that only look like one."""

from collections.abc import Callable

import pytest

from skill_selector.catalog.parser import ParsedSkill

Load = Callable[..., ParsedSkill]

HEADER = "name: kite\ndescription: Builds kites from paper"
BODY = "# Kites\n\nFold the paper."


def outcome(parsed: ParsedSkill) -> tuple[str, str, str, set[str]]:
    """Return name, description, body, and the kinds of everything but notes."""
    skill = parsed.skill
    assert skill is not None
    assert not skill.inferred
    found = {one.kind for one in parsed.diagnostics if one.severity != "note"}
    return skill.name, skill.description, skill.body, found


@pytest.mark.parametrize(
    "text",
    [
        f"---\n{HEADER}\n---\n{BODY}\n",
        f"---\n{HEADER}\n---\n\n\n{BODY}",
        f"---  \n{HEADER}\n--- \t\n{BODY}",
        f"---\n\n{HEADER}\n\n---\n{BODY}",
        f"---\n# a remark\n{HEADER}  # another\n---\n{BODY}",
        f"---\n{HEADER}\n...\n{BODY}",
        f"--- yaml\n{HEADER}\n---\n{BODY}",
        f"---\u3000\n{HEADER}\n---\u00a0\n{BODY}",
        '---\n{"name": "kite", "description": "Builds kites from paper"}\n---\n' + BODY,
    ],
)
def test_ordinary_fences_need_no_warning(load: Load, text: str) -> None:
    assert outcome(load(text)) == ("kite", "Builds kites from paper", BODY, set())


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (f"\n\n---\n{HEADER}\n---\n{BODY}", {"frontmatter_not_first"}),
        (f"<!-- made by a tool,\n do not edit -->\n---\n{HEADER}\n---\n{BODY}", {"frontmatter_not_first"}),
        (f"<!-- a --><!-- b -->\n\n---\n{HEADER}\n---\n{BODY}", {"frontmatter_not_first"}),
        (f"  ---\n  name: kite\n  description: Builds kites from paper\n  ---\n{BODY}", {"frontmatter_not_first"}),
        (f"----\n{HEADER}\n----\n{BODY}", {"odd_fence"}),
        (f"—\n{HEADER}\n—\n{BODY}", {"odd_fence"}),
        (f"***\n{HEADER}\n***\n{BODY}", {"odd_fence"}),
        (f"+++\n{HEADER}\n+++\n{BODY}", {"odd_fence"}),
        (f"~~~\n{HEADER}\n~~~\n{BODY}", {"odd_fence"}),
        (f"```yaml\n---\n{HEADER}\n---\n```\n\n{BODY}", {"code_fence"}),
        (f"```markdown\n---\n{HEADER}\n---\n{BODY}\n```\n", {"code_fence"}),
        (f"```yaml\n{HEADER}\n```\n{BODY}", {"code_fence"}),
        (f"{HEADER}\n---\n{BODY}", {"missing_fence"}),
        (f"{HEADER}\n\n{BODY}", {"missing_fence", "unclosed_frontmatter"}),
        (f"---\n{HEADER}\n\n{BODY}", {"unclosed_frontmatter"}),
        (f"---\n{HEADER}\n\n{BODY}\n\n---\n\nMore.", {"unclosed_frontmatter"}),
        (f"---\n## {HEADER}\n\n{BODY}", {"unclosed_frontmatter", "heading"}),
        (f"---\n{HEADER}\n----\n{BODY}", set()),
    ],
)
def test_odd_fences_are_read_with_a_warning(load: Load, text: str, kinds: set[str]) -> None:
    name, description, body, found = outcome(load(text))
    assert (name, description) == ("kite", "Builds kites from paper")
    assert body.startswith(BODY)
    assert "```" not in body
    assert found == kinds


def test_text_above_the_frontmatter_is_kept_with_the_body_and_never_taken_as_the_description(load: Load) -> None:
    parsed = load(f"# Licence: free for all\n\nSee the file COPYING.\n\n---\n{HEADER}\n---\n{BODY}")
    name, description, body, found = outcome(parsed)
    assert (name, description) == ("kite", "Builds kites from paper")
    assert body == f"# Licence: free for all\n\nSee the file COPYING.\n\n{BODY}"
    assert found == {"frontmatter_not_first"}
    assert "line 5" in parsed.diagnostics[0].message


def test_the_fence_may_end_the_file(load: Load) -> None:
    assert outcome(load(f"---\n{HEADER}\n---")) == ("kite", "Builds kites from paper", "", {"empty_body"})


def test_dashes_inside_values_close_nothing(load: Load) -> None:
    text = "---\nname: foo---\ndescription: |\n  First\n  ---\n  second --- third\n---\nBody"
    assert outcome(load(text))[:3] == ("foo---", "First\n---\nsecond --- third", "Body")


@pytest.mark.parametrize(
    "text",
    [
        "---\n\n# A ruled title\n\n---\n\nKites are light.",
        "Kites are light.\n\n---\n\nAnd paper is thin.",
        "# How to write one\n\nKites are light.\n\n```markdown\n---\nname: example\ndescription: Does this\n---\n```\n",
        "# How to write one\n\nKites are light.\n\n~~~\n---\nname: example\ndescription: Does this\n---\n~~~\n",
        "---\n- one\n- two\n---\n\nKites are light.",
        "Name: Bob\n\nKites are light.",
        "---\njust a sentence of prose\n---\n\nKites are light.",
    ],
)
def test_rules_examples_and_lists_are_not_frontmatter(load: Load, text: str) -> None:
    skill = load(text, "from-folder").skill
    assert skill is not None
    assert skill.inferred
    assert skill.name == "from-folder"
    assert "example" not in skill.description


@pytest.mark.parametrize(
    "hunk",
    [
        "<<<<<<< HEAD\ndescription: Ours\n=======\ndescription: Theirs\n>>>>>>> feature\n",
        "<<<<<<< HEAD\ndescription: Ours\n||||||| base\ndescription: Old\n=======\ndescription: Theirs\n>>>>>>> x\n",
    ],
)
def test_of_a_merge_conflict_the_first_side_is_taken(load: Load, hunk: str) -> None:
    parsed = load(f"---\nname: kite\n{hunk}---\n{BODY}")
    assert outcome(parsed) == ("kite", "Ours", BODY, {"merge_conflict"})
    assert "line 3" in parsed.diagnostics[0].message


def test_a_merge_conflict_around_the_whole_frontmatter_is_resolved(load: Load) -> None:
    text = f"<<<<<<< HEAD\n---\n{HEADER}\n---\n=======\n---\nname: other\n---\n>>>>>>> x\n{BODY}"
    assert outcome(load(text)) == ("kite", "Builds kites from paper", BODY, {"merge_conflict"})


def test_conflict_markers_that_a_body_explains_are_left_alone(load: Load) -> None:
    body = "Look for\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x"
    assert outcome(load(f"---\n{HEADER}\n---\n{body}"))[2:] == (body, set())
