"""Captains that come and go: death, retirement, a new captain (6.11, R16, R17, R32)."""

from __future__ import annotations

from typing import ClassVar

from referee.games.marauders.actions import each
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
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import Player, State
from referee.games.marauders.terms import ShipType, Zone
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


@immutable(frozen=True, slots=True)
class Die(Task[State]):
    """A captain dies."""

    TAG: ClassVar[str] = "Die"
    seat: Seat

    def run(self, draft: State) -> None:
        """Take everything but track and chest; the game may be over."""
        captain = draft.players[self.seat].captain
        assert captain is not None
        tell(draft, CaptainDied, self.seat, captain)
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
        """Discard the same by choice."""
        player = draft.players[self.seat]
        assert player.captain is not None
        draft.set_player(self.seat, replace(player, retirements=player.retirements + 1))
        tell(draft, CaptainRetired, self.seat, player.captain)
        leave_sea(draft, self.seat)


def leave_sea(draft: State, seat: Seat) -> None:
    """Discard all that belongs to a captain; its modifications go back to ports."""
    player = draft.players[seat]
    assert player.captain is not None
    draft.used_captains += (player.captain,)
    for card in (*player.glory, *(hired.card for hired in player.specialists), *player.kept):
        discard(draft, card)
    if player.rumor is not None:
        discard(draft, player.rumor)
        tell(draft, RumorDiscarded, seat, player.rumor)
    if player.mission is not None:
        discard(draft, player.mission)
        tell(draft, MissionDiscarded, seat, player.mission)
    discard_cargo(draft, seat, player.cargo)
    if player.ship is not None:
        place_modifications(draft, seat, player.ship.mods)
    outlives = Player(
        captain=None,
        zone=player.zone,
        in_port=player.in_port,
        track=player.track,
        chest=player.chest,
        stash_count=player.stash_count,
        retirements=player.retirements,
        declared=player.declared,
        last_gold=player.last_gold,
    )
    draft.set_player(seat, outlives)


@immutable(frozen=True, slots=True)
class NewCaptain(Task[State]):
    """At the start of a turn without captain."""

    TAG: ClassVar[str] = "NewCaptain"
    seat: Seat

    def run(self, draft: State) -> None:
        """Draw, and draw again while a pirate lies off the home port (R17); then the ship."""
        deck = list(draft.captains)
        aside = []
        captain = deck.pop()
        while deck and _pirate_in(draft, CAPTAINS[captain].home):
            aside.append(captain)
            captain = deck.pop()
        draft.captains = (*reversed(aside), *deck)
        player = draft.players[self.seat]
        draft.set_player(self.seat, replace(player, captain=captain, zone=CAPTAINS[captain].home, in_port=True))
        push(draft, AskShip(self.seat))


def _pirate_in(state: State, zone: Zone) -> bool:
    return any(npc is not None and npc.kind.nation is None and npc.zone == zone for npc in state.npcs)


@immutable(frozen=True, slots=True)
class AskShip(SeatQuestion[State, ChooseShip]):
    """`choose_ship` of a new captain during the game."""

    TAG: ClassVar[str] = "AskShip"
    kind: ClassVar[str] = "choose_ship"

    def options(self, state: State) -> tuple[ChooseShip, ...]:
        """Return a sloop or a flute."""
        return each(ChooseShip, STARTING_SHIPS)

    def choose(self, draft: State, action: ChooseShip) -> None:
        """Ready to sail, with gold for those whose chest is poor."""
        player = draft.players[self.seat]
        if player.chest < CHEST_GOLD_PER_POINT:
            draft.set_player(self.seat, replace(player, chest=0, gold=START_GOLD))
        arrive(draft, self.seat, action.ship)
        push(draft, DrawGlory(self.seat))


def arrive(draft: State, seat: Seat, ship: ShipType) -> None:
    """Give a captain its first ship in its home port."""
    player = draft.players[seat]
    assert player.captain is not None
    draft.set_player(seat, replace(player, ship=new_ship(ship), last_gold=player.gold))
    tell(draft, CaptainArrived, seat, player.captain, ship, player.zone, player.gold)
