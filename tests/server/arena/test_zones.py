"""Times with zones: what a clock never shows is refused, what it shows twice has to say which, and repeats go on."""

from __future__ import annotations

from datetime import UTC, date, datetime
from itertools import islice, pairwise

import pytest

from referee.errors import ConfigError
from server.arena.events.series import Series, missed_days, read_rule
from server.arena.zones import is_zone, read_length, read_time, show_time, zone_of

DAY = 86_400_000


def utc(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("text", "zone", "meant"),
    [
        ("2026-11-20T18:00", "UTC", "2026-11-20T18:00"),
        ("2026-11-20T18:00", "Europe/Paris", "2026-11-20T17:00"),
        ("2026-07-20T18:00", "Europe/Paris", "2026-07-20T16:00"),
        ("2026-11-20T18:00 America/New_York", "Europe/Paris", "2026-11-20T23:00"),
        ("2026-11-20T18:00+05:30", "Europe/Paris", "2026-11-20T12:30"),
        ("2026-11-20T18:00Z", "Europe/Paris", "2026-11-20T18:00"),
        ("2026-11-20", "Asia/Kathmandu", "2026-11-19T18:15"),
        ("2026-10-25T02:30+02:00", "Europe/Berlin", "2026-10-25T00:30"),  # the first of two
        ("2026-10-25T02:30+01:00", "Europe/Berlin", "2026-10-25T01:30"),
        ("2026-10-25T01:59", "Europe/Berlin", "2026-10-24T23:59"),
        ("2026-10-25T03:00", "Europe/Berlin", "2026-10-25T02:00"),
        ("2026-03-29T01:59", "Europe/Berlin", "2026-03-29T00:59"),
        ("2026-03-29T03:00", "Europe/Berlin", "2026-03-29T01:00"),
    ],
)
def test_what_a_time_means(text: str, zone: str, meant: str) -> None:
    assert read_time(text, zone) == utc(meant)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-03-29T02:00 Europe/Berlin", "not exist.*Berlin.* 2026-03-29T03:00"),
        ("2026-03-29T02:30 Europe/Berlin", "Did you mean 2026-03-29T03:30"),
        ("2026-03-08T02:30 America/New_York", "Did you mean 2026-03-08T03:30"),
        ("2026-10-04T02:15 Australia/Lord_Howe", "Did you mean 2026-10-04T02:45"),  # half an hour
        ("2011-12-30T12:00 Pacific/Apia", "does not exist"),  # a whole day
        ("2026-10-25T02:30 Europe/Berlin", r"occurs twice.*2026-10-25T02:30\+02:00 or 2026-10-25T02:30\+01:00"),
        ("2026-11-01T01:00 America/New_York", "occurs twice"),
        ("2026-11-20T18:00+01:00 Europe/Paris", "has an offset and a zone"),
        ("2026-11-20T18:00 Europe", "not a time zone"),
        ("2026-11-20T18:00 ../../etc/passwd", "not a time zone"),
        ("2026-11-20T18:00 /etc/localtime", "not a time zone"),
        ("2026-11-20T18:00 Mars/Olympus", "not a time zone"),
        ("2026-11-20T18:00 " + "a/" * 5000, "not a time zone"),
        ("2026-02-30T18:00", "is not a time"),
        ("18:00", "is not a time"),
        ("tomorrow", "is not a time"),
        ("9" * 10_000, "is not a time"),
    ],
)
def test_times_that_mean_nothing(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_time(text, "UTC")


def test_a_time_is_shown_with_its_zone() -> None:
    assert show_time(utc("2026-11-20T17:00"), "Europe/Paris") == "2026-11-20 18:00 Europe/Paris"
    assert show_time(utc("2026-11-06T17:00"), "Europe/Paris", "%d %b, %H:%M") == "6 Nov, 18:00 Europe/Paris"
    assert show_time(utc("2026-10-25T00:30"), "Europe/Berlin") == "2026-10-25 02:30+0200 Europe/Berlin"
    assert show_time(utc("2026-10-25T01:30"), "Europe/Berlin") == "2026-10-25 02:30+0100 Europe/Berlin"
    assert show_time(utc("2026-11-20T17:00:05")) == "2026-11-20 17:00:05 UTC"
    assert show_time(10**18, "UTC") == str(10**18)
    assert zone_of("2026-11-20T18:00 Europe/Paris", "UTC") == "Europe/Paris"
    assert zone_of("+2h", "UTC") == zone_of("2026-11-20T18:00", "UTC") == "UTC"
    assert is_zone("UTC")
    assert not is_zone("utc+1/..")


def test_lengths() -> None:
    assert [read_length(text) for text in ("", "90s", "15m", "2h", "1d")] == [0, 90, 900, 7200, 86_400]
    for text in ("-2h", "+2h", "2", "2 h", "2w", "h"):
        with pytest.raises(ConfigError, match="not a duration"):
            read_length(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("every day at 18:00", "every day at 18:00 Europe/Berlin"),
        ("Every  Monday at 8:05", "every monday at 08:05 Europe/Berlin"),
        ("every friday, monday at 18:00 UTC", "every monday, friday at 18:00 UTC"),
        ("every monday and friday at 18:00", "every monday, friday at 18:00 Europe/Berlin"),
    ],
)
def test_rules_are_read_and_told(text: str, shown: str) -> None:
    rule = read_rule(text, "Europe/Berlin")
    assert str(rule) == shown
    assert read_rule(shown, "UTC") == rule


