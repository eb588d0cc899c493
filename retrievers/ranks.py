"""Where a candidate stands on each route alone."""

from collections.abc import Iterable

import numpy as np

from skill_selector.graph.records import Candidate
from skill_selector.retrievers.fusion import ScoreFusionRetriever
from skill_selector.retrievers.routes import Route


def add_ranks(candidates: Iterable[Candidate], retriever: ScoreFusionRetriever) -> None:
    """Give each candidate its rank among all skills on every route that found it, from 1; equal scores share one."""
    routes = [
        (name, child)
        for name, child in zip(retriever.route_names, retriever.retrievers, strict=True)
        if isinstance(child, Route)
    ]
    for one in candidates:
        if one["fallback"]:
            continue
        scores = {name: route.score_of(one["id"]) for name, route in routes}
        one["ranks"] = {
            name: 1 + int(np.count_nonzero(route.scores > np.float32(scores[name])))
            for name, route in routes
            if scores[name] > 0
        }
