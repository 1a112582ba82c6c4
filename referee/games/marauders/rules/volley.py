"""Volleys: from shots to hits, and from hits to holes (6.9 "Volley" and "Applying", R1, R6, R26, R31).

A volley is determined step by step in `combat.volley`, then kept in `combat.volleys` until both sides' are known:
damage is simultaneous. Whoever fires calls `fire`; what comes after the damage is given beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from referee.engine import Decision, Seat
from referee.errors import RulesError
from referee.games.marauders.actions import Action
from referee.games.marauders.actions.cards import Decline, PlayGlory
from referee.games.marauders.actions.combat import FlipHull, PickSection, Redirect
from referee.games.marauders.actions.raid import UseWeapon
from referee.games.marauders.cards.effects import CancelHit, ExtraHit
from referee.games.marauders.data.board import AMMUNITION, LOCATIONS
from referee.games.marauders.data.glory import GLORY
from referee.games.marauders.events.combat import HitCancelled, HitRedirected, VolleyFired
from referee.games.marauders.events.port import WeaponGone
from referee.games.marauders.rules.dice import SKULL
from referee.games.marauders.rules.fighters import combat_of, controller, player_of, roll_for, set_ship, trait
from referee.games.marauders.rules.glory import holds, play, playable
from referee.games.marauders.rules.npc_policy import policy_section
from referee.games.marauders.rules.piles import lose_excess
from referee.games.marauders.rules.ships import can_take_hit, standing_sections, strike
from referee.games.marauders.state import Fighter, SeatQuestion, Ship, State, Step, Volley
from referee.games.marauders.terms import SECTIONS, Roll, Section, Timing, Weapon


def fire(draft: State, hits: tuple[int, int], then: Step, *, long_guns: bool = False) -> None:
    """The volleys of attacker and defender with that many hits, the attacker's determined first; then the damage."""
    shots = [FireVolley(shooter, count, long_guns) for shooter, count in enumerate(hits) if count]
    draft.push(*shots, ApplyVolleys(then))


def volley_of(state: State) -> Volley:
    """The volley being determined."""
    volley = combat_of(state).volley
    assert volley is not None
    return volley


def shooter_of(state: State) -> Fighter:
    """Who fires it."""
    return combat_of(state).fighters[volley_of(state).shooter]


def target_of(state: State) -> Fighter:
    """Who is hit by it."""
    return combat_of(state).fighters[1 - volley_of(state).shooter]


@dataclass(frozen=True, slots=True)
class FireVolley(Step):
    """A volley begins; long guns know neither glory cards nor ammunition."""

    shooter: int
    count: int
    long_guns: bool

    def run(self, draft: State) -> None:
        """Load."""
        combat_of(draft).volley = Volley(self.shooter, self.count)
        draft.push(RollLocations(self.long_guns) if self.long_guns else OfferExtraHits())


@dataclass(frozen=True, slots=True)
class OfferExtraHits(Step):
    """(a) Cards that add hits, as long as the shooter holds one."""

    def run(self, draft: State) -> None:
        """Ask if there is a card."""
        shooter = shooter_of(draft)
        player = player_of(draft, shooter)
        if player is not None and shooter.side.seat is not None and holds(player, Timing.VOLLEY):
            draft.push(AskExtraHits(shooter.side.seat))
        else:
            draft.push(RollLocations(False))


@dataclass(frozen=True, slots=True)
class AskExtraHits(SeatQuestion):
    """`w_volley`."""

    kind: ClassVar[str] = "w_volley"

    def options(self, state: State) -> list[Action]:
        """Decline, or a card."""
        cards: list[Action] = [PlayGlory(card) for card in playable(state.players[self.seat], Timing.VOLLEY)]
        return [Decline(), *cards]

    def chosen(self, draft: State, action: Action) -> None:
        """More hits, or fire."""
        if not isinstance(action, PlayGlory):
            draft.push(RollLocations(False))
            return
        play(draft, self.seat, action)
        effect = GLORY[action.card].effect
        if isinstance(effect, ExtraHit):
            volley = volley_of(draft)
            combat_of(draft).volley = replace(volley, count=volley.count + effect.count)
        draft.push(OfferExtraHits())


