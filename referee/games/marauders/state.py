"""What lies on the table. No rules here.

Small things (a ship, an NPC, a volley) are frozen and replaced when they change, so that copies of a state share them;
only what is copied in `State.copy` is changed in place.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from referee.chance import Chance
from referee.engine import Decision, Seat
from referee.games.marauders.actions import Action
from referee.games.marauders.events import Event
from referee.games.marauders.terms import (
    Activity,
    Good,
    Modification,
    Nation,
    NpcKind,
    Section,
    ShipType,
    Side,
    Specialist,
    Stance,
    Weapon,
    Zone,
)


@dataclass(frozen=True, slots=True)
class Ship:
    """A ship as it is now. `sections` in the order cargo, masts, crew, cannons, hull."""

    type: ShipType
    sections: tuple[int, ...]
    mods: tuple[Modification, ...] = ()
    flipped: bool = False
    """The reinforced hull took its hit."""

    def value(self, section: Section) -> int:
        """What is left of a section; 0 is destroyed."""
        return self.sections[section - 1]


@dataclass(frozen=True, slots=True)
class Hired:
    """A specialist on a board, and the card it is."""

    specialist: Specialist
    card: str


@dataclass(slots=True, kw_only=True)
class Player:
    """One seat: its captain with ship and belongings, and what outlives captains."""

    captain: str | None
    """None: dead or retired, a new one comes at the seat's next turn."""
    ship: Ship | None = None
    zone: Zone
    in_port: bool = True
    gold: int = 0
    bounties: tuple[int, ...] = (0, 0, 0, 0)
    """Per nation in the order EN, ES, FR, NL."""
    cargo: tuple[str, ...] = ()
    """The longest aboard first."""
    glory: tuple[str, ...] = ()
    rumor: str | None = None
    mission: str | None = None
    weapons: tuple[Weapon, ...] = ()
    specialists: tuple[Hired, ...] = ()
    kept: tuple[str, ...] = ()
    bought_big_ship: bool = False
    """This captain has had its glory point for a frigate or galleon."""
    bought_zone: Zone | None = None
    bought_round: int = 0
    """Where and when goods were drawn last (ruling R23)."""
    track: int = 0
    chest: int = 0
    stash_count: int = 0
    retirements: int = 0
    declared: bool = False
    last_gold: int = 0
    """The last amount of gold everybody saw this seat gain (positive) or pay (negative)."""

    def copy(self) -> Player:
        """A player that can be changed apart from this one."""
        return Player(
            captain=self.captain,
            ship=self.ship,
            zone=self.zone,
            in_port=self.in_port,
            gold=self.gold,
            bounties=self.bounties,
            cargo=self.cargo,
            glory=self.glory,
            rumor=self.rumor,
            mission=self.mission,
            weapons=self.weapons,
            specialists=self.specialists,
            kept=self.kept,
            bought_big_ship=self.bought_big_ship,
            bought_zone=self.bought_zone,
            bought_round=self.bought_round,
            track=self.track,
            chest=self.chest,
            stash_count=self.stash_count,
            retirements=self.retirements,
            declared=self.declared,
            last_gold=self.last_gold,
        )


@dataclass(slots=True)
class Pile:
    """A deck, its last card on top, and the discard that becomes the next deck."""

    name: str
    deck: list[str]
    discard: list[str] = field(default_factory=list)

    def copy(self) -> Pile:
        """A pile that can be changed apart from this one."""
        return Pile(self.name, self.deck.copy(), self.discard.copy())


@dataclass(frozen=True, slots=True)
class PortToken:
    """A modification token on a port."""

    kind: Modification
    face_up: bool = False


@dataclass(frozen=True, slots=True)
class Npc:
    """An NPC in play. `cards` from the top; empty for a war admiral."""

    kind: NpcKind
    cards: tuple[str, ...]
    zone: Zone


@dataclass(slots=True)
class Turn:
    """The turn under way."""

    seat: Seat
    actions: int
    free_moves: int
    acted: bool = False
    """An action was taken; glory cards do not count."""
    port_used: bool = False
    tried: tuple[Action, ...] = ()
    """Players, NPCs and the mission already scouted for."""
    tried_merchants: tuple[Zone, ...] = ()

    def copy(self) -> Turn:
        """A turn that can be changed apart from this one."""
        return Turn(
            self.seat, self.actions, self.free_moves, self.acted, self.port_used, self.tried, self.tried_merchants
        )


