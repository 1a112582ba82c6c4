"""The final order of a contest in every format: places, points, wins, tie-breaks, and the champion in words.

Round-robin, league, gauntlet and Swiss go by points, then by the tie-breaks of the format (tie_breaks.py). Where bots
could not make equally many points (a round was missed, a match was annulled), the share of the possible points decides.
A knockout goes by the round reached, a ladder by its ratings. Bots that nothing tells apart share a place. Who was
disqualified has none, and stands last.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from referee.text import listed
from server.schedule.knockout import Bracket, Tie
from server.schedule.plan import Plan
from server.schedule.points import ContestTally
from server.schedule.tie_breaks import OF_FORMAT, TieBreak, Value

POINTS, ROUND, ELO = "points", "round reached", "Elo"


@dataclass(frozen=True, kw_only=True, slots=True)
class Placing:
    """One bot in the final order, or in the order so far."""

    bot: str
    place: int | None
    """Bots that nothing tells apart share a place. None: it was disqualified."""
    points: float | None = None
    """One for each seat beaten, a half for each tied with. None: the format has no points."""
    possible: float | None = None
    """The points it could have made."""
    wins: int = 0
    draws: int = 0
    losses: int = 0
    byes: int = 0
    tie_breaks: Mapping[str, float | None]
    """Values by key of the tie-break. None: it could not be computed, or nobody was level."""
    decided_by: str = ""
    """The reason why it is ahead of the next one: points, a tie-break, the round reached. Empty: none."""
    round_reached: str = ""
    """The round that the bot of a knockout reached."""
    rating: float | None = None
    """The rating, on a ladder."""
    note: str = ""
    """Anything else there is to say of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Placings:
    """The order of one contest."""

    goes_by: str
    """The main criterion: points, the round reached, or Elo."""
    tie_breaks: tuple[TieBreak, ...] = ()
    lines: tuple[Placing, ...] = ()
    champion: str = ""
    """The winner or leader, in words. Empty: nobody yet."""
    notes: tuple[str, ...] = ()
    """Facts that a reader of the standings has to know, such as rulings whose matches are not replayed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Occasion:
    """The contest that a champion wins, in words, and whether it is over."""

    name: str
    over: bool


def place_by_points(
    plan: Plan, tally: ContestTally, occasion: Occasion, out: Mapping[str, str] | None = None, notes: Sequence[str] = ()
) -> Placings:
    """Order a contest that goes by points. `out` holds who was disqualified, and what to say of it."""
    out = out or {}
    tie_breaks = OF_FORMAT[plan.format]
    bots = [entrant.name for entrant in plan.entrants]
    placed = _Order(tally, tie_breaks)
    placed.split([bot for bot in bots if bot not in out])
    lines: list[Placing] = []
    for group in placed.groups:
        for bot in group:
            line = _sums(tally, bot, tie_breaks, placed.values)
            lines.append(replace(line, place=len(lines) + 1 - group.index(bot), decided_by=placed.decided.get(bot, "")))
    lines += [replace(_sums(tally, bot, tie_breaks, {}), note=out[bot]) for bot in bots if bot in out]
    placings = Placings(goes_by=POINTS, tie_breaks=tie_breaks, lines=tuple(lines), notes=tuple(notes))
    return replace(placings, champion=_first_by_points(placings, tally, occasion))


class _Order:
    """Splits bots into groups that nothing tells apart, best first."""

    def __init__(self, tally: ContestTally, tie_breaks: Sequence[TieBreak]) -> None:
        self._tally = tally
        self._tie_breaks = tie_breaks
        self.groups: list[list[str]] = []
        self.decided: dict[str, str] = {}
        """The criterion that puts the last bot of each group ahead of the next group."""
        self.values: dict[tuple[str, str], Value] = {}
        """Values that depend on the group, by bot and tie-break."""

    def split(self, bots: Sequence[str]) -> None:
        """Split by the share of points, then by the tie-breaks."""
        shares = {bot: share_of_points(self._tally, bot) for bot in bots}
        self._split_by(shares, POINTS, 0)

    def _split_by(self, values: Mapping[str, Value], name: str, following: int) -> None:
        for value in sorted(set(values.values()), reverse=True):
            if self.groups:
                self.decided.setdefault(self.groups[-1][-1], name)
            self._break_tie([bot for bot, own in values.items() if own == value], following)

    def _break_tie(self, level: list[str], following: int) -> None:
        if len(level) == 1 or following == len(self._tie_breaks):
            self.groups.append(level)
            return
        tie_break = self._tie_breaks[following]
        values = tie_break.measure(self._tally, level)
        if values is None:
            self._break_tie(level, following + 1)
            return
        if tie_break.of_group:
            self.values.update({(bot, tie_break.key): value for bot, value in values.items()})
        # What decides within this group is this tie-break; what decides against the group before was said already.
        self._split_by(values, tie_break.name, following + 1)


def share_of_points(tally: ContestTally, bot: str) -> Fraction:
    """Return the share of the possible points that a bot made."""
    possible = tally.possible(bot)
    return Fraction(tally.points(bot), possible) if possible else Fraction(0)


def _sums(
    tally: ContestTally, bot: str, tie_breaks: Sequence[TieBreak], of_group: Mapping[tuple[str, str], Value]
) -> Placing:
    values: dict[str, float | None] = {}
    for tie_break in tie_breaks:
        measured = None if tie_break.of_group else tie_break.measure(tally, [bot])
        value = of_group.get((bot, tie_break.key)) if measured is None else measured[bot]
        values[tie_break.key] = None if value is None else float(value)
    return Placing(
        bot=bot,
        place=None,
        points=tally.points(bot) / 2,
        possible=tally.possible(bot) / 2,
        wins=tally.wins[bot],
        draws=tally.draws[bot],
        losses=tally.losses[bot],
        byes=tally.byes[bot],
        tie_breaks=values,
    )


def _first_by_points(placings: Placings, tally: ContestTally, occasion: Occasion) -> str:
    leaders = [line for line in placings.lines if line.place == 1]
    if not leaders or not any(line.possible for line in placings.lines):
        return ""
    first = [line for line in leaders if not tally.never_played(line.bot)]
    if not first:
        return _nobody(occasion, f"{listed([line.bot for line in leaders])} played no match")
    points = f"{first[0].points:g} of {first[0].possible:g} points"
    if len(first) > 1:
        names = listed([line.bot for line in first])
        verb = "share the first place of" if occasion.over else "share the lead of"
        alike = len({(line.points, line.possible) for line in first}) == 1
        return f"{names} {verb} {occasion.name}" + (f", {points} each" if alike else "")
    sentence = f"{first[0].bot} {'wins' if occasion.over else 'leads'} {occasion.name}, {points}"
    second = [line.bot for line in placings.lines if line.place == 2]
    if second and first[0].decided_by not in ("", POINTS):
        sentence += f", ahead of {listed(second)} on {first[0].decided_by}"
    return sentence


def _nobody(occasion: Occasion, reason: str) -> str:
    return f"nobody {'wins' if occasion.over else 'leads'} {occasion.name}: {reason}"


def place_by_round(
    tally: ContestTally,
    bracket: Bracket,
    occasion: Occasion,
    out: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Placings:
    """Order a knockout."""
    out = out or {}
    places = bracket.places()
    ranked = [place for place in places if place.bot not in out]
    ranks = [place.rank for place in ranked]
    lines = []
    for at, place in enumerate(ranked):
        following = ranks[at + 1] if at + 1 < len(ranked) else place.rank
        lines.append(
            replace(
                _record(tally, place.bot),
                place=ranks.index(place.rank) + 1,
                round_reached=place.note,
                decided_by=ROUND if following > place.rank else "",
            )
        )
    lines += [
        replace(_record(tally, place.bot), round_reached=place.note, note=out[place.bot])
        for place in places
        if place.bot in out
    ]
    champion = _first_by_round(bracket, tally, lines, occasion)
    return Placings(goes_by=ROUND, lines=tuple(lines), champion=champion, notes=tuple(notes))


def _record(tally: ContestTally, bot: str) -> Placing:
    return Placing(
        bot=bot, place=None, wins=tally.wins[bot], draws=tally.draws[bot], losses=tally.losses[bot], tie_breaks={}
    )


def _first_by_round(bracket: Bracket, tally: ContestTally, lines: Sequence[Placing], occasion: Occasion) -> str:
    first = [line.bot for line in lines if line.place == 1]
    if not first or not any(line.wins + line.draws + line.losses for line in lines):
        return ""
    if not (bracket.over and occasion.over) or len(first) > 1:
        return f"still in {occasion.name}: {listed(first)}"
    final = next((tie for ties in bracket.rounds for tie in ties if tie.name == "final"), None)
    if tally.never_played(first[0]):
        return _nobody(occasion, f"{first[0]} played no match")
    if final and not final.gone and tally.unplayed[frozenset(final.bots)] == final.legs * tally.seats:
        return _nobody(occasion, "no bot played the final")
    sentence = f"{first[0]} wins {occasion.name}"
    return f"{sentence}, {_final_words(final, first[0])}" if final and first[0] in final.bots else sentence


def _final_words(final: Tie, winner: str) -> str:
    others = [bot for bot in final.order() if bot != winner]
    if final.order()[0] != winner:
        return "because the winner of the final was disqualified"
    points = {bot: final.points.get(bot, 0) / 2 for bot in final.bots}
    score = " to ".join(f"{points[bot]:g}" for bot in (winner, *others))
    if final.gone:
        return f"as {listed(sorted(final.gone))} was taken out of the final"
    if len(others) > 1 or final.is_level():
        how = ", level: the better seed is first" if final.is_level() else ""
        return f"first of {len(final.bots)} in the final with {points[winner]:g} points{how}"
    return f"beating {others[0]} in the final, {score}"


def place_by_rating(
    tally: ContestTally,
    ratings: Sequence[tuple[str, float]],
    champion: str,
    out: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    unrated: Collection[str] = (),
) -> Placings:
    """Order a ladder: by rating, best first, then those without one. The champion is what the ratings allow to say."""
    out = out or {}
    ratings = sorted(ratings, key=lambda pair: pair[0] in unrated)
    lines: list[Placing] = []
    for bot, rating in (pair for pair in ratings if pair[0] not in out):
        lines.append(replace(_record(tally, bot), place=len(lines) + 1, rating=rating, decided_by=ELO))
    lines += [replace(_record(tally, bot), rating=rating, note=out[bot]) for bot, rating in ratings if bot in out]
    return Placings(goes_by=ELO, lines=tuple(lines), champion=champion, notes=tuple(notes))
