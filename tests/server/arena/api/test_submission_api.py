"""Submitting over gRPC and on the command line: tokens, streams that misbehave, and what authors see."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import grpc
import pytest
from click.testing import CliRunner, Result

from referee.errors import ConfigError
from server.arena.people.callers import Author, Callers
from server.arena.people.teams import Team, Teams, TokenKind
from server.arena.submissions.submission_store import (
    Submission,
    SubmissionFiles,
    SubmissionRows,
    SubmissionState,
    no_submission,
)
from server.cli.client import submit as client_submit
from server.cli.main import main
from support.approved import Approver
from support.arena import Arena, code_of, pages
from tortuga.v1 import arena_pb2 as pb


class FakeSubmissions:
    """Keeps what was sent."""

    def __init__(self, arena: Arena) -> None:
        self.teams = Teams(arena.registry)
        self.callers = Callers(arena.registry, self.teams)
        self.rows = SubmissionRows(arena.registry)
        self.archives: list[bytes] = []
        self.folder = arena.path / "submissions"
        self.words = "received\n"

    async def receive(self, author: Author, bot: str, size: int, pieces: AsyncIterator[bytes]) -> Submission:
        name = bot or author.bot or ""
        self.callers.check_bot_name(author, name)
        archive = await SubmissionFiles(self.folder).receive(pieces, size)
        self.archives.append(archive.read_bytes())
        return self.rows.add(name, author.owner)

    def find(self, author: Author, submission_id: str) -> Submission:
        found = self.rows.find(submission_id, author.owner)
        if author.bot and found.bot != author.bot:
            raise no_submission(submission_id)
        return found

    def of(self, author: Author) -> list[Submission]:
        return [row for row in self.rows.all() if row.owner == author.owner]

    def read_log(self, submission: Submission, start: int) -> tuple[str, int, bool]:
        piece = self.words[start:].partition("\n")[0] + "\n"
        return piece, start + len(piece), start + len(piece) < len(self.words)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TORTUGA_TLS", raising=False)
    monkeypatch.setattr(client_submit, "LOOK_SECONDS", 0.01)
    with Arena(tmp_path) as arena:
        bots = arena.add_bots("ann", "bob")
        fake: Any = FakeSubmissions(arena)
        arena.hall.submissions = fake
        fake.teams.put([Team(name="reds"), Team(name="blues")])
        tokens = {team: fake.teams.new_token(TokenKind.AUTHOR, team=team)[0] for team in ("reds", "blues")}
        monkeypatch.setenv("TORTUGA_ARENA", arena.address)
        yield SimpleNamespace(arena=arena, fake=fake, tokens={**bots, **tokens})


def bearer(token: str) -> list[tuple[str, str]]:
    return [("authorization", f"Bearer {token}")]


def send(place: Any, token: str, *requests: pb.SubmitRequest) -> Any:
    if requests:
        requests[0].size = sum(len(request.data) for request in requests)
    return place.arena.api.Submit(iter(requests), metadata=bearer(token), timeout=20)


def tortuga(token: str, *words: str) -> Result:
    return CliRunner(env={"TORTUGA_TOKEN": token}).invoke(main, ["client", *words])


def test_an_archive_comes_in_pieces(place: Any) -> None:
    found = send(place, place.tokens["reds"], pb.SubmitRequest(bot="new", data=b"a"), pb.SubmitRequest(data=b"bc"))
    assert (found.id, found.bot, found.state) == ("new-1", "new", pb.SUBMISSION_STATE_RECEIVED)
    assert place.fake.archives == [b"abc"]
    assert send(place, place.tokens["ann"], pb.SubmitRequest(data=b"x")).bot == "ann", "its token names it"


def test_tokens_decide_who_sends_and_who_reads(place: Any) -> None:
    found = send(place, place.tokens["reds"], pb.SubmitRequest(bot="new"))
    hostile = ["", "x", place.tokens["reds"][:-1], place.tokens["reds"] + "x", "Bearer", "\\x00", "a" * 5000]
    for token in hostile:
        code, _ = code_of(partial(send, place, token, pb.SubmitRequest(bot="new")))
        assert code in (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.RESOURCE_EXHAUSTED), token[:20]
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED, "who guesses has to wait"
    assert len(place.fake.archives) == 1
    code, _ = code_of(lambda: place.arena.api.Submit(iter([pb.SubmitRequest(bot="new")]), timeout=20))
    assert code is grpc.StatusCode.UNAUTHENTICATED
    request = pb.GetSubmissionRequest(id=found.id)
    answers = set()
    for token in (place.tokens["blues"], place.tokens["ann"], place.tokens["bob"]):
        answers.add(code_of(partial(place.arena.api.GetSubmission, request, metadata=bearer(token))))
    [(code, words)] = answers
    assert (code, "no submission 'new-1'" in words) == (grpc.StatusCode.NOT_FOUND, True)
    assert "`tortuga client submissions`" in words
    assert code_of(lambda: place.arena.api.GetSubmission(request))[0] is grpc.StatusCode.UNAUTHENTICATED
    assert code_of(lambda: place.arena.api.ListSubmissions(pb.ListSubmissionsRequest()))[0] is (
        grpc.StatusCode.UNAUTHENTICATED
    )
    mine = place.arena.api.ListSubmissions(pb.ListSubmissionsRequest(), metadata=bearer(place.tokens["reds"]))
    assert [one.id for one in mine.submissions] == [found.id]
    assert not place.arena.api.ListSubmissions(
        pb.ListSubmissionsRequest(), metadata=bearer(place.tokens["blues"])
    ).submissions
    code, words = code_of(lambda: send(place, place.tokens["blues"], pb.SubmitRequest(bot="ann")))
    assert (code, "belongs to another" in words) == (grpc.StatusCode.ALREADY_EXISTS, True)
    code, _ = code_of(lambda: send(place, place.tokens["ann"], pb.SubmitRequest(bot="bob")))
    assert code is grpc.StatusCode.PERMISSION_DENIED


def test_a_piece_that_is_too_large_and_a_door_without_submissions_are_refused(place: Any) -> None:
    code, _ = code_of(lambda: send(place, place.tokens["ann"], pb.SubmitRequest(data=bytes(1 << 16))))
    assert code is grpc.StatusCode.RESOURCE_EXHAUSTED
    place.arena.hall.submissions = None
    code, words = code_of(lambda: send(place, place.tokens["ann"], pb.SubmitRequest()))
    assert (code, "takes no submissions" in words) == (grpc.StatusCode.FAILED_PRECONDITION, True)


def test_an_archive_that_breaks_off_is_not_kept(place: Any) -> None:
    def broken() -> Iterator[pb.SubmitRequest]:
        yield pb.SubmitRequest(data=b"half", size=8)
        raise ValueError("the line is cut")

    code, _ = code_of(lambda: place.arena.api.Submit(broken(), metadata=bearer(place.tokens["ann"]), timeout=20))
    assert code in (grpc.StatusCode.UNKNOWN, grpc.StatusCode.CANCELLED)
    code, words = code_of(
        lambda: place.arena.api.Submit(
            iter([pb.SubmitRequest(data=b"x", size=2)]), metadata=bearer(place.tokens["ann"]), timeout=20
        )
    )
    assert (code, "2 bytes, and 1 arrived" in words) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    assert place.fake.archives == []
    assert send(place, place.tokens["ann"], pb.SubmitRequest(data=b"whole")).id == "ann-1"
    assert place.fake.archives == [b"whole"]


def test_an_archive_whose_token_is_revoked_on_the_way_is_not_kept(place: Any) -> None:
    team = next(token.label for token in place.fake.teams.tokens() if token.team == "reds")

    def slow() -> Iterator[pb.SubmitRequest]:
        yield pb.SubmitRequest(bot="new", data=b"half", size=8)
        place.fake.teams.revoke(team)
        yield pb.SubmitRequest(data=b"more")

    code, _ = code_of(lambda: place.arena.api.Submit(slow(), metadata=bearer(place.tokens["reds"]), timeout=20))
    assert code is grpc.StatusCode.UNAUTHENTICATED
    assert place.fake.archives == []


def test_a_call_that_ends_before_it_began_is_no_submission(place: Any) -> None:
    """As the server sees it if the line breaks at once: it must not cost its author one of the day."""
    nothing: Iterator[pb.SubmitRequest] = iter(())
    code, words = code_of(lambda: place.arena.api.Submit(nothing, metadata=bearer(place.tokens["ann"]), timeout=20))
    assert (code, "nothing was sent" in words) == (grpc.StatusCode.INVALID_ARGUMENT, True)
    assert place.fake.archives == []
    assert send(place, place.tokens["ann"], pb.SubmitRequest(data=b"whole")).id == "ann-1"


def test_the_list_is_paged(place: Any) -> None:
    for _ in range(5):
        send(place, place.tokens["reds"], pb.SubmitRequest(bot="new"))

    def ask(request: Any) -> Any:
        return place.arena.api.ListSubmissions(request, metadata=bearer(place.tokens["reds"]))

    found = pages(ask, pb.ListSubmissionsRequest(page_size=2), "submissions")
    assert [one.id for one in found] == [f"new-{number}" for number in (5, 4, 3, 2, 1)]
    assert pages(ask, pb.ListSubmissionsRequest(bot="other"), "submissions") == []


# On the command line


def make_folder(path: Path) -> Path:
    (path / "mine" / ".git").mkdir(parents=True)
    (path / "mine" / ".git" / "config").write_text("secret")
    (path / "mine" / "bot.toml").write_text('name = "mine"\nrun = ["python", "{dir}/bot.py"]\n')
    (path / "mine" / "bot.py").write_text("print(1)\n")
    return path / "mine"


def test_a_folder_or_a_zip_file_is_sent(place: Any, tmp_path: Path, approve: Approver) -> None:
    folder = make_folder(tmp_path)
    done = tortuga(place.tokens["ann"], "submit", str(folder))
    assert done.exit_code == 0, done.output
    approve("client", done.stdout)
    assert done.stdout.startswith("ann-1: received")
    assert " submission ann-1 --follow" in done.stdout
    assert "left out: .git/" in done.stderr
    with zipfile.ZipFile(io.BytesIO(place.fake.archives[0])) as archive:
        assert sorted(archive.namelist()) == ["bot.py", "bot.toml"]
    (tmp_path / "big.zip").write_bytes(bytes(40_000))
    done = tortuga(place.tokens["reds"], "submit", str(tmp_path / "big.zip"), "--bot", "new", "--json")
    assert json.loads(done.stdout)["state"] == "received"
    assert place.fake.archives[1] == bytes(40_000), "in several pieces"
    for words in (("submit", str(folder)), ("submission", "x"), ("submissions",)):
        assert "set TORTUGA_TOKEN to" in tortuga("", *words).stderr
    (folder / "bot.toml").unlink()
    refused = tortuga(place.tokens["ann"], "submit", str(folder))
    assert (refused.exit_code, "has no bot.toml" in refused.stderr) == (2, True)


@pytest.mark.parametrize(("state", "code"), [(SubmissionState.PLAYING, 0), (SubmissionState.FAILED, 1)])
def test_a_submission_is_followed_to_its_end(state: SubmissionState, code: int, place: Any, tmp_path: Path) -> None:
    token = place.tokens["ann"]
    found = send(place, token, pb.SubmitRequest())
    place.fake.words = "received\nbuilt \x1b[31mit\n"
    step = {"step": "check", "reason": "it \x1b[2Jcrashed"} if code else {"version": "2"}
    place.fake.rows.change(found.id, state=state, **step)
    done = tortuga(token, "submission", found.id, "--follow")
    assert done.exit_code == code
    assert "received\nbuilt " in done.stdout
    assert "\x1b" not in done.stdout
    last = done.stdout.splitlines()[-1]
    assert last.startswith("ann-1 (ann): ")
    assert re.search("failed .*check: it " if code else "playing as version 2", last)
    told = json.loads(tortuga(token, "submission", found.id, "--json").stdout)
    assert (told["state"], told["log"]) == (str(state), place.fake.words)
    followed = tortuga(token, "submission", found.id, "--follow", "--json")
    assert (followed.exit_code, json.loads(followed.stdout)["id"]) == (code, found.id)
    assert "ann-1" in tortuga(token, "submissions").stdout
    assert json.loads(tortuga(token, "submissions", "--json").stdout)["submissions"][0]["bot"] == "ann"
    wrong = tortuga(place.tokens["bob"], "submission", found.id)
    assert (wrong.exit_code, "you have no submission" in wrong.stderr) == (2, True)


def test_an_unknown_row_is_no_crash(place: Any) -> None:
    with pytest.raises(ConfigError):
        place.fake.rows.find("nobody-1", "reds")
