"""What fixes the scale of an event, and what becomes of losses by a fault."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from bench.simulated.events import play_blocks
from referee.errors import ConfigError
from server.cli.main import main
from server.ratings.distributions import ELO
from server.ratings.fit import fit
from server.standings import cells
from server.standings.messages import make_listing
from server.tournament.agreement import Agreement, Entry
from server.tournament.anchors import find_anchors
from server.tournament.folder import Folder
from server.tournament.journal import read_journal
from server.tournament.manifest import make_manifest
from server.tournament.rating_input import new_rating_input
from server.tournament.standings import compare_pair, make_ladder, read_standings, read_trend
from support.events import Notes, make_event, run
from support.summaries import make_block

GOOD: dict[str, Any] = {"name": "n", "seed": "s", "games": [{"id": "pavillon_noir"}, {"id": "broadsides"}]}
ROSTER = (
    Entry(name="ann", bot="ann", version="1", sha256="a" * 64),
    Entry(name="ann-2", bot="ann", version="2", sha256="b" * 64, ancestor="ann"),
    Entry(name="bob", bot="bob", version="1"),
)


def agree(**keys: Any) -> Agreement:
    return Agreement(manifest=make_manifest({**GOOD, **keys}), roster=ROSTER)


@pytest.mark.parametrize(
    ("anchors", "found"),
    [
        ([{"bot": "ann", "rating": 1200}], {"ann": 1200.0}),
        ([{"bot": "ann", "rating": 1200, "version": "2"}], {"ann-2": 1200.0}),
        ([{"bot": "ann", "rating": 1200, "version": "3"}], {}),
        ([{"bot": "ann", "rating": 1200, "sha256": "b" * 64}], {"ann-2": 1200.0}),
        ([{"bot": "ann", "rating": 1200, "version": "1", "sha256": "b" * 64}], {}),
        ([{"bot": "bob", "rating": 1200, "sha256": "b" * 64}], {}),
        ([{"bot": "ann", "rating": 1200, "game": "broadsides"}], {}),
        ([{"bot": "ann", "rating": 1200, "game": "broadsides"}, {"bot": "ann", "rating": 900}], {"ann": 900.0}),
        ([{"bot": "ann", "rating": 1200}, {"bot": "bob", "rating": 900}], {"ann": 1200.0, "bob": 900.0}),
    ],
)
def test_an_anchor_is_pinned_by_game_bot_version_and_content(anchors: list[Any], found: dict[str, float]) -> None:
    agreement = agree(anchors=anchors)
    assert find_anchors(agreement, agreement.manifest.contests[0]) == found


def test_without_a_list_one_bot_is_the_anchor_in_its_first_version() -> None:
    agreement = agree(anchor="ann")
    assert find_anchors(agreement, agreement.manifest.contests[0]) == {"ann": 1000.0}
    assert find_anchors(agree(anchor=""), agreement.manifest.contests[0]) == {}


@pytest.mark.parametrize(
    ("anchor", "words"),
    [
        ({"bot": "ann"}, "'rating' is missing"),
        ({"bot": "ann", "rating": "high"}, "'rating'"),
        ({"bot": "ann", "rating": 1, "sha256": "abc"}, "64 hexadecimal digits"),
    ],
)
def test_a_senseless_anchor_is_refused(anchor: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        agree(anchors=[anchor])


def test_an_anchor_that_changed_under_its_version_is_refused(tmp_path: Path) -> None:
    bot = tmp_path / "ann"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "ann"\nversion = "1"\nrun = ["python", "{dir}/bot.py"]\n')
    (bot / "bot.py").write_text("print(1)\n")
    specs = [{"spec": str(bot)}, {"spec": "cmd: true", "name": "bob"}]
    folder = make_event(tmp_path / "event", format="ladder", rounds=1)
    folder.manifest.write_text(folder.manifest.read_text().partition("[[bots]]")[0])
    with folder.manifest.open("a") as file:
        for spec in specs:
            file.write("[[bots]]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in spec.items()))
    run(folder)
    assert folder.require_agreement().entry("ann").sha256
    (bot / "bot.py").write_text("print(2)\n")
    with pytest.raises(ConfigError, match=r"anchor ann .*content"):
        run(folder)
    (bot / "bot.toml").write_text((bot / "bot.toml").read_text().replace('"1"', '"2"'))
    run(folder)
    assert [one.name for one in folder.require_agreement().roster] == ["ann", "bob", "ann-2"]


def test_a_ladder_tells_once_by_how_much_its_scale_moved(tmp_path: Path) -> None:
    folder = make_event(tmp_path, format="ladder", rounds=4, anchor="nobody")
    run(folder)
    before = {line.bot: line.row.rating for line in read_standings(folder)[0].lines}
    folder.manifest.write_text(folder.manifest.read_text().replace('anchor = "nobody"', 'anchor = "bob"'))
    first, second = Notes(), Notes()
    run(folder, first)
    run(folder, second)
    after = {line.bot: line.row.rating for line in read_standings(folder)[0].lines}
    lines = list(read_journal(folder.journal, ["scale"]))
    assert [(line["contest"], line["anchors"]) for line in lines] == [
        ("pavillon_noir-2", {}),
        ("pavillon_noir-2", {"bob": 1000}),
    ]
    [told] = [note for note in first.notes if "the scale" in note]
    for fact in ("pavillon_noir-2", "from mean = 1000", "to bob = 1000", f" {lines[1]['shift']:+.0f}"):
        assert fact in told
    assert "the scale" not in str(second.notes)
    assert after["bob"] == pytest.approx(1000)
    for name in before:
        assert after[name] - before[name] == pytest.approx(lines[1]["shift"])


def fault_ladder(folder: Folder, *, rate_faults: bool) -> Any:
    """Bob crashes in one block of two and wins the other."""
    agreement = folder.require_agreement()
    agreement = replace(agreement, manifest=replace(agreement.manifest, rate_faults=rate_faults))
    results = new_rating_input(agreement, agreement.manifest.contests[0])
    for match in make_block(0, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"]):
        results.add(match)
    for match in make_block(1, ["ann", "bob"], [[2, 1], [1, 2]]):
        results.add(match)
    return make_ladder(agreement, results, {})


def test_the_organiser_chooses_whether_a_loss_by_a_fault_counts(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=["ann", "bob"])
    run(folder)
    rated, left_out = (fault_ladder(folder, rate_faults=choice) for choice in (True, False))
    assert {line.bot: line.row.rating for line in rated.lines}["bob"] == pytest.approx(1000)
    assert {line.bot: line.row.rating for line in left_out.lines}["bob"] > 1100
    assert (rated.fitted.matches, left_out.fitted.matches) == (4, 2)
    for ladder, counts in ((rated, True), (left_out, False)):
        footer = " ".join(cells.footer_lines(make_listing(ladder), ladder))
        assert "2 matches were lost" in footer
        assert ("they count" in footer, "do not count" in footer) == (counts, not counts)
    assert (rated.as_json()["faulted_matches"], left_out.as_json()["faults_rated"]) == (2, False)


def test_a_footer_says_what_a_layman_needs(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    run(folder)
    [ladder] = read_standings(folder)
    listing = make_listing(ladder)
    text = "\n".join(cells.footer_lines(listing, ladder))
    assert text.startswith("Result: first is ")
    for fact in ("relative to ann", "1000 by definition", "±: ", "95 times of 100", "#: the ranks"):
        assert fact in text
    shown = {row.entry: cells.row_cells(row) for row in listing.rows}
    assert (shown["ann"]["Elo"], shown["ann"]["±"]) == ("1000", "–")
    assert "reference" in shown["ann"]["bot"]
    assert shown["bob"]["±"].isdigit()
    rows = {row["bot"]: row for row in ladder.as_json()["table"]}
    assert rows["ann"]["rating_plus_minus"] is None
    assert rows["ann"]["plus_minus"] > 0, "as it always was: relative to the mean"
    assert "confidence_next" in rows["ann"]


def test_the_trend_of_a_bot_ends_at_its_rating(tmp_path: Path) -> None:
    folder = make_event(tmp_path, rounds=10)
    run(folder)
    [ladder] = read_standings(folder)
    row = next(line.row for line in ladder.lines if line.bot == "bob")
    trend = read_trend(folder, "bob")
    assert trend[-1]["rating"] == pytest.approx(row.rating)
    assert trend[-1]["rating_plus_minus"] == pytest.approx(row.plus_minus)
    assert [one["ladder_matches"] for one in trend] == [6 * part for part in range(1, 11)]
    assert trend[0]["rating_plus_minus"] > 1.5 * trend[-1]["rating_plus_minus"]
    with pytest.raises(ConfigError, match="has no bot 'dan'"):
        read_trend(folder, "dan")


def test_visitors_that_come_and_go_do_not_lift_those_who_stay() -> None:
    """Twenty unchanged bots rose to 1188 on the live ladder when a hundred weaker visitors had come and gone."""
    luck, stay = np.random.default_rng(1), 20
    strengths = np.array([0.0] * stay + [-300.0] * 100)
    names = ["anchor", *(f"bot{number}" for number in range(1, 120))]
    alone = play_blocks(luck, strengths[:stay], 2, 3800)
    visits = [(visitor, luck.integers(stay)) for visitor in range(stay, 120) for _ in range(5)]
    bots = np.array([seats for pair in visits for seats in (pair, pair[::-1])])
    merits = strengths[bots] / ELO + luck.gumbel(size=bots.shape)
    more = bots, (-merits).argsort(axis=1).argsort(axis=1) + 1, np.repeat(np.arange(5000, 5500), 2)
    before = fit(names[:stay], *alone, anchors={"anchor": 1000})
    after = fit(
        names, *(np.concatenate(columns) for columns in zip(alone, more, strict=True)), anchors={"anchor": 1000}
    )
    assert abs(after.ratings[:stay].mean() - before.ratings.mean()) < 20


def test_a_named_pair_is_compared_with_the_chance_that_the_one_is_better(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    run(folder)
    [there], [back] = compare_pair(folder, "ann", "bob"), compare_pair(folder, "bob", "ann")
    assert there.difference == pytest.approx(-back.difference)
    assert there.confidence == pytest.approx(1 - back.confidence)
    assert there.chance_better == pytest.approx(1 - back.chance_better)
    assert 0 < there.as_json()["chance_better"] == there.chance_better < 1
    assert there.matches == back.matches
    assert there.plus_minus == pytest.approx(back.plus_minus)
    told = CliRunner().invoke(main, ["ladder", "pair", "ann", "bob", "--dir", str(folder.path)]).output
    for fact in ("ann is better", f" {there.chance_better:.1%};", f" {there.matches} matches together"):
        assert fact in told
    with pytest.raises(ConfigError, match="has no bot 'dan'"):
        compare_pair(folder, "ann", "dan")
    with pytest.raises(ConfigError, match="name two bots"):
        compare_pair(folder, "ann", "ann")
