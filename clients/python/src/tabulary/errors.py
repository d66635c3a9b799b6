"""Errors of this package. Those of the connection are httpx's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .models import Process


class TabularyError(Exception):
    """Base of all errors that the service reports."""


class ApiError(TabularyError):
    """The service refused a request. `code` is stable, the message is not."""

    def __init__(self, status: int, code: str, message: str, details: Mapping[str, Any]) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.details = details


class UploadFailed(TabularyError):
    """The service received a file and did not publish it."""

    def __init__(self, process: Process) -> None:
        error = process.error or {}
        where = "".join(f", {name} {error[name]!r}" for name in ("line", "column", "value") if name in error)
        super().__init__(f"{error.get('code')}: {error.get('message')}{where}")
        self.process = process
        self.code = str(error.get("code"))


class ChangedMeanwhile(TabularyError):
    """A file that is read in parts was replaced by another version. Open it again."""
