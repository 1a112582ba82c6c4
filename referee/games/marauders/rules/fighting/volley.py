"""Volleys: from shots to hits, and from hits to holes (6.9 "Volley" and "Applying", R1, R6, R26, R31).

A volley is determined step by step in `combat.volley`, then kept in `combat.volleys` until both sides' are known:
damage is simultaneous. Whoever fires calls `fire`; what comes after the damage is given beforehand.
"""

from __future__ import annotations

from typing import ClassVar, assert_never

from referee.games.marauders.actions import each
from referee.games.marauders.actions.cards import DECLINE, Decline, PlayGlory, WindowAction
from referee.games.marauders.actions.combat import FlipHull, PickSection, Redirect
from referee.games.marauders.actions.raid import UseWeapon
from referee.games.marauders.data.board import AMMUNITION, LOCATIONS
from referee.games.marauders.data.glory import DEFENCES, VOLLEY_CARDS
from referee.games.marauders.events.combat import HitCancelled, HitRedirected, VolleyFired
from referee.games.marauders.events.port import WeaponGone
from referee.games.marauders.rules.dice import SKULL
from referee.games.marauders.rules.fighting.fighters import (
    change_ship,
    combat_of,
    controller,
    damage,
    player_of,
    roll_for,
    set_fighter,
    trait,
)
from referee.games.marauders.rules.fighting.npc_policy import policy_section
from referee.games.marauders.rules.glory import holds, play, playable
from referee.games.marauders.rules.piles import lose_excess
from referee.games.marauders.rules.ships import can_take_hit, standing_sections, strike
from referee.games.marauders.rules.telling import tell
from referee.games.marauders.rules.windows import Window
from referee.games.marauders.state import Fighter, Ship, State, Volley
from referee.games.marauders.terms import SECTIONS, Roll, Section, Timing, Weapon
from referee.rules.agenda import SeatQuestion, Task, push
from referee.rules.engine import Seat
from referee.rules.parts import immutable, replace


def fire(draft: State, hits: tuple[int, int], then: Task[State], *, long_guns: bool = False) -> None:
    """Determine the volleys of attacker and defender with that many hits, the attacker's first; then apply the
    damage."""
    shots = [FireVolley(shooter, count, long_guns) for shooter, count in enumerate(hits) if count]
    push(draft, *shots, ApplyVolleys(then) if shots else then)


def volley_of(state: State) -> Volley:
    """Return the volley being determined."""
    combat = state.combat
    assert combat is not None
    assert combat.volley is not None
    return combat.volley


def set_volley(draft: State, volley: Volley) -> None:
    """Set the volley as far as it is determined."""
    draft.combat = replace(combat_of(draft), volley=volley)


def shooter_of(state: State) -> Fighter:
    """Return who fires it."""
    return combat_of(state).fighters[volley_of(state).shooter]


def target_of(state: State) -> Fighter:
    """Return who is hit by it."""
    return combat_of(state).fighters[1 - volley_of(state).shooter]


@immutable(frozen=True, slots=True)
class FireVolley(Task[State]):
    """A volley begins; long guns know neither glory cards nor ammunition."""

    TAG: ClassVar[str] = "FireVolley"
    shooter: int
    count: int
    long_guns: bool

    def run(self, draft: State) -> None:
        """Cards that add hits first, unless long guns fire."""
        set_volley(draft, Volley(self.shooter, self.count))
        push(draft, RollLocations(self.long_guns) if self.long_guns else OfferExtraHits())


@immutable(frozen=True, slots=True)
class OfferExtraHits(Task[State]):
    """(a) Cards that add hits, as long as the shooter holds one."""

    TAG: ClassVar[str] = "OfferExtraHits"

    def run(self, draft: State) -> None:
        """Ask if there is a card."""
        shooter = shooter_of(draft)
        player = player_of(draft, shooter)
        if player is not None and shooter.side.seat is not None and holds(player, Timing.VOLLEY):
            push(draft, AskExtraHits(shooter.side.seat))
        else:
            push(draft, RollLocations(False))


@immutable(frozen=True, slots=True)
class AskExtraHits(Window[WindowAction]):
    """`w_volley`."""

    TAG: ClassVar[str] = "AskExtraHits"
    kind: ClassVar[str] = "w_volley"

    def options(self, state: State) -> list[WindowAction]:
        """Decline, or a card."""
        return [DECLINE, *each(PlayGlory, playable(state.players[self.seat], Timing.VOLLEY))]

    def choose(self, draft: State, action: WindowAction) -> None:
        """Add the hits of the card, or go on to the locations."""
        if not isinstance(action, PlayGlory):
            push(draft, RollLocations(False))
            return
        play(draft, self.seat, action)
        volley = volley_of(draft)
        set_volley(draft, replace(volley, count=volley.count + VOLLEY_CARDS[action.card].count))
        push(draft, OfferExtraHits())


