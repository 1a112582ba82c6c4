"""The 34 event cards (cards file C). Literals only."""

from __future__ import annotations

from dataclasses import field

from referee.games.marauders.cards.event_texts import Convoy, EventText, Markets, Marque, Peace, Plague, Storm, War
from referee.games.marauders.cards.modifiers import Modifiers
from referee.games.marauders.terms import NpcKind, Wind, Zone
from referee.rules.parts import immutable


@immutable(frozen=True, kw_only=True, slots=True)
class NpcRow:
    """An NPC's captain, who enters there at the end of the round. `skills`: seamanship, scouting, leadership."""

    kind: NpcKind
    name: str
    zone: Zone
    skills: tuple[int, int, int]


@immutable(frozen=True, kw_only=True)
class EventCard:
    """An event card: NPC icons from left to right, then a text, modifiers for the round, or an NPC."""

    id: str
    icons: tuple[tuple[NpcKind, Wind], ...] = ()
    text: EventText | None = None
    modifiers: Modifiers = field(default_factory=dict)
    npc: NpcRow | None = None
    mark: str


ADMIRAL_SKILLS = (2, 2, 2)
"""A war admiral has no card (H)."""

EVENT_ROWS = (
    EventCard(
        id="navy_es_1",
        npc=NpcRow(kind=NpcKind.NAVY_ES, name="Fadrique de Toledo", zone=Zone.HAVANA, skills=(2, 3, 2)),
        mark="H",
    ),
    EventCard(
        id="navy_es_2",
        npc=NpcRow(kind=NpcKind.NAVY_ES, name="Carlos de Ibarra", zone=Zone.CARTAGENA, skills=(3, 2, 2)),
        mark="H",
    ),
    EventCard(
        id="navy_es_3",
        npc=NpcRow(kind=NpcKind.NAVY_ES, name="Roque Centeno", zone=Zone.SAN_JUAN, skills=(2, 2, 3)),
        mark="H",
    ),
    EventCard(
        id="navy_en_1",
        npc=NpcRow(kind=NpcKind.NAVY_EN, name="Christopher Myngs", zone=Zone.PORT_ROYAL, skills=(3, 2, 2)),
        mark="H",
    ),
    EventCard(
        id="navy_en_2",
        npc=NpcRow(kind=NpcKind.NAVY_EN, name="John Harman", zone=Zone.BRIDGETOWN, skills=(2, 2, 3)),
        mark="H",
    ),
    EventCard(
        id="navy_en_3",
        npc=NpcRow(kind=NpcKind.NAVY_EN, name="Robert Holmes", zone=Zone.NASSAU, skills=(2, 3, 2)),
        mark="H",
    ),
    EventCard(
        id="navy_fr_1",
        npc=NpcRow(kind=NpcKind.NAVY_FR, name="Jean d'Estrées", zone=Zone.BASSE_TERRE, skills=(2, 3, 2)),
        mark="H",
    ),
    EventCard(
        id="navy_fr_2",
        npc=NpcRow(kind=NpcKind.NAVY_FR, name="Joseph de La Barre", zone=Zone.PETIT_GOAVE, skills=(3, 2, 2)),
        mark="H",
    ),
    EventCard(
        id="navy_fr_3",
        npc=NpcRow(kind=NpcKind.NAVY_FR, name="Bertrand d'Ogeron", zone=Zone.TORTUGA, skills=(2, 2, 3)),
        mark="H",
    ),
    EventCard(
        id="navy_nl_1",
        npc=NpcRow(kind=NpcKind.NAVY_NL, name="Philips van Almonde", zone=Zone.CURACAO, skills=(2, 3, 2)),
        mark="S name, zone; H skills",
    ),
    EventCard(
        id="navy_nl_2",
        npc=NpcRow(kind=NpcKind.NAVY_NL, name="Abraham Crijnssen", zone=Zone.ST_MAARTEN, skills=(3, 2, 2)),
        mark="F name; H rest",
    ),
    EventCard(
        id="navy_nl_3",
        npc=NpcRow(kind=NpcKind.NAVY_NL, name="Jacob Binckes", zone=Zone.CURACAO, skills=(2, 2, 3)),
        mark="H",
    ),
    EventCard(
        id="pirate_sloop_1",
        npc=NpcRow(kind=NpcKind.PIRATE_SLOOP, name="Black Tom Avery", zone=Zone.NASSAU, skills=(3, 2, 2)),
        mark="H",
    ),
    EventCard(
        id="pirate_sloop_2",
        npc=NpcRow(kind=NpcKind.PIRATE_SLOOP, name="Nan Fletcher", zone=Zone.TORTUGA, skills=(2, 3, 2)),
        mark="H",
    ),
    EventCard(
        id="pirate_sloop_3",
        npc=NpcRow(kind=NpcKind.PIRATE_SLOOP, name="Old Roche", zone=Zone.TRINIDAD, skills=(2, 2, 3)),
        mark="H",
    ),
    EventCard(
        id="pirate_frigate_1",
        npc=NpcRow(kind=NpcKind.PIRATE_FRIGATE, name="Lorencillo", zone=Zone.OLD_PROVIDENCE, skills=(2, 3, 3)),
        mark="H",
    ),
    EventCard(
        id="pirate_frigate_2",
        npc=NpcRow(kind=NpcKind.PIRATE_FRIGATE, name="Michel le Basque", zone=Zone.CARIBBEAN_SEA, skills=(3, 2, 3)),
        mark="H",
    ),
    EventCard(
        id="pirate_frigate_3",
        icons=((NpcKind.NAVY_FR, Wind.N), (NpcKind.NAVY_NL, Wind.S), (NpcKind.PIRATE_SLOOP, Wind.N)),
        npc=NpcRow(kind=NpcKind.PIRATE_FRIGATE, name="Diego de los Reyes", zone=Zone.ST_JOHN, skills=(3, 3, 2)),
        mark="H",
    ),
    EventCard(
        id="war_1",
        icons=((NpcKind.NAVY_ES, Wind.N), (NpcKind.NAVY_EN, Wind.S), (NpcKind.NAVY_FR, Wind.N)),
        text=War(),
        mark="H",
    ),
    EventCard(
        id="war_2",
        icons=((NpcKind.NAVY_NL, Wind.E), (NpcKind.PIRATE_SLOOP, Wind.W), (NpcKind.PIRATE_FRIGATE, Wind.E)),
        text=War(),
        mark="H",
    ),
    EventCard(
        id="peace",
        icons=((NpcKind.NAVY_EN, Wind.S), (NpcKind.NAVY_FR, Wind.N), (NpcKind.NAVY_NL, Wind.S)),
        text=Peace(),
        modifiers={"port.pardon": 5},
        mark="H",
    ),
    EventCard(
        id="plague",
        icons=((NpcKind.PIRATE_SLOOP, Wind.W), (NpcKind.PIRATE_FRIGATE, Wind.E), (NpcKind.NAVY_ES, Wind.W)),
        text=Plague(3),
        mark="H",
    ),
    EventCard(
        id="storm_1",
        icons=((NpcKind.NAVY_FR, Wind.E), (NpcKind.NAVY_NL, Wind.W), (NpcKind.PIRATE_SLOOP, Wind.E)),
        text=Storm(),
        mark="H",
    ),
    EventCard(
        id="storm_2",
        icons=((NpcKind.PIRATE_FRIGATE, Wind.S), (NpcKind.NAVY_ES, Wind.N), (NpcKind.NAVY_EN, Wind.S)),
        text=Storm(),
        mark="H",
    ),
    EventCard(
        id="high_seas",
        icons=((NpcKind.NAVY_NL, Wind.W), (NpcKind.PIRATE_SLOOP, Wind.E), (NpcKind.PIRATE_FRIGATE, Wind.W)),
        modifiers={"move.sea_cost": 1},
        mark="H",
    ),
    EventCard(
        id="royal_pardon",
        icons=((NpcKind.NAVY_ES, Wind.N), (NpcKind.NAVY_EN, Wind.S), (NpcKind.NAVY_FR, Wind.N)),
        modifiers={"port.pardon": 4},
        mark="H",
    ),
    EventCard(
        id="merchant_convoy",
        icons=((NpcKind.PIRATE_SLOOP, Wind.S), (NpcKind.PIRATE_FRIGATE, Wind.N), (NpcKind.NAVY_ES, Wind.S)),
        text=Convoy(),
        mark="H",
    ),
    EventCard(
        id="treasure_fleet",
        icons=((NpcKind.NAVY_EN, Wind.W), (NpcKind.NAVY_FR, Wind.E), (NpcKind.NAVY_NL, Wind.W)),
        modifiers={"raid.gold.ES": 4},
        mark="H",
    ),
    EventCard(
        id="shifting_markets",
        icons=((NpcKind.PIRATE_FRIGATE, Wind.N), (NpcKind.NAVY_ES, Wind.S), (NpcKind.NAVY_EN, Wind.N)),
        text=Markets(4),
        mark="H",
    ),
    EventCard(
        id="navy_patrol",
        icons=((NpcKind.NAVY_FR, Wind.E), (NpcKind.NAVY_NL, Wind.W), (NpcKind.PIRATE_SLOOP, Wind.E)),
        modifiers={"dice.npc_scout.navy": 1},
        mark="H",
    ),
    EventCard(
        id="becalmed",
        icons=((NpcKind.NAVY_ES, Wind.W), (NpcKind.NAVY_EN, Wind.E), (NpcKind.NAVY_FR, Wind.W)),
        modifiers={"turn.actions": -1},
        mark="H",
    ),
    EventCard(
        id="trade_winds",
        icons=((NpcKind.NAVY_NL, Wind.N), (NpcKind.PIRATE_SLOOP, Wind.S), (NpcKind.PIRATE_FRIGATE, Wind.N)),
        modifiers={"turn.free_moves": 1},
        mark="H",
    ),
    EventCard(
        id="tavern_tales",
        icons=((NpcKind.NAVY_EN, Wind.E), (NpcKind.NAVY_FR, Wind.W), (NpcKind.NAVY_NL, Wind.E)),
        modifiers={"cost.rumor": -2, "dice.influence.rumor": 1},
        mark="H",
    ),
    EventCard(
        id="letter_of_marque",
        icons=((NpcKind.PIRATE_SLOOP, Wind.S), (NpcKind.PIRATE_FRIGATE, Wind.N), (NpcKind.NAVY_ES, Wind.S)),
        text=Marque(),
        mark="H",
    ),
)

EVENTS = {row.id: row for row in EVENT_ROWS}