@dataclass(slots=True)
class Visit:
    """The Port action under way (5.2)."""

    open: Activity | None = None
    used: tuple[Activity, ...] = ()
    """Activities opened so far, the open one among them."""
    sell_closed: bool = False
    sold: tuple[Good, ...] = ()
    sold_demand: bool = False
    offer: tuple[str, ...] = ()
    """Cards drawn by Buy goods and not bought; the buyer's secret."""
    prices: tuple[tuple[Good, int], ...] = ()
    """Unit price of each good drawn and not yet bought."""
    weapons: tuple[Weapon, ...] = ()
    """Bought or sold in this Port action."""
    ship_bought: bool = False
    recruit_failed: bool = False
    stashed: bool = False
    withdrew: bool = False
    vault: bool = False
    """`STASH_HERE` is in force."""
    tested_rumor: bool = False
    did_mission: bool = False
    tried_cards: tuple[str, ...] = ()
    """Specialists whose roll failed in this Port action."""
    played: tuple[str, ...] = ()
    """Cards whose `PORT_MOD` is in force."""

    def copy(self) -> Visit:
        """A visit that can be changed apart from this one."""
        return Visit(
            self.open,
            self.used,
            self.sell_closed,
            self.sold,
            self.sold_demand,
            self.offer,
            self.prices,
            self.weapons,
            self.ship_bought,
            self.recruit_failed,
            self.stashed,
            self.withdrew,
            self.vault,
            self.tested_rumor,
            self.did_mission,
            self.tried_cards,
            self.played,
        )


@dataclass(slots=True)
class Raid:
    """The merchant raid under way (6.8)."""

    nation: Nation
    table: tuple[str, ...] = ()
    dice: tuple[int, ...] = ()
    free: int = 0
    """Successes without a die: `raid.free`, and failed dice turned by weapons."""
    turned: int = 0
    """Failed dice turned by weapons."""
    spent: int = 0

    def copy(self) -> Raid:
        """A raid that can be changed apart from this one."""
        return Raid(self.nation, self.table, self.dice, self.free, self.turned, self.spent)


@dataclass(frozen=True, slots=True)
class Volley:
    """A volley while its hits are determined (6.9). `shooter` is 0 for the attacker, 1 for the defender."""

    shooter: int
    count: int
    dice: tuple[int, ...] = ()
    hits: tuple[Section, ...] = ()
    """Sections determined so far: numbered dice first, then skulls."""
    skulls: int = 0
    """Skulls still to be assigned."""
    lost_on: Section | None = None
    """With chain or grape: hits on this section, once destroyed, are lost and do not pass to the hull."""


@dataclass(slots=True)
class Fighter:
    """A side of the combat under way. `ship` is the seat's own, or the NPC's for this combat only."""

    side: Side
    ship: Ship
    seamanship: int
    leadership: int
    stance: Stance | None = None
    """None: not yet declared in this round."""
    dice: tuple[int, ...] = ()
    crew_dice: int = 0
    """Card dice for the first round of the crew combat."""
    chasers_used: bool = False
    redirect_used: bool = False
    surgeon_used: bool = False

    def copy(self) -> Fighter:
        """A fighter that can be changed apart from this one."""
        return Fighter(
            self.side,
            self.ship,
            self.seamanship,
            self.leadership,
            self.stance,
            self.dice,
            self.crew_dice,
            self.chasers_used,
            self.redirect_used,
            self.surgeon_used,
        )


@dataclass(slots=True)
class Combat:
    """The combat under way (6.9)."""

    fighters: tuple[Fighter, Fighter]
    """Attacker, defender."""
    round: int = 0
    crew_round: int = 0
    at_sea: bool = True
    """False: the assault of a town."""
    boarding: bool = False
    """The crew combat has begun."""
    volley: Volley | None = None
    volleys: tuple[Volley, ...] = ()
    """Determined, not yet applied."""
    glory_played: bool = False
    """A glory card was played in the present `w_contest` or `w_crew`."""

    def copy(self) -> Combat:
        """A combat that can be changed apart from this one."""
        attacker, defender = self.fighters
        return Combat(
            (attacker.copy(), defender.copy()),
            self.round,
            self.crew_round,
            self.at_sea,
            self.boarding,
            self.volley,
            self.volleys,
            self.glory_played,
        )


class Step(ABC):
    """Something that is still to happen and needs nobody's choice."""

    __slots__ = ()

    @abstractmethod
    def run(self, draft: State) -> None:
        """Make it happen; what follows is pushed on `draft.pending`."""


