"""The Port action (5.2, 6.6): who may enter and act, and the menu of activities."""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions.cards import PlayGlory
from referee.games.marauders.actions.port import (
    DONE,
    Buy,
    BuyDraw,
    BuyModification,
    BuyRumor,
    BuyShip,
    BuyWeapon,
    Claim,
    DoMission,
    Done,
    FixHull,
    Hire,
    Pardon,
    PortAction,
    Recruit,
    Repair,
    RepairEverything,
    Sell,
    SellWeapon,
    Stash,
    TryRumor,
    Withdraw,
)
from referee.games.marauders.data.board import ZONES
from referee.games.marauders.events.port import ModificationRevealed, PortVisited
from referee.games.marauders.rules.ashore.glory_cards import card_entries, play_card
from referee.games.marauders.rules.ashore.market import (
    buy,
    buy_draw,
    buy_entries,
    close_buy,
    close_sell,
    sell,
    sell_entries,
    visit_of,
)
from referee.games.marauders.rules.ashore.shipyard import shipyard_entries, use_shipyard
from referee.games.marauders.rules.ashore.tavern import (
    buy_pardon,
    buy_rumor,
    claim,
    do_mission,
    hire,
    mission_entries,
    pardon_entries,
    quest_entries,
    recruit,
    recruit_entries,
    rumor_entries,
    stash,
    stash_entries,
    withdraw,
)
from referee.games.marauders.rules.modifiers import at_war, bounty, captain_of, kept_mod, mod
from referee.games.marauders.rules.quests import test_rumor
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.state import State, Visit
from referee.games.marauders.terms import Activity, Entry
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, put, replace

ACTIVITIES: dict[type, Activity] = {
    Sell: Activity.SELL,
    BuyDraw: Activity.BUY,
    Buy: Activity.BUY,
    Repair: Activity.SHIPYARD,
    RepairEverything: Activity.SHIPYARD,
    FixHull: Activity.SHIPYARD,
    BuyModification: Activity.SHIPYARD,
    BuyWeapon: Activity.SHIPYARD,
    SellWeapon: Activity.SHIPYARD,
    BuyShip: Activity.SHIPYARD,
    Recruit: Activity.RECRUIT,
    Hire: Activity.RECRUIT,
    BuyRumor: Activity.RUMOR,
    Claim: Activity.MISSION,
    Stash: Activity.STASH,
    Withdraw: Activity.STASH,
}
"""The activity of an entry; entries that are missing here belong to none."""


# --- Who may enter and act --------------------------------------------------------------------------------------------


def is_shut(state: State, seat: Seat) -> bool:
    """Check whether plague or war closes the port of the captain's zone to it (R11)."""
    player = state.players[seat]
    nation = ZONES[player.zone].nation
    return player.zone in state.closed or (nation is not None and at_war(state, nation, captain_of(player).nation))


def is_outlaw(state: State, seat: Seat) -> bool:
    """Check whether the port's nation wants the captain, outside its home."""
    player = state.players[seat]
    nation = ZONES[player.zone].nation
    return nation is not None and player.zone != captain_of(player).home and bounty(player, nation) > 0


def ways_in(state: State, seat: Seat) -> tuple[Entry, ...]:
    """Return how the captain may enter the port of its zone."""
    player = state.players[seat]
    if ZONES[player.zone].nation is None:
        return ()
    if mod(state, seat, "port.enter_any"):
        return (Entry.FREE,)
    if is_shut(state, seat):
        return ()
    if not is_outlaw(state, seat):
        return (Entry.FREE,)
    price = mod(state, seat, "port.outlaw")
    if not price:
        return ()
    return (Entry.PAY, Entry.ROLL) if player.gold >= price else (Entry.ROLL,)


def may_act(state: State, seat: Seat) -> bool:
    """Check whether the Port action may be taken at all."""
    return not is_shut(state, seat) or bool(mod(state, seat, "port.enter_any"))


def must_roll(state: State, seat: Seat) -> bool:
    """Check whether an Influence roll is due: a captain whose own card opens every port acts in a forbidden one only
    after it."""
    player = state.players[seat]
    if kept_mod(player, "port.enter_any") or not mod(state, seat, "port.enter_any"):
        return False
    return is_shut(state, seat) or is_outlaw(state, seat)


