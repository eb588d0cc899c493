"""Shell commands taken apart, to compare them with rules such as `Bash(git:*)`. Nothing here runs anything."""

import shlex

_SEPARATORS = frozenset(";&|\n")
_PUNCTUATION = "();<>|&\n"
_REDIRECTIONS = frozenset({">", ">>", ">&", "&>"})
_HARMLESS_TARGETS = frozenset({"/dev/null", "1", "2", "-"})
_SUBSTITUTIONS = ("`", "$(", "<(", ">(", "${", "$'", '$"')


def simple_commands(text: str) -> list[list[str]] | None:
    """Return the words of each simple command in a line of shell, or None where that cannot be told for sure.

    Told for sure are words and quotes, `;`, `&`, `|` and line ends between commands, and redirections to nowhere.
    Substitutions, groups and redirections to files are not: what they run or write is not in the words.
    """
    if any(mark in text for mark in _SUBSTITUTIONS):
        return None
    words = _words(text)
    if words is None:
        return None
    commands: list[list[str]] = [[]]
    at = 0
    while at < len(words):
        word = words[at]
        # a word of quoted operators counts as one too: that only makes more, and shorter, commands
        if not word or not set(word) <= set(_PUNCTUATION):
            commands[-1].append(word)
        elif set(word) <= _SEPARATORS:
            commands.append([])
        elif word in _REDIRECTIONS and words[at + 1 : at + 2] and words[at + 1] in _HARMLESS_TARGETS:
            if commands[-1] and commands[-1][-1] in ("1", "2"):
                commands[-1].pop()
            at += 1
        else:
            return None
        at += 1
    return [command for command in commands if command]


def _words(text: str) -> list[str] | None:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=_PUNCTUATION)
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return None
