"""Many calls at a time."""

import asyncio

from parcelkit import AsyncClient, RateLimited


async def track_all(key, numbers):
    gate = asyncio.Semaphore(8)
    async with AsyncClient(key) as client:

        async def one(number):
            async with gate:
                return [event async for event in client.track(number)]

        return await asyncio.gather(*(one(number) for number in numbers))


async def polite(call):
    """Repeat a call that was limited after the time that the server names."""
    while True:
        try:
            return await call()
        except RateLimited as error:
            await asyncio.sleep(error.retry_after)
