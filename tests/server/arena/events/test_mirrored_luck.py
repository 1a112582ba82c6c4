"""A remote bot remembers at home what it saw: in an event that is announced as mirrored it can use nothing of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from referee.match.match import Terms
from referee.rules.chance import commitment
from server.arena.events import calendar as calendar_module
from server.arena.registry_schema import EventState
from server.tournament.agreement import Agreement
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.manifest import make_manifest
from server.tournament.store import Store
from support.calendars import CALM, CUP, Clock, host
from support.dialling import until
from support.events import InProcessPool
from support.tables import open_house

BOTS = ("ann", "bob", "cid")


def count_remembered(secrets: Iterable[bytes]) -> int:
    """Count the matches whose luck a bot knows because it saw the same commitment before."""
    seen = Counter(commitment(secret) for secret in secrets)
    return sum(count - 1 for count in seen.values())


def test_where_workers_play_a_bot_that_could_remember_would_know_the_luck_of_half_of_its_matches() -> None:
    """That is what mirrored luck would be worth to a remote bot: it could look up every card of the second rotation."""
    agreement = Agreement(
        manifest=make_manifest({"name": "cup", "seed": "s", "games": [{"id": "pavillon_noir"}]}), roster=()
    )
    secrets = [
        agreement.match_secret("pavillon_noir-2", block, rotation) for block in range(20) for rotation in range(2)
    ]
    assert count_remembered(secrets) == 20
    single = Agreement(manifest=replace(agreement.manifest, mirrored=False), roster=())
    secrets = [single.match_secret("pavillon_noir-2", block, rotation) for block in range(20) for rotation in range(2)]
    assert count_remembered(secrets) == 0


@pytest.mark.parametrize("remote", [("ann",), BOTS])
async def test_a_remote_bot_knows_the_luck_of_none_of_its_matches(
    remote: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither from another rotation of a block nor from a match that was void and is played again."""
    clock, void = Clock(), []
    monkeypatch.setattr(calendar_module, "wall_millis", clock)
    monkeypatch.setattr(calendar_module, "LOOK_SECONDS", 0.01)
    monkeypatch.setattr(calendar_module, "LocalPool", InProcessPool)

    def spoil(terms: Terms) -> bool:
        void.append(terms.match_id)
        return len(void) <= 3

    async with open_house(tmp_path, CALM) as house:
        house.registry.pause(["pavillon_noir-2"])
        house.tables.spoil = spoil
        host(house, *(bot for bot in BOTS if bot not in remote))
        house.come(*remote)
        house.calendar.create("cup", f"mirrored = true{CUP}", (0, 0, 0))
        for bot in BOTS:
            house.registry.enter("cup", bot)
        await house.calendar.start("cup")
        await until(lambda: house.registry.event("cup").state is EventState.FINISHED)
        for bot in BOTS:
            assert count_remembered(secret for _, secret, names, _ in house.tables.played if bot in names) == 0
    folder = Folder(tmp_path / "events" / "cup")
    assert not folder.require_agreement().manifest.mirrored, "the event itself says what it is"
    with Store.read_only(folder.database) as store:
        shown = [match.match_id.split("-")[-2] for match in store.matches()]
    assert len({*shown}) == len(shown), "ids tell nothing of another rotation: each names its own commitment"
    assert len(list(read_journal(folder.journal, ["match_void"]))) == 3
