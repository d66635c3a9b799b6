"""Reads downloads with pandas, DuckDB and openpyxl and prints what they saw as JSON.

Arguments: the address of the data route of a dataset with the columns Country (text), Day (date), GDP (number),
and a folder for files.
"""

import datetime
import sys
import urllib.parse
import urllib.request
from pathlib import Path

import duckdb
import openpyxl
import pandas
from fsspec.implementations.http import HTTPFileSystem
from result import end_with


def address(data_url: str, **options: str) -> str:
    return f"{data_url}?{urllib.parse.urlencode(options)}" if options else data_url


def summary(frame: pandas.DataFrame) -> dict:
    return {
        "columns": list(frame.columns),
        "rows": len(frame),
        "sum": float(frame["GDP"].sum()),
        "nulls": int(frame["GDP"].isna().sum()),
        "first": str(frame["Country"].iloc[0]),
        "days": sorted({str(day)[:10] for day in frame["Day"]}),
    }


def fetch(url: str, path: Path) -> Path:
    with urllib.request.urlopen(url) as answer:
        path.write_bytes(answer.read())
    return path


def main(data_url: str, folder: Path) -> dict:
    tsv = address(data_url, **{"$format": "tsv"})
    parquet = fetch(address(data_url, **{"$format": "parquet"}), folder / "rows.parquet")
    workbook = fetch(address(data_url, **{"$format": "xlsx"}), folder / "rows.xlsx")
    seen = {
        "read_csv of the link": summary(pandas.read_csv(data_url)),
        "read_csv of tsv": summary(pandas.read_csv(tsv, sep="\t")),
        "read_json": summary(pandas.read_json(address(data_url, **{"$format": "json"}))),
        "read_excel": summary(pandas.read_excel(address(data_url, **{"$format": "xlsx"}))),
        "read_parquet": summary(pandas.read_parquet(parquet)),
        "DuckDB over CSV": summary(duckdb.sql(f"FROM read_csv('{fetch(data_url, folder / 'rows.csv')}')").df()),
        "DuckDB over Parquet": summary(duckdb.sql(f"FROM read_parquet('{parquet}')").df()),
    }
    sheet = openpyxl.load_workbook(workbook).worksheets[0]
    header, first = list(sheet.iter_rows(min_row=1, max_row=2))
    cells = {
        "columns": [cell.value for cell in header],
        "rows": sheet.max_row - 1,
        "dayIsDate": bool(first[1].is_date),
        "types": [cell.data_type for cell in first],
    }
    seen["DuckDB over the link by ranges"] = over_ranges(data_url)
    seen["read_parquet of the address"] = summary(pandas.read_parquet(address(data_url, **{"$format": "parquet"})))
    return {"frames": seen, "openpyxl": cells, "duckdb": over_http(data_url)}


class Files(HTTPFileSystem):
    """DuckDB asks when a file was changed, which this file system does not tell."""

    def modified(self, path: str) -> datetime.datetime:
        return datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)


def over_ranges(data_url: str) -> dict:
    """DuckDB over a file system of Python that asks for ranges of the file behind the link."""
    # In blocks smaller than the file: it cannot be read with one request.
    files = Files(block_size=4096, cache_type="readahead")
    part = files.cat_file(data_url, start=5, end=15)
    if len(part) != 10:
        raise RuntimeError(f"no range of 10 bytes: {len(part)}")
    connection = duckdb.connect()
    connection.register_filesystem(files)
    return summary(connection.sql(f"FROM read_csv('{data_url}')").df())


def over_http(data_url: str) -> dict:
    """DuckDB reads addresses by an extension that it fetches by itself; without it nothing is said."""
    try:
        duckdb.sql("INSTALL httpfs; LOAD httpfs")
    except duckdb.Error as error:
        return {"extension": False, "reason": str(error).splitlines()[0]}
    return {"extension": True, "frame": summary(duckdb.sql(f"FROM read_csv('{data_url}')").df())}


if __name__ == "__main__":
    end_with(main(sys.argv[1], Path(sys.argv[2])))
