"""The register of bots and events: what it refuses, that it forgets nothing, and that a kill leaves nothing half."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import ConfigError
from server.arena.caller_input import check_name, quote
from server.arena.errors import AlreadyExists, FailedPrecondition, NotFound
from server.arena.registry import Registry
from server.arena.registry_schema import EventState

HOSTILE = [
    "",
    ".",
    "..",
    "../../etc/passwd",
    "a/b",
    "a\\b",
    "a b",
    "a\n",
    "a\0",
    ".hidden",
    "-rf",
    "<script>alert(1)</script>",
    "\x1b[31mred",
    "=1+1",
    "@SUM(A1)",
    "ännchen",
    "ann\u200b",
    "a" * 65,
    "a" * 10_000,
]
KILLED = 137


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    ticks = itertools.count(1000)
    with Registry.open(tmp_path / "arena.db", lambda: next(ticks)) as opened:
        yield opened


def everything(registry: Registry) -> tuple[Any, ...]:
    return registry.bots(), registry.events(), registry.paused(), dict(registry._tokens)


def test_what_was_written_is_there_after_a_restart(tmp_path: Path, registry: Registry) -> None:
    registry.add("ann", "Ann", b"1" * 32)
    registry.note_hello("ann", version="2", language="go", games=["broadsides"], seat_counts=[2, 3], slots=4)
    registry.host("gunner", "us", "sample gunner", version="1", games=["pavillon_noir"])
    registry.suspend("gunner", "too many faults")
    registry.add("bob", "", b"2" * 32)
    registry.revoke("bob")
    registry.create_event("cup", "name = 'cup'", start_millis=9, bots=["gunner"])
    registry.enter("cup", "ann")
    registry.check_in("cup", ["ann"])
    registry.set_state("cup", EventState.CHECK_IN)
    registry.pause(["broadsides-2", "marauders-3"])
    registry.resume(["marauders-3"])
    before = everything(registry)
    registry.close()
    with Registry.open(tmp_path / "arena.db") as again:
        assert everything(again) == before
        assert again.event("cup").entries == {"gunner": False, "ann": True}
        assert (again.bot("ann").seat_counts, again.bot("ann").seen_millis) == ((2, 3), 1001)
        assert again.paused() == {"broadsides-2"}


def test_a_bot_is_found_by_its_token_until_that_is_worth_nothing(registry: Registry) -> None:
    registry.add("ann", "", b"1" * 32)
    assert registry.find(b"1" * 32) == "ann"
    registry.rotate("ann", b"2" * 32)
    assert (registry.find(b"1" * 32), registry.find(b"2" * 32)) == (None, "ann")
    registry.suspend("ann", "late")
    assert registry.find(b"2" * 32) == "ann", "it is to be told why"
    registry.revoke("ann")
    assert registry.find(b"2" * 32) is None
    assert registry.find(b"") is None
    with pytest.raises(FailedPrecondition, match="was revoked"):
        registry.rotate("ann", b"3" * 32)


def test_a_token_is_valid_at_every_moment_of_a_change_that_leaves_it(registry: Registry) -> None:
    """Changes are made in threads while the door looks tokens up."""
    registry.add("ann", "", b"1" * 32)
    found: list[str | None] = []

    def look(frame: object, event: str, argument: object) -> Any:
        found.append(registry.find(b"1" * 32))
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        registry.note_seen("ann")
    finally:
        sys.settrace(before)
    assert {*found} == {"ann"}


def test_finding_asks_no_database(registry: Registry) -> None:
    registry.add("ann", "", b"1" * 32)
    registry._db.set_trace_callback(lambda statement: pytest.fail(statement))
    assert registry.find(b"1" * 32) == "ann"
    assert [bot.name for bot in registry.bots()] == ["ann"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_refused(name: str, registry: Registry) -> None:
    """Fault 42."""
    for act in (
        lambda: registry.add(name, "", b"1" * 32),
        lambda: registry.host(name, "", "gunner"),
        lambda: registry.create_event(name, ""),
    ):
        with pytest.raises(ConfigError) as refused:
            act()
        assert str(refused.value).isascii()
        assert str(refused.value).isprintable()
        assert len(str(refused.value)) < 500
    with pytest.raises(NotFound):
        registry.bot(name)
    assert everything(registry) == ([], [], frozenset(), {})


@given(st.text())
def test_a_name_that_is_taken_is_harmless_everywhere(name: str) -> None:
    """Fault 42: whatever is let through is plain, and whatever is repeated is escaped."""
    try:
        check_name(name, "bot")
    except ConfigError:
        assert quote(name).isascii()
        assert quote(name).isprintable()
    else:
        assert name.isascii()
        assert len(name) <= 64
        assert not set(name) & set("/\\<>&\"'=+@\x1b\n ")
        assert name[0].isalnum()


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[2J", "a" * 201, "zero\0"])
def test_owners_and_reasons_are_one_plain_line(text: str, registry: Registry) -> None:
    registry.add("ann", "", b"1" * 32)
    acts: list[Callable[[], object]] = [
        lambda: registry.add("bob", text, b"2" * 32),
        lambda: registry.suspend("ann", text),
    ]
    for act in acts:
        with pytest.raises(ConfigError, match="one line of at most 200"):
            act()
    assert registry.bot("ann").may_play


def test_nobody_looks_like_another_by_case(registry: Registry) -> None:
    registry.add("Ann", "", b"1" * 32)
    acts: list[Callable[[], object]] = [
        lambda: registry.add("ann", "", b"2" * 32),
        lambda: registry.host("ANN", "", "gunner"),
    ]
    for act in acts:
        with pytest.raises(AlreadyExists, match="bot Ann exists already"):
            act()
    registry.create_event("Cup", "")
    with pytest.raises(AlreadyExists, match="event Cup exists"):
        registry.create_event("cup", "")


def test_a_hosted_bot_can_have_a_new_version_but_not_a_remote_ones_name(registry: Registry) -> None:
    registry.host("gunner", "us", "gunner", version="1")
    registry.suspend("gunner", "faults")
    registry.host("gunner", "", "gunner", version="2")
    found = registry.bot("gunner")
    assert (found.version, found.owner, found.suspended) == ("2", "us", "faults")
    registry.add("ann", "", b"1" * 32)
    with pytest.raises(AlreadyExists, match="is a remote bot"):
        registry.host("ann", "", "gunner")
    with pytest.raises(FailedPrecondition, match="has no token"):
        registry.rotate("gunner", b"2" * 32)


def test_nobody_enters_what_has_begun_or_what_is_not_there(registry: Registry) -> None:
    registry.add("ann", "", b"1" * 32)
    registry.create_event("cup", "")
    with pytest.raises(NotFound, match=r"event 'cap'.* cup$"):
        registry.enter("cap", "ann")
    with pytest.raises(NotFound, match="there is no bot 'bob'"):
        registry.enter("cup", "bob")
    with pytest.raises(FailedPrecondition, match="has not entered"):
        registry.leave("cup", "ann")
    registry.enter("cup", "ann")
    registry.set_state("cup", EventState.RUNNING)
    for act in (registry.enter, registry.leave):
        with pytest.raises(FailedPrecondition, match="is running"):
            act("cup", "ann")
    assert list(registry.event("cup").entries) == ["ann"]


CHANGES: dict[str, Callable[[Registry], object]] = {
    "add": lambda registry: registry.add("new", "me", b"9" * 32),
    "host": lambda registry: registry.host("hosted", "me", "gunner"),
    "rotate": lambda registry: registry.rotate("ann", b"8" * 32),
    "revoke": lambda registry: registry.revoke("ann"),
    "hello": lambda registry: registry.note_hello("ann", version="7", language="", games=[], seat_counts=[], slots=2),
    "create": lambda registry: registry.create_event("new", "", bots=["ann", "bob"]),
    "check_in": lambda registry: registry.check_in("cup", ["ann", "bob"]),
    "leave": lambda registry: registry.leave("cup", "ann"),
    "pause": lambda registry: registry.pause(["a", "b", "c"]),
    "resume": lambda registry: registry.resume(["x", "y"]),
}


@pytest.mark.few(3)
@pytest.mark.parametrize("change", CHANGES)
def test_killed_at_any_statement_nothing_is_half(change: str, tmp_path: Path) -> None:
    path = tmp_path / "arena.db"
    for statement in itertools.count(1):
        path.unlink(missing_ok=True)
        for suffix in ("-wal", "-shm"):
            path.with_name(f"arena.db{suffix}").unlink(missing_ok=True)
        with Registry.open(path, lambda: 5) as registry:
            registry.add("ann", "", b"1" * 32)
            registry.add("bob", "", b"2" * 32)
            registry.create_event("cup", "", bots=["ann", "bob"])
            registry.pause(["x", "y"])
            before = everything(registry)
        code = killed_at(path, statement, CHANGES[change])
        with Registry.open(path, lambda: 5) as registry:
            after = everything(registry)
            if code == 0:
                assert after != before
                assert statement > 3, "BEGIN, the change and COMMIT"
                return
            assert after == before, f"killed at statement {statement}, which was not carried out"


def killed_at(path: Path, statement: int, change: Callable[[Registry], object]) -> int:
    """Make a change in a child that dies before it carries out the n-th statement. Gives its exit code."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        registry = Registry.open(path, lambda: 5)
        count = itertools.count(1)
        registry._db.set_trace_callback(lambda _: os._exit(KILLED) if next(count) == statement else None)
        change(registry)
    except BaseException:
        os._exit(1)
    os._exit(0)


def test_what_cannot_be_written_is_not_believed(registry: Registry) -> None:
    registry.add("ann", "", b"1" * 32)
    before = everything(registry)
    registry._db.execute("PRAGMA query_only = ON")  # as a full disk would
    for act in (
        lambda: registry.revoke("ann"),
        lambda: registry.pause(["a"]),
        lambda: registry.create_event("cup", ""),
    ):
        with pytest.raises(Exception, match="readonly"):
            act()
    assert everything(registry) == before
    registry._db.execute("PRAGMA query_only = OFF")
    assert registry.revoke("ann").revoked
