"""Create a shipment and store its label."""

from decimal import Decimal
from pathlib import Path

from parcelkit import Address, Client, Parcel


def ship_order(order, key):
    with Client(key) as client:
        shipment = client.create_shipment(
            sender=order.warehouse,
            recipient=Address(order.name, order.street, order.city, order.postal_code, "DE"),
            parcels=[Parcel(Decimal("1.2"), 30, 20, 10)],
            idempotency_key=f"order-{order.id}",
        )
        return shipment


def store_label(client, shipment, folder: Path) -> Path:
    path = folder / f"{shipment.id}.zpl"
    path.write_bytes(client.label(shipment.id, format="zpl"))
    return path
