"""Below the ships: each seat's target cards with the aim cards laid at them, hand, piles, tracks and tricks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from referee.draw.pavillon_noir.pieces import (
    AIM_HEIGHT,
    AIM_WIDTH,
    GRID_X,
    SUIT_SIGNS,
    TARGET_SIZE,
    aim_card,
    card_back,
    disc,
    natural_value,
    sight,
    suit_class,
    target_card,
)
from referee.draw.pavillon_noir.ships import CANNON_NAMES, cannon_of, is_manned
from referee.draw.pavillon_noir.shots import zone_name
from referee.draw.scene import BOARD_WIDTH, Shape, ViewedTable, fit, text_width
from referee.games.pavillon_noir.data import REPUTATIONS, TARGETS, TRICKS
from referee.games.pavillon_noir.rules.reading import reduction
from referee.games.pavillon_noir.state import Placed, Target
from referee.games.pavillon_noir.terms import (
    VALUES,
    Card,
    Gun,
    Projectile,
    Reputation,
    Suit,
    TargetCard,
    Trick,
    Zone,
    card_name,
)
from referee.text import plural
from tortuga.v1.pavillon_noir_pb2 import PavillonNoir as Pb

WIDTH = 344.0
LEFTS = (4.0, BOARD_WIDTH - 348.0)
"""Where the cards of each seat begin."""
TARGETS_Y, TARGET_PITCH = 556.0, 115.0
HAND_LABEL_Y, HAND_Y = 668.0, 706.0
HAND_WIDTH = 252.0
TRACKS_Y, TRACK_PITCH = 760.0, 26.0
FOOT_Y = 846.0
TRICKS_Y = 874.0


@dataclass(kw_only=True, slots=True)
class Cards:
    """One seat's cards. Keys follow the cards, so that a card glides from the hand to its target."""

    seat: int
    seen: dict[str, int] = field(default_factory=dict)

    @property
    def left(self) -> float:
        """Return where they begin."""
        return LEFTS[self.seat]

    def key(self, card: Card) -> str:
        """Return the id of an aim card; there are two jokers."""
        name = f"card{self.seat}-{card_name(card)}"
        self.seen[name] = self.seen.get(name, 0) + 1
        return name if self.seen[name] == 1 else f"{name}-{self.seen[name]}"


def draw_cards(table: ViewedTable, seat: int) -> Iterator[Shape]:
    """Draw everything a seat has in front of it and in its hand."""
    cards = Cards(seat=seat)
    duelist: Pb.Duelist = table.position.observation.duelists[seat]
    yield from _targets(cards, duelist, table.position.observation)
    has_limit = is_manned(table.position.observation, seat)  # the crew sets it
    yield from _hand(cards, duelist, _known_hand(table, seat), has_limit=has_limit)
    yield from _piles(cards, duelist)
    yield from _tracks(cards, duelist)
    yield from _tricks(cards, table)


def _targets(cards: Cards, duelist: Pb.Duelist, observation: Pb.Observation) -> Iterator[Shape]:
    gun = Gun(duelist.active_gun - 1) if duelist.active_gun else None
    if gun is None or not duelist.target_zone:
        return
    cannon = cannon_of(duelist, gun)
    kind = CANNON_NAMES[cannon] if cannon is not None else "gun"
    text = f"{gun.name.capitalize()} {kind} at {zone_name(Zone(duelist.target_zone - 1))}"
    yield Shape(id=f"laid{cards.seat}", x=cards.left, y=TARGETS_Y - 54, text=text, classes="", layer=3)
    shot = observation.shot
    under_way = list(shot.reductions) if observation.HasField("shot") and shot.attacker == cards.seat else []
    for place, target in enumerate(duelist.targets):
        x = cards.left + AIM_WIDTH + 3 + TARGET_SIZE / 2 + TARGET_PITCH * place
        y = TARGETS_Y - 2
        card = TargetCard(target.card)
        left_centre, below_centre, _ = TARGETS[card]
        left, below = (_placed(target, side) for side in ("left", "below"))
        yield from target_card(
            f"target{cards.seat}-{card}",
            x,
            y,
            card,
            None if left is None else sight(left.value, left_centre),
            None if below is None else sight(below.value, below_centre),
        )
        if left is not None:
            at = x - TARGET_SIZE / 2 - AIM_WIDTH / 2 - 2
            yield from aim_card(cards.key(left.card), at, y - 9, left.card, left.value)
        if below is not None:
            at = y + TARGET_SIZE / 2 + AIM_HEIGHT / 2 + 2
            yield from aim_card(cards.key(below.card), x + GRID_X, at, below.card, below.value)
        if cannon is not None:
            off = under_way[place] if under_way else reduction(cannon, Target(card, left, below))
            yield Shape(
                id=f"target{cards.seat}-{card}-off",
                x=x - 28,
                y=y + TARGET_SIZE / 2 + 32,
                text=f"\u2212{off}" if off else "0",
                classes="middle size24 bold" + (" good" if off <= 1 else ""),
                layer=4,
                title=f"This target card takes {off} off the damage",
            )


