"""Captains that come and go: death, retirement, a new captain (6.11, R16, R17, R32)."""

from __future__ import annotations

from typing import ClassVar

from referee.agenda import SeatQuestion, Task, push
from referee.engine import Seat
from referee.games.marauders.actions.turn import ChooseShip
from referee.games.marauders.data.board import CHEST_GOLD_PER_POINT, START_GOLD, STARTING_SHIPS
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.events.combat import CaptainDied, CaptainRetired
from referee.games.marauders.events.quests import MissionDiscarded, RumorDiscarded
from referee.games.marauders.events.round import CaptainArrived
from referee.games.marauders.rules.glory import DrawGlory
from referee.games.marauders.rules.modifications import place_modifications
from referee.games.marauders.rules.piles import discard, discard_cargo
from referee.games.marauders.rules.scoring import end_game
from referee.games.marauders.rules.ships import new_ship
from referee.games.marauders.state import State
from referee.games.marauders.terms import ShipType, Zone
from referee.parts import immutable


@immutable(frozen=True, slots=True)
class Die(Task[State]):
    """A captain dies."""

    TAG: ClassVar[str] = "Die"
    seat: Seat

    def run(self, draft: State) -> None:
        """Everything but track and chest is gone; the game may be over."""
        captain = draft.players[self.seat].captain
        assert captain is not None
        draft.events.append(CaptainDied(self.seat, captain))
        leave_sea(draft, self.seat)
        without = sum(player.captain is None for player in draft.players)
        if len(draft.captains) < without:
            end_game(draft, "captains")


@immutable(frozen=True, slots=True)
class RetireCaptain(Task[State]):
    """A captain retires."""

    TAG: ClassVar[str] = "RetireCaptain"
    seat: Seat

    def run(self, draft: State) -> None:
        """The same discards, by choice."""
        player = draft.players[self.seat]
        assert player.captain is not None
        player.retirements += 1
        draft.events.append(CaptainRetired(self.seat, player.captain))
        leave_sea(draft, self.seat)


def leave_sea(draft: State, seat: Seat) -> None:
    """All that belongs to a captain goes to the discards; its modifications go back to ports."""
    player = draft.players[seat]
    assert player.captain is not None
    draft.used_captains.append(player.captain)
    for card in (*player.glory, *(hired.card for hired in player.specialists), *player.kept):
        discard(draft, card)
    if player.rumor is not None:
        discard(draft, player.rumor)
        draft.events.append(RumorDiscarded(seat, player.rumor))
    if player.mission is not None:
        discard(draft, player.mission)
        draft.events.append(MissionDiscarded(seat, player.mission))
    discard_cargo(draft, seat, player.cargo)
    if player.ship is not None:
        place_modifications(draft, seat, player.ship.mods)
    player.captain = player.ship = player.rumor = player.mission = player.bought_zone = None
    player.glory = player.cargo = player.kept = ()
    player.specialists = ()
    player.weapons = ()
    player.bounties = (0, 0, 0, 0)
    player.gold = player.bought_round = 0
    player.bought_big_ship = False


@immutable(frozen=True, slots=True)
class NewCaptain(Task[State]):
    """At the start of a turn without captain."""

    TAG: ClassVar[str] = "NewCaptain"
    seat: Seat

    def run(self, draft: State) -> None:
        """Draw, and draw again while a pirate lies off the home port (R17); then the ship."""
        aside = []
        captain = draft.captains.pop()
        while draft.captains and _pirate_in(draft, CAPTAINS[captain].home):
            aside.append(captain)
            captain = draft.captains.pop()
        draft.captains[:0] = reversed(aside)
        player = draft.players[self.seat]
        player.captain = captain
        player.zone = CAPTAINS[captain].home
        player.in_port = True
        push(draft, AskShip(self.seat))


def _pirate_in(state: State, zone: Zone) -> bool:
    return any(npc is not None and npc.kind.nation is None and npc.zone == zone for npc in state.npcs)


@immutable(frozen=True, slots=True)
class AskShip(SeatQuestion[State, ChooseShip]):
    """`choose_ship` of a new captain during the game."""

    TAG: ClassVar[str] = "AskShip"
    kind: ClassVar[str] = "choose_ship"

    def options(self, state: State) -> list[ChooseShip]:
        """A sloop or a flute."""
        return [ChooseShip(ship) for ship in STARTING_SHIPS]

    def choose(self, draft: State, action: ChooseShip) -> None:
        """Ready to sail, with gold for those whose chest is poor."""
        player = draft.players[self.seat]
        if player.chest < CHEST_GOLD_PER_POINT:
            player.chest = 0
            player.gold = START_GOLD
        arrive(draft, self.seat, action.ship)
        push(draft, DrawGlory(self.seat))


def arrive(draft: State, seat: Seat, ship: ShipType) -> None:
    """A captain takes its first ship in its home port."""
    player = draft.players[seat]
    assert player.captain is not None
    player.ship = new_ship(ship)
    player.last_gold = player.gold
    draft.events.append(CaptainArrived(seat, player.captain, ship, player.zone, player.gold))
