"""Who asks: the address that limits are counted by, and whether the way to it is encrypted.

What a proxy says (X-Forwarded-For, X-Forwarded-Proto) is believed only from a configured one: anybody can write that
header.
"""

from __future__ import annotations

from collections.abc import Collection

from starlette.datastructures import Headers
from starlette.types import Scope

from referee.door.tls import is_loopback
from referee.door.tokens import network_of_host


def client_address(scope: Scope, proxies: Collection[str]) -> str:
    """The address of the reader, as text. Empty: unknown."""
    client = scope.get("client")
    address = str(client[0]) if client else ""
    if address in proxies:
        # The last address that was not written by a proxy of ours: the ones before it are anybody's words.
        told = [one.strip() for one in Headers(scope=scope).get("x-forwarded-for", "").split(",")]
        address = next((one for one in reversed(told) if one and one not in proxies), address)
    return address


def client_network(scope: Scope, proxies: Collection[str]) -> str:
    """What limits are counted by: an IPv4 address, or the /64 of an IPv6 address."""
    return network_of_host(client_address(scope, proxies))


def is_secure(scope: Scope, proxies: Collection[str]) -> bool:
    """Whether nobody in between can read: HTTPS, or a reader on this machine that no proxy stands before."""
    client = scope.get("client")
    if client and str(client[0]) in proxies:
        return Headers(scope=scope).get("x-forwarded-proto", "") == "https"
    return scope.get("scheme") == "https" or bool(client and is_loopback(f"{client[0]}:0"))
