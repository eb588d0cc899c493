"""The bytes of a file, up to a bound."""

from dataclasses import dataclass

MAX_FILE_BYTES = 4 * 1024 * 1024
"""How much of a SKILL.md is read; the largest of 13,452 real ones has 1.1 MB."""


@dataclass(frozen=True, slots=True)
class Source:
    """What was read of a file."""

    data: bytes
    complete: bool
    """False where the file goes on behind the bound; the data then ends with its last whole line."""


def read_source(file: str | int, size: int = 0, limit: int = MAX_FILE_BYTES) -> Source:
    """Read a file, but no more than `limit` bytes of it, however long it is or grows.

    Args:
        file: the path, or a descriptor open for reading, which is closed.
        size: how many bytes to expect; a wrong number costs time only.
        limit: the bound in bytes.

    Raises:
        OSError: the file cannot be read.
    """
    with open(file, "rb", buffering=0) as stream:
        data = stream.read(min(size, limit) + 1) or b""
        while len(data) <= limit and (more := stream.read(min(1 << 16, limit + 1 - len(data)))):
            data += more
    if len(data) <= limit:
        return Source(data, True)
    end = data.rfind(b"\n", 0, limit) + 1
    return Source(data[: end or limit], False)
