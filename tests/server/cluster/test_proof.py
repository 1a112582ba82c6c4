"""What a machine says of a block counts only if it is of the job given out and holds; here are the lies it may try."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import replace
from functools import cache
from typing import Any

import msgpack  # type: ignore[import-untyped]
import pytest

from support.clusters import need_dask

need_dask()

from referee.errors import RecordError  # noqa: E402 - what follows needs Dask
from referee.match.clock import TimeControl  # noqa: E402
from referee.records.record import pack, unpack  # noqa: E402
from server.bots.spec import BotSpec, find_bot  # noqa: E402
from server.cluster.bundles import as_sent  # noqa: E402
from server.cluster.messages import (  # noqa: E402
    BadAnswer,
    BlockReport,
    MachineFacts,
    SentBlock,
    SentMatch,
    pack_facts,
    pack_report,
    read_answer,
    read_facts,
    read_heartbeat,
    read_report,
    read_words,
)
from server.cluster.proof import Prover, prove_block, prove_match  # noqa: E402
from server.cluster.status import machine_status  # noqa: E402
from server.play.block_jobs import BlockJob  # noqa: E402
from server.play.recorded_match import RecordedMatch  # noqa: E402
from support.events import play_job  # noqa: E402
from tortuga.v1 import record_pb2 as pb  # noqa: E402

Change = Callable[[pb.Record], Any]


def bot(name: str) -> BotSpec:
    """A bot as a machine is sent it."""
    sha256 = hashlib.sha256(name.encode()).hexdigest()
    return as_sent(replace(find_bot("random"), name=name), sha256)


JOB = BlockJob(
    event="e",
    contest="broadsides-2",
    game="broadsides",
    variant={},
    block=3,
    stage=1,
    label="round 2",
    bots=(bot("ann"), bot("bob")),
    rotations=(0, 1),
    secrets=(b"s" * 32, b"s" * 32),
    clock=TimeControl.read("3600+60/600"),
    faults_allowed=0,
    fresh=False,
    host="one",
    host_speed=100,
)


@cache
def played(late_seat: int | None = None) -> BlockReport:
    """The report of an honest machine."""
    return BlockReport(result=asyncio.run(play_job(JOB, late_seat)), tables=4)


def sent() -> SentBlock:
    """The same as the parent reads it."""
    return read_report(pack_report(played()))


def lying(change: Change) -> SentMatch:
    """The first match with another record, sealed as if nothing had happened."""
    match = sent().matches[0]
    record, _ = unpack(match.record)
    change(record)
    return replace(match, record=pack(record))


def test_an_honest_block_is_what_was_played() -> None:
    result = played().result
    assert result is not None
    for replayed in (True, False):
        assert prove_block(JOB, sent().matches, [replayed] * 2) == result.matches


LIES: dict[str, tuple[Change, str]] = {
    "path": (lambda record: setattr(record, "match_id", "../../evil"), "match"),
    "other block": (lambda record: setattr(record.place, "block", 4), "place"),
    "other rotation": (lambda record: setattr(record.place, "rotation", 1), "place"),
    "no place": (lambda record: record.ClearField("place"), "place"),
    "other game": (lambda record: setattr(record.story, "game", "pavillon_noir"), "game"),
    "other rules": (lambda record: setattr(record.story, "rules_version", 99), "version of the rules"),
    "other settings": (lambda record: record.story.variant.add(name="a", value="b"), "settings"),
    "other luck": (lambda record: setattr(record.story, "chance_secret", b"t" * 32), "luck"),
    "other clock": (lambda record: setattr(record.clock, "bank_millis", 1), "clock"),
    "lenient": (lambda record: setattr(record.fault_policy, "faults_allowed", 3), "fault policy"),
    "other host": (lambda record: setattr(record, "host", "two"), "host"),
    "faster host": (lambda record: setattr(record, "host_speed", 200), "speed of the host"),
    "other version": (lambda record: setattr(record, "server_version", "9"), "version of Tortuga"),
    "other bot": (lambda record: setattr(record.seats[0], "bot_name", "bob"), "bot of seat 0"),
    "other bundle": (lambda record: setattr(record.seats[1], "bundle_hash", b"x" * 32), "bundle of seat 1"),
    "other bot's version": (lambda record: setattr(record.seats[0], "bot_version", "99"), "version of seat 0"),
    "void": (lambda record: setattr(record.outcome, "void", True), "void|ranks"),
    "winner": (lambda record: record.outcome.ranks.reverse(), "ranks"),
    "choice": (lambda record: setattr(record.story.moments[0].answers[0], "option_index", 1), "decision 1"),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_record_of_another_match_or_another_end_is_refused(lie: str) -> None:
    change, what = LIES[lie]
    with pytest.raises(RecordError, match=what):
        prove_match(JOB, 0, lying(change), replay=True)


def test_without_a_replay_only_the_end_of_a_match_is_believed() -> None:
    believed = [lie for lie, (change, _) in LIES.items() if is_believed(lying(change))]
    assert believed == ["winner", "choice"]


def is_believed(match: SentMatch) -> bool:
    """Whether a match counts although it was not replayed."""
    return isinstance(prove_block(replace(JOB, rotations=(0,)), [match], [False]), tuple)


def test_a_share_of_the_matches_is_replayed_and_no_machine_knows_which() -> None:
    believed = 0
    prover, false = Prover(0.25, InThisProcess), lying(LIES["winner"][0])
    block = replace(sent(), matches=(false,))
    prover._luck = random.Random(1)  # type: ignore[assignment]
    for _ in range(200):
        believed += isinstance(asyncio.run(prover.prove(replace(JOB, rotations=(0,)), block)), tuple)
    assert 130 <= believed <= 170, "of 200 lies, a quarter is noticed"


class InThisProcess(Executor):
    """An executor that calls at once."""

    def submit(self, work: Any, /, *arguments: Any, **_: Any) -> Future[Any]:
        """As every executor."""
        future: Future[Any] = Future()
        future.set_result(work(*arguments))
        return future


def test_a_block_has_all_its_matches_and_logs_only_of_bots_that_failed() -> None:
    matches = sent().matches
    assert isinstance(prove_block(JOB, matches[:1], [True]), str)
    assert isinstance(prove_block(JOB, matches[::-1], [True, True]), str)
    with pytest.raises(RecordError, match="logs"):
        prove_match(JOB, 0, replace(matches[0], logs={0: b"it failed"}), replay=True)
    with pytest.raises(RecordError, match="notes"):
        prove_match(JOB, 0, replace(matches[0], notes=b"words"), replay=True)
    with pytest.raises(RecordError):
        prove_match(JOB, 0, replace(matches[0], record=matches[0].record + b"more"), replay=False)


def test_a_fault_is_the_machines_word_and_its_log_is_kept() -> None:
    result = played(0).result
    assert result is not None
    report = BlockReport(result=replace(result, matches=tuple(map(with_log, result.matches))), tables=4)
    proven = prove_block(JOB, read_report(pack_report(report)).matches, [True, True])
    assert not isinstance(proven, str)
    assert [match.summary.faults[0].kind for match in proven] == ["timeout", "timeout"]
    assert [match.logs for match in proven] == [{0: b"it was late"}] * 2


def with_log(match: RecordedMatch) -> RecordedMatch:
    """A match whose first bot printed something."""
    return replace(match, logs={0: b"it was late"})


FACTS = MachineFacts(host="one", cores=2, tables=4, speed=1.5, busy_speed=1.0, bundles=frozenset({"a"}))
BAD: list[Any] = [None, 7, "text", b"bytes", [], {}, [[]], {"tables": -1}, {"tables": True}, {"tables": 1 << 40}]
BAD += [{"tables": 1, "handed_back": False, "matches": [{"record": "text"}], "voids": []}]
BAD += [{"tables": 1, "handed_back": False, "matches": [], "voids": [{"reason": 1}]}]
BAD += [{"tables": 1, "handed_back": 0, "matches": [], "voids": []}, {"tables": 1, "handed_back": False}]


@pytest.mark.parametrize("value", BAD)
def test_an_answer_of_another_shape_is_refused(value: Any) -> None:
    content = msgpack.packb(value)
    for read in (read_facts, read_report):
        for changed in (content, content[:-1], content + b"\xc1", b"\x80\x04N."):
            with pytest.raises(BadAnswer):
                read(changed)


def test_what_a_machine_says_is_fit_for_a_terminal() -> None:
    assert read_facts(pack_facts(FACTS)) == FACTS
    assert "\x1b" not in read_facts(pack_facts(replace(FACTS, host="\x1b[2Jone"))).host
    assert "\x1b" not in read_words(msgpack.packb("\x1b[2J"))
    with pytest.raises(BadAnswer):
        read_facts(pack_facts(replace(FACTS, speed=float("nan"))))
    with pytest.raises(BadAnswer):
        read_heartbeat({"tortuga": ["no table"]})


@pytest.mark.parametrize("event", [None, 1, (0.0,), (0.0, ("key", "text", b"")), (0.0, (1, b"", b"")), "words"])
def test_an_event_that_is_no_answer_is_passed_over(event: object) -> None:
    assert read_answer(event) is None


def test_the_status_of_a_cluster_survives_whatever_a_machine_says() -> None:
    hostile: list[Any] = [None, {}, {"tortuga": 1}, {"tortuga": {"host": 7}}, {"tortuga": {"host": "a"}}, [], "x"]
    for said in hostile:
        status = machine_status("tls://h:1", {"name": "\x1b[2J", "metrics": said})
        assert status.state in ("idle", "unreadable")
        assert "\x1b" not in status.host