@pytest.mark.parametrize(
    "text",
    [
        *("", "every", "every day", "daily", "every day at", "every day at 24:00", "every day at 18:60"),
        *("every day at noon", "every moonday at 18:00", "every , at 18:00", "every day, monday at 18:00"),
        *("every day at 18:00 Mars/X", "every day at 18:00 a b", "every day at 18:00\nX", "x" * 10_000),
    ],
)
def test_rules_that_mean_nothing(text: str) -> None:
    with pytest.raises(ConfigError):
        read_rule(text, "UTC")


def starts(text: str, after: str, count: int) -> list[tuple[date, int]]:
    return [*islice(read_rule(text, "UTC").after(utc(after)), count)]


def test_a_skipped_time_is_moved_and_of_two_the_first_counts() -> None:
    found = starts("every day at 02:30 Europe/Berlin", "2026-03-28T00:00", 3)
    assert [start for _, start in found] == [
        utc("2026-03-28T01:30"),
        utc("2026-03-29T01:30"),  # 03:30 by the clock, which skips 02:30
        utc("2026-03-30T00:30"),
    ]
    found = starts("every day at 02:30 Europe/Berlin", "2026-10-24T12:00", 2)
    assert [start for _, start in found] == [utc("2026-10-25T00:30"), utc("2026-10-26T01:30")]
    # At 18:00 it is always 18:00.
    found = starts("every day at 18:00 Europe/Berlin", "2026-03-28T12:00", 2)
    assert [start for _, start in found] == [utc("2026-03-28T17:00"), utc("2026-03-29T16:00")]


def test_each_day_once_whatever_the_clocks_do() -> None:
    for zone in ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia"):
        for clock in ("00:00", "00:30", "02:00", "02:30", "23:59"):
            found = starts(f"every day at {clock} {zone}", "2026-01-01T00:00", 400)
            days, moments = [day for day, _ in found], [start for _, start in found]
            assert len({*days}) == 400
            assert moments == sorted({*moments})
            assert all(abs(two - one - DAY) <= 3_600_000 for one, two in pairwise(moments))


def test_days_of_the_week_are_those_of_the_zone() -> None:
    [(day, start)] = starts("every monday at 00:30 Asia/Tokyo", "2026-11-17T00:00", 1)
    assert day == date(2026, 11, 23)
    assert start == utc("2026-11-22T15:30")  # a Sunday, elsewhere


def test_what_was_missed() -> None:
    rule = read_rule("every day at 18:00", "UTC")
    days, count = missed_days(rule, utc("2026-11-01T18:00"), utc("2026-11-04T18:00"))
    assert days == [date(2026, 11, day) for day in (2, 3, 4)]
    assert count == 3
    days, count = missed_days(rule, utc("2020-01-01T00:00"), utc("2026-11-04T18:00"))
    assert len(days) == 10
    assert count > 2000
    assert missed_days(rule, utc("2026-11-04T18:00"), utc("2026-11-05T17:59")) == ([], 0)


def test_every_repeat_has_luck_of_its_own() -> None:
    text = 'name = "cup"\nseed = "secret"\nformat = "swiss"\n[[games]]\nid = "pavillon_noir"\n'
    series = Series(name="cup", manifest=text, every="every day at 18:00", zone="UTC")
    one, two = series.manifest_of("cup-2026-11-20"), series.manifest_of("cup-2026-11-21")
    assert one != two
    assert one == series.manifest_of("cup-2026-11-20")
    assert '"secret"' not in one
