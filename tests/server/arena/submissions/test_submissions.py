"""Submissions: who may send and read what, what becomes of them step by step, and that a kill leaves nothing behind."""

from __future__ import annotations

import asyncio
import io
import threading
import tomllib
import zipfile
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from referee.door.tokens import hash_token
from referee.errors import ConfigError
from server.arena.config import ArenaConfig
from server.arena.errors import FailedPrecondition, NotFound, RateLimited
from server.arena.ladders.retention import RetentionPolicy
from server.arena.people.callers import Author, Callers
from server.arena.people.teams import Team, Teams
from server.arena.registry import wall_millis
from server.arena.registry_schema import MIGRATIONS, EventState
from server.arena.submissions import submissions as module
from server.arena.submissions.submission_store import (
    LOG_BYTES,
    Submission,
    SubmissionFiles,
    SubmissionRows,
    SubmissionState,
)
from server.arena.submissions.submissions import MAX_ATTEMPTS, Submissions
from server.bots.build import Built
from server.bots.spec import BotSpec, read_manifest
from server.bots.upload import UploadLimits
from server.conformance.check import Finding, Verdict
from server.jail.confinement import Confinement
from server.jail.level import JailLevel
from server.tournament.manifest import find_bots, make_manifest, write_text
from support.arena import MANIFEST
from support.ladders import make_config
from support.tables import House, open_house

TEAM = Author(owner="reds")
OTHERS = Author(owner="blues")


def zipped(version: str = "1", *, build: str = "", words: str = "", run: str = "bot.py", extra: str = "") -> bytes:
    """A bot of an author's."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        stated = f'version = "{version}"\n' if version else ""
        built = f'build = ["sh", "-c", "{build}"]\n' if build else ""
        archive.writestr("bot.toml", f'name = "x"\n{stated}{built}{extra}run = ["python", "{{dir}}/{run}"]\n')
        archive.writestr("bot.py", f"print({words!r})\n")
    return content.getvalue()


async def pieces(content: bytes, size: int = 1000) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


class Place:
    """An arena in which bots are submitted; builds and checks are functions."""

    def __init__(self, path: Path, house: House, config: ArenaConfig, **keys: Any) -> None:
        self.house = house
        self.teams = Teams(house.registry)
        if not self.teams.teams():
            self.teams.put([Team(name="reds", bots_cap=2), Team(name="blues")])
        self.files = SubmissionFiles(path / "submissions")
        self.rows = SubmissionRows(house.registry)
        confinement = Confinement(level=keys.pop("level", JailLevel.JAIL))
        callers = Callers(house.registry, self.teams)
        self.all = Submissions(
            config,
            self.files,
            self.rows,
            house.hall,
            house.calendar,
            callers,
            confinement,
            limits=keys.pop("limits", None),
        )
        self.told: list[str] = []
        self.all.finished = lambda row: self.told.append(f"{row.id} {row.state}")
        self._task = asyncio.create_task(self.all.run())

    async def submit(self, content: bytes, bot: str = "ann", author: Author = TEAM) -> str:
        return (await self.all.receive(author, bot, len(content), pieces(content))).id

    async def become(self, submission_id: str, *states: SubmissionState) -> None:
        while self.rows.get(submission_id).state not in states:
            assert not self.rows.get(submission_id).is_over, self.rows.get(submission_id)
            await asyncio.sleep(0.005)
        told = {f"{submission_id} {state}" for state in states}
        final = {SubmissionState.FAILED, SubmissionState.PLAYING} & {*states}
        while final and not told & {*self.told}:  # noqa: ASYNC110
            await asyncio.sleep(0.005)  # it is tidied up by then

    async def play(self, content: bytes, bot: str = "ann", author: Author = TEAM) -> str:
        found = await self.submit(content, bot, author)
        await self.become(found, SubmissionState.PLAYING)
        return found

    async def fail(self, content: bytes, bot: str = "ann") -> tuple[str, str]:
        found = await self.submit(content, bot)
        await self.become(found, SubmissionState.FAILED)
        row = self.rows.get(found)
        return row.step, row.reason

    def log(self, submission_id: str) -> str:
        return self.files.read_log(submission_id, 0)[0]

    async def close(self) -> None:
        """As a kill does: nothing is tidied up."""
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


Scenario = Callable[[Place], Awaitable[None]]


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Builds and checks that pass, unless a test says otherwise."""
    how: dict[str, Any] = {"built": Built(bot="x", verdict="built", output="made it"), "gate": None, "findings": []}

    async def build(spec: BotSpec, confinement: Confinement, *, seconds: float, place: Path, cache: Any) -> Built:
        assert place.is_dir()  # noqa: ASYNC240
        if how["gate"] is not None:
            await how["gate"].wait()
        found: Built = how["built"]
        return found

    async def check(spec: BotSpec, games: Sequence[str], steps: Sequence[str], **keys: Any) -> list[Finding]:
        findings: list[Finding] = how["findings"]
        for found in findings:
            keys["tell"](found)
        return findings

    monkeypatch.setattr(module, "build_confined", build)
    monkeypatch.setattr(module, "check_conduct", check)
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.01)
    return how


