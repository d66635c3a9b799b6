"""Reads parts of a linked Parquet file with pandas, polars and DuckDB and prints what they saw as JSON.

Argument: a link to the file of a table with the columns Day (date, in order), Value (number) and Note (text). The
server of the link counts the bytes.
"""

import datetime
import sys
import urllib.request

import duckdb
import pandas
import polars
from fsspec.implementations.http import HTTPFileSystem
from result import end_with


class Files(HTTPFileSystem):
    """DuckDB asks when a file was changed, which this file system does not tell."""

    def modified(self, path: str) -> datetime.datetime:
        return datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)


since = datetime.date(2020, 1, 1)
# Without reading ahead: only what is asked for is fetched.
files = Files(cache_type="none", skip_instance_cache=True)


def pandas_column(link: str) -> int:
    with files.open(link) as file:
        return len(pandas.read_parquet(file, columns=["Value"]))


def pandas_rows(link: str) -> int:
    wanted = [("Day", ">=", since)]
    with files.open(link) as file:
        return len(pandas.read_parquet(file, columns=["Day", "Value"], filters=wanted))


def duckdb_rows(link: str) -> int:
    connection = duckdb.connect()
    connection.register_filesystem(files)
    query = f"SELECT count(\"Value\") FROM read_parquet('{link}') WHERE \"Day\" >= '{since}'"
    return connection.sql(query).fetchall()[0][0]


def polars_rows(link: str) -> int:
    return polars.scan_parquet(link).filter(polars.col("Day") >= since).select("Value").collect().height


readers = {
    "pandas, a column": pandas_column,
    "pandas, rows": pandas_rows,
    "polars, rows": polars_rows,
    "DuckDB, rows": duckdb_rows,
}


def counted(base: str) -> int:
    with urllib.request.urlopen(f"{base}/counted") as answer:
        return int(answer.read())


def main(link: str, counter: str) -> dict:
    seen = {}
    for name, read in readers.items():
        before = counted(counter)
        rows = read(link)
        seen[name] = {"rows": rows, "bytes": counted(counter) - before}
    return seen


if __name__ == "__main__":
    end_with(main(sys.argv[1], sys.argv[2]))
