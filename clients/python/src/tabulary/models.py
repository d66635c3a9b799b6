"""What the service answers, with the whole answer in `raw`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Process:
    """An upload."""

    id: int
    dataset_id: int
    #: `pending`, `completed` or `failed`.
    status: str
    #: None while the process is reserved and no file has arrived.
    mode: str | None
    version_id: int | None
    rows: int
    rejected_rows: int
    error: Json | None
    notices: Sequence[Json]
    raw: Json

    @classmethod
    def of(cls, raw: Json) -> Process:
        version = raw["versionId"]
        return cls(
            id=raw["id"],
            dataset_id=raw["datasetId"],
            status=raw["status"],
            mode=raw["mode"],
            version_id=None if version is None else int(version),
            rows=raw["rows"],
            rejected_rows=raw["rejectedRows"],
            error=raw["error"],
            notices=raw["notices"],
            raw=raw,
        )


@dataclass(frozen=True)
class Progress:
    """Progress of an upload: bytes sent, then rows stored."""

    sent: int
    #: None where the length of the file is not known.
    total: int | None
    rows: int
    status: str


@dataclass(frozen=True)
class Version:
    id: int
    created_at: str
    #: From when on the version answers `asof`.
    valid_from: str
    mode: str
    rows: int
    label: str | None
    current: bool
    raw: Json

    @classmethod
    def of(cls, raw: Json) -> Version:
        return cls(
            id=int(raw["versionId"]),
            created_at=raw["createdAt"],
            valid_from=raw["validFrom"],
            mode=raw["mode"],
            rows=raw["rows"],
            label=raw["label"],
            current=raw["current"],
            raw=raw,
        )


@dataclass(frozen=True)
class Diff:
    """Numbers of rows by which two versions differ."""

    added: int
    removed: int
    changed: int
    #: Columns by which rows were matched; empty: whole rows were compared.
    keys: Sequence[str]
    raw: Json

    @classmethod
    def of(cls, raw: Json) -> Diff:
        return cls(raw["added"], raw["removed"], raw["changed"], raw["keys"], raw)


@dataclass(frozen=True)
class Series:
    """A series of a public provider, oldest observation first."""

    id: str
    label: str
    metadata: Json
    #: `(date, value)`; the value has the digits of the provider, None where it has none.
    observations: Sequence[tuple[str, Any]]
    raw: Json

    @classmethod
    def of(cls, raw: Json) -> Series:
        observations = [(one["date"], one["value"]) for one in raw["data"]]
        return cls(raw["series_id"], raw["label"], raw["metadata"], observations, raw)
