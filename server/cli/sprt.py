"""`tortuga sprt`: is A better than B? A test that is played, or judged from an event already played."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from itertools import groupby
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from server.bots.spec import absolute_spec, find_bot
from server.cli.common.command import (
    Interrupted,
    clock_option,
    json_flag,
    new_seed,
    read_variants,
    run_loop,
    seed_option,
    split_game,
    variant_option,
)
from server.cli.common.jail import jail_option, make_confinement
from server.cli.common.output import print_json
from server.cli.common.progress import QuietListener, echo
from server.cli.common.quick_event import start_quick_event
from server.jail.limits import caps_for, write_limits
from server.play.summary import MatchSummary
from server.tournament.agreement import Agreement
from server.tournament.folder import Folder
from server.tournament.manifest import Manifest, make_manifest
from server.tournament.store import Store

if TYPE_CHECKING:
    from server.tournament.sequential import SequentialTest

Names = tuple[str, str]


@click.command()
@click.argument("candidate", metavar="A")
@click.argument("opponents", metavar="B...", nargs=-1, required=True)
@click.option("--game", required=True, metavar="GAME[:SEATS]", help="The game.")
@click.option("--elo0", default=0.0, show_default=True, help="H0: A is better by this much Elo.")
@click.option("--elo1", default=10.0, show_default=True, help="H1: A is better by this much Elo.")
@click.option("--alpha", default=0.05, show_default=True, help="Risk of accepting H1 wrongly.")
@click.option("--beta", default=0.05, show_default=True, help="Risk of accepting H0 wrongly.")
@click.option(
    "--model",
    type=click.Choice(["normalized", "logistic", "bayesian"]),
    default="normalized",
    show_default=True,
    help="The Elo model; the last two are for two seats.",
)
@click.option(
    "--from",
    "source",
    type=click.Path(file_okay=False, path_type=Path),
    help="Test the results of an event already played.",
)
@click.option(
    "--dir",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder to play in. [default: under tournaments/]",
)
@click.option("--filler", default="random", show_default=True, metavar="SPEC", help="The bot that fills an odd seat.")
@click.option(
    "--max-blocks",
    default=20_000,
    show_default=True,
    type=click.IntRange(1),
    help="Stop undecided after this many blocks.",
)
@seed_option
@variant_option
@clock_option
@click.option("--concurrency", type=click.IntRange(1, 1024), help="Matches at once. [default: chosen by measurement]")
@jail_option
@json_flag
def sprt(
    candidate: str,
    opponents: tuple[str, ...],
    source: Path | None,
    directory: Path | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Test whether A is better than B. Plays mirrored blocks until that is clear, then stops.

    With several B, A is tested against all of them: it plays each equally often, and its mean score counts.
    """
    from server.ratings.sprt import BIASED

    if source is not None:
        if len(opponents) > 1:
            raise ConfigError("--from works only for two bots; against several opponents, run a new test")
        test, names = judge(source, candidate, *opponents, **flags)
    else:
        test, names = play_test(directory, candidate, opponents, quiet=as_json, **flags)
    if as_json:
        print_json(sprt_json(test, *names))
    else:
        click.echo(test.line())
        click.echo(f"{test.conclusion(*names)} (the estimates above are {BIASED})")
        if estimate := test.estimate():
            click.echo(estimate)
        click.echo(test.result(*names))
        if test.failed:
            click.echo(f"beware: {test.failures()}")


class SprtListener(QuietListener):
    """Feeds a sequential test, prints its state now and then, and ends the run at the verdict."""

    def __init__(self, test: SequentialTest, say: Callable[[str], None], every: int = 10) -> None:
        self._test = test
        self._say = say
        self._every = every
        self._told = 0

    def begin(self, agreement: Agreement, matches: Iterable[MatchSummary]) -> None:
        """Count the matches of earlier runs."""
        for match in matches:
            self._test.add(match)

    def match_finished(self, match: MatchSummary, done: int, planned: int | None) -> None:
        """Count it, and print the state after every few blocks."""
        if self._test.add(match) and self._test.sprt.blocks >= self._told + self._every:
            self._told = self._test.sprt.blocks
            self._say(self._test.progress())

    def enough(self) -> bool:
        """Whether there is a verdict."""
        return self._test.sprt.verdict is not None


