"""The vocabulary of cards and legends: each verb a frozen value, each card of data.py a row of them.

Spec sections 2.5 and 2.6. What a verb does when its card is played is told by the one `match` of rules/cards.py; what a
parrot gives, by rules/ships.py; what makes a legend special, by rules/legends.py.
"""

from __future__ import annotations

from typing import TypeAlias

from referee.games.pirates_cove.terms import Section
from referee.rules.parts import immutable


@immutable(frozen=True, kw_only=True, slots=True)
class Speed:
    """The ship is that much faster."""

    bonus: int


@immutable(frozen=True, kw_only=True, slots=True)
class ThrowDice:
    """The ship always throws that many dice."""

    count: int


@immutable(frozen=True, kw_only=True, slots=True)
class DiceFrom:
    """As many dice as the value of that section, whatever the others. As a card: for all player ships of the combat."""

    section: Section


@immutable(frozen=True, kw_only=True, slots=True)
class EndlessHold:
    """No limit on the chests carried."""


Gift: TypeAlias = Speed | ThrowDice | DiceFrom | EndlessHold


@immutable(frozen=True, kw_only=True, slots=True)
class Perch:
    """A parrot: sits on a section, takes two hits for it, and gives its ship something."""

    section: Section
    gift: Gift


@immutable(frozen=True, kw_only=True, slots=True)
class Becalm:
    """No card at all may be played any more in this combat."""


@immutable(frozen=True, kw_only=True, slots=True)
class Shroud:
    """The own ship is hit by that face of the die only."""

    face: int


@immutable(frozen=True, kw_only=True, slots=True)
class Jettison:
    """Throw chests into the sea for speed."""

    speed_per_chest: int


@immutable(frozen=True, kw_only=True, slots=True)
class HitFrom:
    """This volley hits with that face and all above, also through smoke."""

    face: int


@immutable(frozen=True, kw_only=True, slots=True)
class Recoil:
    """After this volley the shooter takes hits itself."""

    section: Section
    hits: int


@immutable(frozen=True, kw_only=True, slots=True)
class Blast:
    """Each hit of this volley also strikes every ship present, the own one included."""

    section: Section


@immutable(frozen=True, kw_only=True, slots=True)
class Spread:
    """Each hit of this volley strikes all these sections of the target."""

    sections: tuple[Section, ...]


@immutable(frozen=True, kw_only=True, slots=True)
class Reload:
    """The shooter cannot fire at its next turn of this combat."""


@immutable(frozen=True, kw_only=True, slots=True)
class SlipAway:
    """Move the own ship to an unoccupied outer island or to Treasure Island."""


@immutable(frozen=True, kw_only=True, slots=True)
class ShakeOff:
    """End a Freebooter laid on the card's player this month."""


@immutable(frozen=True, kw_only=True, slots=True)
class TakeHalf:
    """Name a victim: half of its plunder and of its burying fame comes over this month."""


@immutable(frozen=True, kw_only=True, slots=True)
class MarkTreasure:
    """A die marks an outer island, where the card's player plunders that many times the chests this month."""

    chest_factor: int


@immutable(frozen=True, kw_only=True, slots=True)
class OpenNavigation:
    """Navigation is open and in turn this month, from a named seat on."""


@immutable(frozen=True, kw_only=True, slots=True)
class SendNavy:
    """Place the Royal Navy, which lies aside, at an outer island and command it."""


@immutable(frozen=True, kw_only=True, slots=True)
class RedirectNavy:
    """Send the Royal Navy, already deployed, to another outer island and command it."""


@immutable(frozen=True, kw_only=True, slots=True)
class AttachArtisan:
    """Put an Artisan on a section of the own ship: it takes the first two hits there."""


@immutable(frozen=True, kw_only=True, slots=True)
class Raise:
    """Raise an own section by that many levels, free."""

    levels: int


@immutable(frozen=True, kw_only=True, slots=True)
class FameAtEnd:
    """Worth fame in the final scoring."""

    points: int


Verb: TypeAlias = (
    Perch
    | Becalm
    | Speed
    | DiceFrom
    | Shroud
    | Jettison
    | HitFrom
    | Recoil
    | Blast
    | Spread
    | Reload
    | SlipAway
    | ShakeOff
    | TakeHalf
    | MarkTreasure
    | OpenNavigation
    | SendNavy
    | RedirectNavy
    | AttachArtisan
    | Raise
    | FameAtEnd
)


@immutable(frozen=True, kw_only=True, slots=True)
class Mend:
    """At the end of an exchange the ship regains up to that many of the hull points lost in it (R40)."""

    points: int


@immutable(frozen=True, kw_only=True, slots=True)
class Strays:
    """Dice that missed may strike the other player ships, on that section."""

    section: Section


@immutable(frozen=True, kw_only=True, slots=True)
class Prize:
    """Does not fight and cannot be fired at; who holds its place after the fight wins a die of fame (R32)."""


Special: TypeAlias = Mend | Strays | Prize
