"""What the environments of the peers run: one process a peer, asked over its standard input, timed inside.

    python benchmarks/peer.py NAME DOCUMENTS

DOCUMENTS holds one skill a line, in JSON; every peer gets the same ones, already parsed, so that none of them pays for
files or for frontmatter that it cannot read. Only the standard library and the peer itself are imported.
"""

import asyncio
import json
import re
import sys
import time
from typing import Any

Row = dict[str, str]
Question = dict[str, Any]

STEMMER_LANGUAGE = "english"
MOST = 50


class Bm25s:
    """Bare scores over the tokens that we make; for the index, its own tokens of the same text."""

    def __init__(self, rows: list[Row]) -> None:
        import bm25s  # noqa: PLC0415 - each is in one environment only
        import Stemmer  # noqa: PLC0415

        self._library = bm25s
        self._texts = ["\n".join((row["name"], row["description"], row["when_to_use"], row["body"])) for row in rows]
        self._stemmer = Stemmer.Stemmer(STEMMER_LANGUAGE)
        self._engine = bm25s.BM25(k1=1.5, b=0.75)
        self._engine.index([row["tokens"].split(" ") for row in rows], show_progress=False)

    def index(self) -> None:
        """Tokenise and index the texts of the skills."""
        tokens = self._library.tokenize(self._texts, stopwords="en", stemmer=self._stemmer, show_progress=False)
        self._library.BM25(k1=1.5, b=0.75).index(tokens, show_progress=False)

    def prepared(self, query: Question) -> list[list[str]]:
        """Return the tokens that its index knows."""
        return [[token for token in query["tokens"] if token in self._engine.vocab_dict]]

    def query(self, tokens: list[list[str]]) -> None:
        """Score the skills and take the best."""
        if tokens[0]:
            self._engine.retrieve(tokens, k=MOST, show_progress=False)


class Retrieval:
    """agentskills-retrieval, its lexical selector, over metadata in memory."""

    def __init__(self, rows: list[Row]) -> None:
        from agentskills_retrieval import LexicalSelector  # noqa: PLC0415

        class Skill:
            def __init__(self, row: Row) -> None:
                self._id = row["id"]
                cases = [row["when_to_use"]] if row["when_to_use"] else []
                self._metadata = {"name": row["name"], "description": row["description"], "when_to_use": cases}

            def get_id(self) -> str:
                return self._id

            async def get_metadata(self) -> Question:
                return self._metadata

        class Registry:
            def __init__(self) -> None:
                self._skills = sorted(map(Skill, rows), key=Skill.get_id)

            def list_skills(self) -> list[Skill]:
                return self._skills

        self._selector = LexicalSelector(Registry())
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._selector.index())

    def prepared(self, query: Question) -> str:
        """Return the task."""
        return str(query["task"])

    def query(self, task: str) -> None:
        """Select skills."""
        self._loop.run_until_complete(self._selector.select(task))


class SkillSearch:
    """agent-skill-search, its SQLite index in memory, with OR-ed words; of skills of one name it takes the first."""

    def __init__(self, rows: list[Row]) -> None:
        from skill_search.engine import SkillEntry, SkillIndex  # noqa: PLC0415

        first: dict[str, Row] = {}
        for row in rows:
            first.setdefault(row["name"].strip().casefold(), row)
        self._index = SkillIndex()
        self._index.build(
            [SkillEntry(row["name"], row["description"], "", row["id"], row["body"]) for row in first.values()]
        )

    def prepared(self, query: Question) -> str:
        """Return the words with what means OR."""
        return "|".join(re.findall(r"\w+", query["task"]))

    def query(self, words: str) -> None:
        """Search."""
        self._index.search(words)


PEERS: dict[str, Any] = {"bm25s": Bm25s, "agentskills-retrieval": Retrieval, "agent-skill-search": SkillSearch}


def main() -> None:
    """Answer questions, one a line, with the seconds that they took: on the wall, and of processor time."""
    with open(sys.argv[2], encoding="utf-8") as file:
        peer = PEERS[sys.argv[1]]([json.loads(line) for line in file])
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        given = peer.prepared(question) if question else None
        start, busy = time.perf_counter(), time.process_time()
        if question:
            peer.query(given)
        else:
            peer.index()
        answer = {"wall": time.perf_counter() - start, "busy": time.process_time() - busy}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