@immutable(frozen=True, slots=True)
class RollLocations(Task[State]):
    """(b) One location die per hit; (c) ammunition for the skulls."""

    TAG: ClassVar[str] = "RollLocations"
    long_guns: bool

    def run(self, draft: State) -> None:
        """Roll, sort numbered hits from skulls."""
        volley = volley_of(draft)
        dice = roll_for(draft, volley.shooter, Roll.LOCATION, volley.count)
        hits = tuple(LOCATIONS[die] for die in dice if die < SKULL)
        skulls = len(dice) - len(hits)
        set_volley(draft, replace(volley, dice=dice, hits=hits, skulls=skulls))
        shooter = shooter_of(draft)
        player = player_of(draft, shooter)
        loaded = player is not None and not self.long_guns and any(weapon in AMMUNITION for weapon in player.weapons)
        if loaded and skulls and shooter.side.seat is not None:
            push(draft, AskAmmunition(shooter.side.seat))
        else:
            push(draft, AssignSkull(first=True))


@immutable(frozen=True, slots=True)
class AskAmmunition(SeatQuestion[State, Decline | UseWeapon]):
    """`ammo`: none, chain, grape."""

    TAG: ClassVar[str] = "AskAmmunition"
    kind: ClassVar[str] = "ammo"

    def options(self, state: State) -> list[Decline | UseWeapon]:
        """None, or the ammunition that is aboard."""
        loaded = tuple([weapon for weapon in state.players[self.seat].weapons if weapon in AMMUNITION])
        return [DECLINE, *each(UseWeapon, loaded)]

    def choose(self, draft: State, action: Decline | UseWeapon) -> None:
        """Let every skull hit the section of the ammunition; what is lost there does not pass to the hull."""
        if not isinstance(action, UseWeapon):
            push(draft, AssignSkull(first=True))
            return
        use_weapon(draft, self.seat, action.weapon)
        volley = volley_of(draft)
        section = AMMUNITION[action.weapon]
        hits = volley.hits + (section,) * volley.skulls
        set_volley(draft, replace(volley, hits=hits, skulls=0, lost_on=section))
        push(draft, OfferDefence())


def use_weapon(draft: State, seat: Seat, weapon: Weapon) -> None:
    """Use up a special weapon."""
    player = draft.players[seat]
    draft.set_player(seat, replace(player, weapons=tuple([kind for kind in player.weapons if kind != weapon])))
    tell(draft, WeaponGone, seat, weapon, True)


@immutable(frozen=True, slots=True)
class AssignSkull(Task[State]):
    """(d) The next skull: the first by a master gunner, the others by the target's owner."""

    TAG: ClassVar[str] = "AssignSkull"
    first: bool = False

    def run(self, draft: State) -> None:
        """Ask whoever assigns it, or let the policy."""
        volley = volley_of(draft)
        if not volley.skulls:
            push(draft, OfferDefence())
            return
        ship = struck(draft)
        shooter, target = shooter_of(draft), target_of(draft)
        if not standing_sections(ship):
            add_hit(draft, Section.HULL)  # nothing is left to choose
            push(draft, AssignSkull())
        elif self.first and shooter.side.seat is not None and trait(draft, shooter, "combat.aim_skull"):
            push(draft, AskAim(shooter.side.seat), AssignSkull())
        elif target.side.seat is not None:
            push(draft, AskAssign(target.side.seat), AssignSkull())
        elif draft.npc_policy:
            add_hit(draft, policy_section(ship))
            push(draft, AssignSkull())
        else:
            push(draft, AskNpcAssign(controller(draft)), AssignSkull())


def struck(state: State) -> Ship:
    """Return the target as it would be after the hits determined so far."""
    volley, target = volley_of(state), target_of(state)
    return strike(target.ship, volley.hits, volley.lost_on, has_surgeon(state, target))


def has_surgeon(state: State, fighter: Fighter) -> bool:
    """Check whether the first Crew damage of the combat is still to be ignored."""
    return not fighter.surgeon_used and bool(trait(state, fighter, "combat.surgeon"))


def add_hit(draft: State, section: Section) -> None:
    """Assign one skull."""
    volley = volley_of(draft)
    set_volley(draft, replace(volley, hits=(*volley.hits, section), skulls=volley.skulls - 1))


@immutable(frozen=True, slots=True)
class AskAssign(SeatQuestion[State, PickSection]):
    """`assign_hit`: sections still above 0 after the hits so far (R31)."""

    TAG: ClassVar[str] = "AskAssign"
    kind: ClassVar[str] = "assign_hit"

    def options(self, state: State) -> tuple[PickSection, ...]:
        """Return the options in list order."""
        return each(PickSection, standing_sections(struck(state)))

    def choose(self, draft: State, action: PickSection) -> None:
        """Assign the hit to that section."""
        add_hit(draft, action.section)


@immutable(frozen=True, slots=True)
class AskAim(AskAssign):
    """`aim_hit`: by the shooter with a master gunner."""

    TAG: ClassVar[str] = "AskAim"
    kind: ClassVar[str] = "aim_hit"


