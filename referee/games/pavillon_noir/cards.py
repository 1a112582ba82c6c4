"""The words that reputation and trick cards are written in.

A reputation is a set of standing advantages, `Perks`. A trick is one verb with its numbers. rules/tricks.py is the one
place that knows what the verbs do; no rule asks which card it was.
"""

from __future__ import annotations

from typing import TypeAlias

from referee.games.pavillon_noir.terms import Marker, Zone, ZoneKind
from referee.rules.parts import immutable


@immutable(frozen=True, kw_only=True, slots=True)
class Perks:
    """What a seat does better than the plain rules say. The defaults are the plain rules."""

    forgiven_zones: tuple[ZoneKind, ...] = ()
    """Kinds of zone against which a projectile that does not match costs nothing."""
    double_always_matches: bool = False
    """The second projectile of a double shot counts as matching."""
    sail_relief: int = 0
    """Subtracted from the sail penalty when sheering off and evading."""
    prepare_draws: int = 1
    """Cards drawn by Prepare."""
    prepare_discards: bool = False
    """Prepare ends with discarding a card of one's choice."""
    dread: int = 0
    """Cards the defender loses at random after a shot that removed something."""
    mixed_evade_bonus: int = 0
    """Added to what a mixed run of two effective cards or more evades."""
    spared_sailors: int = 0
    """Sailors per Patch who repair and stay on their deck."""
    reload_price: int = 2
    """Cards paid for Reload (one)."""
    reload_discs: int = 1
    """Discs drawn by Reload (one), if there is room."""
    steady_broadside: bool = False
    """Broadsides take no notice of cannon penalties."""
    extra_aim_loss: int = 0
    """Placed aim cards the victim of a broadside loses on top."""
    sharper_reading: int = 0
    """Taken off the reduction of the worst weak or missed target card of a shot."""


@immutable(frozen=True, slots=True)
class ReloadBattery:
    """Reload all empty places without paying."""


@immutable(frozen=True, slots=True)
class LookAndAim:
    """Look at cards of one's own deck, aim with one, discard the others."""

    cards: int


@immutable(frozen=True, slots=True)
class AimFromHand:
    """Place cards of the hand, one after the other."""

    cards: int


@immutable(frozen=True, slots=True)
class PutBack:
    """Put lost markers back on one's own ship (of the crew, sailors only)."""

    marker: Marker
    count: int


@immutable(frozen=True, slots=True)
class Soften:
    """Lower the damage of a shot under way, if it is aimed at one of these zones."""

    by: int
    zones: tuple[Zone, ...]


@immutable(frozen=True, slots=True)
class SpyOut:
    """See the opposing hand and have one card of it discarded."""


@immutable(frozen=True, slots=True)
class Hurt:
    """The opponent removes markers of their choice."""

    marker: Marker
    count: int
    needs_one: bool
    """Playable only if there is such a marker."""


@immutable(frozen=True, slots=True)
class Sabotage:
    """Remove planks from an opposing hull zone of one's choice."""

    planks: int


@immutable(frozen=True, slots=True)
class Snipe:
    """Remove a figure of one's choice from an opposing deck that bears few."""

    most_figures: int


@immutable(frozen=True, slots=True)
class DrawCards:
    """Draw aim cards."""

    count: int


@immutable(frozen=True, slots=True)
class GainActions:
    """More actions this turn."""

    count: int


@immutable(frozen=True, slots=True)
class Straighten:
    """Read one target card of the shot under way as well as the cannon can."""


@immutable(frozen=True, slots=True)
class Overcharge:
    """Raise the damage of the shot under way and empty the cannon."""

    by: int


@immutable(frozen=True, slots=True)
class ForbidEvasion:
    """The shot under way cannot be evaded."""


@immutable(frozen=True, slots=True)
class ClearTrack:
    """Uncover one of one's own tracks."""


@immutable(frozen=True, slots=True)
class SwapTarget:
    """Replace one of one's own target cards; its aim cards come back to the hand."""


@immutable(frozen=True, slots=True)
class StripTarget:
    """Discard the aim cards of an opposing target card."""


@immutable(frozen=True, slots=True)
class ShrugOffSheer:
    """Lose no card to the sheer-off under way."""


@immutable(frozen=True, slots=True)
class ShrugOffBroadside:
    """Lose no marker to the broadside under way."""


TrickEffect: TypeAlias = (
    ReloadBattery
    | LookAndAim
    | AimFromHand
    | PutBack
    | Soften
    | SpyOut
    | Hurt
    | Sabotage
    | Snipe
    | DrawCards
    | GainActions
    | Straighten
    | Overcharge
    | ForbidEvasion
    | ClearTrack
    | SwapTarget
    | StripTarget
    | ShrugOffSheer
    | ShrugOffBroadside
)