# --- The Port action --------------------------------------------------------------------------------------------------


@immutable(frozen=True, slots=True)
class BeginVisit(Task[State]):
    """A Port action begins: the port's modification is turned face up."""

    TAG: ClassVar[str] = "BeginVisit"
    seat: Seat

    def run(self, draft: State) -> None:
        """Show the modification, then ask for the first entry."""
        assert draft.turn is not None
        draft.turn = replace(draft.turn, port_used=True)
        draft.visit = Visit()
        zone = draft.players[self.seat].zone
        tell(draft, PortVisited, self.seat, zone)
        token = draft.mods[zone - 1]
        if token is not None and not token.face_up:
            draft.mods = put(draft.mods, zone - 1, replace(token, face_up=True))
            tell(draft, ModificationRevealed, zone, token.kind)
        push(draft, AskPort(self.seat))


@immutable(frozen=True, slots=True)
class AskPort(SeatQuestion[State, Done | PortAction | PlayGlory]):
    """`port`: all that can still be done in this Port action."""

    TAG: ClassVar[str] = "AskPort"
    kind: ClassVar[str] = "port"

    def options(self, state: State) -> list[Done | PortAction | PlayGlory]:
        """List the options in the order of the table of 5.2."""
        seat = self.seat
        return [
            DONE,
            *sell_entries(state, seat),
            *buy_entries(state, seat),
            *shipyard_entries(state, seat),
            *recruit_entries(state, seat),
            *rumor_entries(state, seat),
            *mission_entries(state, seat),
            *stash_entries(state, seat),
            *quest_entries(state, seat),
            *pardon_entries(state, seat),
            *card_entries(state, seat),
        ]

    def choose(self, draft: State, action: Done | PortAction | PlayGlory) -> None:
        """Open and close activities, carry the entry out, ask again."""
        if isinstance(action, Done):
            close(draft, self.seat)
            draft.visit = None
            return
        activity = ACTIVITIES.get(type(action))
        if activity is not None and activity != visit_of(draft).open:
            close(draft, self.seat)
            visit = visit_of(draft)
            draft.visit = replace(visit, open=activity, used=(*visit.used, activity))
        push(draft, self)
        carry_out(draft, self.seat, action)


def close(draft: State, seat: Seat) -> None:
    """End the open activity for the rest of the Port action."""
    activity = visit_of(draft).open
    if activity == Activity.SELL:
        close_sell(draft, seat)
    elif activity == Activity.BUY:
        close_buy(draft, seat)
    draft.visit = replace(visit_of(draft), open=None)


def close_selling(draft: State, seat: Seat) -> None:
    """Quests close Sell, whether it was open or not."""
    close_sell(draft, seat)
    visit = visit_of(draft)
    if visit.open == Activity.SELL:
        draft.visit = replace(visit, open=None)


def carry_out(draft: State, seat: Seat, action: PortAction | PlayGlory) -> None:
    """Carry out one entry of the menu."""
    match action:
        case Sell(good, count):
            sell(draft, seat, good, count)
        case BuyDraw():
            buy_draw(draft, seat)
        case Buy(good, count):
            buy(draft, seat, good, count)
        case Recruit():
            recruit(draft, seat)
        case Hire(count):
            hire(draft, seat, count)
        case BuyRumor():
            buy_rumor(draft, seat)
        case Claim(mission):
            claim(draft, seat, mission)
        case Stash(gold):
            stash(draft, seat, gold)
        case Withdraw(gold):
            withdraw(draft, seat, gold)
        case TryRumor():
            close_selling(draft, seat)
            draft.visit = replace(visit_of(draft), tested_rumor=True)
            test_rumor(draft, seat)
        case DoMission():
            close_selling(draft, seat)
            do_mission(draft, seat)
        case Pardon():
            buy_pardon(draft, seat, action)
        case PlayGlory():
            play_card(draft, seat, action)
        case Repair() | RepairEverything() | FixHull() | BuyModification() | BuyWeapon() | SellWeapon() | BuyShip():
            use_shipyard(draft, seat, action)
        case _:
            assert_never(action)
