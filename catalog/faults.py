"""Faults of a frontmatter: what each diagnostic says and the fix that it proposes."""

from dataclasses import dataclass

from skill_selector.catalog.reader import MAX_DEPTH


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing in a frontmatter that was put right. Lines count from 0 within the frontmatter."""

    kind: str
    key: str
    line: int
    first: int = -1
    """The earlier line of a pair."""


QUOTE = 'put the value in quotes, or write it below as a block: "key: >-"'

OPENING_FAULTS = {
    "frontmatter_not_first": (
        "the frontmatter does not begin on the first line, so that some hosts do not see it",
        'move the "---" to line 1',
    ),
    "odd_fence": ('the frontmatter does not begin with "---"', 'write exactly "---" on line 1'),
    "code_fence": ("the frontmatter stands in a code block", "remove the ``` lines around it"),
    "missing_fence": ('the frontmatter has no "---" above it', 'add a line "---" above the first key'),
    "unclosed_frontmatter": ('no "---" closes the frontmatter; it was taken to end here', 'add a line "---" here'),
}
"""For each kind: what was found, and the fix."""

_FOUND = {
    "unquoted_colon": "the value holds a colon and is not quoted",
    "leading_character": "the value begins with a character that means something else in YAML",
    "text_after_quote": "text follows the closing quote, or quotes stand inside quotes",
    "unterminated_quote": "the quote that opens the value is never closed",
    "bad_escape": "a backslash sequence that YAML does not know was kept as it is",
    "broken_block": "the block of text is not laid out as YAML wants it",
    "broken_list": "the list is not valid YAML",
    "broken_value": "the value is not valid YAML and was taken as text",
    "alias": "the value refers to another one (*), which is refused; it was taken as text",
    "too_deep": f"the value is nested more than {MAX_DEPTH} levels deep and was taken as text",
    "hash_in_text": "to YAML, the text from ' #' on is a comment; it was put back",
    "comment_in_text": "the text from ' #' on was left out as a comment",
    "duplicate_key": "the key is there twice; the last value counts",
    "control_characters": "characters that YAML does not allow were removed",
    "tab": "a tab is used as indentation",
    "bad_indentation": "the key is indented like a part of the value before it",
    "missing_space": "there is no space after the colon",
    "fullwidth_colon": "the colon is a full-width one (：)",
    "unindented_text": "the value goes on in lines that are not indented",
    "heading": "the key is written as a heading",
    "list_of_fields": "the fields are written as a list",
}

FIXES = {
    "unquoted_colon": QUOTE,
    "leading_character": QUOTE,
    "text_after_quote": "quote the whole value with the other kind of quote",
    "unterminated_quote": "close the quote",
    "bad_escape": "double the backslash, or use single quotes",
    "broken_block": 'put only ">-" or "|" behind the colon and indent the text below it',
    "broken_list": "quote the items",
    "broken_value": QUOTE,
    "alias": "write the value out, or quote it",
    "too_deep": "make the value flatter, or leave it out",
    "hash_in_text": QUOTE,
    "comment_in_text": "quote the value if that is part of it",
    "duplicate_key": "remove one of the two",
    "control_characters": "remove them",
    "tab": "indent with spaces",
    "bad_indentation": "begin every key in the same column",
    "missing_space": "put a space after the colon",
    "fullwidth_colon": 'write ": " with an ASCII colon',
    "unindented_text": 'indent the lines, or write the value as a block: "key: >-"',
    "heading": 'leave out the "#" before the key',
    "list_of_fields": 'leave out the "- " before each key',
}


def message_of(fault: Fault, first_line: int) -> str:
    """Return what was found, with the line in the file and the key."""
    line = fault.line + first_line
    where = f"lines {fault.first + first_line} and {line}" if fault.first >= 0 else f"line {line}"
    return f"{where}: {fault.key}: {_FOUND[fault.kind]}" if fault.key else f"{where}: {_FOUND[fault.kind]}"
