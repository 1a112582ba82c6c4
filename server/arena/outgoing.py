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
    ipaddress.ip_network("192.88.99.0/24"),  # relays of 6to4, which is over
    ipaddress.ip_network("64:ff9b:1::/48"),  # NAT64 of one network
    ipaddress.ip_network("fec0::/10"),  # site-local, as it was
)
"""Addresses that Python of one version or another takes for public, and that are not."""
_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})[ \r]")
_MOST_HEAD = 4096
_URL = re.compile(r"[!-~]{1,2000}")


class Refused(TortugaError):
    """An address to which nothing is sent. Trying again does not help."""


class Failed(TortugaError):
    """The receiver could not be reached, or did not say that it took it."""


def read_url(url: str) -> SplitResult:
    """The parts of an address. Raises ConfigError if we do not post to such an address."""
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
    """`10.1.2.3` or `10.1.0.0/16`."""
    try:
        return ipaddress.ip_network(text)
    except ValueError as error:
        raise ConfigError(f"{text!a} is not an address or network, e.g. 10.1.2.3 or 10.1.0.0/16: {error}") from None


def is_public(address: Address) -> bool:
    """Whether an address is on the internet: not this machine, its network, its host or a group of receivers."""
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
    """An address of a host that we may connect to. Raises Refused if it has none, Failed if it is not known."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Failed(f"{host} is not known: {error}") from None
    seen = []
    for family, _, _, _, place in found:
        text = str(place[0])
        address = ipaddress.ip_address(text.partition("%")[0])
        if is_public(address) or any(address in network for network in allowed):
            return family, text
        seen.append(text)
    raise Refused(f"{host} is {', '.join(dict.fromkeys(seen))}, which is not on the internet; list it in allow_private")


def post(url: str, body: bytes, headers: Mapping[str, str], *, allowed: Sequence[Network], seconds: float) -> int:
    """Send it; returns the status of the answer. Raises Refused or Failed."""
    parts = read_url(url)
    host, secure = str(parts.hostname), parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    family, place = find_address(host, port, allowed)
    lines = {
        "Host": parts.netloc,
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Connection": "close",
        **headers,
    }
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    head = "".join([f"POST {target} HTTP/1.1\r\n", *(f"{name}: {value}\r\n" for name, value in lines.items()), "\r\n"])
    line = socket.socket(family, socket.SOCK_STREAM)
    line.settimeout(seconds)
    ends = threading.Timer(seconds, lambda: _hang_up(line))  # each step has a timeout; this one is for all of them
    ends.start()
    try:
        line.connect((place, port))
        if secure:
            context = ssl.create_default_context()
            line = context.wrap_socket(line, server_hostname=host, do_handshake_on_connect=False)
            line.do_handshake()
        line.sendall(head.encode("ascii") + body)
        return _read_status(line)
    except OSError as error:
        raise Failed(f"{host}: {error or 'no answer'}") from None
    finally:
        ends.cancel()
        line.close()


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)


def _read_status(line: socket.socket) -> int:
    head = b""
    while b"\n" not in head and len(head) < _MOST_HEAD:
        more = line.recv(_MOST_HEAD - len(head))
        if not more:
            raise OSError("it hung up, or did not answer in time")
        head += more
    found = _STATUS.match(head)
    if found is None:
        raise OSError("its answer is not HTTP")
    return int(found[1])
