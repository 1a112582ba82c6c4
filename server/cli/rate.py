"""`tortuga rate`: ratings, intervals and ranks for results that were played elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.text import listed, plural
from server.cli.common.command import json_flag
from server.cli.common.output import console, print_json, warn

if TYPE_CHECKING:
    from server.ratings.fitted_ratings import FittedRatings
    from server.standings.foreign_results import ForeignContest

FOREIGN = ("version", "faults")
"""Columns that results from elsewhere do not fill."""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--format",
    "form",
    type=click.Choice(["csv", "jsonl", "pgn"]),
    help="What FILE is written in. [default: by the end of its name]",
)
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="NAME[=ELO]",
    help="A bot whose Elo is given (1000); may be repeated. [default: the mean of all bots is 1000]",
)
@json_flag
def rate(file: Path, form: str | None, anchors: tuple[str, ...], as_json: bool) -> None:
    """Rate the bots of results that were played elsewhere.

    FILE (- for stdin) is CSV with a header or JSON lines, a row for each seat of each match: match, seat, bot, and
    rank or score; and, if you like, block (matches with the same luck or opening) and contest (rated apart). Or it is
    PGN, where every game is a match of two seats. What `tortuga tournament export --csv` writes is understood, too.
    """
    from server.standings.foreign_results import form_of, read_results

    form = form_of(file, form)
    try:
        with click.open_file(str(file), "rb") as stream:
            results = read_results(stream, str(file), form)
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}") from None
    if results.unrated:
        warn(f"{plural(results.unrated, 'match', 'matches')} without a result, or with a ruling: not rated")
    scale = read_anchors(anchors, {name for contest in results.contests.values() for name in contest.names})
    rated = [(contest, fit_foreign(contest, scale)) for _, contest in sorted(results.contests.items())]
    if as_json:
        print_json([foreign_json(contest, ratings) for contest, ratings in rated])
        return
    for contest, ratings in rated:
        show_foreign(contest, ratings)


def read_anchors(anchors: tuple[str, ...], known: set[str]) -> dict[str, float]:
    """Return the given ratings by bot."""
    given = {}
    for text in anchors:
        name, equals, value = (text, "", "") if text in known else text.rpartition("=")
        try:
            rating = float(value) if equals else 1000.0
        except ValueError:
            rating = float("nan")
        if name not in known or not abs(rating) < 1e6:
            raise ConfigError(
                f"--anchor is {text!r}, expected NAME or NAME=ELO with one of {listed(sorted(known)[:20])}"
            )
        given[name] = rating
    return given


def fit_foreign(contest: ForeignContest, anchors: dict[str, float]) -> FittedRatings:
    """Rate the bots of a contest."""
    from server.ratings.fit import fit

    here = {name: rating for name, rating in anchors.items() if name in contest.names}
    return fit([*contest.names], contest.bots, contest.ranks, contest.clusters, anchors=here)


def foreign_json(contest: ForeignContest, ratings: FittedRatings) -> dict[str, Any]:
    """Return the ratings as JSON, in the words of `tortuga ladder show --json`."""
    from server.standings.messages import pair_scores
    from server.tournament.standings import fitted_json, row_json

    return {
        "contest": contest.name,
        "seats": contest.seats,
        **fitted_json(ratings),
        "table": [row_json(row) for row in ratings.rows],
        "pairs": [
            {
                "first": pair.first,
                "second": pair.second,
                "matches": pair.matches,
                "score": pair.score,
                "score_low": pair.score_low,
                "score_high": pair.score_high,
            }
            for pair in pair_scores(ratings)
        ],
    }


def show_foreign(contest: ForeignContest, ratings: FittedRatings) -> None:
    """Print the ratings as `tortuga ladder show` does."""
    from server.cli.common.printed_standings import seat_grid, show_cross, show_ladder_rows, show_lines
    from server.standings import cells
    from server.standings.messages import make_rated_listing

    out, listing = console(), make_rated_listing(contest.name, ratings)
    out.print()
    show_ladder_rows(out, listing.rows, contest.title, leave_out=FOREIGN)
    show_lines(out, cells.rated_lines(listing, ratings, None))
    show_cross(out, listing)
    out.print(seat_grid(ratings))
