"""The destination of dlt, and its REST source, against a running product: TABULARY_API and TABULARY_KEY."""

import os
import tempfile
import unittest
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any
from unittest import mock

import dlt
from dlt.sources.rest_api import rest_api_resources

from tabulary import ApiError, Client, Process
from tabulary.dlt_destination import tabulary
from tabulary.upload import Upload


class DltTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.client = Client()
        self.addCleanup(self.client.close)

    def pipeline(self, destination: Any = None) -> dlt.Pipeline:
        given = destination or tabulary(api=os.environ["TABULARY_API"], key=os.environ["TABULARY_KEY"])
        return dlt.pipeline("prices", destination=given, pipelines_dir=self.folder)

    def rows(self, name: str) -> list[tuple[object, ...]]:
        [found] = [one for one in self.client.datasets() if one["name"] == name]
        read = self.client.dataset(int(found["id"])).read(into="arrow").to_pylist()
        return sorted((tuple(row.values()) for row in read), key=lambda row: (str(row[:2]), row[-1] is None))

    def test_appends_merges_and_replaces(self) -> None:
        first = [
            {"day": date(1931, 7, 14), "code": "00123", "a name": Decimal("1.5")},
            {"day": date(2024, 1, 1), "code": 'a, "b"', "a name": None},
        ]
        second = [{"day": date(2024, 1, 1), "code": 'a, "b"', "a name": Decimal("12345678901234567890.25")}]
        seen = {}
        for disposition in ("append", "merge", "replace"):
            name = f"dlt_{disposition}"
            hints: dict[str, Any] = {"primary_key": ["day", "code"]} if disposition == "merge" else {}
            for rows in (first, second):
                self.pipeline().run(rows, table_name=name, write_disposition=disposition, **hints)
            seen[disposition] = self.rows(name)
        old = (date(1931, 7, 14), "00123", Decimal("1.5"))
        empty = (date(2024, 1, 1), 'a, "b"', None)
        new = (date(2024, 1, 1), 'a, "b"', Decimal("12345678901234567890.25"))
        self.assertEqual(seen["append"], [old, new, empty])
        self.assertEqual(seen["merge"], [old, new])
        self.assertEqual(seen["replace"], [new])

    def test_replaces_by_all_files_of_a_load(self) -> None:
        rows = [{"n": number} for number in range(10)]
        with mock.patch.dict(os.environ, {"NORMALIZE__DATA_WRITER__FILE_MAX_ITEMS": "3"}):
            for _ in range(2):
                self.pipeline().run(rows, table_name="dlt_files", write_disposition="replace")
        self.assertEqual([int(row[0]) for row in self.rows("dlt_files")], list(range(10)))  # type: ignore[call-overload]

    def test_adds_no_file_to_the_old_rows_if_the_first_one_fails(self) -> None:
        rows = [{"n": number} for number in range(10)]
        self.pipeline().run([{"n": 99}], table_name="dlt_failing", write_disposition="replace")
        run = Upload.run
        errors: list[Exception] = [ApiError(409, "conflict", "refused", {})]

        def fail(upload: Upload, wait: bool) -> Process:
            if upload.fields["mode"] == "replace" and errors:
                raise errors.pop()
            return run(upload, wait)

        # The other files are tried as well, whichever fails.
        several = {"NORMALIZE__DATA_WRITER__FILE_MAX_ITEMS": "3", "LOAD__RAISE_ON_FAILED_JOBS": "false"}
        with mock.patch.dict(os.environ, several), mock.patch.object(Upload, "run", fail):
            self.pipeline().run(rows, table_name="dlt_failing", write_disposition="replace")
            self.assertEqual([int(row[0]) for row in self.rows("dlt_failing")], [99])  # type: ignore[call-overload]
            # After an error that passes, all files are sent.
            errors.append(OSError("broken"))
            self.pipeline().run(rows, table_name="dlt_failing", write_disposition="replace")
        self.assertEqual([int(row[0]) for row in self.rows("dlt_failing")], list(range(10)))  # type: ignore[call-overload]

    def test_adds_rows_once_when_a_load_is_repeated_after_a_crash(self) -> None:
        finish = Upload.finish
        with mock.patch.object(Upload, "finish", side_effect=OSError("killed")):
            with self.assertRaises(Exception):
                self.pipeline().run([{"n": 1}, {"n": 2}], table_name="dlt_once", write_disposition="append")
        self.assertIs(Upload.finish, finish)
        self.pipeline().load()
        self.assertEqual([int(row[0]) for row in self.rows("dlt_once")], [1, 2])  # type: ignore[call-overload]

    def test_says_what_is_wrong(self) -> None:
        with self.assertRaisesRegex(Exception, "neither primary_key nor merge_key"):
            self.pipeline().run([{"n": 1}], table_name="dlt_keyless", write_disposition={"disposition": "merge", "strategy": "upsert"})

    def test_rest_source_follows_the_links_of_pages(self) -> None:
        dataset = self.client.create_dataset("dlt source")
        dataset.upload([{"n": number, "text": f"row {number}"} for number in range(2_500)])
        found: Iterator[Any] = rest_api_resources(
            {
                "client": {
                    "base_url": os.environ["TABULARY_API"],
                    "auth": {"type": "bearer", "token": os.environ["TABULARY_KEY"]},
                    "paginator": "header_link",
                },
                "resources": [
                    {
                        "name": "rows",
                        "endpoint": {"path": f"datasets/{dataset.id}/data", "params": {"$format": "json", "$pagesize": 1_000}},
                    }
                ],
            }
        )
        [resource] = list(found)
        self.assertEqual([row["n"] for row in resource], list(range(2_500)))


if __name__ == "__main__":
    unittest.main()
