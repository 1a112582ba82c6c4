"""What one reader may take: pages, streams, bytes; and whose word about addresses is believed."""

from __future__ import annotations

import pytest

from server.web.documents import Documents
from server.web.middleware import Limits, TooMany, WebSettings, client_network, is_secure
from support.web import HostileBackend, web_client


def scope(client: str, forwarded: str = "", proto: str = "") -> dict[str, object]:
    """A request as the server gets it."""
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    headers += [(b"x-forwarded-proto", proto.encode())] if proto else []
    return {"type": "http", "client": (client, 1), "headers": headers, "scheme": "http"}


@pytest.mark.parametrize(
    ("client", "forwarded", "proxies", "network"),
    [
        ("1.2.3.4", "", (), "1.2.3.4"),
        ("1.2.3.4", "9.9.9.9", (), "1.2.3.4"),  # anybody can write that
        ("10.0.0.1", "9.9.9.9", ("10.0.0.1",), "9.9.9.9"),
        ("10.0.0.1", "7.7.7.7, 9.9.9.9", ("10.0.0.1",), "9.9.9.9"),  # the last one is the proxy's own word
        ("10.0.0.1", "9.9.9.9, 10.0.0.2", ("10.0.0.1", "10.0.0.2"), "9.9.9.9"),
        ("10.0.0.1", "nonsense", ("10.0.0.1",), ""),
        ("2001:db8:1:2::5", "", (), "2001:db8:1:2::/64"),
    ],
)
def test_addresses(client: str, forwarded: str, proxies: tuple[str, ...], network: str) -> None:
    assert client_network(scope(client, forwarded), proxies) == network


@pytest.mark.parametrize(
    ("client", "proto", "proxies", "secure"),
    [
        ("127.0.0.1", "", (), True),
        ("1.2.3.4", "", (), False),
        ("1.2.3.4", "https", (), False),
        ("127.0.0.1", "https", ("127.0.0.1",), True),
        ("127.0.0.1", "http", ("127.0.0.1",), False),  # behind a proxy on this machine is anybody
    ],
)
def test_what_counts_as_secure(client: str, proto: str, proxies: tuple[str, ...], secure: bool) -> None:
    assert is_secure(scope(client, proto=proto), proxies) == secure


async def test_who_asks_too_often_waits_and_others_do_not() -> None:
    async with web_client(HostileBackend(), pages_per_second=0.001, pages_burst=3, proxies=("127.0.0.1",)) as client:
        mine = [(await client.get("/ladders", headers={"x-forwarded-for": "1.1.1.1"})).status for _ in range(5)]
        others = await client.get("/ladders", headers={"x-forwarded-for": "2.2.2.2"})
        refused = await client.get("/ladders", headers={"x-forwarded-for": "1.1.1.1"})
    assert mine == [200, 200, 200, 429, 429]
    assert others.status == 200
    assert refused.headers["retry-after"] == "5"


def test_streams_are_limited_per_address_and_in_all() -> None:
    limits = Limits(WebSettings(streams_per_address=2, streams=3))
    with limits.stream("a"), limits.stream("a"):
        with pytest.raises(TooMany, match="from your address"), limits.stream("a"):
            pass
        with limits.stream("b"), pytest.raises(TooMany, match="people are watching"), limits.stream("c"):
            pass
    assert limits.streams == 0


@pytest.mark.parametrize("length", ["17", "nonsense", "-1", "99999999999999999999"])
async def test_a_body_that_is_too_long_is_refused_before_it_is_read(length: str) -> None:
    async with web_client(HostileBackend(), body_bytes=16) as client:
        answer = await client.send("/ladders", "POST", {"content-length": length}, b"x" * 17)
    assert answer.status == 413


async def test_documents_are_kept_up_to_a_number_of_bytes() -> None:
    documents = Documents(workers=1, most_bytes=10)
    for number in range(4):
        documents._keep(str(number), b"12345")
    assert documents.kept_bytes == 10
    assert list(documents._kept) == ["2", "3"]
    documents.close()