def make_test(
    seats: int, ours: set[str], theirs: set[str], flags: dict[str, Any], *, mirrored: bool = True, round_blocks: int = 1
) -> SequentialTest:
    """A test by the words of the user. Against a field, `round_blocks` blocks count as one."""
    from server.ratings.sprt import Sprt, SprtModel, bounds, is_in_reach
    from server.tournament.sequential import SequentialTest

    model = SprtModel(flags["model"])
    if (seats > 2 or round_blocks > 1) and model is not SprtModel.NORMALIZED:
        where = f"with {seats} seats" if seats > 2 else "against a field"
        raise ConfigError(f"{where} only the normalized model can be tested, not the {model} one")
    games = seats * round_blocks if mirrored and model is not SprtModel.BAYESIAN else 1
    try:
        bounds(flags["alpha"], flags["beta"])
        sprt = Sprt(
            elo0=flags["elo0"],
            elo1=flags["elo1"],
            alpha=flags["alpha"],
            beta=flags["beta"],
            model=model,
            games=games,
            exact=seats == 2
            and round_blocks == 1
            and (model is not SprtModel.NORMALIZED or is_in_reach(flags["elo0"], flags["elo1"], games)),
        )
    except ValueError as error:
        raise ConfigError(str(error)) from None
    return SequentialTest(sprt, ours, theirs, blocks_per_round=round_blocks)


def read_game(text: str) -> tuple[str, int]:
    """GAME or GAME:SEATS."""
    info, seats = split_game(text)
    count = info.min_seats if seats is None else seats
    info.check_seats(count)
    return info.id, count


