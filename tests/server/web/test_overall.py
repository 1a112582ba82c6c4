"""One table over all games, as pages and programs get it: the same as the command prints."""

from __future__ import annotations

import pytest

from server.tournament.folder import Folder
from server.tournament.standings import read_overall
from server.web.backend import BadRequest, PageNotFound
from server.web.folder_backend import FolderBackend
from support.events import TINY, make_event, run
from support.web import read_tags, web_client
from tortuga.v1 import arena_pb2 as pb

EVENT = "test"
PATH = f"/event/{EVENT}/overall"
CONTESTS = ["pavillon_noir-2", "broadsides-2"]


@pytest.fixture(scope="module")
def two_games(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A small event of two games that is over."""
    games = [{"id": "pavillon_noir", "variant": TINY}, {"id": "broadsides", "variant": {"round_cap": 1}}]
    folder = make_event(tmp_path_factory.mktemp("event"), games=games)
    run(folder)
    return folder


@pytest.mark.parametrize(("linked_from", "path"), [(f"/event/{EVENT}", PATH), ("/ladders", "/overall")])
async def test_the_table_is_that_of_the_command_and_is_linked(two_games: Folder, linked_from: str, path: str) -> None:
    overall = read_overall(two_games)
    async with web_client(FolderBackend(two_games.path)) as client:
        before = await client.get(linked_from)
        page = await client.get(path)
        answer = (await client.get(f"{path}.json")).json()["overall"]
    assert path in read_tags(before.text).links
    assert page.status == 200
    for row in overall.fitted.rows:
        assert f"/bot/{row.name}" in read_tags(page.text).links
        assert f"{row.rating:.0f}" in page.text
    assert answer["contests"] == CONTESTS
    assert int(answer["table"]["table_matches"]) == overall.fitted.matches == 24
    shown = {row["entry"]: row for row in answer["table"]["rows"]}
    assert list(shown) == [row.name for row in overall.fitted.rows]
    for row in overall.fitted.rows:
        told = shown[row.name]
        assert (told["bot"], int(told["matches"])) == (row.name, 16)
        assert (told["rank_best"], told["rank_worst"]) == (row.rank_best, row.rank_worst)
        ends = told["rating_low"], told["rating"], told["rating_high"]
        assert ends == pytest.approx((row.low, row.rating, row.high))
        assert "live_elo" not in told


async def test_its_rows_come_in_pages(two_games: Folder) -> None:
    backend = FolderBackend(two_games.path)
    await backend.start()
    entries: list[str] = []
    token = ""
    while not entries or token:
        answer = await backend.ask(pb.GetOverallRequest(event=EVENT, page_size=1, page_token=token))
        [row] = answer.table.rows
        entries, token = [*entries, row.entry], answer.next_page_token
    assert entries == [row.name for row in read_overall(two_games).fitted.rows]
    with pytest.raises(BadRequest):
        await backend.ask(pb.GetOverallRequest(event=EVENT, page_token="x"))
    with pytest.raises(PageNotFound):
        await backend.ask(pb.GetOverallRequest(event="nothing"))
    await backend.close()


@pytest.fixture(scope="module")
def one_game(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """A small event of one game that is over."""
    folder = make_event(tmp_path_factory.mktemp("single"), rounds=1)
    run(folder)
    return folder


async def test_of_one_contest_there_is_no_such_table_and_no_link(one_game: Folder) -> None:
    async with web_client(FolderBackend(one_game.path)) as client:
        event = await client.get(f"/event/{EVENT}")
        page = await client.get(PATH)
        answer = (await client.get(f"{PATH}.json")).json()["overall"]
        unknown = await client.get("/event/nothing/overall")
    assert PATH not in read_tags(event.text).links
    assert page.status == 200
    assert set(answer) == {"quiet"}
    assert "1 contest;" in answer["quiet"]
    assert unknown.status == 404
