"""Webhooks: signed, tried three times, sent nowhere they should not go, and never in anybody's way."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from referee.errors import ConfigError
from server.arena import outgoing, webhooks
from server.arena.config import default_config, read_config, write_text
from server.arena.news import KINDS, News
from server.arena.outgoing import AddressRefused, DeliveryFailed, is_public, post, read_network
from server.arena.registry import Registry
from server.arena.webhooks import Webhook, Webhooks, read_webhooks
from support.logged import captured
from support.receivers import Receiver, receiving

SECRET = "a secret of the two"
HERE = ("127.0.0.1",)


def wait_for(holds: Callable[[], Any]) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end, "it did not come to that"
        time.sleep(0.005)


def hook(receiver: Receiver, **keys: Any) -> Webhook:
    return Webhook(url=receiver.url, secret=SECRET, **{"allow_private": HERE, **keys})


@pytest.fixture
def logged() -> Iterator[list[Any]]:
    with captured() as lines:
        yield lines


def has_got(receiver: Receiver, count: int) -> bool:
    return len(receiver.got) == count


def dropped(logged: list[Any]) -> list[Any]:
    return [line for line in logged if line["event"] == "webhook_dropped"]


def test_what_is_sent_can_be_checked() -> None:
    with receiving() as receiver:
        sender = Webhooks([hook(receiver)], now=lambda: 1_700_000_000.9)
        sender.send("event_opened", {"id": "7", "subject": "cup", "text": "é"})
        wait_for(lambda: receiver.got)
        sender.close()
    [(path, headers, body)] = receiver.got
    assert path == "/hook?key=1"
    assert json.loads(body) == {"v": 1, "kind": "event_opened", "id": "7", "subject": "cup", "text": "é"}
    assert headers["Tortuga-Timestamp"] == "1700000000"
    assert headers["Tortuga-Kind"] == "event_opened"
    assert headers["Tortuga-Id"] == "7"
    assert headers["Content-Type"] == "application/json"
    assert headers["Host"] == f"127.0.0.1:{receiver.port}"
    signed = hmac.new(SECRET.encode(), b"1700000000." + body, hashlib.sha256).hexdigest()
    assert headers["Tortuga-Signature"] == f"sha256={signed}"


def test_only_the_kinds_that_were_asked_for() -> None:
    with receiving() as some, receiving() as every:
        sender = Webhooks([hook(some, events=("bot_suspended",)), hook(every)])
        sender.send("event_opened", {"id": "1"})
        sender.send("bot_suspended", {"id": "2"})
        wait_for(lambda: len(every.got) == 2 and len(some.got) == 1)
        sender.close()
    assert some.got[0][1]["Tortuga-Id"] == "2"


def test_a_receiver_that_fails_is_tried_three_times(logged: list[Any]) -> None:
    with receiving(statuses=[500, 503, 200, 500]) as receiver:
        sender = Webhooks([hook(receiver)], pauses_seconds=(0.01, 0.01))
        sender.send("event_opened", {"id": "1"})
        wait_for(lambda: len(receiver.got) == 3)
        sender.send("event_opened", {"id": "2"})
        wait_for(lambda: dropped(logged))
        sender.close()
    assert [headers["Tortuga-Id"] for _, headers, _ in receiver.got] == ["1", "1", "1", "2", "2", "2"]
    assert dropped(logged)[0]["reason"] == "it answered 500"


def test_a_redirect_is_not_followed(logged: list[Any]) -> None:
    with receiving() as other, receiving(statuses=[302, 307, 308]) as receiver:
        receiver.headers = {"Location": other.url}
        sender = Webhooks([hook(receiver)], pauses_seconds=(0.01, 0.01))
        sender.send("event_opened", {"id": "1"})
        wait_for(lambda: dropped(logged))
        sender.close()
        assert not other.got
    assert "redirects" in dropped(logged)[0]["reason"]


@pytest.mark.parametrize(
    "rude", [{"slow_seconds": 60.0}, {"drips": True}, {"says": b"hello\r\n"}, {"says": b"x" * 9999}]
)
def test_a_slow_or_rude_receiver_is_given_up(rude: dict[str, Any], logged: list[Any]) -> None:
    with receiving(**rude) as receiver:
        sender = Webhooks([hook(receiver)], try_seconds=0.2, pauses_seconds=(0.01, 0.01))
        sender.send("event_opened", {"id": "1"})
        wait_for(lambda: dropped(logged))
        assert len(receiver.got) == 3
        sender.close()


def test_nobody_waits_for_a_slow_receiver_and_what_does_not_fit_is_dropped(
    logged: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(webhooks, "MOST_WAITING", 3)
    with receiving(slow_seconds=60.0) as slow, receiving() as quick:
        sender = Webhooks([hook(slow), hook(quick)], try_seconds=30.0)
        sender.send("event_opened", {"id": "0"})
        wait_for(lambda: slow.got and quick.got)  # its thread is at work on the first
        for number in range(1, 8):
            sender.send("event_opened", {"id": str(number)})
            wait_for(partial(has_got, quick, number + 1))  # the other one gets all
        assert len(slow.got) == 1
        assert len(dropped(logged)) == 4
        sender.close()  # does not wait either
        assert any(line.get("count") == 3 for line in dropped(logged))


def test_nobody_is_there(logged: list[Any]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/"
        sender = Webhooks([Webhook(url=url, secret=SECRET, allow_private=HERE)], pauses_seconds=(0.01, 0.01))
        sender.send("event_opened", {"id": "1"})
        wait_for(lambda: dropped(logged))
        sender.close()
    assert "refused" in dropped(logged)[0]["reason"]


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.9.1", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "100.100.100.200", "192.0.0.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
        *("168.63.129.16", "::1", "::", "fe80::1", "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1"),
        *("::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a00:1::"),
        *("2001::1", "2001:db8::1", "::127.0.0.1", "fec0::1", "64:ff9b:1::7f00:1", "192.0.0.192", "192.88.99.1"),
    ],
)
def test_addresses_that_are_not_on_the_internet(address: str) -> None:
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "64:ff9b::101:101"])
def test_addresses_that_are(address: str) -> None:
    assert is_public(ipaddress.ip_address(address))


def test_a_private_address_is_refused_unless_it_is_listed(logged: list[Any]) -> None:
    with receiving() as receiver:
        for allowed in ((), ("10.0.0.0/8",), ("::1",), ("127.0.0.2",)):
            sender = Webhooks([hook(receiver, allow_private=allowed)])
            sender.send("event_opened", {"id": "1"})
            wait_for(lambda: dropped(logged))
            sender.close()
            assert "allow_private" in dropped(logged)[0]["reason"]
            logged.clear()
        for name in ("localhost", "127.1", "0x7f000001", "2130706433", "[::ffff:127.0.0.1]"):
            with pytest.raises(AddressRefused, match="not on the internet"):
                post(f"http://{name}:{receiver.port}/", b"", {}, allowed=[], seconds=5)
        assert not receiver.got
        networks = [read_network("127.0.0.0/8"), read_network("::1")]
        assert post(f"http://localhost:{receiver.port}/", b"{}", {}, allowed=networks, seconds=5) == 204


def test_the_address_that_was_checked_is_the_one_that_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is public when it is looked up and ours when it is called: it is looked up once."""
    asked: list[str] = []
    called: list[Any] = []

    def resolve(host: str, port: int, **keys: Any) -> list[Any]:
        asked.append(host)
        address = "93.184.216.34" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    class Line(socket.socket):
        def connect(self, place: Any) -> None:
            called.append(place)
            raise ConnectionRefusedError("far away")

    with receiving() as receiver:
        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        monkeypatch.setattr(socket, "socket", Line)
        with pytest.raises(DeliveryFailed, match="far away"):
            post(f"http://evil.example:{receiver.port}/", b"", {}, allowed=[], seconds=5)
        assert asked == ["evil.example"]
        assert called == [("93.184.216.34", receiver.port)]
        with pytest.raises(AddressRefused, match=r"evil\.example is 127\.0\.0\.1"):
            post(f"http://evil.example:{receiver.port}/", b"", {}, allowed=[], seconds=5)
    assert not receiver.got


