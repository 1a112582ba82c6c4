"""A scripted server on loopback that talks, or fails to, as a hosted language model does. Run as a program, it answers
every question with a legal number: `python tests/support/chat_server.py` prints its address."""

from __future__ import annotations

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

Step = Callable[[socket.socket, threading.Event], None]
"""How one request is answered: on its connection; the event is set when the test is over."""


def reply(body: bytes, status: str = "200 OK", *headers: str, length: int | None = None) -> Step:
    """Answer with these bytes; `length` is what the header claims."""

    def step(connection: socket.socket, over: threading.Event) -> None:
        claims = len(body) if length is None else length
        head = "".join(f"{line}\r\n" for line in (f"HTTP/1.1 {status}", f"Content-Length: {claims}", *headers))
        connection.sendall(head.encode() + b"\r\n" + body)

    return step


def say(text: object) -> Step:
    """Answer with these words of the model."""
    return reply(completion(text))


def completion(text: object) -> bytes:
    """A chat completion that holds this text."""
    return json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}).encode()


def be_silent(connection: socket.socket, over: threading.Event) -> None:
    """Take the request and answer nothing until the test is over."""
    over.wait()


def drip(connection: socket.socket, over: threading.Event) -> None:
    """Send a header that never ends, a little at a time, so that no single read ever times out."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not over.wait(0.02):
        with suppress(OSError):
            connection.sendall(b"a")


def hang_up(connection: socket.socket, over: threading.Event) -> None:
    """Close the connection without a word."""


def flood(connection: socket.socket, over: threading.Event) -> None:
    """Send without end, until the other side has had enough."""
    with suppress(OSError):
        connection.sendall(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
        while not over.is_set():
            connection.sendall(b" " * 65536)


@dataclass
class ChatServer:
    """The server: the steps are used up one by one, the last one again and again."""

    steps: list[Step]
    requests: list[dict[str, object]] = field(default_factory=list)
    """What was asked, with the headers under `headers`."""

    def __post_init__(self) -> None:
        self.over = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}/v1"

    def serve(self) -> None:
        """Answer one connection after the other until the server is closed."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection, suppress(OSError):
            self.requests.append(read_request(connection))
            step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
            step(connection, self.over)
            with suppress(OSError):
                connection.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """End all answers and stop listening."""
        self.over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@contextmanager
def chat_server(*steps: Step) -> Iterator[ChatServer]:
    """A server that answers with these steps, as long as the block runs."""
    server = ChatServer(list(steps))
    thread = threading.Thread(target=server.serve, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.close()
        thread.join()


def read_request(connection: socket.socket) -> dict[str, object]:
    """The JSON of one request."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += receive(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
    while len(body) < int(headers["content-length"]):
        body += receive(connection)
    return {**json.loads(body), "headers": headers, "path": first.split(" ")[1]}


def receive(connection: socket.socket) -> bytes:
    """The next bytes; an error at their end."""
    if not (data := connection.recv(65536)):
        raise ConnectionError("the bot hung up")
    return data


def play_legally(server: ChatServer) -> Step:
    """Answer each request with the last option that its question names."""

    def step(connection: socket.socket, over: threading.Event) -> None:
        asked = json.dumps(server.requests[-1]["messages"])
        last = int(re.findall(r"Your options, 0 to (\d+):", asked)[-1])
        say(f'Let me see.\n{{"choice": {last}, "why": "the last one"}}')(connection, over)

    return step


if __name__ == "__main__":
    scripted = ChatServer([be_silent])
    scripted.steps = [play_legally(scripted)]
    print(scripted.address, flush=True)
    scripted.serve()
