"""The package against a running product: TABULARY_API and TABULARY_KEY."""

import csv
import datetime
import io
import os
import re
import tempfile
import unittest
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import fsspec
import httpx
import pandas
import polars
import pyarrow
import pyarrow.parquet

from tabulary import ApiError, ChangedMeanwhile, Client, Dataset, Progress, UploadFailed

EXACT = "123456789012345678901234567890.25"
HEADER = "Day,Code,A name with blanks,Exact\n"
ROWS = HEADER + f'1969-07-20,"a, ""b""",1.5,{EXACT}\n2024-02-29,00123,,0.1\n'


class Losing(httpx.BaseTransport):
    """Sends requests; of those that `lost` names, the answer does not arrive, or, `before`, the request does not."""

    def __init__(self, lost: list[str], before: bool = False) -> None:
        self.inner = httpx.HTTPTransport()
        self.lost = lost
        self.before = before
        self.seen: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        name = f"{request.method} {request.url.path.rpartition('/')[2]}"
        self.seen.append(name)
        if name not in self.lost:
            return self.inner.handle_request(request)
        self.lost.remove(name)
        if not self.before:
            self.inner.handle_request(request).read()
        raise httpx.ReadError("the connection broke")

    def close(self) -> None:
        self.inner.close()


class PackageTest(unittest.TestCase):
    serial = 0

    def setUp(self) -> None:
        self.client = Client()
        self.addCleanup(self.client.close)

    def table(self, content: str | None = None, client: Client | None = None) -> Dataset:
        PackageTest.serial += 1
        dataset = (client or self.client).create_dataset(f"package {PackageTest.serial}")
        if content is not None:
            dataset.upload(content.encode())
        return dataset

    def text_of(self, dataset: Dataset) -> list[dict[str, str]]:
        answer = self.client.transport.read("POST", f"{dataset.path}/query", body={"$format": "csv"})
        return list(csv.DictReader(io.StringIO(answer.content.decode())))

    def test_reads_exact_values_into_each_kind_of_frame(self) -> None:
        dataset = self.table(ROWS)
        days = [datetime.date(1969, 7, 20), datetime.date(2024, 2, 29)]
        arrow = dataset.read(into="arrow")
        self.assertIsInstance(arrow, pyarrow.Table)
        self.assertEqual(arrow["Day"].to_pylist(), days)
        self.assertEqual(arrow["Exact"].to_pylist(), [Decimal(EXACT), Decimal("0.1")])
        self.assertEqual(arrow["A name with blanks"].to_pylist(), [1.5, None])
        frame = dataset.read()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame["Day"]), days)
        self.assertEqual(list(frame["Exact"]), [Decimal(EXACT), Decimal("0.1")])
        self.assertEqual(list(frame["Code"]), ['a, "b"', "00123"])
        self.assertTrue(pandas.isna(frame["A name with blanks"][1]))
        other = dataset.read(into="polars")
        self.assertIsInstance(other, polars.DataFrame)
        self.assertEqual(other["Exact"].to_list(), [Decimal(EXACT), Decimal("0.1")])
        self.assertEqual(other["Day"].to_list(), days)

    def test_reads_some_rows(self) -> None:
        dataset = self.table("k,g,v\n" + "".join(f"{n},{n % 3},{n / 2}\n" for n in range(30)))
        some = dataset.read(into="polars", filter="k ge 10 and k lt 20", select=["v", "k"], orderby="k desc", top=3)
        self.assertEqual(some.columns, ["v", "k"])
        self.assertEqual(some["k"].to_list(), [19, 18, 17])
        sums = dataset.read(into="arrow", apply="groupby((g),aggregate(v with sum as v))")
        self.assertEqual(sum(sums["v"].to_pylist()), 217.5)
        with self.assertRaises(ApiError) as raised:
            dataset.read(filter="nowhere eq 1")
        self.assertEqual(raised.exception.status, 400)

    def test_uploads_files_paths_and_bytes_with_progress(self) -> None:
        seen: list[Progress] = []
        dataset = self.table()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "rows.csv"
            path.write_text(ROWS, encoding="utf-8")
            process = dataset.upload(path, on_progress=seen.append)
            self.assertEqual((process.status, process.rows, process.version_id is not None), ("completed", 2, True))
            self.assertEqual((seen[0].total, seen[-1].status), (len(ROWS), "completed"))
            self.assertEqual(max(one.sent for one in seen), len(ROWS))
            with path.open("rb") as file:
                self.assertEqual(dataset.upload(file, mode="append").rows, 2)
                self.assertFalse(file.closed)
        self.assertEqual(len(self.text_of(dataset)), 4)

    def test_uploads_frames_without_changing_a_value(self) -> None:
        values = {
            "Day": [datetime.date(1969, 7, 20), datetime.date(2024, 2, 29), None],
            "Code": ["00123", "1.50", 'a, "b"\nc'],
            "Exact": [Decimal(EXACT), Decimal("0.10"), None],
            "Value": [0.1, None, 1e-7],
        }
        table = pyarrow.table(values)
        frames = {
            "arrow": table,
            "polars": polars.DataFrame(values),
            "pandas": pandas.DataFrame(values),
            "pandas with Arrow": table.to_pandas(types_mapper=pandas.ArrowDtype),
            "pandas with times": pandas.DataFrame(values).assign(Day=pandas.to_datetime(pandas.Series(values["Day"]))),
        }
        for name, frame in frames.items():
            with self.subTest(name):
                dataset = self.table()
                dataset.upload(frame)
                read = dataset.read(into="arrow")
                self.assertEqual(read["Day"].to_pylist(), values["Day"])
                self.assertEqual(read["Code"].to_pylist(), values["Code"])
                self.assertEqual(read["Exact"].to_pylist(), values["Exact"])
                self.assertEqual(read["Value"].to_pylist(), values["Value"])

    def test_uploads_times_without_cutting_them_off(self) -> None:
        day, noon = datetime.datetime(2024, 3, 1), datetime.datetime(2024, 3, 1, 9, 30)
        berlin = ZoneInfo("Europe/Berlin")
        values = {
            "Midnight": [day, None],
            "Time": [day, noon],
            "Local midnight": [day.replace(tzinfo=berlin), None],
            "Local time": [noon.replace(tzinfo=berlin), None],
            "Clock": [datetime.time(9, 30), None],
        }
        table = pyarrow.table(values)
        frames = {
            "arrow": table,
            "arrow dictionaries": pyarrow.table({name: table[name].dictionary_encode() for name in values}),
            "polars": polars.from_arrow(table),
            "pandas": table.to_pandas(),
        }
        expected = {
            "Midnight": (datetime.date(2024, 3, 1), None),
            "Time": ("2024-03-01 00:00:00", "2024-03-01 09:30:00"),
            "Local midnight": (datetime.date(2024, 3, 1), None),
            "Local time": ("2024-03-01 09:30:00+0100", None),
            "Clock": ("09:30:00", None),
        }
        for name, frame in frames.items():
            with self.subTest(name):
                dataset = self.table()
                dataset.upload(frame)
                read = dataset.read(into="arrow")
                for column, cells in expected.items():
                    # Fractions of a second have as many zeros as the unit of the frame.
                    found = [re.sub(r"\.0+", "", cell) if isinstance(cell, str) else cell for cell in read[column].to_pylist()]
                    self.assertEqual(tuple(found), cells, column)

    def test_refuses_durations_which_would_lose_their_unit(self) -> None:
        with self.assertRaisesRegex(TypeError, "'Wait' has durations"):
            self.table().upload(pandas.DataFrame({"Wait": [pandas.Timedelta(minutes=90)]}))

    def test_uploads_rows_and_pieces_of_iterators(self) -> None:
        dataset = self.table()
        dataset.upload({"k": n, "text": f"row, {n}", "none": None} for n in range(1_000))
        self.assertEqual(len(self.text_of(dataset)), 1_000)
        self.assertEqual(self.text_of(dataset)[999], {"k": "999", "text": "row, 999", "none": ""})
        dataset.upload(piece for piece in (b"k,text\n", b"1,a\n2,", b"b\n"))
        self.assertEqual(self.text_of(dataset), [{"k": "1", "text": "a"}, {"k": "2", "text": "b"}])
        with self.assertRaises(ValueError):
            dataset.upload(iter([{"k": 1}, {"k": 2, "other": 3}]))
        self.assertEqual(len(self.text_of(dataset)), 2)

    def test_rows_become_what_they_are_in_a_csv_file(self) -> None:
        rows = [
            {"code": "007", "number": "1.50", "mixed": "NA", "word": "NA", "empty": "", "day": "2024-02"},
            {"code": "8", "number": "2", "mixed": 1.5, "word": "x", "empty": "x", "day": datetime.date(1969, 7, 20)},
        ]
        dataset = self.table()
        dataset.upload(rows)
        first, second = dataset.read(into="arrow").to_pylist()
        self.assertEqual((first["code"], first["word"], second["code"]), ("007", "NA", "8"))
        self.assertEqual((first["number"], first["mixed"], second["mixed"]), (1.5, None, 1.5))
        self.assertEqual((first["empty"], second["empty"]), (None, "x"))
        self.assertEqual((first["day"], second["day"]), (datetime.date(2024, 2, 1), datetime.date(1969, 7, 20)))
        columns = [{"name": name, "dataType": "String"} for name in ("number", "mixed", "day")]
        dataset = self.table()
        dataset.upload(rows, manifest={"columns": columns})
        first, second = dataset.read(into="arrow").to_pylist()
        self.assertEqual((first["number"], first["mixed"], first["day"]), ("1.50", "NA", "2024-02"))
        self.assertEqual((second["number"], second["mixed"], second["day"]), ("2", "1.5", "1969-07-20"))

    def test_says_why_an_upload_failed(self) -> None:
        dataset = self.table("k,v\n1,1\n")
        with self.assertRaises(UploadFailed) as raised:
            dataset.upload(b"k,v\n2,x\n", mode="append", onTypeConflict="fail")
        self.assertIn("line 2", str(raised.exception))
        with self.assertRaises(ApiError) as refused:
            dataset.upload(b"k,v\n2,2\n", mode="sideways")
        self.assertEqual(refused.exception.status, 400)
        self.assertEqual(len(self.text_of(dataset)), 1)

    def test_adds_rows_once_whatever_gets_lost(self) -> None:
        for lost, before in ((["PUT data"], False), (["PUT data", "PUT data"], False), (["PUT data"], True)):
            with self.subTest(lost=lost, before=before):
                dataset = self.table("k,v\n1,1\n")
                transport = Losing(list(lost), before)
                with Client(transport=transport) as client:
                    process = client.dataset(dataset.id).upload(b"k,v\n2,2\n3,3\n", mode="append")
                self.assertEqual((process.status, transport.lost), ("completed", [] if before or len(lost) == 1 else ["PUT data"]))
                self.assertEqual([row["k"] for row in self.text_of(dataset)], ["1", "2", "3"])

    def test_reads_again_what_broke(self) -> None:
        dataset = self.table("k,v\n1,1\n")
        transport = Losing(["POST query", "GET versions"])
        with Client(transport=transport) as client:
            self.assertEqual(client.dataset(dataset.id).read(into="arrow").num_rows, 1)
            self.assertEqual(len(list(client.dataset(dataset.id).versions())), 1)
        self.assertEqual(transport.seen.count("POST query"), 2)

    def test_lists_and_compares_versions_and_reads_old_ones(self) -> None:
        dataset = self.table("Country,Value\nNorway,1\nChile,2\n")
        dataset.upload(b"Country,Value\nNorway,1\nChile,3\nPeru,4\n")
        newest, oldest = dataset.versions()
        self.assertTrue(newest.current and not oldest.current)
        diff = dataset.diff(oldest.id, newest.id)
        self.assertEqual((diff.added, diff.removed, diff.changed, list(diff.keys)), (1, 0, 1, ["Country"]))
        rows = dataset.diff_rows(oldest.id, newest.id)
        self.assertEqual([row["change"] for row in rows], ["before", "after", "added"])
        self.assertEqual([row["Value"] for row in rows], ["2", "3", "4"])
        self.assertEqual(dataset.read(into="arrow", version=oldest.id)["Value"].to_pylist(), [1, 2])
        then = datetime.datetime.fromisoformat(oldest.created_at).replace(tzinfo=datetime.timezone.utc)
        self.assertEqual(dataset.read(into="polars", asof=then)["Value"].to_list(), [1, 2])

    def test_compares_nulls_and_long_texts(self) -> None:
        dataset = self.table("Country,Note\nNorway,x\nChile,y\nPeru,z\n")
        long = "ü\r\n\"," + "w" * 200_000
        frame = pandas.DataFrame({"Country": ["Norway", "Chile", "Peru"], "Note": [None, 'say ""', long]})
        dataset.upload(frame)
        newest, oldest = dataset.versions()
        rows = {(row["Country"], row["change"]): row["Note"] for row in dataset.diff_rows(oldest.id, newest.id)}
        # Texts are part of the key: a row with another text is another row.
        self.assertEqual([rows[(name, "added")] for name in frame["Country"]], [None, 'say ""', long])
        self.assertEqual([rows[(name, "removed")] for name in frame["Country"]], ["x", "y", "z"])

    def test_reads_columns_through_fsspec(self) -> None:
        dataset = self.table("k,v\n" + "".join(f"{n},{n / 4}\n" for n in range(1_000)))
        path = f"tabulary://{dataset.id}/data.parquet"
        self.assertEqual(pandas.read_parquet(path, columns=["v"])["v"].sum(), 124_875)
        files = fsspec.filesystem("tabulary")
        self.assertEqual(files.ls(str(dataset.id), detail=False), [f"{dataset.id}/data.parquet", f"{dataset.id}/data.csv"])
        self.assertEqual(files.cat(f"{dataset.id}/data.csv")[:5], b'"k","')
        with self.assertRaises(FileNotFoundError):
            files.open(f"{dataset.id}/data.xlsx")
        [version] = dataset.versions()
        with files.open(path) as file:
            dataset.upload(b"k,v\n1,1\n")
            with self.assertRaises(ChangedMeanwhile):
                file.read(10)
        old = fsspec.filesystem("tabulary", version=version.id)
        with old.open(path) as file:
            self.assertEqual(pyarrow.parquet.read_table(file).num_rows, 1_000)

    def test_reads_series_of_providers(self) -> None:
        series = self.client.series("bankofcanada", "FXUSDCAD")
        self.assertEqual(series.id, "FXUSDCAD")
        self.assertRegex(series.observations[0][0], r"^\d{4}-\d\d-\d\d$")
        with self.assertRaises(ApiError) as raised:
            self.client.series("nowhere", "x")
        self.assertEqual(raised.exception.status, 404)

    def test_needs_an_address_and_a_key_that_is_right(self) -> None:
        dataset = self.table("k\n1\n")
        with Client(key="wrong") as stranger, self.assertRaises(ApiError) as raised:
            stranger.dataset(dataset.id).read()
        self.assertEqual(raised.exception.status, 401)
        api = os.environ.pop("TABULARY_API")
        try:
            with self.assertRaises(ValueError):
                Client()
        finally:
            os.environ["TABULARY_API"] = api


if __name__ == "__main__":
    unittest.main()
