"""Receive webhooks in a web application."""

from parcelkit import SignatureError, Webhook


def receive(request, secret):
    try:
        event = Webhook.verify(request.get_data(), request.headers["Parcel-Signature"], secret)
    except SignatureError:
        return "", 400
    queue_event(event)
    return "", 204


def queue_event(event):
    """Answer within 5 seconds: store the event, work later. Events may come twice, so key them by event.id."""
    return event.id
