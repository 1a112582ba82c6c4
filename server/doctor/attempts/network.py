"""Attempts 8 to 13: sockets."""

from __future__ import annotations

import array
import os
import socket
from pathlib import Path

from .tries import Absent, AttemptRefused, Targets, Tries

SECONDS = 2.0

AF_ALG, AF_VSOCK, AF_PACKET, AF_NETLINK, AF_BLUETOOTH, AF_XDP = 38, 40, 17, 16, 31, 44


def tcp(targets: Targets) -> Tries:
    """Make attempt 8: TCP to this machine and beyond."""
    port = targets.number("tcp_port")
    yield "connect to loopback", lambda: connect(socket.AF_INET, ("127.0.0.1", port))
    yield "connect to the LAN", lambda: connect(socket.AF_INET, (lan(targets), port))


def lan(targets: Targets) -> str:
    """Return this machine's address in its network."""
    if not targets.text("lan"):
        raise Absent("this machine has no network")
    return targets.text("lan")


def connect(family: int, address: tuple[str, int] | str | bytes) -> str:
    """Connect, and hear something from whoever listens."""
    with socket.socket(family, socket.SOCK_STREAM) as line:
        line.settimeout(SECONDS)
        line.connect(address)
        if not line.recv(16):
            raise AttemptRefused("closed without a word")
    return f"was let in at {address!r}"


def udp(targets: Targets) -> Tries:
    """Make attempt 9: datagrams, by which names are asked for as well."""
    port = targets.number("udp_port")
    yield "a datagram to loopback", lambda: exchange(("127.0.0.1", port))
    yield "a datagram to the LAN, as to a name server", lambda: exchange((lan(targets), port))


def exchange(address: tuple[str, int]) -> str:
    """Send a datagram and get an answer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line:
        line.settimeout(SECONDS)
        line.sendto(b"ahoy", address)
        return f"heard {len(line.recv(16))} bytes from {address}"


def listening(targets: Targets) -> Tries:
    """Make attempt 10: waiting for others to come in."""
    yield "listen on loopback", lambda: listen("127.0.0.1")
    yield "listen on all addresses", lambda: listen("0.0.0.0")


def listen(host: str) -> str:
    """Listen on a socket."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as line:
        line.bind((host, 0))
        line.listen()
        return f"listens on {line.getsockname()}"


def families(targets: Targets) -> Tries:
    """Make attempt 11: sockets of other kinds."""
    kinds = {
        "INET6": (socket.AF_INET6, socket.SOCK_STREAM, 0),
        "NETLINK": (AF_NETLINK, socket.SOCK_RAW, 0),
        "VSOCK": (AF_VSOCK, socket.SOCK_STREAM, 0),
        "ALG": (AF_ALG, socket.SOCK_SEQPACKET, 0),
        "PACKET": (AF_PACKET, socket.SOCK_RAW, 0),
        "BLUETOOTH": (AF_BLUETOOTH, socket.SOCK_RAW, 1),
        "XDP": (AF_XDP, socket.SOCK_RAW, 0),
        "raw INET": (socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP),
    }
    for name, kind in kinds.items():
        yield f"a socket {name}", lambda kind=kind: open_socket(*kind)  # type: ignore[misc]


def open_socket(family: int, kind: int, protocol: int) -> str:
    """Open a socket."""
    socket.socket(family, kind, protocol).close()
    return "opened"


def abstract(targets: Targets) -> Tries:
    """Make attempt 12: sockets that have a name but no file, so that no file's mode guards them."""
    yield (
        "connect to the server's abstract socket",
        lambda: connect(socket.AF_UNIX, b"\0" + targets.text("abstract").encode()),
    )
    yield "connect to another bot's abstract socket", lambda: connect(socket.AF_UNIX, sibling_name(targets))


def sibling_name(targets: Targets) -> bytes:
    """Return the name at which the other process of this bot listens."""
    return f"\0{targets.nonce()}-sibling".encode()


def path_sockets(targets: Targets) -> Tries:
    """Make attempt 13: the organiser's door, other bots' doors, and descriptors handed over from bot to bot."""
    yield "speak to the admin door", lambda: speak_as_organiser(targets)
    yield "connect to another host's door", lambda: connect(socket.AF_UNIX, targets.text("other_door"))
    for path in sibling_sockets(Path(targets.text("sibling_scratch")), targets):
        yield f"take a descriptor over {describe(path, targets)}", lambda path=path: receive(str(path))  # type: ignore[misc]


def describe(path: Path, targets: Targets) -> str:
    """Describe a socket in the same words for the same place in every run."""
    return "a socket in another process's scratch" if path.name == "s" else f"a socket in {path.parent}"


def sibling_sockets(scratch: Path, targets: Targets) -> list[Path]:
    """Return the paths at which the other process of this bot may wait to hand over a descriptor."""
    return [scratch / "s", Path("/tmp") / f"{targets.nonce()}.s", Path("/dev/shm") / f"{targets.nonce()}.s"]


def speak_as_organiser(targets: Targets) -> str:
    """Connect and show the key. Reached only by a program that could read it."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(SECONDS)
        line.connect(targets.text("admin_socket"))
        try:
            line.sendall(Path(targets.text("admin_key")).read_bytes())
        except OSError as error:
            raise AttemptRefused(f"connected, but has no key: {error.strerror}") from None
        if line.recv(16) != b"welcome":
            raise AttemptRefused("the key was not taken")
    return "was taken for the organiser"


def receive(path: str) -> str:
    """Receive a descriptor that can be read."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(SECONDS)
        line.connect(path)
        _, extra, _, _ = line.recvmsg(16, socket.CMSG_SPACE(4))
        for _, _, data in extra:
            [descriptor] = array.array("i", data[:4])
            return f"read {len(os.pread(descriptor, 64, 0))} bytes of another process"
    raise AttemptRefused("no descriptor came")
