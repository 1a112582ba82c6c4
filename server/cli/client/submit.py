"""`tortuga client submit`: send a bot to an arena, which builds and hosts it, and follow what becomes of it."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from referee.errors import ConfigError
from referee.text import harmless, plural
from server.bots.upload import UploadLimits, pack_folder
from server.cli.common.call_options import calling, paged
from server.cli.common.output import print_json

if TYPE_CHECKING:
    from server.cli.common.arena_client import ArenaClient
    from tortuga.v1 import arena_pb2 as pb

PIECE_BYTES = 12 << 10
UPLOAD_SECONDS = 900.0
LOOK_SECONDS = 0.5
FOLLOW = click.option("--follow", is_flag=True, help="Show its log live, until it plays or fails.")


@click.command()
@calling
@click.argument("source", metavar="FOLDER|ZIP", type=click.Path(exists=True, path_type=Path))
@click.option(
    "--bot", default="", metavar="NAME", help="The bot's name in the arena. [default: the bot that your token is for]"
)
@FOLLOW
def submit(arena: ArenaClient, source: Path, bot: str, follow: bool) -> None:
    """Submit a bot for the arena to build and host: a folder with a bot.toml, or a zip file of one.

    Build products, caches, .git and .env of a folder are left out. Your token is in TORTUGA_TOKEN, or in the invite
    file.
    """
    from server.cli.client.group import own_token
    from server.cli.common.arena_client import as_plain

    token = own_token(arena)
    with tempfile.TemporaryDirectory(prefix="tortuga-submit-") as scratch:
        archive = source
        if source.is_dir():
            archive = Path(scratch) / "bot.zip"
            packed = pack_folder(source, archive)
            if not arena.as_json:
                left_out = f"; left out: {', '.join(packed.left_out)}" if packed.left_out else ""
                click.echo(
                    harmless(f"{plural(packed.files, 'file')}, {archive.stat().st_size} bytes{left_out}"), err=True
                )
        if (size := archive.stat().st_size) > (most := UploadLimits().archive_bytes):
            raise ConfigError(f"{archive} has {size} bytes, at most {most} can be sent")
        patient = replace(arena, timeout_seconds=max(arena.timeout_seconds, UPLOAD_SECONDS))
        answer = patient.call("Submit", pieces(archive, bot), token=token)
    if follow:
        follow_log(arena, answer.id, token)
    elif arena.as_json:
        print_json(as_plain(answer))
    else:
        hint = f"{answer.id}: received. To follow it: tortuga client submission {answer.id} --follow"
        click.echo(harmless(hint))


def pieces(archive: Path, bot: str) -> Iterator[pb.SubmitRequest]:
    """An archive in pieces, the first with the bot's name."""
    from tortuga.v1 import arena_pb2 as pb

    with archive.open("rb") as file:
        yield pb.SubmitRequest(bot=bot, size=archive.stat().st_size, data=file.read(PIECE_BYTES))
        while piece := file.read(PIECE_BYTES):
            yield pb.SubmitRequest(data=piece)


@click.command()
@calling
@click.argument("submission_id", metavar="ID")
@FOLLOW
def submission(arena: ArenaClient, submission_id: str, follow: bool) -> None:
    """Show the state of the submission ID.

    Only its author can see it. Your token is in TORTUGA_TOKEN, or in the invite file.
    """
    from server.cli.client.group import own_token
    from server.cli.common.arena_client import as_plain

    token = own_token(arena)
    if follow:
        follow_log(arena, submission_id, token)
        return
    shown, log = read_all(arena, submission_id, token)
    if arena.as_json:
        print_json({**as_plain(shown), "log": log})
    else:
        show(shown, log)


@click.command()
@calling
@click.option("--bot", default="", metavar="NAME", help="Only submissions of this bot.")
@paged
def submissions(arena: ArenaClient, bot: str, **page: Any) -> None:
    """List your submissions, latest first.

    Your token is in TORTUGA_TOKEN, or in the invite file.
    """
    from server.cli.client.group import own_token
    from server.cli.common import client_listings as listings
    from tortuga.v1 import arena_pb2 as pb

    request = pb.ListSubmissionsRequest(bot=bot)
    listings.show_list(
        arena,
        "ListSubmissions",
        request,
        "submissions",
        listings.SUBMISSION,
        title="submissions",
        token=own_token(arena),
        **page,
    )


def read_all(arena: ArenaClient, submission_id: str, token: str) -> tuple[pb.Submission, str]:
    """A submission with its whole log."""
    from tortuga.v1 import arena_pb2 as pb

    log, at, more = "", 0, True
    while more:
        answer = arena.call("GetSubmission", pb.GetSubmissionRequest(id=submission_id, log_from=at), token=token)
        log, at, more = log + answer.log, answer.log_end, answer.more
    return answer.submission, log


def follow_log(arena: ArenaClient, submission_id: str, token: str) -> None:
    """Show a log as it grows, until the submission plays or has failed: then the exit code is 1."""
    from server.cli.common.arena_client import as_plain
    from tortuga.v1 import arena_pb2 as pb

    at, log = 0, ""
    while True:
        answer = arena.call("GetSubmission", pb.GetSubmissionRequest(id=submission_id, log_from=at), token=token)
        at, log = answer.log_end, log + answer.log
        if not arena.as_json:
            show_log(answer.log)
        over = (pb.SUBMISSION_STATE_PLAYING, pb.SUBMISSION_STATE_REPLACED, pb.SUBMISSION_STATE_FAILED)
        if answer.submission.state in over and not answer.more:
            break
        if not answer.more:
            time.sleep(LOOK_SECONDS)
    if arena.as_json:
        print_json({**as_plain(answer.submission), "log": log})
    else:
        show(answer.submission, "")
    sys.exit(1 if answer.submission.state == pb.SUBMISSION_STATE_FAILED else 0)


def show(submission: pb.Submission, log: str) -> None:
    """A submission for people: its log, then how far it is."""
    from server.cli.common import client_listings as listings

    show_log(log)
    state = listings.word(submission, "state")
    where = f" in the step {submission.step}" if submission.step else ""
    version = f" as version {submission.version}" if submission.version else ""
    reason = f": {submission.reason}" if submission.reason else ""
    click.echo(harmless(f"{submission.id} ({submission.bot}): {state}{where}{version}{reason}"))


def show_log(text: str) -> None:
    """What is in the log, line by line; its author's own tools wrote it, and still it must not move the cursor."""
    for line in text.splitlines():
        click.echo(harmless(line))