def test_of_several_addresses_only_a_public_one_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    places = [("10.0.0.1", 80), ("93.184.216.34", 80)]
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", place) for place in places]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *words, **keys: found)
    assert outgoing.find_address("mixed.example", 80, []) == (socket.AF_INET, "93.184.216.34")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, "'url' is missing"),
        ({"url": "https://a.example/", "secret": "short"}, "'secret' is too short"),
        ({"url": "https://a.example/", "secret": 12345678901234567}, "'secret' is too short"),
        ({"url": "ftp://a.example/", "secret": SECRET}, "'url' is"),
        ({"url": "https://", "secret": SECRET}, "'url' is"),
        ({"url": "https://ann:pw@a.example/", "secret": SECRET}, "'url' is"),
        ({"url": "https://a.example/\r\nX: y", "secret": SECRET}, "'url' is"),
        ({"url": "https://a.example/ x", "secret": SECRET}, "'url' is"),
        ({"url": "https://é.example/", "secret": SECRET}, "'url' is"),
        ({"url": "https://a.example:0/", "secret": SECRET}, "'url' is"),
        ({"url": "https://a.example:99999/", "secret": SECRET}, "'url' is"),
        ({"url": "https://[::1/", "secret": SECRET}, "'url' is"),
        (
            {"url": "https://a.example/", "secret": SECRET, "events": ["party"]},
            "'events' has 'party'; there is ",
        ),
        ({"url": "https://a.example/", "secret": SECRET, "events": [5]}, "'events' is"),
        ({"url": "https://a.example/", "secret": SECRET, "allow_private": ["here"]}, "'allow_private' is"),
        ({"url": "https://a.example/", "secret": SECRET, "allow_private": ["10.0.0.1/8"]}, "'allow_private' is"),
        ({"url": "https://a.example/", "secret": SECRET, "tries": 9}, "'tries' is not known"),
    ],
)
def test_settings_that_make_no_sense(table: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError) as error:
        read_webhooks([table], list(KINDS))
    assert words in str(error.value)
    assert SECRET not in str(error.value)


