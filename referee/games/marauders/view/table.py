"""What a seat may know of the table (section 3), and when spectators may be shown it."""

from __future__ import annotations

from functools import lru_cache

from referee.agenda import SeatQuestion
from referee.engine import SPECTATOR, Seat
from referee.games.marauders.rules.market import AskDemand
from referee.games.marauders.rules.raid import failures_left, successes_left
from referee.games.marauders.rules.turn_actions import AskAction
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import Fighter, Player, State
from referee.games.marauders.terms import (
    Good,
)
from referee.games.marauders.view.parts import (
    BoardView,
    CombatView,
    FighterView,
    NpcView,
    OwnView,
    RaidView,
    SeatView,
    View,
    VisitView,
)


def view(state: State, seat: Seat) -> View:
    """Everything one seat may know."""
    turn = state.turn
    return View(
        round=state.round,
        event=state.event,
        turn_order=state.turn_order,
        turn=None if turn is None else (turn.seat, turn.actions, turn.free_moves),
        seats=tuple([_seat(state, player, hidden_captain(state, player, seat)) for player in state.players]),
        own=_nobody(len(state.players)) if seat == SPECTATOR else _own(state.players[seat], seat),
        board=_board(state),
        npcs=tuple([NpcView(npc=npc, ship=state.npc_ship_type(npc.kind)) for npc in state.npcs if npc is not None]),
        returning=tuple([npc.cards[0] for npc in state.returning]),
        war=state.war or (),
        marque=state.marque or (),
        closed=state.closed,
        merchant_track=len(state.merchant_track),
        found=state.found,
        open_missions=tuple(state.open_missions),
        supply=_supply(state),
        decks=(
            len(state.event_deck),
            len(state.captains),
            len(state.cargo.deck),
            len(state.glory.deck),
            len(state.rumors.deck),
            len(state.missions.deck),
        ),
        cargo_discard=tuple(state.cargo.discard),
        glory_discard=tuple(state.glory.discard),
        rumor_discard=tuple(state.rumors.discard),
        mission_discard=tuple(state.missions.discard),
        used_captains=tuple(state.used_captains),
        combat=_combat(state),
        raid=_raid(state),
        visit=_visit(state, seat),
        dice=state.dice,
        target_glory=state.target_glory,
    )


def hidden_captain(state: State, player: Player, seat: Seat) -> bool:
    """During setup a captain is its seat's secret until all ships are chosen."""
    if state.round or player.ship is not None:
        return False
    return seat == SPECTATOR or player is not state.players[seat]


def _seat(state: State, player: Player, hidden: bool) -> SeatView:
    absent = hidden or player.captain is None
    return SeatView(
        captain=None if absent else player.captain,
        ship=player.ship,
        zone=None if absent else player.zone,
        in_port=player.in_port and not absent,
        bounties=player.bounties,
        cargo_count=len(player.cargo),
        glory_count=len(player.glory),
        has_rumor=player.rumor is not None,
        mission=player.mission,
        weapons=player.weapons,
        specialists=tuple([hired.specialist for hired in player.specialists]),
        kept=player.kept,
        track=player.track,
        stash_count=player.stash_count,
        retirements=player.retirements,
        declared=player.declared,
        chest=player.chest if player.declared else None,
        last_gold=player.last_gold,
    )


def _own(player: Player, seat: Seat) -> OwnView:
    return OwnView(
        seat=seat,
        captain=player.captain,
        gold=player.gold,
        chest=player.chest,
        cargo=player.cargo,
        glory=player.glory,
        rumor=player.rumor,
        bought_zone=player.bought_zone,
        bought_round=player.bought_round,
    )


@lru_cache(None)
def _nobody(seats: int) -> OwnView:
    """A spectator has nothing of its own."""
    return OwnView(
        seat=Seat(seats),
        captain=None,
        gold=0,
        chest=0,
        cargo=(),
        glory=(),
        rumor=None,
        bought_zone=None,
        bought_round=0,
    )


def _board(state: State) -> BoardView:
    mods = state.mods
    return BoardView(
        demand=tuple(state.demand),
        merchants=tuple([token is not None for token in state.merchants]),
        modifications=tuple([token.kind if token is not None and token.face_up else None for token in mods]),
        face_down=tuple([token is not None and not token.face_up for token in mods]),
    )


def _supply(state: State) -> tuple[Good, ...]:
    """The supply, with the tokens that a seat is looking at; which those are, only its options tell."""
    question = state.pending[-1] if state.pending else None
    if isinstance(question, AskDemand):
        return tuple(sorted((*state.supply, *question.drawn)))
    return tuple(state.supply)


def _combat(state: State) -> CombatView | None:
    combat = state.combat
    if combat is None:
        return None
    attacker, defender = map(_fighter, combat.fighters)
    return CombatView(
        attacker=attacker,
        defender=defender,
        round=combat.round,
        crew_round=combat.crew_round,
        boarding=combat.boarding,
        volley=combat.volley,
    )


def _fighter(fighter: Fighter) -> FighterView:
    return FighterView(
        side=fighter.side,
        ship=fighter.ship,
        seamanship=fighter.seamanship,
        leadership=fighter.leadership,
        stance=fighter.stance,
        dice=fighter.dice,
    )


def _raid(state: State) -> RaidView | None:
    raid = state.raid
    if raid is None:
        return None
    return RaidView(
        nation=raid.nation,
        table=raid.table,
        dice=raid.dice,
        successes=successes_left(raid),
        failures=failures_left(raid),
    )


def _visit(state: State, seat: Seat) -> VisitView | None:
    visit = state.visit
    if visit is None or state.turn is None or state.turn.seat != seat:
        return None
    return VisitView(open=visit.open, used=visit.used, offer=visit.offer, prices=visit.prices)


def settled(state: State) -> bool:
    """No window is open (only seats with a playable card are asked), and no turn goes on for cards alone."""
    question = state.pending[-1] if state.pending else None
    if state.ended is not None or not isinstance(question, SeatQuestion):
        return True
    if isinstance(question, AskAction):
        return state.turn is None or state.turn.actions + state.turn.free_moves > 0
    return not isinstance(question, Window)