def _placed(target: Pb.Target, side: str) -> Placed | None:
    if not target.HasField(side):  # type: ignore[arg-type]
        return None
    placed: Pb.Placed = getattr(target, side)
    return Placed(Card(placed.card), placed.value)


def _known_hand(table: ViewedTable, seat: int) -> list[Card] | None:
    """Return the faces of a hand: known to its owner, and to who looks at it through a spyglass."""
    if seat in table.hands:
        return [Card(card) for card in table.hands[seat].observation.hand]
    if 1 - seat in table.hands and table.hands[1 - seat].observation.spied_hand:
        return [Card(card) for card in table.hands[1 - seat].observation.spied_hand]
    return None


def _hand(cards: Cards, duelist: Pb.Duelist, known: list[Card] | None, *, has_limit: bool) -> Iterator[Shape]:
    limit = duelist.ship.hand_limit
    label = f"Hand {duelist.hand_size}, limit {limit}" if has_limit else f"Hand {duelist.hand_size}"
    classes = "warn" if has_limit and duelist.hand_size > limit else "muted"
    yield Shape(id=f"hand{cards.seat}", x=cards.left, y=HAND_LABEL_Y, text=label, classes=classes, layer=3)
    count = duelist.hand_size if known is None else len(known)
    pitch = min(AIM_WIDTH + 3, (HAND_WIDTH - AIM_WIDTH) / max(1, count - 1))
    for place in range(count):
        x = cards.left + AIM_WIDTH / 2 + pitch * place
        if known is None:
            yield card_back(f"hand{cards.seat}-{place}", x, HAND_Y, title="A card of the hand")
        else:
            yield from aim_card(cards.key(known[place]), x, HAND_Y, known[place], natural_value(known[place]))


def _piles(cards: Cards, duelist: Pb.Duelist) -> Iterator[Shape]:
    """Draw the deck face down with its number of cards, and the top of the discard pile."""
    right = cards.left + WIDTH
    deck_x, discard_x = right - 1.5 * AIM_WIDTH - 6, right - AIM_WIDTH / 2
    if duelist.deck_size:
        title = f"{plural(duelist.deck_size, 'card')} in the deck"
        yield card_back(f"deck{cards.seat}", deck_x, HAND_Y, title=title)
        yield Shape(
            id=f"deck{cards.seat}-size", x=deck_x, y=HAND_Y + 7, text=str(duelist.deck_size), classes="middle", layer=4
        )
    if duelist.discard:
        top = Card(duelist.discard[-1])
        yield from aim_card(cards.key(top), discard_x, HAND_Y, top, natural_value(top))
        text = f"discard {len(duelist.discard)}"
        yield Shape(
            id=f"discard{cards.seat}",
            x=right,
            y=HAND_LABEL_Y,
            text=text,
            classes="end muted",
            layer=3,
            title=" ".join(card_name(Card(card)) for card in duelist.discard),
        )


