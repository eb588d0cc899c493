"""What the best chunks refer to comes with them; what merely has the same name does not."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from skill_selector.compiler.references import DECAY, follow
from skill_selector.knowledge.library import KnowledgeLibrary


@pytest.fixture
def opened(write: Callable[..., Path], knowledge: Path) -> Any:
    write(
        "reference.md",
        "# Reference\n\n## Client.ship\n\n`ship(parcels) -> Shipment`. Raises `AddressError`; "
        "`parcels` are `ParcelBox`.\n\n"
        "## ParcelBox\n\n`ParcelBox(weight_kg)` is one box.\n\n## orders\n\nSee `orders`.\n",
    )
    write("schema.sql", "CREATE TABLE parcelbox (shipment_id INT);\n")
    write("pool.yaml", "parcelbox:\n  size: 3\n")
    return KnowledgeLibrary(None).open(knowledge)


def chunk(search: Any, title: str) -> Any:
    return next(one for one in search.base.chunks if one.title.endswith(title))


def test_the_definition_of_what_is_used_follows_with_a_share_of_the_score(opened: Any) -> None:
    ship, box = chunk(opened, "Client.ship"), chunk(opened, "ParcelBox")
    found = {one["id"]: one for one in follow([{"id": ship.id, "score": 0.8, "routes": {"names": 1.0}}], opened)}
    assert found.keys() == {ship.id, box.id}
    assert found[box.id]["score"] == pytest.approx(0.8 * DECAY)
    assert found[box.id]["routes"] == {"references": pytest.approx(0.8 * DECAY)}


def test_what_the_routes_found_better_keeps_its_score(opened: Any) -> None:
    ship, box = chunk(opened, "Client.ship"), chunk(opened, "ParcelBox")
    fused: Any = [{"id": one.id, "score": 0.7, "routes": {"names": 1.0}} for one in (ship, box)]
    found = {one["id"]: one["score"] for one in follow(fused, opened)}
    assert found[box.id] == pytest.approx(0.7)


def test_a_name_that_many_define_is_followed_nowhere(write: Any, knowledge: Path) -> None:
    write("use.md", "# Use\n\n## Start\n\nSet `retry_limit`.\n")
    for at in range(4):
        write(f"c{at}.yaml", f"retry_limit: {at}\n")
    search = KnowledgeLibrary(None).open(knowledge)
    start = chunk(search, "Start")
    assert len(follow([{"id": start.id, "score": 1.0, "routes": {}}], search)) == 1


def test_a_chunk_that_has_gone_refers_to_nothing(opened: Any) -> None:
    assert follow([{"id": "gone", "score": 1.0, "routes": {}}], opened) == [{"id": "gone", "score": 1.0, "routes": {}}]
