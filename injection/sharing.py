"""Room shared fairly between texts of different lengths."""

from collections.abc import Sequence


def fair_share(lengths: Sequence[int], room: int) -> int:
    """Return the greatest length to which all texts can be cut so that together they fit the room; 0 or more.

    A text that is shorter takes what it needs, and what it leaves goes to the longer ones.
    """
    left, share = max(0, room), 0
    ordered = sorted(lengths)
    for at, length in enumerate(ordered):
        share = left // (len(ordered) - at)
        if share < length:
            return share
        left -= length
    return max(ordered, default=0)
