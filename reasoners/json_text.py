"""JSON as models write it: strict, or with small slips that leave no doubt about what is meant.

Understood beside JSON: single and typographic quotes, full-width punctuation, trailing commas, comments, bare keys,
numbers with a unit (as text), and True, False, None. What is not closed is never completed.
"""

import json
import re
from typing import Any, NoReturn

MAX_DEPTH = 40

_PUNCTUATION = str.maketrans("｛｝［］【】：，、", "{}[][]:,,")
_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_KEY = re.compile(r"[A-Za-z_][\w-]*")
_SCALAR = re.compile(r"[-+]?\d[^\s,，、\]］】}｝{\[\"'“:：]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?")
_CLOSING = {'"': '"', "'": "'", "“": "”", "‘": "’", "＂": "＂"}
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_WORD = re.compile("|".join(_WORDS), re.IGNORECASE)


class RepeatedKeys(dict[str, Any]):
    """An object that gave one key several values: there is no telling which was meant."""


def decode_strictly(text: str) -> Any:
    """Return the value of a text that is JSON and nothing else.

    Raises:
        ValueError: it is not.
    """
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def decode(text: str, start: int) -> tuple[Any, int]:
    """Return the value that begins at `start`, and where it ends.

    Raises:
        ValueError: no whole value begins there.
    """
    decoder = _Decoder(text, start)
    return decoder.value(0), decoder.at


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if all(found[key] == value for key, value in pairs):
        return found
    return RepeatedKeys(found)


def _refuse(_constant: str) -> NoReturn:
    raise ValueError("not a number")


class _Decoder:
    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            self._fail()
        sign = self._sign()
        if sign == "{":
            return self._object(depth)
        if sign == "[":
            return self._list(depth)
        if sign in _CLOSING:
            return self._string()
        return self._scalar()

    def _fail(self) -> NoReturn:
        raise ValueError(f"no JSON value at character {self.at}")

    def _sign(self) -> str:
        """Return the next character that counts, its full-width form put right."""
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        return self.text[self.at : self.at + 1].translate(_PUNCTUATION)

    def _more(self, closing: str) -> bool:
        """Step over a comma; tell whether another item follows."""
        sign = self._sign()
        if sign == ",":
            self.at += 1
            sign = self._sign()
        elif sign != closing:
            self._fail()
        if sign == closing:
            self.at += 1
            return False
        return True

    def _object(self, depth: int) -> dict[str, Any]:
        pairs: list[tuple[str, Any]] = []
        self.at += 1
        more = self._sign() != "}"
        self.at += not more
        while more:
            key = self._key()
            if self._sign() != ":":
                self._fail()
            self.at += 1
            pairs.append((key, self.value(depth + 1)))
            more = self._more("}")
        return _object(pairs)

    def _list(self, depth: int) -> list[Any]:
        items: list[Any] = []
        self.at += 1
        more = self._sign() != "]"
        self.at += not more
        while more:
            items.append(self.value(depth + 1))
            more = self._more("]")
        return items

    def _key(self) -> str:
        if self._sign() in _CLOSING:
            return self._string()
        bare = _KEY.match(self.text, self.at)
        if bare is None:
            self._fail()
        self.at = bare.end()
        return bare.group()

    def _string(self) -> str:
        opening = self.text[self.at]
        closing = _CLOSING[opening]
        at = self.at + 1
        parts: list[str] = []
        while at < len(self.text):
            char = self.text[at]
            if char == "\\":
                part, at = self._escaped(at)
                parts.append(part)
            elif char == closing and not (opening in "'‘" and self._apostrophe(at)):
                self.at = at + 1
                return "".join(parts)
            else:
                parts.append(char)
                at += 1
        return self._fail()

    def _apostrophe(self, at: int) -> bool:
        return self.text[at - 1].isalnum() and self.text[at + 1 : at + 2].isalnum()

    def _escaped(self, at: int) -> tuple[str, int]:
        length = 6 if self.text[at + 1 : at + 2] == "u" else 2
        escape = self.text[at : at + length]
        if escape[1:] == "'":
            return "'", at + 2
        pair = self.text[at : at + 12] if re.match(r"\\u[dD][89abAB]", escape) else escape
        for candidate in (pair, escape):
            try:
                return str(json.loads(f'"{candidate}"')), at + len(candidate)
            except ValueError:
                continue
        return self._fail()

    def _scalar(self) -> Any:
        word = _WORD.match(self.text, self.at)
        if word and not self.text[word.end() : word.end() + 1].isalnum():
            self.at = word.end()
            return _WORDS[word.group().lower()]
        scalar = _SCALAR.match(self.text, self.at)
        if scalar is None:
            self._fail()
        self.at = scalar.end()
        text = scalar.group()
        return json.loads(text) if _NUMBER.fullmatch(text) else text