class Question(ABC):
    """Something that waits for a choice."""

    __slots__ = ()
    kind: ClassVar[str]

    @abstractmethod
    def decision(self, state: State) -> Decision[Action]:
        """Who chooses among what."""

    @abstractmethod
    def answer(self, draft: State, choices: Mapping[Seat, Action]) -> None:
        """Carry the choice out."""


@dataclass(frozen=True, slots=True)
class SeatQuestion(Question):
    """A question to one seat: almost all of them."""

    seat: Seat

    def decision(self, state: State) -> Decision[Action]:
        """The seat among its options."""
        return Decision(kind=self.kind, options={self.seat: tuple(self.options(state))})

    def answer(self, draft: State, choices: Mapping[Seat, Action]) -> None:
        """Carry out what the seat chose."""
        self.chosen(draft, choices[self.seat])

    @abstractmethod
    def options(self, state: State) -> list[Action]:
        """The legal actions, in the specification's order."""

    @abstractmethod
    def chosen(self, draft: State, action: Action) -> None:
        """Carry one of them out."""


@dataclass(slots=True, kw_only=True)
class State:
    """The whole table. Lists per zone are indexed by zone number - 1, `npcs` by kind - 1."""

    target_glory: int
    npc_policy: bool
    """True: NPCs follow the policy of 6.12; False: the left neighbour of the engaged seat plays them (R18)."""
    chance: Chance
    players: list[Player]
    turn_order: tuple[Seat, ...] = ()
    round: int = 0
    event: str | None = None
    """The event card of the round."""
    turn: Turn | None = None
    visit: Visit | None = None
    raid: Raid | None = None
    combat: Combat | None = None
    events: list[str]
    """The event deck, its last card on top."""
    captains: list[str]
    """The captain deck, its last card on top."""
    used_captains: list[str] = field(default_factory=list)
    cargo: Pile
    glory: Pile
    rumors: Pile
    missions: Pile
    open_missions: list[str]
    demand: list[Good | None]
    supply: list[Good]
    """Demand tokens beside the board, in the order of the cargo table."""
    mods: list[PortToken | None]
    merchants: list[Nation | None]
    merchant_track: list[Nation]
    found: Nation | None = None
    """The nation of the merchant just found, while its finder decides."""
    npcs: list[Npc | None] = field(default_factory=lambda: [None] * len(NpcKind))
    returning: tuple[Npc, ...] = ()
    """NPCs that come back at the end of the round (6.13)."""
    war: tuple[Nation, Nation] | None = None
    marque: tuple[Nation, Nation] | None = None
    closed: tuple[Zone, ...] = ()
    pending: list[Step | Question] = field(default_factory=list)
    """What is still to happen, the next on top."""
    dice: list[int] = field(default_factory=list)
    """Every die rolled in the last step, in order: they still lie on the table."""
    log: list[Event] = field(default_factory=list)
    """The facts of the step under way; empty between steps."""
    choice_count: int = 0
    ended: str | None = None
    """Why the game ended; None while it goes on."""

    def copy(self) -> State:
        """A state that can be changed apart from this one."""
        return State(
            target_glory=self.target_glory,
            npc_policy=self.npc_policy,
            chance=self.chance.copy(),
            players=[player.copy() for player in self.players],
            turn_order=self.turn_order,
            round=self.round,
            event=self.event,
            turn=self.turn and self.turn.copy(),
            visit=self.visit and self.visit.copy(),
            raid=self.raid and self.raid.copy(),
            combat=self.combat and self.combat.copy(),
            events=self.events.copy(),
            captains=self.captains.copy(),
            used_captains=self.used_captains.copy(),
            cargo=self.cargo.copy(),
            glory=self.glory.copy(),
            rumors=self.rumors.copy(),
            missions=self.missions.copy(),
            open_missions=self.open_missions.copy(),
            demand=self.demand.copy(),
            supply=self.supply.copy(),
            mods=self.mods.copy(),
            merchants=self.merchants.copy(),
            merchant_track=self.merchant_track.copy(),
            found=self.found,
            npcs=self.npcs.copy(),
            returning=self.returning,
            war=self.war,
            marque=self.marque,
            closed=self.closed,
            pending=self.pending.copy(),
            dice=self.dice.copy(),
            log=self.log.copy(),
            choice_count=self.choice_count,
            ended=self.ended,
        )

    def push(self, *frames: Step | Question) -> None:
        """Let these happen before everything else, the first one first."""
        self.pending.extend(reversed(frames))

    def tell(self, event: Event) -> None:
        """Note a fact."""
        self.log.append(event)
