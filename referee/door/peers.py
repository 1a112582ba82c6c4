"""Identifies callers by their gRPC peer address; limits per caller are counted per network."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from urllib.parse import unquote


def network_of(peer: str) -> str:
    """The network of a gRPC peer (`ipv4:1.2.3.4:5`, `ipv6:%5B::1%5D:5`, `unix:`): its address without the port, and of
    an IPv6 address only the /64 that one household has to itself. Peers without an address are one network."""
    return network_of_host(unquote(peer.partition(":")[2]).rpartition(":")[0].strip("[]"))


@lru_cache(4096)
def network_of_host(host: str) -> str:
    """The network of an address without a port. Empty for what is no address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is None:
            return str(ipaddress.IPv6Network((address, 64), strict=False))
        address = address.ipv4_mapped
    return str(address)