def at_place(scenario: Scenario, path: Path, config: ArenaConfig | None = None, **keys: Any) -> None:
    path.mkdir(exist_ok=True)

    async def work() -> None:
        chosen = config or make_config()
        async with open_house(path, chosen, works=False) as house:
            place = Place(path, house, chosen, **keys)
            try:
                await asyncio.wait_for(scenario(place), 60)
            finally:
                await place.close()

    asyncio.run(work())


# From the archive to the ladder


def test_a_bot_plays_as_its_next_version_and_the_log_tells_each_step(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        first = await place.play(zipped(build="true"))
        assert first == "ann-1"
        bot = place.house.registry.bot("ann")
        assert (bot.owner, bot.version, bot.hosted) == ("reds", "1", True)
        assert bot.spec == f"bundle:{place.rows.get(first).bundle}"
        words = place.log(first)
        steps = ["received: ", "unpacked: x 1", "building, in", "made it", "built in", "bundled: SHA-256", "checking: "]
        assert [words.find(step) for step in steps] == sorted(words.find(step) for step in steps)
        assert words.endswith("ann plays as version 1\n")
        second = await place.play(zipped("2"))
        assert place.rows.get(first).state is SubmissionState.REPLACED
        third = await place.play(zipped("2", words="other"))
        assert [place.rows.get(one).version for one in (first, second, third)] == ["1", "2", "2-3"]
        member = place.house.lobby.get("ann")
        assert member is not None
        assert member.spec is not None
        assert (member.version, member.spec.version) == ("2-3", "2-3")
        assert member.spec.bundle_hash.hex() == place.rows.get(third).bundle
        again = await place.play(zipped("2", words="other"))
        assert "files played before" in place.log(again)
        assert place.rows.get(again).version == "2-3"
        assert place.told == [f"ann-{number} playing" for number in (1, 2, 3, 4)]
        assert sorted(path.name for path in place.files.folder.iterdir()) == [f"ann-{n}.log" for n in (1, 2, 3, 4)]

    at_place(scenario, tmp_path)


def test_a_bot_without_a_version_gets_the_number_of_its_submission(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        await place.play(zipped(""))
        found = await place.play(zipped("", words="2"))
        assert place.house.registry.bot("ann").version == place.rows.get(found).version == "2"

    at_place(scenario, tmp_path)


def test_whatever_fails_is_told_and_the_version_before_plays_on(tmp_path: Path, tools: dict[str, Any]) -> None:
    async def scenario(place: Place) -> None:
        await place.play(zipped())
        before = place.house.registry.bot("ann")
        for archive, step, fact in (
            (b"no zip", "unpack", "not a zip file"),
            (zipped(extra='nonsense = "1"\n'), "unpack", "bot.toml: 'nonsense'"),
            (zipped(extra='games = ["broadsides"]\n'), "unpack", "it plays broadsides"),
            (zipped(extra='limits = { memory = "99 GiB" }\n'), "unpack", "memory"),
            (zipped(run="lost.py"), "build", "lost.py is not there"),
        ):
            failed_in, reason = await place.fail(archive)
            assert (failed_in, fact in reason) == (step, True), reason
        tools["built"] = Built(
            bot="x", verdict="failed", detail="`make` exited with code 2", output="line 3: \x1b[31mno"
        )
        assert await place.fail(zipped(build="make")) == ("build", "`make` exited with code 2")
        assert "line 3" in place.log("ann-7")
        tools["findings"] = [Finding(id="hello", title="says Hello", verdict=Verdict.FAIL, detail="it did not")]
        step, reason = await place.fail(zipped("9"))
        assert (step, reason.split(": ")) == ("check", ["hello", "says Hello", "it did not"])
        tools["findings"] = []
        place.house.tables.unfit = "it failed"
        assert await place.fail(zipped("9")) == ("check", "it failed")
        assert place.house.registry.bot("ann") == before
        assert not [path for path in place.files.folder.iterdir() if path.is_dir()], "nothing is left of them"
        place.house.tables.unfit = ""
        await place.play(zipped("9"))

    at_place(scenario, tmp_path)


def test_a_bug_of_ours_fails_one_submission_and_not_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(place: Place) -> None:
        def broken(*_: object) -> None:
            raise ZeroDivisionError

        with monkeypatch.context() as patch:
            patch.setattr(module, "unpack_upload", broken)
            step, reason = await place.fail(zipped())
        assert (step, "tell the organiser" in reason) == ("play", True)
        await place.play(zipped())

    at_place(scenario, tmp_path)


def test_a_bot_that_dialled_in_is_hosted_from_then_on(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        place.house.come("far")
        author = Author(owner="bot far", bot="far")
        found = await place.submit(zipped(), "", author)
        await place.become(found, SubmissionState.PLAYING)
        bot = place.house.registry.bot("far")
        assert bot.hosted
        assert bot.token_hash == hash_token("token of far"), "its token still submits"
        [(shown, words)] = place.house.door.shown
        assert (shown, "it was submitted" in words) == ("far", True)
        assert place.house.lobby.refusal("far").startswith("this bot was submitted")
        member = place.house.lobby.get("far")
        assert member is not None
        assert member.spec is not None
        await place.play(zipped("2"), "", author)

    at_place(scenario, tmp_path)


def test_a_suspended_bot_takes_a_new_version_and_does_not_play(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        await place.play(zipped())
        place.house.registry.suspend("ann", "too many faults")
        place.house.hall.disconnect("ann", "")
        found = await place.play(zipped("2"))
        assert place.house.lobby.get("ann") is None
        assert place.rows.get(found).reason.endswith(": too many faults")
        place.house.registry.revoke("ann")
        with pytest.raises(FailedPrecondition, match="the bot ann was revoked"):
            await place.submit(zipped("3"))

    at_place(scenario, tmp_path)


# Events


def test_an_event_plays_the_version_of_its_check_in(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        registry = place.house.registry
        await place.play(zipped())
        registry.create_event("cup", MANIFEST, bots=["ann"])
        registry.set_state("cup", EventState.REGISTRATION)
        await place.play(zipped("2"))
        registry.set_state("cup", EventState.CHECK_IN)
        third, fourth = await place.submit(zipped("3")), await place.submit(zipped("4"))
        for found in (third, fourth):
            await place.become(found, SubmissionState.WAITING)
        while not place.rows.get(fourth).reason:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        assert place.rows.get(third).reason.startswith("it plays when the event")
        registry.check_in("cup", ["ann"])
        registry.set_state("cup", EventState.RUNNING)
        await asyncio.sleep(0.05)
        assert registry.bot("ann").version == "2"
        registry.set_state("cup", EventState.FINISHED)
        await place.become(fourth, SubmissionState.PLAYING)
        assert registry.bot("ann").version == "4"
        assert place.rows.get(third).state is SubmissionState.REPLACED
        assert place.rows.get(fourth).reason == ""
        registry.create_event("other", MANIFEST, bots=[])
        registry.set_state("other", EventState.CHECK_IN)
        await place.play(zipped("5"))  # it has not entered

    at_place(scenario, tmp_path)


def test_an_event_records_the_version_that_the_ladder_shows(tmp_path: Path) -> None:
    """Not the one of a bot.toml that its author did not change."""

    async def scenario(place: Place) -> None:
        registry = place.house.registry
        await place.play(zipped("1"))
        await place.play(zipped("1", words="other files"))
        await place.play(zipped("7"), "bob")
        registry.create_event("cup", MANIFEST, bots=["ann", "bob"])
        registry.set_state("cup", EventState.REGISTRATION)
        manifest = place.house.calendar.make_manifest(registry.check_in("cup", ["ann", "bob"]))
        found = find_bots(make_manifest(tomllib.loads(write_text(manifest))), tmp_path)
        assert {name: bot.version for name, bot in found.items()} == {"ann": "1-2", "bob": "7"}
        assert {name: registry.bot(name).version for name in found} == {"ann": "1-2", "bob": "7"}

    at_place(scenario, tmp_path)


# Who may


def test_only_its_author_reads_a_submission_and_others_learn_nothing(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        found = await place.play(zipped())
        assert place.all.find(TEAM, found).id == found
        words = []
        for author, asked in (
            (OTHERS, found),
            (OTHERS, "ann-99"),
            (Author(owner="reds", bot="other"), found),
            (TEAM, "../arena.db"),
            (TEAM, ""),
            (Author(owner=""), found),
        ):
            with pytest.raises(NotFound) as error:
                place.all.find(author, asked)
            words.append(str(error.value).replace(repr(asked), "X"))
        assert len(set(words)) == 1, "whether it exists cannot be told"
        assert place.all.of(OTHERS) == []
        assert [row.id for row in place.all.of(TEAM)] == [found]
        assert place.all.of(Author(owner="reds", bot="other")) == []

    at_place(scenario, tmp_path)


def test_names_are_the_author_s_own(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        await place.play(zipped())
        for author, bot, kind, words in (
            (TEAM, "", ConfigError, "name the one you submit"),
            (OTHERS, "ann", ConfigError, "belongs to another"),
            (OTHERS, "ANN", ConfigError, "belongs to another"),
            (TEAM, "../x", ConfigError, "cannot be called"),
            (Author(owner="reds", bot="ann"), "bob", ConfigError, "your token is not for the bot 'bob'"),
        ):
            with pytest.raises(kind, match=words):
                await place.submit(zipped(), bot, author)
        await place.play(zipped(), "bob")
        with pytest.raises(FailedPrecondition, match="2 bots, and 2 are allowed"):
            await place.submit(zipped(), "cid")
        assert not list(place.files.folder.glob(".incoming*"))

    at_place(scenario, tmp_path)


def test_a_cap_holds_for_bots_that_are_under_way(tmp_path: Path, tools: dict[str, Any]) -> None:
    async def scenario(place: Place) -> None:
        tools["gate"] = asyncio.Event()
        ids = [await place.submit(zipped(build="true"), name) for name in ("one", "two", "three")]
        with pytest.raises(FailedPrecondition, match=r"3 submissions .* one-1"):
            await place.submit(zipped(), "four")
        tools["gate"].set()
        await place.become(ids[1], SubmissionState.PLAYING)
        await place.become(ids[2], SubmissionState.FAILED)
        assert "2 bots, and 2 are allowed" in place.rows.get(ids[2]).reason

    at_place(scenario, tmp_path)


def test_quotas_are_per_team_and_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(place: Place) -> None:
        await place.play(zipped("1"))
        await place.fail(b"")
        with pytest.raises(RateLimited, match=r"reds .* 2 bots .*1440 min"):
            await place.submit(zipped("2"))
        await place.play(zipped(), "zoe", OTHERS)
        old = wall_millis() - 86_400_000
        for row in place.all.of(TEAM):
            place.rows.change(row.id, received_millis=old)
        await place.play(zipped("3"))

    at_place(scenario, tmp_path, make_config(submissions_per_day=2))


def test_two_archives_that_arrive_together_do_not_get_past_a_quota(tmp_path: Path) -> None:
    """The first has arrived and is being written down when the second comes."""

    async def scenario(place: Place) -> None:
        add, first_is_there, go_on = place.rows.add, threading.Event(), threading.Event()

        def slow_add(bot: str, owner: str) -> Submission:
            if first_is_there.is_set():
                go_on.set()  # a second one got here
            first_is_there.set()
            go_on.wait()
            return add(bot, owner)

        place.rows.add = slow_add  # type: ignore[method-assign]
        first = asyncio.create_task(place.submit(zipped("1")))
        await asyncio.to_thread(first_is_there.wait)
        try:
            with pytest.raises(FailedPrecondition, match="yours is arriving"):
                await place.submit(zipped("2"))
        finally:
            go_on.set()
        await place.become(await first, SubmissionState.PLAYING)

    at_place(scenario, tmp_path, make_config(submissions_per_day=1))


def test_a_bot_toml_is_not_read_in_the_loop_in_which_matches_are_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def read(path: Path) -> BotSpec:
        threads.append(threading.current_thread())
        return read_manifest(path)

    monkeypatch.setattr(module, "read_manifest", read)

    async def scenario(place: Place) -> None:
        await place.play(zipped())
        assert threads
        assert threading.current_thread() not in threads
        step, reason = await place.fail(zipped(extra="a" + ".a" * 20_000 + " = 1"))
        assert (step, "more than 16384 bytes" in reason) == ("unpack", True)

    at_place(scenario, tmp_path)


def test_where_bots_are_not_confined_nothing_is_submitted(tmp_path: Path) -> None:
    async def refused(place: Place) -> None:
        with pytest.raises(FailedPrecondition, match=r"process only.*level jail"):
            await place.submit(zipped())

    async def off(place: Place) -> None:
        with pytest.raises(FailedPrecondition, match="submissions are off here"):
            await place.submit(zipped())

    async def stopping(place: Place) -> None:
        place.house.hall.draining = True
        with pytest.raises(FailedPrecondition, match="the server is stopping"):
            await place.submit(zipped())

    async def trusted(place: Place) -> None:
        await place.play(zipped())

    at_place(refused, tmp_path / "a", level=JailLevel.PROCESS)
    at_place(off, tmp_path / "b", make_config(submissions_per_day=0))
    at_place(stopping, tmp_path / "c")
    at_place(trusted, tmp_path / "d", make_config(trust_hosted=True), level=JailLevel.NONE)


# Archives that do not arrive


def test_an_archive_that_stalls_breaks_off_or_is_too_large_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PIECE_SECONDS", 0.05)

    async def stalling() -> AsyncIterator[bytes]:
        yield b"PK"
        await asyncio.sleep(60)
        yield b""

    async def breaking() -> AsyncIterator[bytes]:
        yield b"PK"
        raise ConnectionError("gone")

    async def scenario(place: Place) -> None:
        with pytest.raises(FailedPrecondition, match="did not arrive in time"):
            await place.all.receive(TEAM, "ann", 9, stalling())
        with pytest.raises(ConnectionError):
            await place.all.receive(TEAM, "ann", 9, breaking())
        with pytest.raises(ConfigError, match=r"5000 bytes.* 4000 "):
            await place.submit(bytes(5000))
        for size, came in ((101, "100"), (99, "more"), (0, "more")):
            with pytest.raises(ConfigError, match=rf"{size} bytes.* {came} arrived"):
                await place.all.receive(TEAM, "ann", size, pieces(bytes(100)))
        waiting = asyncio.create_task(place.all.receive(TEAM, "ann", 9, stalling()))
        await asyncio.sleep(0.01)
        with pytest.raises(FailedPrecondition, match="yours is arriving"):
            await place.submit(zipped())
        with pytest.raises(FailedPrecondition):
            await waiting
        assert list(place.files.folder.iterdir()) == []
        assert place.rows.all() == []
        await place.play(zipped())

    at_place(scenario, tmp_path, limits=UploadLimits(archive_bytes=4000))


def test_a_slow_archive_gives_way_when_all_places_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_ARRIVING", 1)

    async def trickling(begun: asyncio.Event) -> AsyncIterator[bytes]:
        while True:
            yield b"P"
            begun.set()
            await asyncio.sleep(0.001)

    async def scenario(place: Place) -> None:
        for gives_way in (False, True):
            monkeypatch.setattr(module, "GIVE_WAY_SECONDS", 0.0 if gives_way else 800.0)
            begun = asyncio.Event()
            slow = asyncio.create_task(place.all.receive(OTHERS, "zoe", 1 << 20, trickling(begun)))
            await begun.wait()
            if gives_way:
                await place.play(zipped())
                with pytest.raises(FailedPrecondition, match="did not arrive in time"):
                    await slow
            else:
                with pytest.raises(RateLimited):
                    await place.submit(zipped())
                slow.cancel()
                await asyncio.gather(slow, return_exceptions=True)
        assert [row.bot for row in place.rows.all()] == ["ann"]

    at_place(scenario, tmp_path)


def test_a_full_disk_is_told_before_anything_is_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(place: Place) -> None:
        monkeypatch.setattr("server.arena.submissions.submission_store.LEAST_FREE_BYTES", 1 << 62)
        with pytest.raises(FailedPrecondition, match="disk is nearly full"):
            await place.submit(zipped())

    at_place(scenario, tmp_path)


# After a kill


@pytest.mark.parametrize("state", ["received", "unpacked", "building", "checking", "waiting"])
def test_after_a_kill_it_goes_on_and_leaves_no_folder(state: str, tmp_path: Path, tools: dict[str, Any]) -> None:
    async def killed(place: Place) -> None:
        tools["gate"] = asyncio.Event()
        found = await place.submit(zipped(build="true"))
        await place.become(found, SubmissionState.BUILDING)
        await place.close()
        if state == "waiting":
            spec = place.house.hall.bundles.add(
                BotSpec(name="x", run=("python",), folder=place.files.work(found) / "source", language="")
            )
            place.rows.change(found, bundle=spec.sha256)
        place.rows.change(found, state=SubmissionState(state), attempts=0 if state == "received" else 1)
        (place.files.folder / ".incoming.abc.1").write_bytes(b"half")
        (place.files.folder / "orphan-1").mkdir()
        tools["gate"] = None

    async def after(place: Place) -> None:
        await place.become("ann-1", SubmissionState.PLAYING)
        assert place.house.registry.bot("ann").version == "1"
        assert sorted(path.name for path in place.files.folder.iterdir()) == ["ann-1.log"]

    at_place(killed, tmp_path)
    at_place(after, tmp_path)


def test_one_that_takes_the_server_down_each_time_fails_cleanly(tmp_path: Path, tools: dict[str, Any]) -> None:
    async def killed(place: Place) -> None:
        tools["gate"] = asyncio.Event()
        found = "ann-1" if place.rows.all() else await place.submit(zipped(build="true"))
        await place.become(found, SubmissionState.BUILDING)
        await place.close()
        place.rows.change(found, state=SubmissionState.RECEIVED)

    async def after(place: Place) -> None:
        await place.become("ann-1", SubmissionState.FAILED)
        row = place.rows.get("ann-1")
        assert (row.step, "server stopped 3 times" in row.reason) == ("build", True)
        assert "beginning again" in place.log("ann-1")
        assert sorted(path.name for path in place.files.folder.iterdir()) == ["ann-1.log"]

    for _ in range(MAX_ATTEMPTS):
        at_place(killed, tmp_path)
    at_place(after, tmp_path)


def test_of_two_that_are_built_at_once_the_later_one_wins(tmp_path: Path, tools: dict[str, Any]) -> None:
    async def scenario(place: Place) -> None:
        tools["gate"] = asyncio.Event()
        slow = await place.submit(zipped("1", build="true"))
        await place.become(slow, SubmissionState.BUILDING)
        await place.play(zipped("2"))
        tools["gate"].set()
        await place.become(slow, SubmissionState.REPLACED)
        assert place.house.registry.bot("ann").version == "2"

    at_place(scenario, tmp_path, make_config(builds_at_once=2))


# Logs


def test_a_log_is_bounded_and_read_in_pieces_of_whole_lines(tmp_path: Path) -> None:
    files = SubmissionFiles(tmp_path / "s")
    for number in range(3):
        files.log("a-1", "\n".join(f"{number} {'x' * 100} {line}" for line in range(1000)))
    for _ in range(3):
        files.log("a-1", "more")
    text, at, more = "", 0, True
    while more:
        piece, at, more = files.read_log("a-1", at)
        assert piece.endswith("\n")
        text += piece
    assert LOG_BYTES < len(text.encode()) < LOG_BYTES + 200
    assert "log is full" in text.splitlines()[-1]
    assert files.read_log("a-1", 1 << 40)[0] == ""
    assert files.read_log("nobody", 7) == ("", 7, False)


def test_old_logs_go_and_what_became_of_them_stays(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        old, new = await place.play(zipped()), await place.play(zipped("2"))
        await place.all.delete_expired(RetentionPolicy(logs=0))
        assert place.log(old)
        await asyncio.to_thread(place.rows.change, old)
        late = SubmissionRows(place.house.registry, clock=lambda: wall_millis() - 3 * 86_400_000)
        late.change(old)
        place.all._rows = place.rows = SubmissionRows(place.house.registry)
        await place.all.delete_expired(RetentionPolicy(logs=2))
        assert (place.log(old), bool(place.log(new))) == ("", True)
        assert place.rows.get(old).state is SubmissionState.REPLACED

    at_place(scenario, tmp_path)


@pytest.mark.parametrize("breaks", [False, True], ids=["built", "broken"])
def test_one_whose_owner_is_deleted_meanwhile_leaves_nothing_and_the_next_plays(
    breaks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: dict[str, Any]
) -> None:
    build = vars(module)["build_confined"]  # the one of `tools`

    async def build_in_vain(*words: Any, **keys: Any) -> Built:
        found: Built = await build(*words, **keys)
        if breaks:
            raise FileNotFoundError("its folder is gone")
        return found

    monkeypatch.setattr(module, "build_confined", build_in_vain)

    async def scenario(place: Place) -> None:
        tools["gate"] = asyncio.Event()
        gone = await place.submit(zipped(build="true"))
        await place.become(gone, SubmissionState.BUILDING)
        assert place.all.forget("reds") == 1
        tools["gate"].set()
        await place.play(zipped(), "zoe", OTHERS)
        assert sorted(path.name for path in place.files.folder.iterdir()) == ["zoe-1.log"]

    at_place(scenario, tmp_path)


def test_a_disk_that_is_full_to_the_last_byte_ends_no_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even the log of a failure can be written then."""

    async def scenario(place: Place) -> None:
        write, is_full = place.files.log, True

        def log(submission_id: str, text: str) -> None:
            if is_full and not text.startswith("received"):
                raise OSError(28, "No space left on device")
            write(submission_id, text)

        monkeypatch.setattr(place.files, "log", log)
        first = await place.submit(zipped())
        while place.rows.get(first).state is not SubmissionState.UNPACKED:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        is_full = False
        await place.play(zipped(), "zoe", OTHERS)

    at_place(scenario, tmp_path)


def test_what_an_owner_sent_can_be_forgotten(tmp_path: Path) -> None:
    async def scenario(place: Place) -> None:
        await place.play(zipped())
        await place.play(zipped(), "zoe", OTHERS)
        assert place.all.forget("reds") == 1
        assert [path.name for path in place.files.folder.iterdir()] == ["zoe-1.log"]
        assert SubmissionRows(place.house.registry).all() == place.rows.all()
        assert place.house.registry.bot("ann").hosted, "the bot itself stays"

    at_place(scenario, tmp_path)


def test_the_table_is_in_the_last_migrations() -> None:
    assert sum("CREATE TABLE submission" in script for script in MIGRATIONS) == 1
