"""Uploads that are sent again where an answer got lost, without adding rows twice."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import IO, Any

import httpx

from .errors import UploadFailed
from .frames import Source
from .models import Process, Progress
from .transport import ATTEMPTS, PASSING, Transport, error_of, pause

OnProgress = Callable[[Progress], None]
#: Reasons for which a file that arrived, or did not, may be sent again.
LOST = frozenset({"upload_unanswered", "upload_abandoned", "reservation_expired"})


class Counted:
    """A file that tells how much of it was read."""

    def __init__(self, file: IO[bytes], on_read: Callable[[int], None]) -> None:
        self.file = file
        self.on_read = on_read

    def read(self, size: int = -1) -> bytes:
        piece = self.file.read(size)
        self.on_read(self.file.tell())
        return piece

    def seek(self, offset: int, whence: int = 0) -> int:
        return self.file.seek(offset, whence)

    def tell(self) -> int:
        return self.file.tell()


def option(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else json.dumps(value)


def with_types(options: Mapping[str, object], texts: list[str]) -> dict[str, object]:
    """Columns of texts in a frame stay texts, also where they look like numbers."""
    if not texts or "manifest" in options:
        return dict(options)
    columns = [{"name": name, "dataType": "String"} for name in texts]
    return {**options, "manifest": {"columns": columns}}


def reserve(transport: Transport, path: str) -> int:
    """An id that takes one file. Repeated freely: one that no file takes expires."""
    return int(transport.read_json("POST", f"{path}/processes")["id"])


class Upload:
    def __init__(
        self,
        transport: Transport,
        dataset_id: int,
        source: Source,
        options: Mapping[str, object],
        on_progress: OnProgress,
        process_id: int | None = None,
    ) -> None:
        self.transport = transport
        self.path = f"/datasets/{dataset_id}"
        self.source = source
        self.fields = {name: option(value) for name, value in with_types(options, list(source.texts)).items()}
        self.on_progress = on_progress
        self.total = source.file.seek(0, 2)
        #: Reserved by the caller, and not tried yet.
        self.reserved = process_id

    def reserve(self) -> int:
        return reserve(self.transport, self.path)

    def begin(self) -> int | Process:
        """The id to send the file under, or the process where the file arrived before."""
        process_id, self.reserved = self.reserved, None
        if process_id is None:
            return self.reserve()
        seen = self.process(process_id)
        if seen.status == "failed" and (seen.error or {}).get("code") in LOST:
            return self.reserve()
        return process_id if seen.status == "pending" and seen.mode is None else seen

    def process(self, process_id: int) -> Process:
        return Process.of(self.transport.read_json("GET", f"{self.path}/processes/{process_id}"))

    def put(self, process_id: int) -> httpx.Response:
        self.source.file.seek(0)

        def report(sent: int) -> None:
            self.on_progress(Progress(sent, self.total, 0, "pending"))

        file: Any = Counted(self.source.file, report)
        return self.transport.http.put(
            f"{self.path}/data",
            params={"processId": str(process_id)},
            data=self.fields,
            files={"data": (self.source.name, file, "text/csv")},
        )

    def send(self) -> Process:
        """Sends the file until it has arrived: again only where the process says that it has not."""
        begun = self.begin()
        if isinstance(begun, Process):
            return begun
        process_id = begun
        for attempt in range(ATTEMPTS):
            is_last = attempt == ATTEMPTS - 1
            response: httpx.Response | None = None
            try:
                response = self.put(process_id)
            except httpx.TransportError:
                if is_last:
                    raise
            if response is not None and response.is_success:
                return Process.of(response.json())
            if response is not None and response.status_code not in PASSING and not self.is_used(response):
                raise error_of(response)
            if response is not None and is_last:
                raise error_of(response)
            seen = self.process(process_id)
            if seen.status == "pending" and seen.mode is None:
                pause(attempt, response)
                continue
            if seen.status != "failed":
                return seen
            if (seen.error or {}).get("code") not in LOST:
                raise UploadFailed(seen)
            pause(attempt, response)
            process_id = self.reserve()
        raise AssertionError("unreachable")

    @staticmethod
    def is_used(response: httpx.Response) -> bool:
        """An earlier attempt had arrived after all."""
        return response.status_code == 409 and error_of(response).code == "process_used"

    def finish(self, process: Process) -> Process:
        """Waits until the rows can be read."""
        wait = 0.05
        while process.status == "pending":
            time.sleep(wait)
            wait = min(1.0, 1.5 * wait)
            process = self.process(process.id)
            rows = int(process.raw["progress"]["rows"])
            self.on_progress(Progress(self.total, self.total, rows, process.status))
        return process

    def run(self, wait: bool) -> Process:
        for attempt in range(ATTEMPTS):
            sent = self.send()
            process = self.finish(sent) if wait else sent
            if process.status != "failed":
                return process
            if (process.error or {}).get("code") not in LOST or attempt == ATTEMPTS - 1:
                raise UploadFailed(process)
        raise AssertionError("unreachable")

