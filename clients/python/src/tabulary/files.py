"""Tables as files for fsspec: `tabulary://7/data.parquet`, with `version` or `asof` as an option of the file system."""

from __future__ import annotations

from typing import Any

from fsspec.spec import AbstractBufferedFile, AbstractFileSystem

from .client import AsOf, Client, instant
from .errors import ChangedMeanwhile

FORMATS = ("data.parquet", "data.csv")


class TabularyFileSystem(AbstractFileSystem):  # type: ignore[misc]
    protocol = "tabulary"

    def __init__(
        self,
        api: str | None = None,
        key: str | None = None,
        version: int | None = None,
        asof: AsOf | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.client = Client(api, key)
        self.params = {
            **({} if version is None else {"versionId": str(version)}),
            **({} if asof is None else {"asOf": instant(asof)}),
        }

    def address(self, path: str) -> str:
        dataset, _, name = self._strip_protocol(path).strip("/").partition("/")
        if not dataset.isdigit() or name not in FORMATS:
            raise FileNotFoundError(f"{path}: a path is the id of a dataset and {' or '.join(FORMATS)}")
        return f"/datasets/{dataset}/{name}"

    def info(self, path: str, **_options: Any) -> dict[str, Any]:
        stripped = self._strip_protocol(path).strip("/")
        if stripped == "" or stripped.isdigit():
            return {"name": stripped, "size": 0, "type": "directory"}
        # A range of one byte waits for the whole file in each format, and gives its length.
        headers = {"Range": "bytes=0-0"}
        answer = self.client.transport.read("GET", self.address(path), params=self.params, headers=headers)
        size = int(answer.headers["content-range"].rpartition("/")[2])
        return {"name": stripped, "size": size, "type": "file", "ETag": answer.headers["etag"]}

    def ls(self, path: str, detail: bool = True, **_options: Any) -> list[Any]:
        stripped = self._strip_protocol(path).strip("/")
        if stripped == "":
            names = [str(one["id"]) for one in self.client.datasets()]
        elif stripped.isdigit():
            names = [f"{stripped}/{name}" for name in FORMATS]
        else:
            names = [stripped]
        return [self.info(name) for name in names] if detail else names

    def ukey(self, path: str) -> str:
        return str(self.info(path).get("ETag"))

    def _open(self, path: str, mode: str = "rb", block_size: int | None = None, **options: Any) -> TableFile:
        if mode != "rb":
            raise ValueError("tables are read as files, and written by Dataset.upload")
        # Readers of Parquet ask for what they need: reading ahead would fetch the columns in between.
        cache = "none" if path.endswith(".parquet") else "readahead"
        return TableFile(self, path, mode, block_size or "default", **{"cache_type": cache, **options})


class TableFile(AbstractBufferedFile):  # type: ignore[misc]
    """A file whose parts are all of the version that it was opened at."""

    fs: TabularyFileSystem

    def _fetch_range(self, start: int, end: int) -> bytes:
        headers = {"Range": f"bytes={start}-{end - 1}", "If-Range": self.details["ETag"]}
        answer = self.fs.client.transport.read(
            "GET", self.fs.address(self.path), params=self.fs.params, headers=headers
        )
        if answer.status_code != 206:
            raise ChangedMeanwhile(f"{self.path} has been replaced since it was opened; open it again")
        return bytes(answer.content)
