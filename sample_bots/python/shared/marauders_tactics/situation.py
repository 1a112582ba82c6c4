"""A question made easy to read: who and where I am, what I hold, where I may go."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from marauders_tactics.chart import CARGO, DISTANCE, HOMES, MISSIONS, NATION_OF, RUMORS, Errand
from tortuga.v1.marauders_pb2 import Marauders
from tortuga_bot import Question

CARGO_SECTION, MASTS, CREW, CANNONS, HULL = range(5)
"""Places of the sections in `Ship.sections`."""

PIRATES = (Marauders.NPC_KIND_PIRATE_SLOOP, Marauders.NPC_KIND_PIRATE_FRIGATE)
BIG_SHIPS = (Marauders.SHIP_TYPE_FRIGATE, Marauders.SHIP_TYPE_GALLEON, Marauders.SHIP_TYPE_MAN_O_WAR)


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What makes one bot different from another."""

    first_ship: int
    """A number of the enum ShipType."""
    big_ship: int
    """The frigate or galleon it saves for."""
    trades: bool
    """Buys goods to sell them."""
    raids: bool
    """Looks for merchants and does not mind bounties."""
    reserve: int
    """Gold it does not stash."""


class Situation:
    """One question with everything at hand. Built anew for each question: no state of its own."""

    def __init__(self, question: Question, plan: Plan) -> None:
        position: Marauders.Position = question.position
        self.plan = plan
        self.decision = position.decision
        self.view = position.observation
        self.options = list(position.options)
        self.kinds = [option.WhichOneof("action") or "" for option in self.options]
        self.own = self.view.own
        self.seat = self.own.seat
        self.me = self.view.seats[self.seat]
        self.ship = self.me.ship
        self.zone = self.me.zone
        self.goods = Counter(CARGO[card].good for card in self.own.cargo)
        self.demand: dict[int, int] = {info.zone: info.demand for info in self.view.zones}
        self.home = HOMES.get(self.own.captain, 0)
        self.nation = NATION_OF.get(self.home, 0)
        self.wanted = any(self.me.bounties)

    def index(self, kind: str) -> int | None:
        """Return the first option of a kind."""
        return self.kinds.index(kind) if kind in self.kinds else None

    def indices(self, kind: str) -> list[int]:
        """Return all options of a kind."""
        return [index for index, name in enumerate(self.kinds) if name == kind]

    def card(self, *cards: int) -> int | None:
        """Return the first option that plays one of these cards."""
        for index in self.indices("play_glory"):
            if self.options[index].play_glory.card in cards:
                return index
        return None

    def rumor(self) -> Errand | None:
        """Return where the rumor in hand is settled."""
        return RUMORS.get(self.own.rumor)

    def mission(self) -> Errand | None:
        """Return where the mission in hand is settled; None for those that are settled by fighting."""
        return MISSIONS.get(self.me.mission)

    def may_enter(self, zone: int) -> bool:
        """Check whether I expect to be let into that port."""
        nation = NATION_OF[zone]
        if not nation or zone in self.view.closed:
            return False
        if len(self.view.war) == 2 and nation != self.nation and {nation, self.nation} == set(self.view.war):
            return False
        return zone == self.home or not self.me.bounties[nation - 1]

    def danger(self, zone: int) -> float:
        """Return how unpleasant it is to be at sea there: hostile NPCs by their strength against mine."""
        total = 0.0
        for npc in self.view.npcs:
            if npc.zone == zone and self.is_hostile(npc):
                enemy = {Marauders.SHIP_TYPE_SLOOP: 5, Marauders.SHIP_TYPE_FRIGATE: 9}.get(npc.ship, 15)
                mine = self.ship.sections[CREW] + self.ship.sections[CANNONS] + 1
                total += min(2.0, enemy / (2 * mine))
        return total

    def is_hostile(self, npc: Marauders.NpcInfo) -> bool:
        """Check whether an NPC hunts me: navies hunt pirates and enemies, pirates hunt the honest."""
        if npc.npc in PIRATES:
            return not self.wanted
        at_war = len(self.view.war) == 2 and {int(npc.npc), self.nation} == set(self.view.war)
        return self.wanted or at_war

    def room(self) -> int:
        """Count the cargo cards that still fit into the hold at sea."""
        return max(0, self.ship.sections[CARGO_SECTION] - len(self.own.cargo))

    def damage(self) -> int:
        """Count the points to repair, Crew apart."""
        lost = [most - value for value, most in zip(self.ship.sections, self.ship.maxima, strict=True)]
        return sum(lost) - lost[CREW]

    def buyer_distance(self, good: int) -> int:
        """Return how far the nearest open port is that wants the good; 9 if there is none."""
        ports = [zone for zone, wanted in self.demand.items() if wanted == good and self.may_enter(zone)]
        return min((DISTANCE[self.zone][zone] for zone in ports), default=9)

    def card_worth(self, good: int, count: int) -> float:
        """Return what a card of a good is worth when I hold that many of it: three for one near port are glory."""
        distance = self.buyer_distance(good)
        if distance > 4:
            return 3.0
        return 6.0 - 0.5 * distance + (3.0 if count >= 3 else 0.0)
