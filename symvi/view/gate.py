"""Who is answered: only a browser that was given the address, by pages of the viewer's own.

That a server listens on this machine alone keeps no web page away: any page that is open in a browser here may send
requests to it, and open websockets; one whose name is made to point here (DNS rebinding) may read the answers too. So
three things are asked of every request, websockets included. Host is the address served: a foreign name is not,
wherever it points. Origin, where there is one, is that address too: it tells which page asks. And the path begins with
a random token, which stands in the printed address. In the path it needs no cookie, which all ports of this machine
would get to see.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from threading import Lock
from typing import Any

import websockets.asyncio.server as serving
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

__all__ = ["NAMES", "Gate"]

NAMES = ("localhost", "127.0.0.1")  # of the address that is served; lower case
# The address holds the token: it is neither told to other sites nor kept, and no page may show it in a frame.
PRIVATE = {
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
}
FOREIGN_HOST = "symvi view: refused: it was asked for by another name than its own, {own}.\n"
FOREIGN_ORIGIN = "symvi view: refused: a page of another site asked.\n"
NO_TOKEN = "symvi view: refused: open the whole address that was printed; its path is a key, new for each run.\n"

_opening = Lock()  # one server at a time finds its gate

Decide = Callable[[ServerConnection, Request], Any]


class Gate:
    """The check of every request to one server. token: what paths must begin with."""

    def __init__(self) -> None:
        self.token = secrets.token_urlsafe(32)
        self.guards = False

    @contextmanager
    def before_viser(self) -> Iterator[None]:
        """The server that viser starts in this block asks the gate first; viser has no option for it."""
        original = serving.serve

        def serve(handler: Callable, *arguments: Any, **options: Any) -> Any:
            if getattr(handler, "__module__", "").startswith("viser."):
                options["process_request"] = self._asked_before(options.get("process_request"))
                self.guards = True
            return original(handler, *arguments, **options)

        with _opening:
            serving.serve = serve
            try:
                yield
            finally:
                serving.serve = original

    def refusal(self, port: int, request: Request) -> str:
        """Why a request is not answered; "" if it is. port: the one that it came to."""
        own = [f"{name}:{port}" for name in NAMES]
        if port == 80:
            own += NAMES  # browsers leave it out
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or hosts[0].lower() not in own:
            return FOREIGN_HOST.format(own=own[0])
        if origins and origins != [f"http://{hosts[0].lower()}"]:
            return FOREIGN_ORIGIN
        return "" if hmac.compare_digest(_bytes(_token(request.path)), _bytes(self.token)) else NO_TOKEN

    def _asked_before(self, answer: Decide | None) -> Decide:
        def decide(connection: ServerConnection, request: Request) -> Response | Any:
            why = self.refusal(connection.local_address[1], request)
            if why:
                return connection.respond(HTTPStatus.FORBIDDEN, why)
            inner = replace(request, path=request.path[1 + len(self.token) :] or "/")
            response = answer(connection, inner) if answer is not None else None
            if isinstance(response, Response):
                for name, value in PRIVATE.items():
                    response.headers[name] = value
            return response

        return decide


def _token(path: str) -> str:
    """The first part of a path, without what is asked for by `?`."""
    return path.partition("?")[0].removeprefix("/").partition("/")[0]


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
