"""Sends an HTTP POST to an address that the organiser put into arena.toml, without trusting DNS or the receiver.

A name is resolved once, the addresses are checked, and the connection goes to a checked address: whoever controls the
name cannot point it at this machine or its network in between. Redirects are not followed, and of the answer only the
status is read. All of it has one deadline, except for the name server's answer, which nobody can be made to hurry.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

from referee.errors import ConfigError, TortugaError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_NOT_PUBLIC: tuple[Network, ...] = (
    ipaddress.ip_network("168.63.129.16"),  # Azure's metadata
    ipaddress.ip_network("192.0.0.0/24"),  # assignments of the IETF; Oracle's metadata
    ipaddress.ip_network("192.88.99.0/24"),  # relays of 6to4, which is obsolete
    ipaddress.ip_network("64:ff9b:1::/48"),  # NAT64 of one network
    ipaddress.ip_network("fec0::/10"),  # site-local, which is obsolete
)
"""Addresses that Python of one version or another takes for public, and that are not."""
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})[ \r]")
_MOST_HEAD = 4096
_URL = re.compile(r"[!-~]{1,2000}")


class AddressRefused(TortugaError):
    """An address that we do not send to. Trying again does not help."""


class DeliveryFailed(TortugaError):
    """The receiver could not be reached, or did not confirm receipt."""


def read_url(url: str) -> SplitResult:
    """Return the parts of an address. Raises ConfigError if we do not post to such an address."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError as error:
        raise ConfigError(f"{url!a} is not an address: {error}") from None
    if not _URL.fullmatch(url) or parts.scheme not in ("http", "https") or not host or port == 0:
        raise ConfigError(f"{url!a} is not an address: expected https://HOST/PATH")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise ConfigError(f"{url!a}: an address has no name, password or #part; the secret goes into `secret`")
    return parts


def read_network(text: str) -> Network:
    """Parse `10.1.2.3` or `10.1.0.0/16`."""
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ConfigError(f"{text!a} is not an address or network, e.g. 10.1.2.3 or 10.1.0.0/16: {error}") from None


def is_public(address: Address) -> bool:
    """Return whether an address is on the internet: not this machine, its network, its host or a multicast group."""
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None:
            return False
    if any(address in network for network in _NOT_PUBLIC):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved


def find_address(host: str, port: int, allowed: Sequence[Network]) -> tuple[socket.AddressFamily, str]:
    """Return an address of a host that we may connect to.

    Raises AddressRefused if the host has none, DeliveryFailed if its name cannot be resolved.
    """
    try:
        resolved = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise DeliveryFailed(f"{host} is not known: {error}") from None
    seen = []
    for family, _, _, _, place in resolved:
        text = str(place[0])
        address = ipaddress.ip_address(text.partition("%")[0])
        if is_public(address) or any(address in network for network in allowed):
            return family, text
        seen.append(text)
    raise AddressRefused(
        f"{host} is {', '.join(dict.fromkeys(seen))}, which is not on the internet; list it in allow_private"
    )


def post(url: str, body: bytes, headers: Mapping[str, str], *, allowed: Sequence[Network], seconds: float) -> int:
    """Send a POST and return the status of the answer. Raises AddressRefused or DeliveryFailed."""
    parts = read_url(url)
    host, secure = str(parts.hostname), parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    family, place = find_address(host, port, allowed)
    fields = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    request_head = "".join(
        [f"POST {target} HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in fields.items()), "\r\n"]
    )
    connection = socket.socket(family, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    # Each step has a timeout; this one is for all of them.
    deadline = threading.Timer(seconds, lambda: _hang_up(connection))
    deadline.start()
    try:
        connection.connect((place, port))
        if secure:
            context = ssl.create_default_context()
            connection = context.wrap_socket(connection, server_hostname=host, do_handshake_on_connect=False)
            connection.do_handshake()
        connection.sendall(request_head.encode("ascii") + body)
        return _read_status(connection)
    except OSError as error:
        raise DeliveryFailed(f"{host}: {error or 'no answer'}") from None
    finally:
        deadline.cancel()
        connection.close()


def _hang_up(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _read_status(connection: socket.socket) -> int:
    received = b""
    while b"\n" not in received and len(received) < _MOST_HEAD:
        more = connection.recv(_MOST_HEAD - len(received))
        if not more:
            raise OSError("it hung up, or did not answer in time")
        received += more
    match = _STATUS.match(received)
    if match is None:
        raise OSError("its answer is not HTTP")
    return int(match[1])
