"""One piece of knowledge, and what is known of it."""

from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, get_args

ChunkType = Literal[
    "api_documentation",
    "code_snippet",
    "example",
    "error_log",
    "solution_article",
    "config_snippet",
    "table_schema",
    "sql_example",
    "query_pattern",
    "document",
]
"""The types of source 002, and `document` for prose that is none of them."""

CHUNK_TYPES: tuple[ChunkType, ...] = get_args(ChunkType)

EntityKind = Literal["table", "column", "function", "class", "error_code", "config_key", "module", "name"]
"""`error_code` also holds the names of exceptions; `name` what is marked as code and is none of the others."""

ENTITY_KINDS: tuple[EntityKind, ...] = get_args(EntityKind)


class Entity(NamedTuple):
    """Something with a name of its own that a chunk is about."""

    kind: EntityKind
    name: str
    """As written."""
    defined: bool = False
    """The chunk says what it is, rather than only using it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chunk:
    """One piece of a file, cut along the file's structure."""

    id: str
    """Follows from path, title and text, not from the line, so that it outlives changes above it."""
    text: str
    type: ChunkType
    title: str
    """Where it stands, outermost first: headings, or the qualified name of a function."""
    path: str
    """Of the file, relative to the knowledge folder, with forward slashes."""
    start_line: int
    """Counted from 1."""
    end_line: int
    language: str
    """How a code fence would call it: `sql`, `python`, `markdown`, `text` …"""
    date: str | None = None
    """ISO 8601, to the day; None where nothing states one."""
    authority: float = 0.5
    """0 to 1; see `provenance.AUTHORITY`."""
    entities: tuple[Entity, ...] = ()
    skills: tuple[str, ...] = ()
    """Ids of the skills that its author named."""

    @property
    def source(self) -> str:
        """Path and lines, as citations show them."""
        lines = f"{self.start_line}-{self.end_line}" if self.end_line > self.start_line else f"{self.start_line}"
        return f"{self.path}:{lines}"

    @property
    def digest(self) -> str:
        """Of all that is searched."""
        return digest_of(self.title, self.text)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a JSON object."""
        return asdict(self) | {
            "entities": [one._asdict() for one in self.entities],
            "skills": list(self.skills),
            "source": self.source,
        }


class Tag(NamedTuple):
    """That a chunk helps with a skill."""

    skill_id: str
    confidence: float
    """0 to 1."""
    by: Literal["author", "model", "rule", "fallback"]
    """`fallback` is a rule that stands in for a model which did not answer; it is asked again later."""


def digest_of(*parts: str) -> str:
    """Return a short digest of texts, in hex."""
    joined = "\0".join(parts).encode("utf-8", "surrogatepass")
    return blake2b(joined, digest_size=12).hexdigest()


def to_record(chunk: Chunk) -> list[Any]:
    """Return a chunk as a JSON list, shorter than `to_dict`."""
    entities = [[one.kind, one.name, one.defined] for one in chunk.entities]
    return [
        *(chunk.id, chunk.text, chunk.type, chunk.title, chunk.path, chunk.start_line, chunk.end_line),
        *(chunk.language, chunk.date, chunk.authority, entities, chunk.skills),
    ]


def from_record(record: list[Any]) -> Chunk:
    """Return the chunk of a record.

    Raises:
        ValueError, TypeError: it is none.
    """
    identity, text, kind, title, path, start, end, language, date, authority, entities, skills = record
    return Chunk(
        id=identity,
        text=text,
        type=kind,
        title=title,
        path=path,
        start_line=start,
        end_line=end,
        language=language,
        date=date,
        authority=authority,
        entities=tuple(Entity(*one) for one in entities),
        skills=tuple(skills),
    )