def test_settings_are_written_and_read(tmp_path: Path) -> None:
    from dataclasses import replace

    hooks = (Webhook(url="https://a.example/x", secret=SECRET, events=("event_opened",), allow_private=HERE),)
    config = replace(default_config(), webhooks=hooks, zone="Europe/Paris")
    (tmp_path / "arena.toml").write_text(write_text(config))
    assert read_config(tmp_path / "arena.toml", {}) == config
    (tmp_path / "arena.toml").write_text("webhooks = 5\n" + write_text(default_config()))
    with pytest.raises(ConfigError, match="list of tables"):
        read_config(tmp_path / "arena.toml", {})


# News


def test_news_are_kept_and_submissions_are_nobody_elses(tmp_path: Path, logged: list[Any]) -> None:
    with Registry.open(tmp_path / "arena.db") as registry, receiving() as receiver:
        news = News(registry, [hook(receiver)], clock=lambda: 5000)
        news.publish("event_opened", "cup", "bots can enter cup")
        news.publish("submission_failed", "ann", "ann did not build:\x1b[2J evil\nlines " + "x" * 500)
        news.publish("bot_suspended", "bob", "bob is suspended")
        wait_for(lambda: len(receiver.got) == 3)
        news.close()
        assert [item.kind for item in news.latest()] == ["bot_suspended", "event_opened"]
    kinds = [json.loads(body)["kind"] for _, _, body in receiver.got]
    assert kinds == ["event_opened", "submission_failed", "bot_suspended"]
    assert json.loads(receiver.got[1][2])["text"].isprintable()
    with Registry.open(tmp_path / "arena.db") as registry:
        news = News(registry)
        assert [(item.number, item.kind, item.at_millis) for item in news.latest()] == [
            (2, "bot_suspended", 5000),
            (1, "event_opened", 5000),
        ]
        news.publish("event_opened", "more", "more")
        news.close()
        assert news.latest()[0].number == 3
        with pytest.raises(KeyError):
            news.publish("gossip", "ann", "hm")


def test_old_news_are_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from server.arena import news as news_module

    monkeypatch.setattr(news_module, "KEPT", 5)
    with Registry.open(tmp_path / "arena.db") as registry:
        news = News(registry)
        for number in range(12):
            news.publish("event_opened", str(number), "")
        news.close()
        assert len(registry.rows("news")) == len(news.latest()) == 5
        assert [item.subject for item in News(registry).latest()] == ["11", "10", "9", "8", "7"]


def test_telling_does_not_wait_for_the_database(tmp_path: Path) -> None:
    with Registry.open(tmp_path / "arena.db") as registry:
        news = News(registry)
        inside, leave = threading.Event(), threading.Event()

        def hold() -> None:
            with registry.transaction():
                inside.set()
                leave.wait(60)

        holder = threading.Thread(target=hold)
        holder.start()
        inside.wait(60)
        news.publish("event_opened", "cup", "told at once")
        assert news.latest()[0].subject == "cup"
        assert not leave.is_set()
        leave.set()
        holder.join()
        news.close()
        assert len(registry.rows("news")) == 1
