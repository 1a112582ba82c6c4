"""Submissions: builds, checks and hosts bots that their authors send.

An archive is received, unpacked (server/bots/upload.py), built in the jail without network, bundled, and checked: does
it follow the protocol, does it play? Then its bot plays in this version, from the bundle. Failures are
reported to the author, step by step, and the previous version keeps playing. A valid submission waits while its bot
plays in an event, which is played to the end with the version that was current at check-in.

Each step can be repeated: after a restart of the server, an unfinished submission starts again from its archive.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from referee.errors import ConfigError, TortugaError
from server.arena.config import FILE, ArenaConfig
from server.arena.errors import FailedPrecondition, RateLimited
from server.arena.events.calendar import Calendar
from server.arena.ladders.hall import Hall
from server.arena.ladders.retention import RetentionPolicy, find_expired
from server.arena.people.callers import Author, Callers
from server.arena.registry import wall_millis
from server.arena.submissions.hosting_rules import check_confined
from server.arena.submissions.submission_store import (
    Submission,
    SubmissionFiles,
    SubmissionRows,
    SubmissionState,
    no_submission,
    remove_files,
)
from server.bots.bundle_store import PREFIX
from server.bots.kit_cache import NO_CACHE, KitCache
from server.bots.kits import has_build, missing_files, missing_tools
from server.bots.spec import MANIFEST, MAX_TEXT, BotSpec, read_manifest
from server.bots.upload import BadUpload, UploadLimits, unpack_upload
from server.conformance.check import Finding, Verdict
from server.conformance.check import check as check_conduct
from server.conformance.report import explanation
from server.hosting.confined_build import build_confined
from server.jail.confinement import Confinement
from server.system.logs import get_logger

DAY_MILLIS = 86_400_000
MAX_UNFINISHED = 3
"""Submissions of one owner that may be in progress at once."""
MAX_ARRIVING = 8
"""Archives that may arrive at once."""
PIECE_SECONDS = 30.0
"""Longest wait for the next piece of an archive."""
ARRIVAL_SECONDS = 900.0
GIVE_WAY_SECONDS = 60.0
"""When all places are taken, an archive that has been arriving for longer than this gives way to a new one."""
MAX_ATTEMPTS = 3
"""Attempts at a submission, at most: one in progress when the server is killed starts again."""
LOOK_SECONDS = 1.0
"""Time between two looks at the events that bots wait for."""
CONDUCT = ("simultaneous", "batch", "ended-match", "unknown-table", "fault-notice", "unknown-fields", "goodbye")
"""Steps of `tortuga bot check` that a submission has to pass, besides Hello and a match of each game."""

log = get_logger()


class StepFailed(ConfigError):
    """A step of a submission failed; the message says why."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(reason)
        self.step = step


