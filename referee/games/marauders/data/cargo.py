"""The 64 cargo cards (cards file B). Literals only."""

from __future__ import annotations

from referee.games.marauders.terms import Good, Section
from referee.rules.parts import immutable

# Per good its cards _1 to _8: loot, and the icon: E for escape, otherwise the section hit. S structure, H distribution.
# The rulebook names the first four goods.
CARGO_TABLE: dict[Good, tuple[str, ...]] = {
    Good.SPICE: ("1 E", "2 cargo", "3 E", "3 masts", "3 E", "4 crew", "4 E", "5 cannons"),
    Good.COCOA: ("1 hull", "2 E", "3 cargo", "3 E", "3 masts", "4 E", "4 crew", "5 E"),
    Good.RUM: ("1 E", "2 cannons", "3 E", "3 crew", "3 E", "4 masts", "4 E", "5 cargo"),
    Good.TOBACCO: ("1 masts", "2 E", "3 hull", "3 E", "3 cargo", "4 E", "4 cannons", "5 E"),
    Good.SUGAR: ("1 E", "2 crew", "3 E", "3 cargo", "3 E", "4 masts", "4 E", "5 hull"),
    Good.COFFEE: ("1 cannons", "2 E", "3 masts", "3 E", "3 crew", "4 E", "4 cargo", "5 E"),
    Good.COTTON: ("1 E", "2 cargo", "3 E", "3 cannons", "3 E", "4 masts", "4 E", "5 crew"),
    Good.INDIGO: ("1 masts", "2 E", "3 cargo", "3 E", "3 hull", "4 E", "4 cannons", "5 E"),
}


@immutable(frozen=True, kw_only=True, slots=True)
class CargoCard:
    """A cargo card; `hit` is None on the cards that show an escape."""

    id: str
    good: Good
    loot: int
    hit: Section | None
    mark: str


def _read(good: Good, number: int, cell: str) -> CargoCard:
    loot, icon = cell.split()
    hit = None if icon == "E" else Section[icon.upper()]
    mark = "S good, H numbers" if good <= Good.TOBACCO else "H"
    return CargoCard(id=f"{good.id}_{number}", good=good, loot=int(loot), hit=hit, mark=mark)


CARGO = {
    card.id: card
    for good, cells in CARGO_TABLE.items()
    for card in (_read(good, number, cell) for number, cell in enumerate(cells, 1))
}
