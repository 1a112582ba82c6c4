"""Submissions through the public door by those who mean harm: builds, logs, quotas, others' bots, races."""

from __future__ import annotations

import asyncio
import io
import json
import time
import zipfile
from collections import Counter
from collections.abc import Iterator

import grpc
import pytest

from server.arena.submissions.submission_store import LOG_BYTES
from server.arena.submissions.submissions import GIVE_WAY_SECONDS, MAX_ARRIVING, MAX_UNFINISHED
from server.jail.level import JailLevel
from support.bystanders import Bystanders
from support.command import tortuga
from support.jail import need
from support.served import Served, wait_for
from support.sizes import SIZE, Size, pick
from tortuga.v1 import arena_pb2 as pb
from tortuga.v1.arena_pb2_grpc import ArenaStub

LOUD = r"printf '\033[31m\033[2J\033]0;owned\007<script>alert(1)</script>\n'"
BUILDS = {
    "loud": f"{LOUD}; head -c 20000000 /dev/zero | tr '\\0' x; exit 1",
    "forks": "f() { f | f & }; f; sleep 1000",
    "links": "ln -sf /etc/passwd bot.py; ln -s / all; mkfifo pipe; mkdir -p a/../../x; echo built",
    "daemon": "setsid sh -c 'while :; do :; done' >/dev/null 2>&1 & exit 1",
    "disk": "cat /dev/zero >big; exit 1",
    "files": "i=0; while : >f$i; do i=$((i+1)); done; exit 1",
    "hang": "sleep 1000",
    "reader": "cat ../*/arena.toml /etc/shadow ~/.ssh/*; kill -9 -1; exit 1",
}
"""Builds by what they do. None of them makes a bot that may play."""
TRIED = pick(ci=("loud", "forks", "links", "daemon"), full=(*BUILDS,))
OVER = (pb.SUBMISSION_STATE_PLAYING, pb.SUBMISSION_STATE_FAILED)
RACERS = pick(ci=12, full=60)


def archive(build: str) -> bytes:
    """Return a zip file of a bot with this build."""
    command = json.dumps(["sh", "-c", build])
    manifest = f'name = "mine"\nversion = "1"\nbuild = {command}\nrun = ["python", "{{dir}}/bot.py"]\n'
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w") as packed:
            packed.writestr("bot.toml", manifest)
            packed.writestr("bot.py", "raise SystemExit(3)\n")
        return file.getvalue()


def bearer(token: str) -> tuple[tuple[str, str | bytes], ...]:
    """Return the metadata with a token."""
    return (("authorization", f"Bearer {token}"),)


def submit(api: ArenaStub, token: str, content: bytes, bot: str = "") -> str:
    """Submit an archive; return the number of the submission, or how it was refused."""
    try:
        return api.Submit(iter([pb.SubmitRequest(bot=bot, size=len(content), data=content)]), metadata=bearer(token)).id
    except grpc.RpcError as error:
        return str(error.code().name)


def look(served: Served, token: str, submission: str) -> pb.SubmissionDetails:
    """Return how far a submission is, with the beginning of its log."""
    request = pb.GetSubmissionRequest(id=submission)
    return served.api.GetSubmission(request, metadata=bearer(token))  # type: ignore[no-any-return]


@pytest.fixture
def api(bystanders: Bystanders) -> Iterator[ArenaStub]:
    need(JailLevel.JAIL)
    with grpc.insecure_channel(bystanders.served.public) as channel:
        yield ArenaStub(channel)


def test_a_hostile_build_harms_nobody_and_its_words_harm_no_terminal(bystanders: Bystanders, api: ArenaStub) -> None:
    served = bystanders.served
    tokens = served.add(*(f"builds-{name}" for name in TRIED))
    with bystanders.unharmed("hostile builds"):
        sent = {name: submit(api, token, archive(BUILDS[name.partition("-")[2]])) for name, token in tokens.items()}
        assert set(sent.values()) == {f"{name}-1" for name in tokens}

        def states() -> dict[str, int]:
            return {name: look(served, tokens[name], sent[name]).submission.state for name in tokens}

        wait_for(lambda: all(state in OVER for state in states().values()))
    assert set(states().values()) == {pb.SUBMISSION_STATE_FAILED}
    for name, token in tokens.items():
        assert (served.path / "submissions" / f"{sent[name]}.log").stat().st_size < 2 * LOG_BYTES
        shown = tortuga(
            served.folder, "client", "submission", sent[name], TORTUGA_TOKEN=token, TORTUGA_ARENA=served.public
        )
        assert not [sign for sign in shown.stdout + shown.stderr if not sign.isprintable() and sign != "\n"]
        print(shown.stdout.splitlines()[-1][:200])
    assert not [path for path in (served.path / "submissions").iterdir() if path.is_dir()]


def test_nobody_submits_for_others_reads_what_others_sent_or_gets_past_a_quota(
    bystanders: Bystanders, api: ArenaStub
) -> None:
    served = bystanders.served
    tokens = served.add("author", "rival")
    waits = archive("sleep 1000")
    with bystanders.unharmed("others' submissions and quotas"):

        async def race() -> list[str]:
            return await asyncio.gather(
                *(asyncio.to_thread(submit, api, tokens["author"], waits) for _ in range(RACERS))
            )

        codes = Counter(asyncio.run(race()))
        mine = [code for code in codes if code.startswith("author-")]
        assert 1 <= len(mine) <= MAX_UNFINISHED, codes
        assert set(codes) <= {*mine, "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"}, codes
        for other in ("author", "ann", "../author", "author\x00", "rival2"):
            assert not submit(api, tokens["rival"], waits, other).endswith("-1")
        for wanted in (mine[0], f"../submissions/{mine[0]}", f"{mine[0]}.log", "", "\x1b[31m"):
            with pytest.raises(grpc.RpcError) as refused:
                look(served, tokens["rival"], wanted)
            assert refused.value.code() is grpc.StatusCode.NOT_FOUND
        served.admin.RevokeBot(pb.RevokeBotRequest(name="author"))  # while it is being built
        assert submit(api, tokens["author"], waits) == "UNAUTHENTICATED"


@pytest.mark.skipif(SIZE is not Size.FULL, reason="it waits for a minute; tests/server/arena/submissions has it, too")
def test_trickled_archives_keep_nobody_out(bystanders: Bystanders, api: ArenaStub) -> None:
    served = bystanders.served
    tokens = served.add(*(f"trickler-{number}" for number in range(MAX_ARRIVING)), "in-a-hurry")

    def trickle() -> Iterator[pb.SubmitRequest]:
        yield pb.SubmitRequest(size=1 << 20, data=b"P")
        for _ in range(int(3 * GIVE_WAY_SECONDS)):
            time.sleep(1)
            yield pb.SubmitRequest(data=b"K")

    with bystanders.unharmed("trickled archives"):
        hurried = tokens.pop("in-a-hurry")
        calls = [api.Submit.future(trickle(), metadata=bearer(token)) for token in tokens.values()]
        answers = [wait_for(lambda: submit(api, hurried, archive("exit 1"))) for _ in range(1)]
        wait_for(lambda: submit(api, hurried, archive("exit 1")).startswith("in-a-hurry"))
        assert answers == ["RESOURCE_EXHAUSTED"]
        for call in calls:
            call.cancel()
