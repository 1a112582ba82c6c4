"""What a seat may know of the table (section 3), and when spectators may be shown it."""

from __future__ import annotations

from functools import lru_cache

from referee.games.marauders.cards.effects import StashHere
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.rules.ashore.market import AskDemand
from referee.games.marauders.rules.raid import failures_left, successes_left
from referee.games.marauders.rules.turn_actions import AskAction
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import Combat, Fighter, Npc, Pile, Player, Raid, State, Visit
from referee.games.marauders.terms import Good, Modification, Nation
from referee.games.marauders.view.parts import (
    BoardView,
    CombatView,
    FighterView,
    NpcView,
    OwnView,
    PileView,
    RaidView,
    SeatView,
    View,
    VisitView,
)
from referee.rules.agenda import SeatQuestion
from referee.rules.engine import SPECTATOR, Seat
from referee.rules.parts import kept, replace

BOARDS = 1 << 12
"""How many different boards are remembered."""

VAULT = next(card for card, row in GLORY.items() if isinstance(row.effect, StashHere))
"""The glory card by which gold can be stashed in any port."""

FACE_DOWN = 0
"""A modification token that nobody may look at."""


def view(state: State, seat: Seat) -> View:
    """Return everything one seat may know."""
    players, turn, combat, raid = state.players, state.turn, state.combat, state.raid
    return View(
        round=state.round,
        event=state.event,
        turn_order=state.turn_order,
        turn=None if turn is None else (turn.seat, turn.actions, turn.free_moves),
        seats=tuple(map(_seat, players)) if state.round else _seats_at_setup(state, seat),
        seat=Seat(len(players)) if seat == SPECTATOR else seat,
        own=NOBODY if seat == SPECTATOR else _own(players[seat]),
        board=_board(state.demand, state.merchants, _modifications(state)),
        npcs=_npcs(state),
        returning=tuple([npc.cards[0] for npc in state.returning]),
        war=state.war or (),
        marque=state.marque or (),
        closed=state.closed,
        merchant_track=len(state.merchant_track),
        found=state.found,
        open_missions=state.open_missions,
        supply=_supply(state),
        event_deck=len(state.event_deck),
        captains=len(state.captains),
        piles=(_pile(state.cargo), _pile(state.glory), _pile(state.rumors), _pile(state.missions)),
        used_captains=state.used_captains,
        combat=None if combat is None else _combat(combat),
        raid=None if raid is None else _raid(raid),
        visit=None if state.visit is None or turn is None or turn.seat != seat else _visit(state.visit),
        dice=state.dice,
        target_glory=state.target_glory,
        event_discard=_event_discard(state.event_deck, state.event, _npc_cards(state)),
        port_cards=() if state.visit is None else _port_cards(state.visit),
    )


def _seats_at_setup(state: State, seat: Seat) -> tuple[SeatView, ...]:
    """During setup a captain is its seat's secret until all ships are chosen."""
    return tuple(
        _seat(player) if player.ship is not None or other == seat else _unknown_seat(player)
        for other, player in enumerate(state.players)
    )


@kept
def _seat(player: Player) -> SeatView:
    absent = player.captain is None
    return SeatView(
        captain=player.captain,
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
        had_big_ship_glory=player.bought_big_ship,
    )


@kept
def _unknown_seat(player: Player) -> SeatView:
    """Return a seat whose captain is not to be seen yet."""
    return replace(_seat(player), captain=None, zone=None, in_port=False)


@kept
def _own(player: Player) -> OwnView:
    return OwnView(
        captain=player.captain,
        gold=player.gold,
        chest=player.chest,
        cargo=player.cargo,
        glory=player.glory,
        rumor=player.rumor,
        bought_zone=player.bought_zone,
        bought_round=player.bought_round,
    )


NOBODY = OwnView(captain=None, gold=0, chest=0, cargo=(), glory=(), rumor=None, bought_zone=None, bought_round=0)
"""A spectator has nothing of its own."""


