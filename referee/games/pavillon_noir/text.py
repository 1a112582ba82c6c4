"""The game told to people: an event, an option, the whole table, as somebody who sees everything.

Events without their secret part (view.py) have words as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from referee.engine import DUEL, Seat
from referee.games.pavillon_noir import actions as a
from referee.games.pavillon_noir import events as e
from referee.games.pavillon_noir.data import DECKS, HULLS, REPUTATIONS, SAIL_ZONES, TRICKS, ZONES_OF
from referee.games.pavillon_noir.state import Duelist, Ship, State, Target
from referee.games.pavillon_noir.terms import (
    Card,
    Discs,
    Gun,
    Marker,
    Projectile,
    Suit,
    TargetCard,
    Term,
    Track,
    card_name,
    target_name,
)


def tell_event(event: e.Event) -> str:
    """One fact as one line."""
    match event:
        case (
            e.OfficersPlaced()
            | e.CannonsInstalled()
            | e.DiscsDrawn()
            | e.DiscsReturned()
            | e.GunsLoaded()
            | e.FirstSeatNamed()
            | e.GunLaid()
            | e.ReputationsDealt()
            | e.ReputationChosen()
            | e.TricksDealt()
            | e.TrickKept()
        ):
            return _tell_preparation(event)
        case (
            e.TargetsDiscarded()
            | e.TargetReplaced()
            | e.AimTakenBack()
            | e.TargetsReshuffled()
            | e.CardsDrawn()
            | e.DeckReshuffled()
            | e.CardsLookedAt()
            | e.HandSpied()
            | e.CardsDiscarded()
            | e.TrackCleared()
        ):
            return _tell_cards(event)
        case (
            e.TurnBegan()
            | e.ReputationUsed()
            | e.TrickPlayed()
            | e.Aimed()
            | e.Done()
            | e.BroadsideFired()
            | e.SheeredOff()
            | e.FigureMoved()
            | e.ZoneRepaired()
        ):
            return _tell_action(event)
        case _:
            return _tell_fight(event)


def _tell_preparation(
    event: e.OfficersPlaced
    | e.CannonsInstalled
    | e.DiscsDrawn
    | e.DiscsReturned
    | e.GunsLoaded
    | e.FirstSeatNamed
    | e.GunLaid
    | e.ReputationsDealt
    | e.ReputationChosen
    | e.TricksDealt
    | e.TrickKept,
) -> str:
    who = _who(event.seat)
    match event:
        case e.OfficersPlaced(_, captain, mate):
            return f"{who} sends the captain to {_word(captain)} and the mate to {_word(mate)}"
        case e.CannonsInstalled(_, bow, stern):
            return f"{who} installs {_word(bow)} at the bow and {_word(stern)} at the stern"
        case e.DiscsDrawn(_, discs):
            return f"{who} draws {_words(discs)} from the bag"
        case e.DiscsReturned(_, discs):
            return f"{who} returns {_words(discs)} to the bag"
        case e.GunsLoaded(_, bow_load, stern_load):
            return f"{who} loads bow {_load(bow_load)} stern {_load(stern_load)}"
        case e.FirstSeatNamed():
            return f"{who} goes first"
        case e.GunLaid(_, gun, zone, targets):
            return f"{who} lays the {_word(gun)} gun on {_word(zone)}: {_targets(targets)}"
        case e.ReputationsDealt(_, reputations):
            titles = ", ".join(REPUTATIONS[card].title for card in reputations)
            return f"{who} chooses a reputation among {titles or 'those dealt'}"
        case e.ReputationChosen(_, reputation):
            return f"{who} is known as {REPUTATIONS[reputation].title}"
        case e.TricksDealt(_, tricks):
            titles = ", ".join(TRICKS[card].title for card in tricks)
            return f"{who} chooses a trick among {titles or 'those dealt'}"
        case e.TrickKept(_, trick):
            return f"{who} keeps {'a trick' if trick is None else TRICKS[trick].title}"
        case _:
            assert_never(event)


def _tell_cards(
    event: e.TargetsDiscarded
    | e.TargetReplaced
    | e.AimTakenBack
    | e.TargetsReshuffled
    | e.CardsDrawn
    | e.DeckReshuffled
    | e.CardsLookedAt
    | e.HandSpied
    | e.CardsDiscarded
    | e.TrackCleared,
) -> str:
    if isinstance(event, e.TargetsReshuffled):
        return "The target cards are reshuffled"
    who = _who(event.seat)
    match event:
        case e.TargetsDiscarded(_, targets):
            return f"{who} puts {_targets(targets)} away"
        case e.TargetReplaced(_, index, target):
            return f"{who} lays out {target_name(target)} as target {index}"
        case e.AimTakenBack(_, cards):
            return f"{who} takes {_cards(cards)} back into the hand"
        case e.CardsDrawn(_, count, cards):
            return f"{who} draws {_cards(cards) if cards else _count(count)}"
        case e.DeckReshuffled():
            return f"{who} reshuffles the discard pile"
        case e.CardsLookedAt(_, count, cards):
            return f"{who} looks at {_cards(cards) if cards else _count(count)}"
        case e.HandSpied(_, cards):
            return f"{who} sees the opposing hand" + (f": {_cards(cards)}" if cards else "")
        case e.CardsDiscarded(_, cards, cause):
            return f"{who} loses {_cards(cards)} ({_word(cause)})"
        case e.TrackCleared(_, track):
            return f"{who} uncovers the {_word(track)} track"
        case _:
            assert_never(event)


def _tell_action(
    event: e.TurnBegan
    | e.ReputationUsed
    | e.TrickPlayed
    | e.Aimed
    | e.Done
    | e.BroadsideFired
    | e.SheeredOff
    | e.FigureMoved
    | e.ZoneRepaired,
) -> str:
    who = _who(event.seat)
    match event:
        case e.TurnBegan(_, turn):
            return f"Turn {turn}: {who}"
        case e.ReputationUsed(_, reputation):
            return f"{who} profits from {REPUTATIONS[reputation].title}"
        case e.TrickPlayed(_, trick, target):
            return f"{who} plays {TRICKS[trick].title}" + ("" if target is None else f" on target {target}")
        case e.Aimed(_, card, value, index, side):
            return f"{who} aims with {_aim_card(card, value)} {_word(side)} of target {index}"
        case e.Done(_, deed, cards):
            return f"{who}: {_word(deed)}" + (f" for {_cards(cards)}" if cards else "")
        case e.BroadsideFired(_, suit, cards, discs):
            return f"{who} fires a broadside of {_word(suit)}s with {_cards(cards)}: {_guns(discs)}"
        case e.SheeredOff(_, start, cards):
            return f"{who} sheers off with {_cards(cards)} from {start}"
        case e.FigureMoved(_, figure, deck, zone):
            return f"{who} sends a {_word(figure)} from {_word(deck)} to {_word(zone)}"
        case e.ZoneRepaired(_, deck, zone, spared):
            return f"{who} repairs {_word(zone)} from {_word(deck)}" + (" and spares the sailor" if spared else "")
        case _:
            assert_never(event)


def _tell_fight(
    event: e.FireHeld
    | e.ShotFired
    | e.DoubleFired
    | e.ShotEvaded
    | e.ShotLanded
    | e.MarkersRemoved
    | e.MarkersRestored
    | e.DisasterFlipped
    | e.GameEnded,
) -> str:
    if isinstance(event, e.GameEnded):
        return f"The game ends ({event.reason}): " + (
            "a draw" if event.winner is None else f"{_who(event.winner)} wins"
        )
    who = _who(event.seat)
    match event:
        case e.FireHeld():
            return f"{who} holds fire"
        case e.ShotFired(_, gun, zone, projectile, initial, reductions, damage):
            read = "".join(f" -{reduction}" for reduction in reductions)
            return (
                f"{who} fires {_word(projectile)} from the {_word(gun)} at {_word(zone)}: {initial}{read} -> {damage}"
            )
        case e.DoubleFired(_, projectile, damage):
            return f"{who} fires {_word(projectile)} as well -> {damage}"
        case e.ShotEvaded(_, kind, _, cards, reduction, damage):
            return f"{who} evades {reduction} with a {_word(kind)} run {_cards(cards)} -> {damage}"
        case e.ShotLanded(_, zone, damage):
            return f"{who} does {damage} damage to {_word(zone)}"
        case e.MarkersRemoved(_, marker, counts, captain, mate):
            officers = [name for name, lost in (("captain", captain), ("mate", mate)) if lost]
            return f"{who} loses {', '.join([*_zone_counts(marker, counts), *officers])}"
        case e.MarkersRestored(_, marker, counts):
            return f"{who} gets back {', '.join(_zone_counts(marker, counts))}"
        case e.DisasterFlipped(_, zone, disaster):
            return f"{who} meets with disaster in {_word(zone)}: {_word(disaster)}"
        case _:
            assert_never(event)


def tell_action(action: a.Action) -> str:
    """One option, short enough for a list."""
    match action:
        case a.Aim(card, value, target, side):
            return f"aim {_aim_card(card, value)} {_word(side)} of target {target}"
        case a.PlayTrick(trick, index):
            return f"trick {TRICKS[trick].name}" + ("" if index is None else f" on target {index}")
        case a.Broadside(suit):
            return f"broadside {_word(suit)}"
        case a.Give(cards):
            return _cards(cards)
        case a.GiveRun(start, cards):
            return f"{_cards(cards)} from {start}"
        case a.Evade(kind, start, cards):
            return f"evade {_word(kind)} {_cards(cards)} from {start}"
        case a.FireBroadside(discs):
            return _guns(discs)
        case a.LoseAim(places):
            return ", ".join(f"{_word(side)} of target {index}" for index, side in places)
        case a.ReturnDiscs(discs):
            return f"return {_words(discs)}"
        case a.LoadGuns(bow, stern):
            return f"bow {_load(bow)} stern {_load(stern)}"
        case a.KeepReputation(reputation):
            return REPUTATIONS[reputation].name
        case a.KeepTrick(trick):
            return TRICKS[trick].name
        case a.TakeCard(card):
            return card_name(card)
        case a.RemovePlanks() | a.RemoveSails() | a.RemoveCrew() | a.Restore():
            return _tell_counts(action)
        case _:
            return _tell_plainly(action)


def _tell_counts(action: a.RemovePlanks | a.RemoveSails | a.RemoveCrew | a.Restore) -> str:
    match action:
        case a.RemovePlanks(bow, main, stern):
            return f"planks {bow}/{main}/{stern}"
        case a.RemoveSails(bow, stern):
            return f"sails {bow}/{stern}"
        case a.RemoveCrew(bow, main, stern, captain, mate):
            return f"sailors {bow}/{main}/{stern}" + " +captain" * captain + " +mate" * mate
        case a.Restore(counts):
            return "/".join(map(str, counts))


def _tell_plainly(action: a.Action) -> str:
    """The name of the action and its parameters, all of them terms."""
    name = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in type(action).__name__).strip()
    values = (getattr(action, field) for field in type(action).__dataclass_fields__)
    return " ".join([name, *(_word(value) if isinstance(value, Term) else str(value) for value in values)])


def tell_table(state: State) -> str:
    """The whole table."""
    active = "setup" if state.active is None else f"{_who(state.active)}, {_word(state.phase)}"
    lines = [f"round {state.round}, turn {state.turn}: {active}, {state.actions} actions left"]
    for seat in DUEL:
        lines += _tell_duelist(seat, state.duelists[seat])
    bag = ", ".join(f"{count} {_word(disc)}" for disc, count in zip(Projectile, state.bag, strict=True))
    lines.append(f"bag: {bag}; target deck {len(state.target_deck)}")
    return "\n".join(lines)


def _tell_duelist(seat: Seat, own: Duelist) -> list[str]:
    guns = [
        f"{_word(gun)} {_word(own.cannons[gun])} {_load(own.loads[gun])}" + "*" * (gun is own.gun)
        for gun in Gun
        if own.cannons
    ]
    aimed = [] if own.zone is None else [f"at {_word(own.zone)}", *map(_target, own.targets)]
    covered = [f"{_word(track)} {_entries(track, own.tracks[track])}" for track in Track if own.tracks[track]]
    known = [] if own.reputation is None else [REPUTATIONS[own.reputation].title]
    lines = [
        f"{_who(seat)}: {_tell_ship(own.ship)}",
        f"  guns {', '.join(guns)} {' '.join(aimed)}",
        f"  hand {_cards(own.hand)}; deck {len(own.deck)}, discard {len(own.discard)}",
    ]
    extras = [*known, *(TRICKS[trick].title for trick in own.tricks), *(f"covered {text}" for text in covered)]
    return [*lines, f"  {'; '.join(extras)}"] if extras else lines


def _tell_ship(ship: Ship) -> str:
    officers = f"captain {_word(ship.captain)}, mate {_word(ship.mate)}"
    zones = (("sails", SAIL_ZONES), ("crew", DECKS), ("planks", HULLS))
    counts = ", ".join(f"{name} {'/'.join(str(ship.markers(zone)) for zone in row)}" for name, row in zones)
    return f"{counts}, {officers}"


def fired(event: e.Event) -> str:
    """The name under which `simulate` counts an event: a card or a rule of the specification."""
    match event:
        case e.TrickPlayed(_, trick):
            return f"trick {TRICKS[trick].name}"
        case e.ReputationUsed(_, reputation):
            return f"reputation {REPUTATIONS[reputation].name}"
        case e.DisasterFlipped(_, _, disaster):
            return f"disaster {disaster.name.lower()}"
        case e.Done(_, deed):
            return deed.name.lower()
        case e.CardsDiscarded(_, _, cause):
            return f"discard {cause.name.lower()}"
        case e.ShotEvaded(_, kind):
            return f"evade {kind.name.lower()}"
        case e.MarkersRemoved(_, marker):
            return f"remove {marker.name.lower()}"
        case e.MarkersRestored(_, marker):
            return f"restore {marker.name.lower()}"
        case e.GameEnded(_, reason):
            return f"end {reason}"
        case _:
            return _FIRED[type(event)]


_FIRED: dict[type, str] = {
    e.OfficersPlaced: "setup_officers",
    e.CannonsInstalled: "setup_cannons",
    e.DiscsDrawn: "discs drawn",
    e.DiscsReturned: "reload_return",
    e.GunsLoaded: "load",
    e.FirstSeatNamed: "first_seat",
    e.GunLaid: "lay_gun",
    e.TargetsDiscarded: "targets discarded",
    e.TargetReplaced: "target replaced",
    e.AimTakenBack: "aim taken back",
    e.TargetsReshuffled: "target reshuffle",
    e.ReputationsDealt: "reputations dealt",
    e.ReputationChosen: "choose_reputation",
    e.TricksDealt: "tricks dealt",
    e.TrickKept: "choose_trick",
    e.TurnBegan: "turn",
    e.CardsDrawn: "draw",
    e.DeckReshuffled: "deck reshuffle",
    e.CardsLookedAt: "cards looked at",
    e.HandSpied: "hand spied",
    e.Aimed: "aim",
    e.BroadsideFired: "broadside",
    e.SheeredOff: "sheer_off",
    e.FigureMoved: "patch move",
    e.ZoneRepaired: "patch repair",
    e.FireHeld: "hold",
    e.ShotFired: "fire",
    e.DoubleFired: "double_shot",
    e.ShotLanded: "shot landed",
    e.TrackCleared: "track cleared",
}


def _who(seat: Seat) -> str:
    return f"seat {seat}"


def _word(term: Term | None) -> str:
    return "none" if term is None else term.name.lower()


def _words(terms: Iterable[Term]) -> str:
    return ", ".join(map(_word, terms)) or "nothing"


def _cards(cards: Iterable[Card]) -> str:
    return " ".join(map(card_name, cards)) or "nothing"


def _count(cards: int) -> str:
    return f"{cards} card{'' if cards == 1 else 's'}"


def _aim_card(card: Card, value: int) -> str:
    name = card_name(card)
    return f"{name}({value})" if name == "JK" else name


def _targets(targets: Iterable[TargetCard]) -> str:
    return " ".join(map(target_name, targets))


def _target(target: Target) -> str:
    sides = ("-" if placed is None else _aim_card(placed.card, placed.value) for placed in (target.left, target.below))
    return f"{target_name(target.card)}[{' '.join(sides)}]"


def _load(discs: Discs) -> str:
    return f"[{' '.join(map(_word, discs))}]"


def _guns(discs: Iterable[tuple[Gun, Projectile]]) -> str:
    return ", ".join(f"{_word(disc)} from the {_word(gun)}" for gun, disc in discs)


def _zone_counts(marker: Marker, counts: tuple[int, ...]) -> list[str]:
    unit = "sailor" if marker is Marker.CREW else _word(marker)
    return [
        f"{count} {unit}{'' if count == 1 else 's'} of {_word(zone)}"
        for zone, count in zip(ZONES_OF[marker], counts, strict=True)
        if count
    ]


def _entries(track: Track, entries: tuple[int, ...]) -> str:
    if track is Track.BROADSIDE:
        return " ".join(_word(Suit(entry)) for entry in entries)
    return " ".join(map(str, entries))
