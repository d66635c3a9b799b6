"""Requests, repeated where the service says that this is safe."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import httpx

from .errors import ApiError

#: Statuses after which the same request may succeed.
PASSING = frozenset({408, 429, 502, 503, 504})
#: Attempts of a request, the first included.
ATTEMPTS = 6
LONGEST_WAIT = 60.0


def pause(attempt: int, response: httpx.Response | None = None) -> None:
    """Waits as long as the service asks, otherwise exponentially longer from half a second."""
    asked = response.headers.get("retry-after", "") if response is not None else ""
    seconds = float(asked) if asked.isdigit() else 0.5 * 2**attempt
    time.sleep(min(seconds, LONGEST_WAIT))


def error_of(response: httpx.Response) -> ApiError:
    try:
        body = json.loads(response.read())
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    message = body.get("error") or body.get("message") or response.reason_phrase
    return ApiError(response.status_code, str(body.get("code", "unknown")), str(message), body.get("details") or {})


def parsed(text: bytes) -> Any:
    """JSON without a loss of digits: what a float cannot hold exactly is a Decimal."""

    def number(digits: str) -> float | Decimal:
        exact = Decimal(digits)
        value = float(digits)
        return value if Decimal(repr(value)) == exact else exact

    return json.loads(text, parse_float=number)


class Transport:
    def __init__(self, api: str, key: str | None, timeout: float, inner: httpx.BaseTransport | None) -> None:
        headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self.http = httpx.Client(
            base_url=api.rstrip("/"),
            headers=headers,
            timeout=httpx.Timeout(timeout, connect=30.0),
            transport=inner,
        )

    def read(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: object | None = None,
        headers: Mapping[str, str] | None = None,
        accept: frozenset[int] = frozenset(),
    ) -> httpx.Response:
        """A request that changes nothing, repeated until it succeeds. The answer is whole."""
        for attempt in range(ATTEMPTS):
            is_last = attempt == ATTEMPTS - 1
            try:
                response = self.http.request(method, path, params=params, json=body, headers=headers)
            except httpx.TransportError:
                if is_last:
                    raise
                pause(attempt)
                continue
            if response.is_success or response.status_code in accept:
                return response
            if is_last or response.status_code not in PASSING:
                raise error_of(response)
            pause(attempt, response)
        raise AssertionError("unreachable")

    def read_json(self, method: str, path: str, **options: Any) -> Any:
        return parsed(self.read(method, path, **options).content)

    def write_json(self, method: str, path: str, body: object | None = None) -> Any:
        """A request that must not be repeated blindly: sent again only after an answer that refused it for the moment."""
        for attempt in range(ATTEMPTS):
            response = self.http.request(method, path, json=body)
            if response.is_success:
                return parsed(response.content)
            if attempt == ATTEMPTS - 1 or response.status_code not in (429, 503):
                raise error_of(response)
            pause(attempt, response)
        raise AssertionError("unreachable")