def _modifications(state: State) -> tuple[Modification | int | None, ...]:
    """Per zone the modification that lies there, as far as it can be seen."""
    return tuple([None if token is None else token.kind if token.face_up else FACE_DOWN for token in state.mods])


@lru_cache(BOARDS)
def _board(
    demand: tuple[Good | None, ...], merchants: tuple[Nation | None, ...], mods: tuple[Modification | int | None, ...]
) -> BoardView:
    return BoardView(
        demand=demand,
        merchants=tuple([token is not None for token in merchants]),
        modifications=tuple([token if isinstance(token, Modification) else None for token in mods]),
        face_down=tuple([token == FACE_DOWN for token in mods]),
    )


def _npcs(state: State) -> tuple[NpcView, ...]:
    present = [npc for npc in state.npcs if npc is not None]
    if state.war is None:
        return tuple(map(_npc_in_peace, present))
    war = state.war
    return tuple([_npc_in_war(npc) if npc.kind.nation in war else _npc_in_peace(npc) for npc in present])


@kept
def _npc_in_peace(npc: Npc) -> NpcView:
    return NpcView(npc=npc, ship=npc.kind.ship_type(in_war=False))


@kept
def _npc_in_war(npc: Npc) -> NpcView:
    return NpcView(npc=npc, ship=npc.kind.ship_type(in_war=True))


def _npc_cards(state: State) -> tuple[str, ...]:
    """Return the cards of all NPCs, in play or coming back."""
    npcs = [*(npc for npc in state.npcs if npc is not None), *state.returning]
    return tuple([card for npc in npcs for card in npc.cards])


@lru_cache(BOARDS)
def _event_discard(deck: tuple[str, ...], event: str | None, of_npcs: tuple[str, ...]) -> tuple[str, ...]:
    """Return what is left of all event cards: nobody turns the discard over, so it is the same for whoever counts."""
    elsewhere = {*deck, *of_npcs, event}
    return tuple([card for card in EVENTS if card not in elsewhere])


@kept
def _port_cards(visit: Visit) -> tuple[str, ...]:
    return (*visit.played, *((VAULT,) if visit.vault else ()))


@kept
def _pile(pile: Pile) -> PileView:
    return PileView(pile.name, len(pile.deck), pile.discard)


def _supply(state: State) -> tuple[Good, ...]:
    """Return the supply, with the tokens that a seat is looking at; which those are, only its options tell."""
    question = state.pending[-1] if state.pending else None
    if isinstance(question, AskDemand):
        return tuple(sorted((*state.supply, *question.drawn)))
    return state.supply


@kept
def _combat(combat: Combat) -> CombatView:
    attacker, defender = combat.fighters
    return CombatView(
        attacker=_fighter(attacker),
        defender=_fighter(defender),
        round=combat.round,
        crew_round=combat.crew_round,
        boarding=combat.boarding,
        volley=combat.volley,
    )


@kept
def _fighter(fighter: Fighter) -> FighterView:
    return FighterView(
        side=fighter.side,
        ship=fighter.ship,
        seamanship=fighter.seamanship,
        leadership=fighter.leadership,
        stance=fighter.stance,
        dice=fighter.dice,
        chasers_used=fighter.chasers_used,
        redirect_used=fighter.redirect_used,
        surgeon_used=fighter.surgeon_used,
        crew_dice=fighter.crew_dice,
    )


@kept
def _raid(raid: Raid) -> RaidView:
    return RaidView(
        nation=raid.nation,
        table=raid.table,
        dice=raid.dice,
        successes=successes_left(raid),
        failures=failures_left(raid),
    )


@kept
def _visit(visit: Visit) -> VisitView:
    return VisitView(open=visit.open, used=visit.used, offer=visit.offer, prices=visit.prices)


def settled(state: State) -> bool:
    """Check that no window is open (only seats with a playable card are asked), and that no turn goes on for cards
    alone."""
    question = state.pending[-1] if state.pending else None
    if state.ended is not None or not isinstance(question, SeatQuestion):
        return True
    if isinstance(question, AskAction):
        return state.turn is None or state.turn.actions + state.turn.free_moves > 0
    return not isinstance(question, Window)