class Submissions:
    """All submissions of an arena, and the tasks that process them."""

    def __init__(
        self,
        config: ArenaConfig,
        files: SubmissionFiles,
        rows: SubmissionRows,
        hall: Hall,
        calendar: Calendar,
        callers: Callers,
        confinement: Confinement,
        *,
        packages: KitCache = NO_CACHE,
        limits: UploadLimits | None = None,
    ) -> None:
        self._config, self._files, self._rows = config, files, rows
        self._hall, self._calendar, self.callers = hall, calendar, callers
        self._confinement, self._packages = confinement, packages
        self._limits = limits or UploadLimits()
        self._queue: asyncio.Queue[str] = asyncio.Queue()
        self._arriving: set[str] = set()
        """Owners whose archives are arriving."""
        self._uploads: dict[str, asyncio.Timeout] = {}
        """The time limits of archives of which a part is still to come, by owner, the oldest first."""
        self._has_waiting = asyncio.Event()
        """Set when a submission begins to wait for its release."""
        self.finished: Callable[[Submission], None] = lambda _: None
        """Called when a submission plays or has failed, to inform others."""
        unfinished = [row.id for row in rows.all() if not row.is_over and row.state is not SubmissionState.WAITING]
        files.sweep(unfinished)
        for submission_id in unfinished:
            self._queue.put_nowait(submission_id)

    # What authors ask

    async def receive(self, author: Author, bot: str, size: int, pieces: AsyncIterator[bytes]) -> Submission:
        """Receive an archive of this size. It is durable when this returns; the rest happens in the background."""
        self._check_open()
        name = bot or author.bot or ""
        if not name:
            raise ConfigError(f"your token is for all bots of {author.owner}: name the one you submit (--bot NAME)")
        self.callers.check_bot_name(author, name)
        self._hall.registry.check_may_host(name, submitted=True)
        self._check_quota(author.owner)
        if author.owner in self._arriving:
            raise FailedPrecondition("another submission of yours is arriving: wait until it is there")
        if len(self._arriving) >= MAX_ARRIVING and not self._stop_oldest_upload():
            raise RateLimited(f"{MAX_ARRIVING} submissions are arriving already: try again in a minute")
        if size > (limit := self._limits.archive_bytes):
            raise BadUpload(f"the archive has {size} bytes, at most {limit} are allowed")
        self._arriving.add(author.owner)  # until the row is stored: the quota counts rows
        try:
            async with asyncio.timeout(ARRIVAL_SECONDS) as time_limit:
                self._uploads[author.owner] = time_limit
                try:
                    archive = await self._files.receive(_in_time(pieces), size)
                finally:
                    del self._uploads[author.owner]
            row = await asyncio.shield(asyncio.to_thread(self._adopt, archive, name, author.owner))
        except TimeoutError:
            raise FailedPrecondition("the archive did not arrive in time: nothing was kept; try again") from None
        except sqlite3.OperationalError as error:
            raise FailedPrecondition(f"nothing was received, the registry cannot be written now: {error}") from None
        finally:
            self._arriving.discard(author.owner)
        self._queue.put_nowait(row.id)
        log.info("submission_received", submission=row.id, bot=name, owner=author.owner)
        return row

    def _stop_oldest_upload(self) -> bool:
        """End the oldest upload if it has had its time, so that nobody can hold all places by sending slowly."""
        now = asyncio.get_running_loop().time()
        for time_limit in self._uploads.values():
            ends = time_limit.when() or 0.0
            if ends - ARRIVAL_SECONDS + GIVE_WAY_SECONDS <= now < ends:
                time_limit.reschedule(now)
                return True
        return False

    def _adopt(self, archive: Path, bot: str, owner: str) -> Submission:
        size = archive.stat().st_size
        row = self._rows.add(bot, owner)
        self._files.adopt(archive, row.id)
        self._files.log(row.id, f"received: {size} bytes for the bot {bot}")
        return row

    def find(self, author: Author, submission_id: str) -> Submission:
        """Return a submission of this author."""
        row = self._rows.find(submission_id, author.owner)
        if author.bot and row.bot != author.bot:
            raise no_submission(submission_id)
        return row

    def of(self, author: Author) -> list[Submission]:
        """Return all submissions of this author, the latest first."""
        mine = [row for row in self._rows.all() if row.owner == author.owner]
        return [row for row in reversed(mine) if not author.bot or row.bot == author.bot]

    def read_log(self, submission: Submission, start: int) -> tuple[str, int, bool]:
        """Return a piece of its log from a byte on: the text, where it ends, and whether there is more."""
        return self._files.read_log(submission.id, start)

    def forget(self, owner: str) -> int:
        """Forget all submissions of an owner, with their logs. Their bundles remain: records name them.

        Returns how many there were.
        """
        removed = self._rows.remove(owner)
        for row in removed:
            self._files.forget(row.id)
        return len(removed)

    async def delete_expired(self, keep: RetentionPolicy) -> None:
        """Delete expired logs of finished submissions. Their results remain known."""
        logs = [(self._files.log_of(row.id), row.changed_millis) for row in self._rows.all() if row.is_over]
        expired = find_expired(keep, wall_millis(), logs, ())
        await asyncio.to_thread(remove_files, expired.logs)

    def _check_open(self) -> None:
        if not self._config.submissions_per_day:
            raise FailedPrecondition("submissions are off here (submissions_per_day in arena.toml)")
        if self._hall.draining:
            raise FailedPrecondition("the server is stopping; try again later")
        untrusted = BotSpec(name="that you submit", run=())
        check_confined(untrusted, self._confinement.level, trusted=self._config.trust_hosted)

    def _check_quota(self, owner: str) -> None:
        recent = self._rows.since(owner, DAY_MILLIS)
        limit = self._config.submissions_per_day
        if len(recent) >= limit:
            minutes = (recent[-limit].received_millis + DAY_MILLIS - wall_millis()) // 60_000 + 1
            raise RateLimited(f"{owner} has submitted {limit} bots within a day, the most allowed: wait {minutes} min")
        in_progress = [row for row in recent if not row.is_over and row.state is not SubmissionState.WAITING]
        if len(in_progress) >= MAX_UNFINISHED:
            raise FailedPrecondition(
                f"{MAX_UNFINISHED} submissions of yours are under way: wait for {in_progress[0].id}"
            )

    # The work

    async def run(self) -> None:
        """Process submissions, for ever."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._config.builds_at_once):
                group.create_task(self._work())
            group.create_task(self._release_waiting())

    async def _work(self) -> None:
        while True:
            submission_id = await self._queue.get()
            try:
                await self._make(self._rows.get(submission_id))
            except Exception:  # our bug, or the disk: this one fails, the others continue
                await self._give_up(submission_id)

    async def _give_up(self, submission_id: str) -> None:
        """Forget a submission whose owner was deleted meanwhile, and fail any other. Called after an exception."""
        if not self._rows.has(submission_id):
            await asyncio.to_thread(self._files.forget, submission_id)
            return
        log.exception("submission_broken", submission=submission_id)
        try:
            await self._fail(submission_id, "play", "the server failed; its log says why: tell the organiser")
        except (OSError, KeyError) as error:  # a full disk, or deleted just now: the next start cleans up
            log.error("submission_not_failed", submission=submission_id, reason=str(error))

    async def _make(self, row: Submission) -> None:
        """Run all steps of a submission. Each is recorded before it begins."""
        if row.attempts >= MAX_ATTEMPTS:
            await self._fail(row.id, "build", f"the server stopped {row.attempts} times while it worked on this one")
            return
        if row.attempts:
            self._files.log(row.id, "the server was stopped: beginning again")
        await self._change(row.id, attempts=row.attempts + 1)
        try:
            spec = await self._unpack(row)
            await self._build(row, spec)
            played, sha256 = await self._bundle(row, spec)
            await self._check(row, played)
        except StepFailed as error:
            await self._fail(row.id, error.step, str(error))
            return
        await self._change(row.id, bundle=sha256, state=SubmissionState.WAITING)
        self._has_waiting.set()

    async def _unpack(self, row: Submission) -> BotSpec:
        work = self._files.work(row.id)
        self._files.clear(row.id, all_of_it=False)
        try:
            await asyncio.to_thread(unpack_upload, work / "upload", work / "source", self._limits)
            spec = await asyncio.to_thread(read_manifest, work / "source" / MANIFEST)
            spec = spec.capped(self._config.caps, FILE)
        except (ConfigError, OSError) as error:
            raise StepFailed("unpack", str(error).replace(f"{work}/source/", "")) from None
        games = {contest.game for contest in self._config.ladders}
        if spec.games and not games & set(spec.games):
            raise StepFailed(
                "unpack", f"it plays {', '.join(spec.games)}, and here is played {', '.join(sorted(games))}"
            )
        await self._change(row.id, state=SubmissionState.UNPACKED)
        self._files.log(row.id, f"unpacked: {spec.name} {spec.version}, {spec.language or 'no language'}")
        return replace(spec, name=row.bot)

    async def _build(self, row: Submission, spec: BotSpec) -> None:
        if has_build(spec):
            if tools := await asyncio.to_thread(missing_tools, spec.language):
                raise StepFailed(
                    "build", f"this arena cannot build {spec.language}: {', '.join(tools)} is missing here"
                )
            await self._change(row.id, state=SubmissionState.BUILDING)
            self._files.log(row.id, "building, in the jail and without network")
            place, seconds = self._files.work(row.id) / "build", float(self._config.build_seconds)
            place.mkdir(mode=0o700)
            try:
                built = await build_confined(
                    spec, self._confinement, seconds=seconds, place=place, cache=self._packages
                )
            except ConfigError as error:
                raise StepFailed("build", str(error)) from None
            self._files.log(row.id, built.output)
            if not built.usable:
                raise StepFailed("build", built.detail.replace(f"{spec.folder}", "{dir}"))
            self._files.log(row.id, f"built in {built.seconds:.1f} s")
        if missing := missing_files(spec):
            raise StepFailed("build", f"{missing[0].name} is not there, and there is no build that makes it")

    async def _bundle(self, row: Submission, spec: BotSpec) -> tuple[BotSpec, str]:
        """Bundle the built bot. Returns the bot to play, unpacked from its bundle under its name here, and the
        SHA-256."""
        store = self._hall.bundles
        try:
            sha256 = (await asyncio.to_thread(store.add, spec)).sha256
            played = (await asyncio.to_thread(store.spec, sha256)).capped(self._config.caps, FILE)
        except (ConfigError, OSError) as error:
            raise StepFailed("build", str(error)) from None
        self._files.log(row.id, f"bundled: SHA-256 {sha256}")
        return replace(played, name=row.bot), sha256

    async def _check(self, row: Submission, spec: BotSpec) -> None:
        await self._change(row.id, state=SubmissionState.CHECKING)
        played_here = {contest.game for contest in self._config.ladders}
        games = sorted(played_here & set(spec.games) if spec.games else played_here)
        self._files.log(row.id, f"checking: {', '.join(games)}")
        steps = (*(f"match-{game}" for game in games), *CONDUCT)
        confinement = replace(self._confinement, limits=spec.limits)
        try:
            findings = await check_conduct(
                spec, games, steps, tell=lambda finding: self._log_finding(row.id, finding), confinement=confinement
            )
            failed = next((finding for finding in findings if finding.verdict is Verdict.FAIL), None)
            if failed is not None:
                raise StepFailed("check", f"{failed.id}: {failed.title}: {failed.detail}")
            await self._hall.check(spec)
        except StepFailed:
            raise
        except TortugaError as error:
            raise StepFailed("check", str(error)) from None

    def _log_finding(self, submission_id: str, finding: Finding) -> None:
        if finding.verdict is Verdict.SKIP:
            return
        self._files.log(submission_id, f"{finding.verdict} {finding.id}: {finding.detail or finding.title}")
        if finding.verdict is Verdict.FAIL:
            self._files.log(submission_id, "\n".join(f"  {line}" for line in explanation(finding)))

    # Playing

    async def _release_waiting(self) -> None:
        """Release submissions, for ever. Nothing else does: a new one at once, others after their event."""
        while True:
            self._has_waiting.clear()
            try:
                waiting = [row.id for row in self._rows.all() if row.state is SubmissionState.WAITING]
                for submission_id in waiting:
                    await self._release(submission_id)
            except sqlite3.Error as error:  # locked, or the disk: the next look tries again
                log.error("submissions_not_read", reason=str(error))
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._has_waiting.wait()

    async def _release(self, submission_id: str) -> None:
        """Let a valid submission play, unless its bot is in an event. From now on it needs its bundle only."""
        try:
            await asyncio.to_thread(self._files.clear, submission_id)
            await self._release_one(self._rows.get(submission_id))
        except KeyError:
            return  # its owner was deleted
        except Exception:  # the disk, or our bug: the others continue, and the next look tries this one again
            log.exception("submission_not_released", submission=submission_id)

    async def _release_one(self, row: Submission) -> None:
        others = [other for other in self._rows.all() if other.bot == row.bot]
        later = [other for other in others if other.number > row.number and other.bundle]
        if any(other.state is SubmissionState.PLAYING for other in later):
            self._files.log(row.id, f"{later[0].id} came later and plays already")
            self.finished(await self._change(row.id, state=SubmissionState.REPLACED))
            return
        if event := self._calendar.keeps_version(row.bot):
            reason = f"it plays when the event {event} is over, which the bot plays in the version of its check-in"
            if row.reason != reason:
                await self._change(row.id, reason=reason)
                self._files.log(row.id, reason)
            return
        try:
            await self._play(row)
        except (ConfigError, OSError) as error:
            await self._fail(row.id, "play", str(error))
        except sqlite3.OperationalError as error:  # locked, or no space: it keeps waiting
            log.error("submission_not_released", submission=row.id, reason=str(error))

    async def _play(self, row: Submission) -> None:
        store, registry = self._hall.bundles, self._hall.registry
        spec = await asyncio.to_thread(store.spec, row.bundle)
        known = {bot.name: bot for bot in registry.bots()}.get(row.bot)
        is_same = known is not None and known.spec == f"{PREFIX}{row.bundle}"
        if known is None:
            self.callers.check_bot_name(Author(owner=row.owner), row.bot)
        elif (known.owner or f"bot {known.name}") != row.owner:
            raise FailedPrecondition(f"the bot {known.name} belongs to another now")
        version = known.version if known and is_same else self._new_version(row, spec.version)
        bot = await asyncio.to_thread(
            registry.host,
            row.bot,
            row.owner if known is None else "",
            f"{PREFIX}{row.bundle}",
            version=version,
            language=spec.language,
            games=spec.games,
            slots=self._config.matches_per_bot,
            submitted=True,
        )
        if known is not None and not known.hosted:
            self._hall.disconnect(bot.name, "the server starts this bot itself from now on: it was submitted")
        if bot.may_play:
            self._hall.add_hosted(bot)
        for other in self._rows.all():
            if other.bot == row.bot and other.id != row.id and other.state is SubmissionState.PLAYING:
                await self._change(other.id, state=SubmissionState.REPLACED)
        ban = "" if bot.may_play else f", but {bot.ban}"
        same = ": these very files played before" if is_same else ""
        self._files.log(row.id, f"{row.bot} plays as version {version or '(none)'}{same}{ban}")
        playing = await self._change(
            row.id, state=SubmissionState.PLAYING, version=version, reason=ban.removeprefix(", ")
        )
        log.info("submission_plays", submission=row.id, bot=row.bot, version=version, bundle=row.bundle)
        self.finished(playing)

    def _new_version(self, row: Submission, stated: str) -> str:
        """Return the version to play as: bot.toml's, plus the submission's number if that version was used before."""
        used = {other.version for other in self._rows.all() if other.bot == row.bot}
        used |= self._hall.ladder.versions(row.bot)
        if stated and stated not in used:
            return stated
        number = str(row.number)
        return f"{stated[: MAX_TEXT - 1 - len(number)]}-{number}" if stated else number

    async def _change(self, submission_id: str, **values: object) -> Submission:
        """Store the progress of a submission. While the disk is locked or full, wait."""
        while True:
            try:
                return await asyncio.shield(asyncio.to_thread(self._rows.change, submission_id, **values))
            except sqlite3.OperationalError as error:
                log.error("submission_not_written", submission=submission_id, reason=str(error))
                await asyncio.sleep(LOOK_SECONDS)

    async def _fail(self, submission_id: str, step: str, reason: str) -> None:
        self._files.log(submission_id, f"failed in the step {step}: {reason}")
        failed = await self._change(submission_id, state=SubmissionState.FAILED, step=step, reason=reason)
        await asyncio.to_thread(self._files.clear, submission_id)
        log.info("submission_failed", submission=submission_id, bot=failed.bot, step=step, reason=failed.reason)
        # For webhooks only: the reason is for its author, and the feed is for everybody.
        self._hall.publish("submission_failed", failed.bot, f"{submission_id} failed in the step {step}")
        self.finished(failed)


async def _in_time(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the pieces as they arrive. Raises TimeoutError if the next one takes too long."""
    while True:
        try:
            async with asyncio.timeout(PIECE_SECONDS):
                piece = await anext(pieces)
        except StopAsyncIteration:
            return
        yield piece
