"""A number of tables that may change."""

from __future__ import annotations

import asyncio

from server.hosting.bot_pool import TableLimit


class Guests:
    """Those who sit at tables until they are told to leave."""

    def __init__(self, limit: TableLimit) -> None:
        self._limit = limit
        self.seated: list[int] = []
        self.tasks: dict[int, asyncio.Task[None]] = {}
        self._leave: dict[int, asyncio.Event] = {}

    async def come(self, number: int) -> None:
        self._leave[number] = asyncio.Event()
        self.tasks[number] = asyncio.create_task(self._sit(number))
        await asyncio.sleep(0)

    async def leave(self, number: int) -> None:
        self._leave[number].set()
        await asyncio.gather(self.tasks[number], return_exceptions=True)
        await asyncio.sleep(0)

    async def _sit(self, number: int) -> None:
        async with self._limit.table():
            self.seated.append(number)
            await self._leave[number].wait()
            self.seated.remove(number)


async def test_tables_can_be_added_and_taken_away() -> None:
    limit = TableLimit(1)
    guests = Guests(limit)
    for number in range(5):
        await guests.come(number)
    assert guests.seated == [0]
    limit.set(3)
    await asyncio.sleep(0)
    assert guests.seated == [0, 1, 2]
    limit.set(1)
    await guests.leave(0)
    await guests.leave(1)
    assert guests.seated == [2], "nobody was sent away, and nobody came"
    await guests.leave(2)
    assert guests.seated == [3]
    await guests.leave(3)
    await guests.leave(4)


async def test_those_who_give_up_cost_no_table() -> None:
    limit = TableLimit(1)
    guests = Guests(limit)
    for number in range(3):
        await guests.come(number)
    guests.tasks[1].cancel()
    await asyncio.sleep(0)
    await guests.leave(0)
    assert guests.seated == [2]
    guests.tasks[2].cancel()
    await asyncio.gather(guests.tasks[2], return_exceptions=True)
    guests.seated.clear()
    await guests.come(3)
    assert guests.seated == [3]
    await guests.leave(3)