def seat_sides(candidate: str, base: str, filler: str, seats: int) -> tuple[list[dict[str, Any]], set[str], set[str]]:
    """Both sides hold half of the seats each, side by side; an odd seat goes to somebody else."""
    first, second, third = (find_bot(spec) for spec in (candidate, base, filler))
    names = [first.name, second.name if second.name != first.name else f"{second.name}-base"]
    entries: list[dict[str, Any]] = []
    sides: tuple[set[str], set[str]] = (set(), set())
    for side, spec in enumerate((candidate, base)):
        for number in range(1, seats // 2 + 1):
            name = names[side] if number == 1 else f"{names[side]}.{number}"
            entries.append({"spec": absolute_spec(spec), "name": name, "team": names[side]})
            sides[side].add(name)
    if seats % 2:
        taken = {entry["name"] for entry in entries}
        name = third.name if third.name not in taken else f"{third.name}.filler"
        entries.append({"spec": absolute_spec(filler), "name": name})
    return entries, *sides


def seat_field(
    candidate: str, opponents: Sequence[str], seats: int
) -> tuple[list[dict[str, Any]], set[str], set[str], int]:
    """One bot and all its opponents, who take turns at its table; and the blocks until it met all equally often."""
    if len(opponents) < seats - 1:
        raise ConfigError(f"a field for {seats} seats needs at least {seats - 1} opponents, not {len(opponents)}")
    entries: list[dict[str, Any]] = []
    for spec in (candidate, *opponents):
        name, taken = find_bot(spec).name, {entry["name"] for entry in entries}
        number = 2
        while name in taken:
            name, number = f"{find_bot(spec).name}.{number}", number + 1
        entries.append({"spec": absolute_spec(spec), "name": name, "hero": bool(entries)})
    theirs = {entry["name"] for entry in entries[1:]}
    return entries, {entries[0]["name"]}, theirs, len(opponents) // gcd(len(opponents), seats - 1)


def play_test(
    directory: Path | None, candidate: str, opponents: Sequence[str], *, quiet: bool, **flags: Any
) -> tuple[SequentialTest, Names]:
    """Play until the verdict."""
    from server.tournament.event import run_event
    from server.tournament.runner import Ending

    game, seats = read_game(flags["game"])
    round_blocks = 1
    if len(opponents) > 1:
        entries, ours, theirs, round_blocks = seat_field(candidate, opponents, seats)
        names = entries[0]["name"], f"a field of {len(opponents)}"
    else:
        entries, ours, theirs = seat_sides(candidate, opponents[0], flags["filler"], seats)
        names = entries[0]["name"], entries[seats // 2]["name"]
    test = make_test(seats, ours, theirs, flags, round_blocks=round_blocks)
    manifest = sprt_manifest(game, seats, entries, names, flags, round_blocks)
    against = names[1].replace(" ", "-")
    directory = directory or Path("tournaments") / f"sprt-{names[0]}-{against}-{manifest.seed[:8]}"
    folder = Folder(directory)
    start_quick_event(folder, manifest)
    if not quiet:
        echo(f"event folder: {directory}")
        echo(test.plan())
    watch = SprtListener(test, (lambda text: None) if quiet else echo)
    confinement = make_confinement(flags["jail"], hidden=[directory], quiet=quiet)
    ending = run_loop(run_event(folder, watch, concurrency=flags["concurrency"], confinement=confinement))
    if ending is not Ending.FINISHED:
        raise Interrupted(
            f"interrupted after {test.sprt.blocks} blocks: {test.line()}; {test.estimate()}. The same command with "
            f"--dir {directory} --seed {manifest.seed} goes on"
        )
    return test, names


def sprt_manifest(
    game: str, seats: int, entries: list[dict[str, Any]], names: Names, flags: dict[str, Any], round_blocks: int
) -> Manifest:
    """One table, again and again; against a field, one bot and its opponents in turn."""
    return make_manifest(
        {
            "name": f"sprt {names[0]} against {names[1]}"[:80],
            "seed": flags["seed"] or new_seed(),
            "format": "gauntlet" if any(entry.get("hero") for entry in entries) else "round-robin",
            "rounds": -(-flags["max_blocks"] // round_blocks),
            "clock": flags["clock"],
            "quarantine": 1.0,
            "games": [{"id": game, "seats": seats, "variant": read_variants(flags["variants"])}],
            "bots": entries,
            "limits": write_limits(caps_for([find_bot(entry["spec"]).asked for entry in entries])),
        }
    )


def judge(source: Path, candidate: str, base: str, **flags: Any) -> tuple[SequentialTest, Names]:
    """The blocks of a played event in which just these two met, in its order."""
    game, seats = read_game(flags["game"])
    if seats != 2:
        raise ConfigError("--from works only for games of two seats; for more, run a new test")
    folder = Folder(source)
    agreement = folder.require_agreement()
    known = {one.name for one in agreement.roster}
    for name in (candidate, base):
        if name not in known:
            raise ConfigError(f"{source} has no bot {name!r}; it has {', '.join(sorted(known))}")
    mirrored = agreement.manifest.mirrored
    test = make_test(seats, {candidate}, {base}, flags, mirrored=mirrored)
    with Store.read_only(folder.database) as store:
        matches = [match for match in store.matches(f"{game}-{seats}") if {*match.bots} == {candidate, base}]
    blocks = [list(group) for _, group in groupby(matches, key=lambda match: match.block)]
    if test.sprt.games == 1:
        blocks = [[match] for match in matches]
    test.add_played(block for block in blocks if len(block) == test.sprt.games)
    return test, (candidate, base)


def sprt_json(test: SequentialTest, ours: str, theirs: str) -> dict[str, Any]:
    """A test for programs."""
    from server.ratings.sprt_forecast import expected_length
    from server.tournament.standings import finite

    sprt, duel = test.sprt, test.duel
    return {
        "a": ours,
        "b": theirs,
        "model": str(sprt.model),
        "elo0": sprt.elo0,
        "elo1": sprt.elo1,
        "alpha": sprt.alpha,
        "beta": sprt.beta,
        "llr": sprt.llr,
        "lower": sprt.bounds.lower,
        "upper": sprt.bounds.upper,
        "verdict": str(sprt.verdict) if sprt.verdict else None,
        "blocks": sprt.blocks,
        "games_per_block": sprt.games,
        "blocks_per_round": test.blocks_per_round,
        "expected_blocks": asdict(expected_length(sprt)),
        "score": duel.score,
        "elo": finite(duel.elo),
        "elo_95": [finite(duel.low), finite(duel.high)],
        "normalized_elo": finite(duel.normalized),
        "normalized_plus_minus": finite(duel.normalized_plus_minus),
        "los": duel.superiority,
        "failed": dict(sorted(test.failed.items())),
        "biased_by_stopping": True,
        **unbiased_json(test),
    }


def unbiased_json(test: SequentialTest) -> dict[str, Any]:
    """The estimate that knows of the stopping; null where the blocks say nothing."""
    from server.ratings.after_stopping import estimate_after
    from server.tournament.standings import finite

    found = estimate_after(test.sprt)
    fields: dict[str, Any] = {}
    for name, one in (
        ("unbiased_elo", found and found.elo),
        ("unbiased_normalized_elo", found and found.normalized),
    ):
        fields[name] = finite(one.value) if one else None
        fields[f"{name}_95"] = [finite(one.low), finite(one.high)] if one else [None, None]
    return fields
