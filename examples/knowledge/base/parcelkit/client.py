"""The client of parcelkit 3, shortened."""

import time
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal


class RetryPolicy:
    """How often and how long to try again: RetryPolicy(attempts=4, base=0.5, cap=8.0)."""

    def __init__(self, attempts: int = 4, base: float = 0.5, cap: float = 8.0) -> None:
        self.attempts = attempts
        self.base = base
        self.cap = cap

    def delay(self, attempt: int) -> float:
        """Seconds before an attempt, doubled each time."""
        return min(self.cap, self.base * 2**attempt)


def chunked(parcels: list, size: int = 25) -> Iterator[list]:
    """Cut parcels into groups; a shipment holds at most 25."""
    for at in range(0, len(parcels), size):
        yield parcels[at : at + size]


def volumetric_weight(length_cm: Decimal, width_cm: Decimal, height_cm: Decimal) -> Decimal:
    """Volume divided by 5000, the weight that carriers bill by where it is the larger one."""
    return length_cm * width_cm * height_cm / Decimal(5000)


def wait_until_delivered(client, tracking_number: str, *, poll_seconds: float = 300.0, deadline: datetime | None = None):
    """Poll `track` until an event of kind 'delivered'; TimeoutError after the deadline."""
    while True:
        for event in client.track(tracking_number):
            if event.kind == "delivered":
                return event
        if deadline is not None and datetime.now(deadline.tzinfo) > deadline:
            raise TimeoutError(tracking_number)
        time.sleep(poll_seconds)


def mask_address(address) -> str:
    """City and country only, for log lines."""
    return f"{address.city}, {address.country}"


def to_minor_units(price: Decimal, currency: str) -> int:
    """Price in cents; yen and won have none."""
    return int(price) if currency in {"JPY", "KRW"} else int(price * 100)


def load_key(environ: dict) -> str:
    """The key from PARCELKIT_API_KEY; KeyError where it is missing."""
    return environ["PARCELKIT_API_KEY"]
