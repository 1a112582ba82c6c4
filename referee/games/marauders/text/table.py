"""The whole table as plain text, as a spectator who sees all would describe it."""

from __future__ import annotations

from referee.games.marauders.data.board import ZONES
from referee.games.marauders.data.captains import CAPTAINS
from referee.games.marauders.data.events import EVENTS
from referee.games.marauders.state import Npc, Player, Ship, State
from referee.games.marauders.terms import NATIONS, ZONES_IN_ORDER, Section, Skill, Zone
from referee.games.marauders.text.words import (
    ADJECTIVES,
    card_title,
    cargo_card,
    event_title,
    goods,
    names,
    npc_name,
    of_nation,
    place,
    who,
    word,
)
from referee.text import plural

SECTION_ORDER = (Section.HULL, Section.CARGO, Section.MASTS, Section.CREW, Section.CANNONS)
"""Ships are printed as the specification's vectors print them."""


def tell_table(state: State) -> str:
    """Describe the whole table: the round, the map with ports and ships, the seats, the NPCs."""
    return "\n".join([*_head(state), "", *_map(state), "", *_seats(state), *_fight(state)])


def _head(state: State) -> list[str]:
    event = "setup" if state.event is None else event_title(state.event)
    lines = [f"round {state.round} of 34 ({event}), {len(state.captains)} captains left, target {state.target_glory}"]
    if state.war is not None:
        lines.append(f"war: {word(state.war[0])} and {word(state.war[1])}")
    if state.marque is not None:
        lines.append(f"letter of marque: {word(state.marque[0])} against {word(state.marque[1])}")
    if state.closed:
        lines.append(f"plague in {', '.join(place(zone) for zone in state.closed)}")
    lines.append(f"open missions: {', '.join(map(card_title, state.open_missions))}")
    lines.append(f"merchants on the track: {len(state.merchant_track)}; demand supply: {names(state.supply)}")
    return lines


def _map(state: State) -> list[str]:
    lines = [f"{'zone':<16}{'port':<9}{'wants':<9}{'modification':<25}{'merchant':<10}ships"]
    for zone in ZONES_IN_ORDER:
        nation, demand, token = ZONES[zone].nation, state.demand[zone - 1], state.mods[zone - 1]
        merchant = state.merchants[zone - 1]
        modification = "" if token is None else word(token.kind) + ("" if token.face_up else " (down)")
        row = (
            f"{place(zone):<16}{ADJECTIVES[nation] if nation else '':<9}{demand.id if demand else '':<9}"
            f"{modification:<25}{ADJECTIVES[merchant] if merchant else '':<10}{_ships(state, zone)}"
        )
        lines.append(row.rstrip())
    return lines


def _ships(state: State, zone: Zone) -> str:
    ships = [
        f"seat {seat} {'in port' if player.in_port else 'at sea'}"
        for seat, player in enumerate(state.players)
        if player.captain is not None and player.zone == zone
    ]
    ships += [_npc(state, npc) for npc in state.npcs if npc is not None and npc.zone == zone]
    return ", ".join(ships)


def _npc(state: State, npc: Npc) -> str:
    row = EVENTS[npc.cards[0]].npc if npc.cards else None
    name = "war admiral" if row is None else row.name
    beneath = f", {len(npc.cards) - 1} beneath" if len(npc.cards) > 1 else ""
    return f"{npc_name(npc.kind)} ({name}, {word(state.npc_ship_type(npc.kind))}{beneath})"


def _seats(state: State) -> list[str]:
    lines: list[str] = []
    for seat, player in enumerate(state.players):
        turn = state.turn
        active = turn is not None and turn.seat == seat
        actions = ""
        if turn is not None and active:
            actions = f", {plural(turn.actions, 'action')}, {plural(turn.free_moves, 'free move')}"
        lines.append(
            f"seat {seat}: {plural(state.points(player), 'point')} (track {player.track}, chest {player.chest})"
            f"{', declared' if player.declared else ''}{actions}"
        )
        lines += [f"  {line}" for line in _captain(player)]
    return lines


def _captain(player: Player) -> list[str]:
    if player.captain is None:
        return ["no captain"]
    card = CAPTAINS[player.captain]
    skills = ", ".join(f"{word(skill)} {value}" for skill, value in zip(Skill, card.skills, strict=True))
    bounties = [f"{word(nation)} {count}" for nation, count in zip(NATIONS, player.bounties, strict=True) if count]
    lines = [
        f"{card.name} of {place(card.home)} ({ADJECTIVES[card.nation]}; {skills}), {player.gold} gold, "
        f"bounties: {', '.join(bounties) or 'none'}"
    ]
    if player.ship is not None:
        lines.append(ship_line(player.ship))
    lines.append(f"hold: {goods(player.cargo) or 'empty'}; weapons: {names(player.weapons)}")
    lines.append(
        f"glory: {', '.join(map(card_title, player.glory)) or 'none'}; rumor: {_card(player.rumor)}; "
        f"mission: {_card(player.mission)}"
    )
    men = names(hired.specialist for hired in player.specialists)
    if player.specialists or player.kept:
        lines.append(f"board: {', '.join([men] * bool(player.specialists) + [*map(card_title, player.kept)])}")
    return lines


def _card(card: str | None) -> str:
    return card_title(card) if card else "none"


def ship_line(ship: Ship) -> str:
    """Describe a ship in one line: hull/cargo/masts/crew/cannons."""
    values = "/".join(str(ship.value(section)) for section in SECTION_ORDER)
    flipped = " (hull flipped)" if ship.flipped else ""
    return f"{word(ship.type)} {values} manoeuvrability {ship.manoeuvrability}, built: {names(ship.mods)}{flipped}"


def _fight(state: State) -> list[str]:
    lines: list[str] = []
    if state.raid is not None:
        drawn = "; ".join(map(cargo_card, state.raid.table)) or "no card yet"
        lines.append(f"raid on {of_nation(state.raid.nation, 'merchant')}: {drawn}")
    if state.combat is not None:
        lines.append(f"combat, naval round {state.combat.round}, crew round {state.combat.crew_round}")
        lines += [f"  {who(fighter.side)}: {ship_line(fighter.ship)}" for fighter in state.combat.fighters]
    return ["", *lines] if lines else []
