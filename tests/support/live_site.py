"""A small site with one live match, for tests of the viewer alone: the page, its script, a stream and a document."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from server.viewer.pages import script, stylesheet

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A match</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/page.css"></head><body><main><h1 data-result>On now</h1>
<div class="viewer" {attributes}></div></main><script type="module" src="/viewer.js"></script></body></html>"""


class LiveSite:
    """Events are told to every reader as they are added; `document` is served once it is there."""

    def __init__(self, attributes: str) -> None:
        self.attributes = attributes
        self.events: list[tuple[str, Any]] = []
        self.document: bytes | None = None
        self.address = ""
        self.streams = 0
        """How many streams were ever opened."""
        self.open_streams = 0
        self.cut = threading.Event()
        """Set: streams break off, as by a bad network."""
        self.is_over = threading.Event()

    def stream(self, request: BaseHTTPRequestHandler) -> None:
        """Tell everything there is and everything that comes."""
        self.streams += 1
        self.open_streams += 1
        told = 0
        try:
            request.wfile.write(b"retry: 100\n\n")
            while not self.cut.is_set() and not self.is_over.is_set():
                for kind, data in self.events[told:]:
                    request.wfile.write(f"event: {kind}\ndata: {json.dumps(data)}\n\n".encode())
                    told += 1
                request.wfile.write(b":\n\n")
                request.wfile.flush()
                self.is_over.wait(0.02)
        except OSError:
            pass
        finally:
            self.open_streams -= 1


@contextmanager
def serve(attributes: str) -> Iterator[LiveSite]:
    """Serve such a site on a free port of the loopback."""
    site = LiveSite(attributes)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            files = {
                "/": ("text/html; charset=utf-8", PAGE.format(attributes=site.attributes).encode()),
                "/viewer.js": ("text/javascript; charset=utf-8", script().encode()),
                "/page.css": ("text/css; charset=utf-8", stylesheet().encode()),
                "/favicon.ico": ("image/svg+xml", b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
            }
            if site.document is not None:
                files["/document"] = ("application/gzip", site.document)
            kind, content = files.get(path, ("text/event-stream", b""))
            is_known = path in files or path == "/live"
            self.send_response(200 if is_known else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Security-Policy", POLICY)
            if path != "/live":
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if path == "/live":
                site.stream(self)
            else:
                self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    site.address = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield site
    finally:
        site.is_over.set()
        server.shutdown()
        server.server_close()
        thread.join()