@dataclass(frozen=True, slots=True)
class RollLocations(Step):
    """(b) One location die per hit; (c) ammunition for the skulls."""

    long_guns: bool

    def run(self, draft: State) -> None:
        """Roll, sort numbered hits from skulls."""
        combat = combat_of(draft)
        volley = volley_of(draft)
        dice = roll_for(draft, volley.shooter, Roll.LOCATION, volley.count)
        hits = tuple(LOCATIONS[die] for die in dice if die < SKULL)
        combat.volley = replace(volley, dice=dice, hits=hits, skulls=len(dice) - len(hits))
        shooter = shooter_of(draft)
        player = player_of(draft, shooter)
        loaded = player is not None and not self.long_guns and any(weapon in AMMUNITION for weapon in player.weapons)
        if loaded and combat.volley.skulls and shooter.side.seat is not None:
            draft.push(AskAmmunition(shooter.side.seat))
        else:
            draft.push(AssignSkull(first=True))


@dataclass(frozen=True, slots=True)
class AskAmmunition(SeatQuestion):
    """`ammo`: none, chain, grape."""

    kind: ClassVar[str] = "ammo"

    def options(self, state: State) -> list[Action]:
        """What is aboard."""
        shots: list[Action] = [UseWeapon(weapon) for weapon in state.players[self.seat].weapons if weapon in AMMUNITION]
        return [Decline(), *shots]

    def chosen(self, draft: State, action: Action) -> None:
        """Every skull hits the section of the ammunition, and what is lost there does not pass to the hull."""
        if not isinstance(action, UseWeapon):
            draft.push(AssignSkull(first=True))
            return
        use_weapon(draft, self.seat, action.weapon)
        volley = volley_of(draft)
        section = AMMUNITION[action.weapon]
        hits = volley.hits + (section,) * volley.skulls
        combat_of(draft).volley = replace(volley, hits=hits, skulls=0, lost_on=section)
        draft.push(OfferDefence())


def use_weapon(draft: State, seat: Seat, weapon: Weapon) -> None:
    """A special weapon is used up."""
    player = draft.players[seat]
    player.weapons = tuple(kind for kind in player.weapons if kind != weapon)
    draft.tell(WeaponGone(seat, weapon, True))


@dataclass(frozen=True, slots=True)
class AssignSkull(Step):
    """(d) The next skull: the first by a master gunner, the others by the target's owner."""

    first: bool = False

    def run(self, draft: State) -> None:
        """Ask whoever assigns it, or let the policy."""
        volley = volley_of(draft)
        if not volley.skulls:
            draft.push(OfferDefence())
            return
        ship = struck(draft)
        shooter, target = shooter_of(draft), target_of(draft)
        if not standing_sections(ship):
            add_hit(draft, Section.HULL)  # nothing is left to choose
            draft.push(AssignSkull())
        elif self.first and shooter.side.seat is not None and trait(draft, shooter, "combat.aim_skull"):
            draft.push(AskAim(shooter.side.seat), AssignSkull())
        elif target.side.seat is not None:
            draft.push(AskAssign(target.side.seat), AssignSkull())
        elif draft.npc_policy:
            add_hit(draft, policy_section(ship))
            draft.push(AssignSkull())
        else:
            draft.push(AskNpcAssign(controller(draft)), AssignSkull())


def struck(state: State) -> Ship:
    """The target as it would be after the hits determined so far."""
    volley, target = volley_of(state), target_of(state)
    return strike(target.ship, volley.hits, volley.lost_on, has_surgeon(state, target))


def has_surgeon(state: State, fighter: Fighter) -> bool:
    """Whether the first Crew damage of the combat is still to be ignored."""
    return not fighter.surgeon_used and bool(trait(state, fighter, "combat.surgeon"))


def add_hit(draft: State, section: Section) -> None:
    """One skull is assigned."""
    volley = volley_of(draft)
    combat_of(draft).volley = replace(volley, hits=(*volley.hits, section), skulls=volley.skulls - 1)


@dataclass(frozen=True, slots=True)
class AskAssign(SeatQuestion):
    """`assign_hit`: sections still above 0 after the hits so far (R31)."""

    kind: ClassVar[str] = "assign_hit"

    def options(self, state: State) -> list[Action]:
        """In list order."""
        return [PickSection(section) for section in standing_sections(struck(state))]

    def chosen(self, draft: State, action: Action) -> None:
        """There it hits."""
        if not isinstance(action, PickSection):
            raise RulesError(f"{self.kind}: {action!r}")
        add_hit(draft, action.section)


@dataclass(frozen=True, slots=True)
class AskAim(AskAssign):
    """`aim_hit`: by the shooter with a master gunner."""

    kind: ClassVar[str] = "aim_hit"


