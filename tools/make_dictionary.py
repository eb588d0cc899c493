"""Make the Chinese-English dictionary of the retrievers from CC-CEDICT.

    python tools/make_dictionary.py cedict_1_0_ts_utf-8_mdbg.txt[.gz] retrievers/data/cc-cedict.tsv.gz

CC-CEDICT is at https://www.mdbg.net/chinese/dictionary?page=cc-cedict, under CC BY-SA 4.0; what this makes of it is
under the same licence. Kept are words of two to eight characters that jieba knows as frequent, with glosses of at most
three search tokens. One line a word: the word, a tab, its glosses between slashes.
"""

import argparse
import gzip
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import jieba

from skill_selector.retrievers.text import tokenize

LEAST_FREQUENCY, LEAST_FREQUENCY_LONG = 30, 10
"""How often jieba's corpus must hold a word; the second is for words of three characters and more."""
MOST_GLOSSES = 8
MOST_TOKENS = 3

_LINE = re.compile(r"(\S+) (\S+) \[([^\]]*)\] /(.*)/")
_WORD = re.compile(r"[\u4e00-\u9fff]{2,8}|[A-Za-z0-9]+[\u4e00-\u9fff]+|[\u4e00-\u9fff]+[A-Za-z]+")
_PLACE = re.compile(r"city|county|district|province|township|prefecture|dynasty|capital of")
_MARKED = re.compile(r"\((?:old|archaic|literary|dialect|Tw|slang|idiom|Buddhism|fig)")
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_HAN = re.compile(r"[\u4e00-\u9fff|]+")
_NO_GLOSS = re.compile(
    r"CL:|surname |variant of|old variant|see |abbr\. for|used in|erhua|also written|Taiwan pr|also pr|Kangxi radical"
    r"|equivalent to|same as",
    re.IGNORECASE,
)


def read_entries(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the glosses of each word; those with the same search tokens count once."""
    found: defaultdict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
    for line in lines:
        entry = _LINE.fullmatch(line.strip())
        if not entry or not _WORD.fullmatch(entry[2]):
            continue
        if entry[3][:1].isupper() and _PLACE.search(entry[4]):
            continue
        for gloss in _glosses(entry[4]):
            tokens = tuple(sorted(set(tokenize(gloss))))
            if 1 <= len(tokens) <= MOST_TOKENS:
                found[entry[2]].setdefault(tokens, gloss)
    return {word: [*glosses.values()][:MOST_GLOSSES] for word, glosses in found.items()}


def _glosses(text: str) -> Iterator[str]:
    for part in re.split(r"[/;]", text):
        if not _MARKED.search(part):
            gloss = " ".join(_HAN.sub("", _ASIDE.sub("", part)).split())
            if gloss and not _NO_GLOSS.match(gloss):
                yield gloss


def is_frequent(word: str) -> bool:
    """Tell whether jieba's corpus holds the word often enough."""
    times = jieba.dt.FREQ.get(word, 0)
    return times >= (LEAST_FREQUENCY if len(word) < 3 else LEAST_FREQUENCY_LONG)


def main() -> int:
    """Read the arguments, write the file, say how many words it holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    arguments = parser.parse_args()
    jieba.initialize()
    raw = arguments.source.read_bytes()
    text = (gzip.decompress(raw) if arguments.source.suffix == ".gz" else raw).decode("utf-8")
    kept = {word: glosses for word, glosses in sorted(read_entries(text.splitlines()).items()) if is_frequent(word)}
    lines = "".join(f"{word}\t{'/'.join(glosses)}\n" for word, glosses in kept.items())
    # No time stamp inside, so that the same source gives the same file.
    arguments.target.write_bytes(gzip.compress(lines.encode("utf-8"), 9, mtime=0))
    print(f"{len(kept)} words, {arguments.target.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
