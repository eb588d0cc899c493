"""A script for parcelkit 2 that still runs on one machine."""

from parcelkit2 import ParcelClient


def send(token, a, b):
    client = ParcelClient(token)
    result = client.ship(a, b, weight_grams=1200)
    client.close()
    return result["tracking"]


def page_through(client):
    page, found = 1, []
    while batch := client.shipments(page=page, per_page=50):
        found += batch
        page += 1
    return found