@dataclass(frozen=True, slots=True)
class AskNpcAssign(AskAssign):
    """`npc_assign_hit`: by the NPC's controller; the default is the policy of 6.12."""

    kind: ClassVar[str] = "npc_assign_hit"

    def decision(self, state: State) -> Decision[Action]:
        """The sections, the policy's one as default."""
        options = tuple(self.options(state))
        default = options.index(PickSection(policy_section(struck(state))))
        return Decision(kind=self.kind, options={self.seat: options}, defaults={self.seat: default})


@dataclass(frozen=True, slots=True)
class OfferDefence(Step):
    """(e) All sections are determined: cards, reinforced hull and redirection of the target."""

    def run(self, draft: State) -> None:
        """Ask as long as there is something to play, then keep the volley."""
        target = target_of(draft)
        if volley_of(draft).hits and target.side.seat is not None and can_defend(draft, target):
            draft.push(AskDefence(target.side.seat))
        else:
            keep_volley(draft)


def keep_volley(draft: State) -> None:
    """The hits are settled and wait to be applied."""
    combat, volley = combat_of(draft), volley_of(draft)
    draft.tell(VolleyFired(shooter_of(draft).side, target_of(draft).side, volley.hits))
    combat.volleys += (volley,)
    combat.volley = None


def move_hit(draft: State, section: Section, other: Section | None) -> None:
    """One hit on a section goes to another one, or is cancelled."""
    volley = volley_of(draft)
    hits = list(volley.hits)
    if section in hits:
        place = hits.index(section)
        hits[place : place + 1] = [] if other is None else [other]
        combat_of(draft).volley = replace(volley, hits=tuple(hits))


def can_defend(state: State, target: Fighter) -> bool:
    """Whether the target holds a card, an unflipped reinforced hull or an unused redirection."""
    player = player_of(state, target)
    assert player is not None
    return can_take_hit(target.ship) or can_redirect(state, target) or holds(player, Timing.HITS)


def can_redirect(state: State, target: Fighter) -> bool:
    """`combat.redirect`, once per combat."""
    return not target.redirect_used and bool(trait(state, target, "combat.redirect"))


@dataclass(frozen=True, slots=True)
class AskDefence(SeatQuestion):
    """`w_hits`."""

    kind: ClassVar[str] = "w_hits"

    def options(self, state: State) -> list[Action]:
        """Cards, the reinforced hull, redirections, section by section."""
        hits, target = volley_of(state).hits, target_of(state)
        sections = [section for section in SECTIONS if section in hits]
        found: list[Action] = [Decline()]
        for card in playable(state.players[self.seat], Timing.HITS):
            found += [PlayGlory(card, section=section) for section in sections]
        if can_take_hit(target.ship):
            found += [FlipHull(section) for section in sections]
        if can_redirect(state, target):
            standing = standing_sections(target.ship)
            found += [Redirect(section, other) for section in sections for other in standing if other != section]
        return found

    def chosen(self, draft: State, action: Action) -> None:
        """Change the hits, and ask again."""
        match action:
            case Decline():
                keep_volley(draft)
                return
            case PlayGlory(card, section=section) if section is not None:
                play(draft, self.seat, action)
                effect = GLORY[card].effect
                for _ in range(effect.count if isinstance(effect, CancelHit) else 0):
                    move_hit(draft, section, None)
            case FlipHull(section):
                target = target_of(draft)
                target.ship = replace(target.ship, flipped=True)
                draft.players[self.seat].ship = target.ship
                draft.tell(HitCancelled(self.seat, section))
                move_hit(draft, section, None)
            case Redirect(section, other):
                target_of(draft).redirect_used = True
                draft.tell(HitRedirected(self.seat, section, other))
                move_hit(draft, section, other)
            case _:
                raise RulesError(f"{self.kind}: {action!r}")
        draft.push(OfferDefence())


@dataclass(frozen=True, slots=True)
class ApplyVolleys(Step):
    """Both volleys strike at once; then sinking is looked at."""

    then: Step

    def run(self, draft: State) -> None:
        """Damage, lost cargo, and on to what follows."""
        combat = combat_of(draft)
        for volley in combat.volleys:
            fighter = combat.fighters[1 - volley.shooter]
            surgeon = has_surgeon(draft, fighter)
            fighter.surgeon_used |= surgeon and Section.CREW in volley.hits and fighter.ship.value(Section.CREW) > 0
            set_ship(draft, fighter, strike(fighter.ship, volley.hits, volley.lost_on, surgeon))
        for volley in combat.volleys:
            fighter = combat.fighters[1 - volley.shooter]
            if fighter.side.seat is not None and fighter.ship.value(Section.HULL):
                lose_excess(draft, fighter.side.seat)
        combat.volleys = ()
        draft.push(self.then)
