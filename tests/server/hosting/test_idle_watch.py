"""Bots that use the processor while nobody asks them: what counts, and what does not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from server.bots.spec import BotSpec
from server.hosting.hosted_bot import HostedBot
from server.hosting.idle_watch import IdleWatch


@dataclass(eq=False)
class FakeProcess:
    """A process whose use of the processor is what the test says."""

    seconds: float | None = 0.0
    crossings: list[tuple[str, float, float]] = field(default_factory=list)

    def cpu_seconds(self) -> float | None:
        return self.seconds

    def end_for_crossing(self, limit: str, used: float, allowed: float) -> None:
        self.crossings.append((limit, used, allowed))


@dataclass(eq=False)
class FakeBot:
    """A bot that is idle, asked or gone as the test says."""

    process: FakeProcess = field(default_factory=FakeProcess)
    spec: BotSpec = field(default_factory=lambda: BotSpec(name="ann", run=("true",)))
    is_idle: bool = True
    is_gone: bool = False
    questions: int = 0


def watch(bot: FakeBot, *looks: dict[str, Any]) -> list[tuple[str, float, float]]:
    """What comes of looking at a bot once in each of these states."""
    idle_watch = IdleWatch()
    idle_watch.add(cast(HostedBot, bot))
    for look in looks:
        bot.process.seconds = look.pop("cpu", bot.process.seconds)
        for name, value in look.items():
            setattr(bot, name, value)
        idle_watch.look()
    return bot.process.crossings


def test_a_bot_that_works_while_idle_is_ended_once() -> None:
    bot = FakeBot(process=FakeProcess(seconds=5.0))
    assert watch(bot, {}, {"cpu": 5.9}, {"cpu": 6.5}, {"cpu": 9.0}) == [("idle", 1.5, 1.0)]


def test_what_it_used_before_does_not_count() -> None:
    assert watch(FakeBot(), {"is_idle": False}, {"cpu": 50.0, "is_idle": True}, {"cpu": 50.5}) == []


def test_a_question_begins_it_anew() -> None:
    """Also one that came and was answered between two looks."""
    assert watch(FakeBot(), {}, {"cpu": 3.0, "questions": 1}, {"cpu": 3.9}, {"cpu": 7.0, "questions": 2}) == []
    assert watch(FakeBot(), {}, {"cpu": 3.0, "is_idle": False}, {"cpu": 6.0, "is_idle": True}, {"cpu": 6.9}) == []


def test_a_bot_that_rests_is_left_alone() -> None:
    assert watch(FakeBot(), *({"cpu": 0.01 * look} for look in range(90))) == []


def test_a_bot_that_is_gone_is_not_looked_at() -> None:
    assert watch(FakeBot(), {}, {"cpu": 5.0, "is_gone": True}) == []
    assert watch(FakeBot(), {}, {"cpu": None}, {"cpu": 5.0}) == []