@immutable(frozen=True, slots=True)
class AskNpcAssign(AskAssign):
    """`npc_assign_hit`: by the NPC's controller; the default is the policy of 6.12."""

    TAG: ClassVar[str] = "AskNpcAssign"
    kind: ClassVar[str] = "npc_assign_hit"

    def default(self, state: State, options: tuple[PickSection, ...]) -> int:
        """Return the section the policy takes the hit on."""
        return [option.section for option in options].index(policy_section(struck(state)))


@immutable(frozen=True, slots=True)
class OfferDefence(Task[State]):
    """(e) All sections are determined: cards, reinforced hull and redirection of the target."""

    TAG: ClassVar[str] = "OfferDefence"

    def run(self, draft: State) -> None:
        """Ask as long as there is something to play, then keep the volley."""
        target = target_of(draft)
        if volley_of(draft).hits and target.side.seat is not None and can_defend(draft, target):
            push(draft, AskDefence(target.side.seat))
        else:
            keep_volley(draft)


def keep_volley(draft: State) -> None:
    """Keep a volley whose hits are settled until it is applied."""
    combat, volley = combat_of(draft), volley_of(draft)
    tell(draft, VolleyFired, shooter_of(draft).side, target_of(draft).side, volley.hits)
    draft.combat = replace(combat, volleys=(*combat.volleys, volley), volley=None)


def move_hit(draft: State, section: Section, other: Section | None) -> None:
    """Move one hit on a section to another one, or cancel it."""
    volley = volley_of(draft)
    hits = list(volley.hits)
    if section in hits:
        place = hits.index(section)
        hits[place : place + 1] = [] if other is None else [other]
        set_volley(draft, replace(volley, hits=tuple(hits)))


def can_defend(state: State, target: Fighter) -> bool:
    """Check whether the target holds a card, an unflipped reinforced hull or an unused redirection."""
    player = player_of(state, target)
    assert player is not None
    return can_take_hit(target.ship) or can_redirect(state, target) or holds(player, Timing.HITS)


def can_redirect(state: State, target: Fighter) -> bool:
    """`combat.redirect`, once per combat."""
    return not target.redirect_used and bool(trait(state, target, "combat.redirect"))


@immutable(frozen=True, slots=True)
class AskDefence(Window[WindowAction | FlipHull | Redirect]):
    """`w_hits`."""

    TAG: ClassVar[str] = "AskDefence"
    kind: ClassVar[str] = "w_hits"

    def options(self, state: State) -> list[WindowAction | FlipHull | Redirect]:
        """Cards, the reinforced hull, redirections, section by section."""
        hits, target = volley_of(state).hits, target_of(state)
        sections = tuple([section for section in SECTIONS if section in hits])
        options: list[WindowAction | FlipHull | Redirect] = [DECLINE]
        for card in playable(state.players[self.seat], Timing.HITS):
            options += [PlayGlory(card, section=section) for section in sections]
        if can_take_hit(target.ship):
            options += each(FlipHull, sections)
        if can_redirect(state, target):
            standing = standing_sections(target.ship)
            options += [Redirect(section, other) for section in sections for other in standing if other != section]
        return options

    def choose(self, draft: State, action: WindowAction | FlipHull | Redirect) -> None:
        """Change the hits, and ask again."""
        match action:
            case Decline():
                keep_volley(draft)
                return
            case PlayGlory(card, section=section):
                assert section is not None
                play(draft, self.seat, action)
                for _ in range(DEFENCES[card].count):
                    move_hit(draft, section, None)
            case FlipHull(section):
                index = 1 - volley_of(draft).shooter
                change_ship(draft, index, replace(target_of(draft).ship, flipped=True))
                tell(draft, HitCancelled, self.seat, section)
                move_hit(draft, section, None)
            case Redirect(section, other):
                index = 1 - volley_of(draft).shooter
                set_fighter(draft, index, replace(target_of(draft), redirect_used=True))
                tell(draft, HitRedirected, self.seat, section, other)
                move_hit(draft, section, other)
            case _:
                assert_never(action)
        push(draft, OfferDefence())


@immutable(frozen=True, slots=True)
class ApplyVolleys(Task[State]):
    """Both volleys strike at once; then sinking is looked at."""

    TAG: ClassVar[str] = "ApplyVolleys"
    then: Task[State]

    def run(self, draft: State) -> None:
        """Damage, lost cargo, and on to what follows."""
        volleys = combat_of(draft).volleys
        for volley in volleys:
            index = 1 - volley.shooter
            fighter = combat_of(draft).fighters[index]
            surgeon = has_surgeon(draft, fighter)
            if surgeon and Section.CREW in volley.hits and fighter.ship.value(Section.CREW):
                set_fighter(draft, index, replace(fighter, surgeon_used=True))
            damage(draft, index, strike(fighter.ship, volley.hits, volley.lost_on, surgeon))
        for volley in volleys:
            fighter = combat_of(draft).fighters[1 - volley.shooter]
            if fighter.side.seat is not None and fighter.ship.value(Section.HULL):
                lose_excess(draft, fighter.side.seat)
        draft.combat = replace(combat_of(draft), volleys=())
        push(draft, self.then)
