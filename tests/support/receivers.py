"""Real HTTP receivers for webhooks: good ones, slow ones, failing, redirecting and rude ones."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """Answers with these statuses in turn, the last one for ever; what came is in `got`."""

    statuses: list[int] = field(default_factory=lambda: [204])
    slow_seconds: float = 0.0
    """How long it takes to answer."""
    drips: bool = False
    """It answers letter by letter, for ever."""
    says: bytes = b""
    """Instead of HTTP."""
    headers: Mapping[str, str] = field(default_factory=dict)
    got: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)
    port: int = 0
    ends: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/hook?key=1"


@contextmanager
def receiving(**keys: Any) -> Iterator[Receiver]:
    """A receiver on a port of this machine."""
    receiver = Receiver(**keys)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            number = len(receiver.got)
            receiver.got.append((self.path, dict(self.headers), body))
            receiver.ends.wait(receiver.slow_seconds)
            if receiver.says:
                self.wfile.write(receiver.says)
                return
            while receiver.drips and not receiver.ends.wait(0.02):
                self.wfile.write(b"H")
                self.wfile.flush()
            self.send_response(receiver.statuses[min(number, len(receiver.statuses) - 1)])
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *words: Any) -> None:
            pass

        do_GET = do_POST

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *words: Any) -> None:
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        receiver.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.ends.set()
            server.shutdown()
            thread.join()
