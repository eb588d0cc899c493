"""English forms by rule."""

import pytest

from skill_selector.retrievers.inflections import noun_forms, verb_forms


@pytest.mark.parametrize(
    ("verb", "forms"),
    [
        ("deploy", {"deploys", "deployed", "deploying"}),
        ("cache", {"caches", "cached", "caching"}),
        ("plan", {"plans", "planned", "planning"}),
        ("fix", {"fixes", "fixed", "fixing"}),
        ("apply", {"applies", "applied", "applying"}),
        ("agree", {"agrees", "agreed", "agreeing"}),
        ("send", {"sends", "sent", "sending"}),
        ("rewrite", {"rewrites", "rewrote", "rewritten", "rewriting"}),
        ("match", {"matches", "matched", "matching"}),
    ],
)
def test_verbs_have_their_forms(verb: str, forms: set[str]) -> None:
    assert forms | {verb} <= set(verb_forms(verb))


@pytest.mark.parametrize(("noun", "plural"), [("box", "boxes"), ("query", "queries"), ("key", "keys"), ("api", "apis")])
def test_nouns_have_their_plural(noun: str, plural: str) -> None:
    assert set(noun_forms(noun)) == {noun, plural}


def test_short_words_raise_nothing() -> None:
    assert "do" in verb_forms("do")
    assert "y" in verb_forms("y")
