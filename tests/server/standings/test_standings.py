"""What is printed and exported: against numbers counted by hand, and safe for whoever reads it."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NoReturn

import pytest
from rich.console import Console

from referee.errors import ConfigError
from server.cli.common.printed_standings import show_ladders
from server.cli.tournament.group import status_json
from server.standings import cells
from server.standings.charts import tick_step
from server.standings.export import COLUMNS, escape_formula, export_csv, export_json, history_of
from server.standings.messages import make_listing
from server.standings.placing_cells import placing_cells
from server.standings.report import write_report
from server.tournament.agreement import Agreement
from server.tournament.folder import Folder, lock_folder
from server.tournament.live_ladder import LiveLadder
from server.tournament.standings import Standings, read_standings
from server.tournament.status import read_status
from server.tournament.store import Store
from support.arena import block, fill
from support.events import make_event, run
from support.summaries import make_block

PROMISED = {"bot", "rank_best", "rank_worst", "live_elo", "rating", "plus_minus", "matches", "score", "faults"}


def strict(text: str) -> Any:
    """JSON as other languages read it: no NaN, no Infinity."""

    def refuse(word: str) -> NoReturn:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)


@pytest.fixture
def counted(tmp_path: Path) -> Folder:
    """Two blocks: ann beats bob twice, who failed both times; ann ties with cid and loses to him."""
    folder = make_event(tmp_path, rounds=1)
    begin(folder)
    blocks = [
        make_block(0, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"]),
        make_block(1, ["ann", "cid"], [[1, 1], [1, 2]]),
    ]
    live = LiveLadder(1.0)
    with Store.open(folder.database) as store:
        for number, block in enumerate(blocks):
            store.add(block, live.feed(number, block))
    return folder


def begin(folder: Folder) -> Agreement:
    """Agree, but play nothing."""
    from server.tournament.event import open_agreement

    folder.prepare()
    with lock_folder(folder), Store.open(folder.database) as store:
        return open_agreement(folder, store)[0]


def table_of(ladder: Standings) -> dict[str, dict[str, Any]]:
    """The rows as programs see them, by bot."""
    shown = strict(json.dumps(ladder.as_json()))
    return {row["bot"]: row for row in shown["table"]}


def test_the_table_against_numbers_counted_by_hand(counted: Folder) -> None:
    [ladder] = read_standings(counted)
    rows = table_of(ladder)
    assert {bot: row["matches"] for bot, row in rows.items()} == {"ann": 4, "bob": 2, "cid": 2}
    assert {bot: row["score"] for bot, row in rows.items()} == {"ann": 0.625, "bob": 0.0, "cid": 0.75}
    assert {bot: row["faults"] for bot, row in rows.items()} == {"ann": 0, "bob": 2, "cid": 0}
    assert {bot: row["blocks"] for bot, row in rows.items()} == {"ann": 2, "bob": 1, "cid": 1}
    assert {bot: row["opponents"] for bot, row in rows.items()} == {"ann": 2, "bob": 1, "cid": 1}
    assert rows["ann"]["wins_by_seat"] == [{"matches": 2, "wins": 1.5}, {"matches": 2, "wins": 1.0}]
    assert rows["cid"]["wins_by_seat"] == [{"matches": 1, "wins": 1.0}, {"matches": 1, "wins": 0.5}]
    assert {row["seconds_per_decision"] for row in rows.values()} == {0.0005}
    assert rows["ann"]["rating"] == pytest.approx(1000), "the anchor"
    assert rows["cid"]["rating"] > 1000 > rows["bob"]["rating"]
    assert all(row["provisional"] and row["rank_best"] <= row["rank_worst"] for row in rows.values())
    assert sum(row["live_elo"] for row in rows.values()) == pytest.approx(3000)
    assert [(line.fault.bot, line.fault.kind) for line in ladder.faults] == [("bob", "crash")] * 2


def test_a_bot_whose_manifest_names_no_version_has_the_one_it_last_said(tmp_path: Path) -> None:
    """A remote bot has no manifest here. One that did not come to its last match has said nothing there."""
    folder = make_event(tmp_path)
    begin(folder)
    with Store.open(folder.database) as store:
        for number, version in enumerate(["1", "3", "2", ""]):
            matches = make_block(number, ["ann", "bob"], [[1, 2], [2, 1]])
            store.add(
                (
                    replace(match, seats=tuple(replace(seat, version=f"{seat.bot} {version}") for seat in match.seats))
                    if version
                    else match
                    for match in matches
                ),
                (),
            )
    [standings] = read_standings(folder)
    assert {line.bot: line.version for line in standings.lines} == {"ann": "ann 2", "bob": "bob 2", "cid": ""}


def test_the_live_elo_against_the_formula(counted: Folder) -> None:
    """K 40 for newcomers: 20 for the first win, then 40 (1 - 1 / (1 + 10 ** (-40/400)))."""
    first, second, third, fourth = history_of(counted, "ann")
    assert (first["live_elo"], first["change"], first["rank"]) == (1020.0, 20.0, 1)
    assert second["change"] == pytest.approx(40 * (1 - 1 / (1 + 10 ** (-40 / 400))), abs=1e-6)
    above = second["live_elo"] - 1000
    assert third["change"] == pytest.approx(40 * (0.5 - 1 / (1 + 10 ** (-above / 400))), abs=1e-6)
    assert fourth["rank"] == 2
    assert fourth["live_elo"] == pytest.approx(table_of(read_standings(counted)[0])["ann"]["live_elo"])
    with pytest.raises(ConfigError, match=r"'dan'.*\bann, bob, cid"):
        history_of(counted, "dan")


def test_status_against_numbers_counted_by_hand(counted: Folder) -> None:
    found = strict(json.dumps(status_json(read_status(counted))))
    assert found == {
        "matches_planned": 6,
        "matches_done": 4,
        "void": 0,
        "void_for": {},
        "jail_levels": [],
        "faults": 2,
        "running": 0,
        "pid": None,
        "quarantined": [],
        "over": False,
    }


def test_a_block_of_which_the_rows_are_missing_is_not_counted_as_done(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    begin(folder)
    found = read_status(folder)
    assert (found.matches_planned, found.matches_done) == (12, 0)


@pytest.mark.parametrize("seats", [2, 3])
def test_json_has_all_that_was_promised_and_nothing_that_is_no_json(seats: int, tmp_path: Path) -> None:
    """One block only, nobody lost, one bot never played: whatever is unknown is null."""
    games = [{"id": "pavillon_noir"} if seats == 2 else {"id": "pirates_cove", "seats": 3}]
    folder = make_event(tmp_path, games=games, bots=["ann", "bob", "cid", "dan"])
    begin(folder)
    contest = f"{games[0]['id']}-{seats}"
    block = [
        replace(match, contest=contest, match_id=f"{contest}-{match.rotation}")
        for match in make_block(0, ["ann", "bob", "cid"][:seats], [[1] * seats] * seats)
    ]
    for matches in ([], block):
        with Store.open(folder.database) as store:
            store.add(matches, LiveLadder(1.0).feed(0, matches))
        [ladder] = read_standings(folder)
        shown = strict(json.dumps(ladder.as_json(), allow_nan=False))
        assert {"game", "seats", "table"} <= set(shown)
        assert (shown["game"], shown["seats"], len(shown["table"])) == (games[0]["id"], seats, 4)
        assert all(set(row) >= PROMISED for row in shown["table"])
        assert shown["table"][-1]["plus_minus"] is None
        render(folder, ladder)


def render(folder: Folder, ladder: Standings) -> str:
    """All tables in a terminal, and the report."""
    out = Console(file=io.StringIO(), width=200)
    show_ladders(out, [ladder])
    write_report(folder, folder.require_agreement(), read_status(folder), [ladder])
    text: str = out.file.getvalue()  # type: ignore[attr-defined]
    check_page(folder.report.read_text())
    return text


@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_narrow_terminal_gets_fewer_columns_and_none_cut_off(width: int, counted: Folder) -> None:
    out = Console(file=io.StringIO(), width=width)
    show_ladders(out, read_standings(counted))
    text: str = out.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in text
    assert ": wins by seat, per " in " ".join(text.split()), "what a wider terminal also shows"
    heads = text.splitlines()[3]
    assert all(head in heads for head in ("bot", "Elo", "±", "faults"))
    assert ("surely better than" in heads) == (width == 100)


def test_the_terminal_shows_no_number_without_its_doubt(counted: Folder) -> None:
    text = render(counted, read_standings(counted)[0])
    for words in ("±", "bob", "(prov.)", "0.5 ms", "score of row against column", "seats", "faults", ".bob.log"):
        assert words in text


def test_a_version_that_has_not_played_has_no_rating_and_no_place(tmp_path: Path) -> None:
    """The fit expects of ann-2 what ann is worth, ± 366: people read that as something that was measured."""
    folder = Folder(tmp_path)
    fill(folder, [block(0, ["ann", "bob"])])
    [ladder] = read_standings(folder)
    rows = {row.entry: row for row in make_listing(ladder).rows}
    assert rows["ann-2"].matches == 0
    assert rows["ann-2"].HasField("rating"), "clients get what they always got"
    shown = cells.row_cells(rows["ann-2"])
    assert [shown[head] for head in ("#", "Elo", "±")] == ["–", "–", "–"]
    assert cells.rating(rows["bob"]).isdigit()
    placed = {bot: [place, elo] for place, bot, elo, *_ in placing_cells(make_listing(ladder)).rows}
    assert placed["ann-2"] == placed["cid"] == ["–", "–"]
    assert placed["ann"] == ["1", "1000"]
    found = ladder.as_json()
    told = table_of(ladder)["ann-2"]
    assert isinstance(told["rating"], float), "programs get what they always got"
    assert isinstance(told["rating_plus_minus"], float)
    assert [(line["bot"], line["rank"]) for line in found["placing"] if line["rating"] is not None][2:] == [
        ("ann-2", 3),
        ("cid", 4),
    ]


def test_an_event_of_a_game_that_is_not_there(counted: Folder) -> None:
    assert read_standings(counted, "broadsides") == []
    assert len(read_standings(counted, "pavillon_noir")) == 1


def test_csv_and_json_tell_every_seat_of_every_match(counted: Folder) -> None:
    out = io.StringIO()
    export_csv(counted, out)
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert tuple(rows[0]) == COLUMNS
    assert len(rows) == 8
    assert [(row["bot"], row["rank"], row["half_points"]) for row in rows[:2]] == [("ann", "1", "2"), ("bob", "2", "0")]
    assert [(row["bot"], row["seat"], row["rotation"]) for row in rows[2:4]] == [("bob", "0", "1"), ("ann", "1", "1")]
    out = io.StringIO()
    export_json(counted, out)
    told = strict(out.getvalue())
    assert [{name: str(value) for name, value in row.items()} for row in told] == rows


@pytest.mark.parametrize("start", "=+-@\t\r")
def test_no_cell_can_be_taken_for_a_formula(start: str, tmp_path: Path) -> None:
    """A bot may call its version and its language what it likes."""
    evil = f'{start}HYPERLINK("http://x","y")'
    assert escape_formula(evil) == f"'{evil}"
    folder = make_event(tmp_path)
    begin(folder)
    [match, other] = make_block(0, ["ann", "bob"], [[1, 2], [2, 1]])
    seat = replace(match.seats[0], version=evil, language=evil)
    with Store.open(folder.database) as store:
        store.add([replace(match, seats=(seat, match.seats[1]), reason=evil, label=evil), other], ())
    out = io.StringIO(newline="")
    export_csv(folder, out)
    for row in csv.reader(io.StringIO(out.getvalue(), newline="")):
        for cell in row:
            assert cell[:1] not in tuple("=+-@\t\r") or cell.lstrip("-").replace(".", "").isdigit()
    assert (escape_formula(-3), escape_formula("ann"), escape_formula("")) == (-3, "ann", "")


class Page(HTMLParser):
    """Checks that what is opened is closed, in order. HTML knows no end of `meta`."""

    OPEN = frozenset({"meta"})

    def __init__(self) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.seen: set[str] = set()
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name.startswith("on") for name, _ in attrs)
        if tag not in self.OPEN:
            self.stack.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack, f"</{tag}> closes nothing"
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def check_page(text: str) -> Page:
    """A page that a browser reads as we mean it."""
    page = Page()
    page.feed(text)
    page.close()
    assert page.stack == []
    assert "<script" not in text.lower()
    assert "nan" not in [word.strip().lower() for word in page.words]
    assert not {"script", "img", "iframe", "link", "object"} & page.seen
    return page


def test_the_report_escapes_every_text(tmp_path: Path) -> None:
    evil = "<script>alert('x')</script><img src=x onerror=alert(1)>&\"'"
    folder = make_event(tmp_path / "<b>folder</b>", name=evil[:80], seed=evil, bots=["ann", "bob", "cid"])
    run(folder)
    [ladder] = read_standings(folder)
    fault = ladder.faults[0] if ladder.faults else None
    assert fault is None
    block = make_block(0, ["ann", "bob"], [[1, 2], [2, 1]], failed=["bob"])
    from server.tournament.standings import FaultLine

    line = FaultLine(match_id=evil, fault=replace(block[0].faults[0], message=evil, kind=evil), log=evil)
    page = render_page(folder, replace(ladder, faults=(line,)))
    assert evil[:80] in page.words
    assert any(evil in word for word in page.words)


def render_page(folder: Folder, ladder: Standings) -> Page:
    out = Console(file=io.StringIO(), width=200)
    show_ladders(out, [ladder])
    write_report(folder, folder.require_agreement(), read_status(folder), [ladder])
    return check_page(folder.report.read_text())


@pytest.mark.parametrize("format_name", ["swiss", "knockout", "ladder"])
def test_a_report_of_each_kind_of_event(format_name: str, tmp_path: Path) -> None:
    folder = make_event(tmp_path, format=format_name, rounds=3, bots=[f"bot{number}" for number in range(5)])
    run(folder)
    [ladder] = read_standings(folder)
    page = render_page(folder, ladder)
    assert ("Placing" in page.words) == (format_name != "ladder")
    assert "s" in page.words, "an event that is over tells its seed"


def test_a_report_of_an_event_under_way_keeps_the_seed_secret(counted: Folder) -> None:
    render(counted, read_standings(counted)[0])
    assert "<code>s</code>" not in counted.report.read_text()


@pytest.mark.parametrize(
    ("span", "step"), [(0, 1), (6, 1), (7, 2), (60, 10), (100, 20), (1000, 200), (12345, 5000), (1e6, 200000)]
)
def test_ticks_are_round_numbers(span: float, step: int) -> None:
    assert tick_step(span) == step


def test_programs_read_the_interval_that_is_printed(counted: Folder) -> None:
    """`plus_minus` is relative to the mean of all bots, which is not what an anchored rating is."""
    [ladder] = read_standings(counted)
    told, sent = table_of(ladder), {row.entry: row for row in make_listing(ladder).rows}
    printed = {bot: cells.row_cells(row) for bot, row in sent.items()}
    row = told["cid"]
    assert f"{row['rating_high'] - row['rating']:.0f}" == printed["cid"]["±"]
    assert f"{row['rating'] - row['rating_low']:.0f}" == printed["cid"]["±"]
    assert row["rating_high"] - row["rating"] != pytest.approx(row["plus_minus"])
    assert told["ann"]["rating_low"] == told["ann"]["rating_high"] == told["ann"]["rating"], "the anchor"
    assert {bot: (row.rating_low, row.rating_high) for bot, row in sent.items() if bot != "bob"} == {
        bot: (row["rating_low"], row["rating_high"]) for bot, row in told.items() if bot != "bob"
    }


def test_who_lost_everything_is_known_from_one_side(counted: Folder) -> None:
    """Bob lost both of his games: of how bad he is they say nothing."""
    [ladder] = read_standings(counted)
    told, sent = table_of(ladder)["bob"], {row.entry: row for row in make_listing(ladder).rows}["bob"]
    assert told["rating_low"] is None
    assert told["rating_high"] > told["rating"]
    assert (sent.HasField("rating_low"), sent.rating_high) == (False, told["rating_high"])
    printed = cells.row_cells(sent)
    assert (printed["Elo"], printed["±"]) == (f"below {told['rating_high']:.0f}", cells.NOTHING)
    assert cells.rating_in_words(sent) == f"{printed['Elo']} Elo"
    drawn = cells.interval_of(sent)
    assert drawn is not None
    assert (drawn.open_low, drawn.open_high) == (True, False)
    assert any(line.startswith("above, below") for line in cells.reading_lines(make_listing(ladder)))


def test_a_bot_without_a_match_has_no_interval(tmp_path: Path) -> None:
    folder = make_event(tmp_path)
    begin(folder)
    with Store.open(folder.database) as store:
        store.add(make_block(0, ["ann", "bob"], [[1, 2], [2, 1]]), ())
    [ladder] = read_standings(folder)
    row = table_of(ladder)["cid"]
    assert (row["rating_low"], row["rating_high"]) == (None, None)
    [sent] = [row for row in make_listing(ladder).rows if row.entry == "cid"]
    assert not sent.HasField("rating_low")
    assert not sent.HasField("rating_high")


def test_an_arena_says_which_bots_are_quarantined_and_no_more_of_what_only_a_folder_tells(tmp_path: Path) -> None:
    folder = make_event(tmp_path, bots=["ann", "bob", "cid", "crash"], rounds=10)
    run(folder)
    [ladder] = read_standings(folder)
    rows = {row.entry: row for row in make_listing(ladder).rows}
    assert [name for name, row in rows.items() if "quarantined" in cells.row_marks(row)] == ["crash"]
    assert [name for name, row in rows.items() if row.HasField("details")] == ["crash"]
    assert not cells.has_details(list(rows.values()))
    assert cells.has_details(make_listing(ladder, whole=True).rows)