def _tracks(cards: Cards, duelist: Pb.Duelist) -> Iterator[Shape]:
    """Draw what can still be used for broadsides, sheering off and evading; what is used up is left out."""
    labels = cards.left, cards.left + 112
    used_suits = {Suit(suit - 1) for suit in duelist.covered_suits}
    yield Shape(id=f"broadside{cards.seat}", x=labels[0], y=TRACKS_Y, text="Broadside", classes="muted", layer=3)
    for suit in Suit:
        is_used = suit in used_suits
        yield Shape(
            id=f"broadside{cards.seat}-{suit.name.lower()}",
            x=labels[1] + 8 + 26 * suit,
            y=TRACKS_Y - 7,
            path=SUIT_SIGNS[suit],
            classes="lost" if is_used else suit_class(suit),
            layer=3,
            title=f"{suit.name.capitalize()}s, used up" if is_used else "",
        )
    for row, (word, used) in enumerate((("Sheer off", duelist.covered_sheer), ("Evade", duelist.covered_evade)), 1):
        y, key = TRACKS_Y + TRACK_PITCH * row, word.split()[0].lower()
        yield Shape(id=f"{key}{cards.seat}", x=labels[0], y=y, text=word, classes="muted", layer=3)
        text = " ".join("\u00b7" if value in used else str(value) for value in VALUES)
        yield Shape(id=f"{key}{cards.seat}-values", x=labels[1], y=y, text=text, classes="", layer=3)


def _tricks(cards: Cards, table: ViewedTable) -> Iterator[Shape]:
    """Draw the dirty tricks and what is offered to choose from: words for those who may know them, else their
    number."""
    duelist: Pb.Duelist = table.position.observation.duelists[cards.seat]
    parts = []
    if cards.seat in table.hands:
        own: Pb.Observation = table.hands[cards.seat].observation
        if own.offered_reputations:
            parts.append(
                "Offered: " + ", ".join([REPUTATIONS[Reputation(card)].title for card in own.offered_reputations])
            )
        if own.offered_tricks:
            parts.append("Offered: " + ", ".join([TRICKS[Trick(card)].title for card in own.offered_tricks]))
        if own.looked_at:
            parts.append("Looks at " + " ".join(card_name(Card(card)) for card in own.looked_at))
        if own.tricks:
            parts.append("Tricks: " + ", ".join([TRICKS[Trick(card)].title for card in own.tricks]))
    elif duelist.trick_count:
        parts.append(f"{plural(duelist.trick_count, 'trick')} in hand")
    if duelist.played_tricks:
        parts.append("Played: " + ", ".join([TRICKS[Trick(card)].title for card in reversed(duelist.played_tricks)]))
    lines = [line for part in parts for line in _wrap(part, WIDTH)]
    for row, line in enumerate(lines[:2]):
        text = fit(line + " …", WIDTH) if row == 1 and len(lines) > 2 else line
        yield Shape(
            id=f"tricks{cards.seat}-{row}",
            x=cards.left,
            y=TRICKS_Y + 24 * row,
            text=text,
            classes="",
            layer=3,
            title="; ".join(parts) if len(lines) > 2 else "",
        )


def _wrap(text: str, width: float) -> list[str]:
    """Break a text into lines that fit."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def draw_foot(observation: Pb.Observation) -> Iterator[Shape]:
    """Draw what both seats share: the bag of discs and the target cards; and the discs just drawn, at their owner's
    side."""
    bag = (observation.bag.balls, observation.bag.chains, observation.bag.grape)
    yield Shape(id="bag", x=196, y=FOOT_Y, text="Bag", classes="muted", layer=3)
    for projectile, count in zip(Projectile, bag, strict=True):
        x = 252 + 54 * projectile
        yield disc(f"bag-{projectile.name.lower()}", x, FOOT_Y - 7, projectile)
        yield Shape(id=f"bag-{projectile.name.lower()}-count", x=x + 14, y=FOOT_Y, text=str(count), layer=3)
    text = f"Targets {observation.target_deck_size}"
    yield Shape(
        id="target-deck", x=524, y=FOOT_Y, text=text, classes="end muted", layer=3, title="Target cards in the deck"
    )
    for seat, duelist in enumerate(observation.duelists):
        for place, drawn in enumerate(duelist.drawn):
            x = 18 + 24 * place if seat == 0 else BOARD_WIDTH - 18 - 24 * place
            yield disc(f"drawn{seat}-{place}", x, FOOT_Y - 7, Projectile(drawn - 1), title="Drawn, to be loaded")
