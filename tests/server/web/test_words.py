"""What pages say of messages."""

from __future__ import annotations

from server.standings import cells
from server.web.markdown import DOCS, read_introduction, render_file
from server.web.templating import match_row
from support.web import HOSTILE, HostileBackend, ladder, row, web_client
from tortuga.v1 import arena_pb2 as pb


def test_a_rating_that_is_given_is_told_from_one_that_is_not_known() -> None:
    assert cells.is_reference(pb.LadderRow(rating=1000, plus_minus=80))
    assert not cells.is_reference(pb.LadderRow(rating=1100, plus_minus=80, rating_plus_minus=90))
    assert not cells.is_reference(pb.LadderRow())


def test_a_line_of_a_list_follows_its_match() -> None:
    """Lines are kept: one that changed must not be told as it was."""
    match = pb.MatchInfo(match_id="m1", game="broadsides", event="cup", state=pb.MATCH_STATE_RUNNING)
    match.seats.extend([pb.MatchSeat(entry="ann"), pb.MatchSeat(entry=HOSTILE)])
    running = match_row(match, False)
    assert "live" in running
    assert "onerror=alert(1)>" not in running
    match.state = pb.MATCH_STATE_FINISHED
    for rank, seat in enumerate(match.seats, 1):
        seat.rank = rank
    assert "ann beats" in match_row(match, False)
    assert "cup" not in match_row(match, False)
    assert "cup" in match_row(match, True)


def test_a_game_is_introduced_in_two_sentences() -> None:
    told = read_introduction(DOCS / "games" / "pavillon_noir.md")
    assert told.startswith("Two equal ships, ")
    assert told.endswith(" target cards.")
    assert told.count(". ") == 1


def test_comments_of_a_page_are_not_shown() -> None:
    page = render_file(DOCS / "games" / "pavillon_noir.md")
    assert "Two equal ships, " in page
    assert "&lt;!--" not in page


async def test_columns_that_nobody_fills_are_left_out() -> None:
    class Folder(HostileBackend):
        async def list_bots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
            return pb.ListBotsResponse(bots=[pb.Bot(name="ann", version="1", language="cpp")])

    async with web_client(Folder(is_arena=False)) as client:
        page = (await client.get("/bots")).text
    assert "C++" in page
    assert not any(f">{head}<" in page for head in ("State", "Owner", "Playing"))


async def test_a_bot_that_has_not_played_has_no_rating() -> None:
    """The API may tell what its former version did, 1000 ± 366."""
    unplayed = pb.LadderRow(
        entry="ann-2", bot="ann", rank_best=1, rank_worst=3, rating=1000, plus_minus=350, rating_plus_minus=366
    )
    assert (cells.rating_with_doubt(unplayed), cells.rank_range(unplayed)) == ("–", "–")
    assert cells.rating_in_words(unplayed) == "not rated yet"
    assert cells.rating_axis([unplayed]) is None

    class Folder(HostileBackend):
        async def get_ladder(self, request: pb.GetLadderRequest) -> pb.GetLadderResponse:
            return pb.GetLadderResponse(ladder=ladder("broadsides-2"), rows=[row("bob", 1210), unplayed])

        async def get_entry(self, request: pb.GetEntryRequest) -> pb.EntryDetails:
            return pb.EntryDetails(row=unplayed)

    async with web_client(Folder(is_arena=False)) as client:
        pages = [(await client.get(path)).text for path in ("/ladder/broadsides-2", "/bot/ann")]
    assert "1210 ±80" in pages[0]
    assert not any("±366" in page for page in pages)
    assert "Not rated yet" in pages[1]
