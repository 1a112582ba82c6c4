"""One request to an OpenAI-compatible address: `POST …/chat/completions`, with nothing but the standard library.

The server is not trusted: a request ends at its deadline whatever the server does, a reply is read up to MOST_BYTES,
and redirections are not followed, so the key goes nowhere else.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import json
import socket
import sys
import threading
import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_BYTES = 1 << 20
FIRST_WAIT_SECONDS = 1.0
"""Pause after a failed request, unless the server asks for another one."""


class Trouble(Exception):
    """A request without an answer: why, and how long to wait before the next one."""

    def __init__(self, reason: str, wait_seconds: float = FIRST_WAIT_SECONDS) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    """A model at an address."""

    secure: bool
    host: str
    port: int
    path: str
    model: str
    key: str = field(default="", repr=False)

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Endpoint:
        """Read BOT_CHAT_URL, e.g. http://127.0.0.1:11434/v1, BOT_CHAT_MODEL and BOT_CHAT_KEY, or exit."""
        address, model = environment.get("BOT_CHAT_URL", ""), environment.get("BOT_CHAT_MODEL", "")
        key = environment.get("BOT_CHAT_KEY", "")
        if not address or not model:
            sys.exit(
                "BOT_CHAT_URL and BOT_CHAT_MODEL name the model to ask; bots see your variables that begin with BOT_ "
                "only by `tortuga bot connect` and with `--jail none`, where they have a network, too"
            )
        try:
            url = urllib.parse.urlsplit(address)
            port = url.port
        except ValueError as error:
            sys.exit(f"BOT_CHAT_URL is {address!r}: {error}")
        if url.scheme not in ("http", "https") or not url.hostname or url.username or url.query or url.fragment:
            sys.exit(f"BOT_CHAT_URL is {address!r}, expected an address such as http://127.0.0.1:11434/v1")
        if not (key.isascii() and key.isprintable()):
            sys.exit("BOT_CHAT_KEY holds signs that cannot stand in a header")
        if key and url.scheme == "http" and not is_loopback(url.hostname):
            sys.exit(f"BOT_CHAT_URL is {address!r}: over http anybody on the way could read BOT_CHAT_KEY; use https")
        secure = url.scheme == "https"
        path = f"{url.path.rstrip('/')}/chat/completions"
        return cls(
            secure=secure, host=url.hostname, port=port or (443 if secure else 80), path=path, model=model, key=key
        )

    def ask(self, messages: Sequence[Mapping[str, str]], seconds: float) -> str:
        """Return what the model says, within that time; Trouble if it says nothing."""
        body = json.dumps({"model": self.model, "messages": list(messages)}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Accept-Encoding": "identity"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
        connection = kind(self.host, self.port, timeout=seconds)
        late = threading.Event()

        def stop() -> None:
            late.set()
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    connection.sock.shutdown(socket.SHUT_RDWR)  # a timeout of its own covers one read only

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            connection.connect()
            if late.is_set():  # while it connected, to one address after the other
                raise TimeoutError
            connection.request("POST", self.path, body, headers)
            response = connection.getresponse()
            data = response.read(MOST_BYTES + 1)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if late.is_set() or isinstance(error, TimeoutError):
                raise Trouble("no answer in time", 0.0) from None
            raise Trouble(f"no answer: {type(error).__name__}") from None
        finally:
            timer.cancel()
            connection.close()
        if late.is_set():
            raise Trouble("no answer in time", 0.0)
        if response.status != http.client.OK:
            raise Trouble(f"HTTP {response.status}", read_wait(response.headers.get("Retry-After", "")))
        if len(data) > MOST_BYTES:
            raise Trouble(f"an answer of more than {MOST_BYTES} bytes")
        if response.length:
            raise Trouble("an answer cut off")
        return read_content(data)


def read_content(data: bytes) -> str:
    """Return the model's words from the body of a reply."""
    try:
        reply: Any = json.loads(data)
        content = reply["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        raise Trouble("a reply that is no chat completion") from None
    if not isinstance(content, str):
        raise Trouble("a reply without text")
    return content


def read_wait(text: str) -> float:
    """Return the pause that a server asks for, in seconds; a date or nonsense counts as none."""
    return float(text) if text.isascii() and text.isdigit() and len(text) < 6 else FIRST_WAIT_SECONDS


def is_loopback(host: str) -> bool:
    """Check whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
