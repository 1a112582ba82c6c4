"""One table over several games: means of ratings, with errors that add up."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from bench.simulated.events import play_blocks
from bench.simulated.overall import measure_overall
from server.cli.main import main
from server.ratings.distributions import t_quantile
from server.ratings.fit import fit
from server.ratings.fitted_ratings import FittedRatings
from server.ratings.overall import fit_overall
from server.tournament.folder import Folder
from server.tournament.standings import read_overall
from server.tournament.store import Store
from support.arena import fill, open_manifest
from support.events import TINY, make_event, run
from support.summaries import make_block

NAMES = ["ann", "bob", "cid", "dan"]
GAMES = [{"id": "pavillon_noir", "variant": TINY}, {"id": "broadsides", "variant": {"round_cap": 1}}]


def play(seed: int, seats: int, names: list[str] = NAMES, anchors: dict[str, float] | None = None) -> FittedRatings:
    luck = np.random.default_rng(seed)
    strengths = np.array([0.0, 60.0, 120.0, 300.0])[: len(names)]
    return fit(names, *play_blocks(luck, strengths, seats, 40), anchors=anchors)


def test_every_game_counts_the_same_whatever_its_anchor() -> None:
    """Two contests of one game share its weight."""
    fits = [("dice", play(1, 2)), ("dice", play(2, 3)), ("cards", play(3, 4, anchors={"dan": 2000.0}))]
    overall = fit_overall(fits)
    assert overall is not None
    expected, variance, weights = np.full(4, 1000.0), np.zeros((4, 4)), (0.25, 0.25, 0.5)
    for (_, fitted), weight in zip(fits, weights, strict=True):
        expected += weight * (fitted.ratings - fitted.ratings.mean())
        variance += weight**2 * fitted.covariance  # relative to the mean of all already
    assert overall.ratings == pytest.approx(expected)
    assert overall.covariance == pytest.approx(variance)
    assert overall.degrees == min(fitted.degrees for _, fitted in fits)
    half = t_quantile(0.975, overall.degrees) * np.sqrt(np.diag(variance))
    rows = {row.name: row for row in overall.rows}
    assert [rows[name].plus_minus for name in NAMES] == pytest.approx(half)
    assert [row.rating for row in overall.rows] == sorted(overall.ratings, reverse=True)
    assert overall.matches == sum(fitted.matches for _, fitted in fits)
    assert rows["dan"].rank_best <= rows["ann"].rank_worst


def test_the_order_of_games_and_bots_does_not_matter() -> None:
    fits = [("dice", play(1, 2)), ("cards", play(3, 4))]
    there, back = fit_overall(fits), fit_overall(fits[::-1])
    assert there is not None
    assert back is not None
    assert there.ratings == pytest.approx(back.ratings)
    assert [row.surely_better_than for row in there.rows] == [row.surely_better_than for row in back.rows]


def test_only_bots_of_every_game_are_in_it() -> None:
    overall = fit_overall([("dice", play(1, 2)), ("cards", play(3, 2, NAMES[:3]))])
    assert overall is not None
    assert overall.names == ("ann", "bob", "cid")
    assert overall.ratings.mean() == pytest.approx(1000)
    assert fit_overall([("dice", play(1, 2, NAMES[:2])), ("cards", play(1, 2, ["ann", "eve"]))]) is None


def test_what_one_game_does_not_bound_has_one_end_over_all() -> None:
    """dan won all of its matches of cards."""
    luck = np.random.default_rng(5)
    cards = fit(NAMES, *play_blocks(luck, np.array([0.0, 60.0, 120.0, 3000.0]), 2, 60))
    overall = fit_overall([("dice", play(1, 2)), ("cards", cards)])
    assert overall is not None
    rows = {row.name: row for row in overall.rows}
    assert rows["dan"].high == np.inf
    assert np.isfinite(rows["dan"].low)
    assert all(np.isfinite([rows[name].low, rows[name].high]).all() for name in NAMES[:3])


def test_claims_hold_in_simulated_events() -> None:
    """docs/tournaments.md has the figures of many more events."""
    apart, equal = measure_overall(16), measure_overall(16, spread=0.0)
    assert 0.9 <= apart.covered.share <= 1
    assert 0.9 <= equal.covered.share <= 1
    assert apart.false_claims.share == 0
    assert equal.false_claims.share <= 0.2


def test_the_command(tmp_path: Path) -> None:
    def show(path: Path, *words: str) -> tuple[int, str, str]:
        done = CliRunner().invoke(main, ["ladder", "show", str(path), "--overall", *words])
        return done.exit_code, done.stdout, done.stderr

    folder = make_event(tmp_path / "event", games=GAMES, rounds=2)
    run(folder)
    code, shown, _ = show(folder.path)
    assert code == 0
    for word in ("over 2 games", "pavillon_noir-2, broadsides-2", "ann", "bob", "cid"):
        assert word in shown
    told = json.loads(show(folder.path, "--json")[1])
    assert (told["games"], told["contests"], told["missing"]) == (2, ["pavillon_noir-2", "broadsides-2"], [])
    assert told["matches"] == 24
    for row in told["table"]:
        assert row["matches"] == 16
        assert row["rating_low"] < row["rating"] < row["rating_high"]
    assert show(folder.path, "--game", "broadsides")[0] == 2
    single = make_event(tmp_path / "single", rounds=1)
    run(single)
    code, _, error = show(single.path)
    assert code == 2
    assert "1 contest;" in error


def test_a_claim_that_is_doubtful_in_a_game_is_doubtful_over_all(tmp_path: Path) -> None:
    """ann and bob met no common opponent in either game."""
    games = [{"id": "pavillon_noir"}, {"id": "broadsides"}]
    folder = Folder(tmp_path)
    fill(folder, [], open_manifest(games=games))
    pairs = [("ann", "cid", 6), ("cid", "ann-2", 4), ("ann-2", "bob", 6)]  # of eight blocks the first wins so many
    with Store.open(folder.database) as store:
        for game, _ in enumerate(games):
            for number in range(240):
                first, second, wins = pairs[number % 3]
                ranks = [[1, 2], [2, 1]] if number // 3 % 8 < wins else [[2, 1], [1, 2]]
                matches = make_block(1000 * game + number, [first, second], ranks)
                contest = f"{games[game]['id']}-2"
                store.add([replace(match, contest=contest) for match in matches], ())
    rows = {row.name: row for row in read_overall(folder).fitted.rows}
    assert "bob" in rows["ann"].surely_better_than
    assert "bob" in rows["ann"].doubtful
