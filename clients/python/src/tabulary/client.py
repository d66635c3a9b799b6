"""The service and its datasets."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any
from urllib.parse import quote

import httpx

from .frames import Into, Uploadable, from_arrow, source_of
from .models import Diff, Process, Progress, Series, Version
from .records import records
from .transport import Transport
from .upload import OnProgress, Upload, reserve

#: A day (its end), a time, or either as text.
AsOf = datetime.date | datetime.datetime | str


def instant(asof: AsOf) -> str:
    return asof if isinstance(asof, str) else asof.isoformat()


def silent(_progress: Progress) -> None:
    """No progress is shown."""


class Dataset:
    def __init__(self, transport: Transport, dataset_id: int) -> None:
        self.transport = transport
        self.id = dataset_id
        self.path = f"/datasets/{dataset_id}"

    def __repr__(self) -> str:
        return f"Dataset({self.id})"

    def read(
        self,
        *,
        into: Into = "pandas",
        filter: str | None = None,  # noqa: A002
        select: str | Sequence[str] | None = None,
        orderby: str | None = None,
        apply: str | None = None,
        top: int | None = None,
        version: int | None = None,
        asof: AsOf | None = None,
        **options: object,
    ) -> Any:
        """Rows as a frame of pandas (Arrow types), polars or pyarrow.

        `options` are further ones of a download, such as `distinct=True`.
        """
        given: dict[str, object | None] = {
            "$filter": filter,
            "$select": select if select is None or isinstance(select, str) else list(select),
            "$orderby": orderby,
            "$apply": apply,
            "$top": top,
            "versionId": version,
            "asOf": None if asof is None else instant(asof),
            **options,
        }
        body = {name: value for name, value in given.items() if value is not None}
        answer = self.transport.read("POST", f"{self.path}/query", body={**body, "$format": "arrow"})
        return from_arrow(answer.content, into)

    def upload(
        self,
        data: Uploadable,
        *,
        mode: str = "replace",
        on_progress: OnProgress = silent,
        wait: bool = True,
        process_id: int | None = None,
        **options: object,
    ) -> Process:
        """Uploads a file, a frame or rows, and waits until the rows can be read.

        It is sent again where the connection breaks, under an id that takes one file: rows are never there twice.
        With `process_id`, from `reserve`, this holds for a program that was started again as well.
        `options` are those of an upload, such as `key="Country,Year"` or `onBadRow="quarantine"`.
        """
        source = source_of(data)
        try:
            given = {"mode": mode, **options}
            return Upload(self.transport, self.id, source, given, on_progress, process_id).run(wait)
        finally:
            if source.owned:
                source.file.close()

    def reserve(self) -> int:
        """An id for one upload, to be saved before the file is sent."""
        return reserve(self.transport, self.path)

    def versions(self) -> Iterator[Version]:
        """All versions, newest first, read as they are asked for."""
        before: int | None = None
        while True:
            params = {"$top": "100"} if before is None else {"$top": "100", "before": str(before)}
            page = [Version.of(one) for one in self.transport.read_json("GET", f"{self.path}/versions", params=params)]
            yield from page
            if len(page) < 100:
                return
            before = page[-1].id

    def diff(self, older: int, newer: int) -> Diff:
        """Numbers of rows by which two versions differ."""
        return Diff.of(self.transport.read_json("GET", f"{self.path}/versions/{older}/diff/{newer}"))

    def diff_rows(self, older: int, newer: int, *, top: int | None = None) -> list[dict[str, str | None]]:
        """The rows by which two versions differ, as texts and nulls."""
        params = {} if top is None else {"$top": str(top)}
        answer = self.transport.read("GET", f"{self.path}/versions/{older}/diff/{newer}/rows", params=params)
        names, *rows = records(answer.content.decode("utf-8"))
        return [dict(zip(map(str, names), row, strict=True)) for row in rows]

    def info(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.transport.read_json("GET", self.path)
        return found


class Client:
    """A service, as the owner of a key sees it.

    `api` is its address, such as `https://host/api`; without it that of the variable TABULARY_API. `key` is by default that of
    TABULARY_KEY; without any, public datasets can be read.
    """

    def __init__(
        self,
        api: str | None = None,
        key: str | None = None,
        *,
        timeout: float = 300.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        address = api or os.environ.get("TABULARY_API")
        if address is None:
            raise ValueError("api, or the variable TABULARY_API, must be the address of the service")
        self.transport = Transport(address, key or os.environ.get("TABULARY_KEY"), timeout, transport)

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.transport.http.close()

    def dataset(self, dataset_id: int) -> Dataset:
        return Dataset(self.transport, dataset_id)

    def home(self) -> int:
        """Id of the repository Home."""
        return int(self.transport.read_json("GET", "/repositories/home")["id"])

    def create_dataset(self, name: str, *, repository_id: int | None = None) -> Dataset:
        """A new dataset, in the repository Home unless another one is named."""
        repository = repository_id or self.home()
        made = self.transport.write_json("POST", "/datasets", {"name": name, "repositoryId": repository})
        return self.dataset(int(made["id"]))

    def datasets(self) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = self.transport.read_json("GET", "/datasets")
        return found

    def series(self, provider: str, series_id: str, **params: object) -> Series:
        """All observations of a series of a public provider."""
        path = f"/providers/{quote(provider, safe='')}/series/{quote(series_id, safe='')}/data"
        return Series.of(self.transport.read_json("POST", path, body={"params": params}))
