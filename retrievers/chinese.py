"""Chinese words and simplified characters. jieba and OpenCC are loaded when Chinese text turns up, not before."""

import warnings
from collections.abc import Callable
from functools import lru_cache
from threading import Lock
from typing import Any

from skill_selector.retrievers.stopwords import CHINESE_PARTICLES, CHINESE_STOP_WORDS

Cut = Callable[[str], list[str]]

_loading = Lock()


@lru_cache(maxsize=1 << 14)
def segment(run: str) -> tuple[str, ...]:
    """Return the words of a run of simplified Chinese characters that are worth searching for.

    Long words come with the dictionary words inside them, so that 数据库 is found by 数据 too. Stop words and single
    characters are left out, since they occur everywhere; neighbouring single characters (写 诗) count as pairs.
    """
    found: list[str] = []
    singles = ""
    for word in _cutter()(run):
        if len(word) == 1 and word not in CHINESE_PARTICLES:
            singles += word
            continue
        found += _pairs(singles)
        singles = ""
        if len(word) > 1 and word not in CHINESE_STOP_WORDS:
            found.append(word)
    return tuple(found + _pairs(singles))


def whole_words(run: str) -> list[str]:
    """Return all words of a run of simplified Chinese characters in order, side by side: joined they are the run."""
    return _tokenizer_cut()(run)


def simplify(text: str) -> str:
    """Return the text with traditional Chinese characters made simplified."""
    return _converter()(text)


def bigrams(run: str) -> list[str]:
    """Return the overlapping pairs of neighbours; a run of one character is returned whole."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def pairs(run: str) -> list[str]:
    """Return the characters two by two, about as many as there are words."""
    return [run[at : at + 2] for at in range(0, len(run), 2)]


def _pairs(singles: str) -> list[str]:
    return bigrams(singles) if len(singles) > 1 else []


def _tokenizer_cut() -> Cut:
    with _loading:
        tokenizer = _load_tokenizer()
    return list if tokenizer is None else lambda run: list(tokenizer.cut(run))


def _cutter() -> Cut:
    # lru_cache alone would let several threads load the dictionary at once.
    with _loading:
        return _load_jieba()


def _converter() -> Callable[[str], str]:
    with _loading:
        return _load_opencc()


def _load_jieba() -> Cut:
    tokenizer = _load_tokenizer()
    return bigrams if tokenizer is None else lambda run: list(tokenizer.cut_for_search(run))


@lru_cache(maxsize=1)
def _load_tokenizer() -> Any:
    """Return a tokenizer of jieba's, or None where that is not installed."""
    try:
        with warnings.catch_warnings():
            # Invalid escapes in its source, and pkg_resources where that is installed.
            warnings.simplefilter("ignore")
            import jieba  # noqa: PLC0415 - costs half a second
    except ImportError as error:
        warnings.warn(
            f"jieba cannot be imported ({error}): Chinese text is cut into pairs of characters, which finds less; "
            "pip install jieba",
            RuntimeWarning,
            stacklevel=2,
        )
        return None
    # A tokenizer of our own, since others may add words to the global one. Its own initialize() writes a cache that
    # it later trusts into the shared temp folder, and logs to stderr; the cache would save 0.2 s.
    tokenizer = jieba.Tokenizer()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer.FREQ, tokenizer.total = tokenizer.gen_pfdict(tokenizer.get_dict_file())
    tokenizer.initialized = True
    return tokenizer


@lru_cache(maxsize=1)
def _load_opencc() -> Callable[[str], str]:
    try:
        import opencc  # noqa: PLC0415 - needed for Chinese text only
    except ImportError as error:
        warnings.warn(
            f"OpenCC cannot be imported ({error}): traditional Chinese characters do not match simplified ones; "
            "pip install opencc",
            RuntimeWarning,
            stacklevel=2,
        )
        return lambda text: text
    convert: Callable[[str], str] = opencc.OpenCC("t2s").convert
    return convert
