"""Reads one column of a table at its address with a tool and prints what it saw as JSON.

Arguments: the tool, the address of `data.parquet`, the key. The table has the column Value.
"""

import sys
from pathlib import Path

import duckdb
import duckdb_extension_httpfs
import fsspec
import pandas
import polars
import pyarrow.parquet
from result import end_with


def files(key: str) -> fsspec.AbstractFileSystem:
    # Without reading ahead: only what is asked for is fetched.
    headers = {"Authorization": f"Bearer {key}"}
    return fsspec.filesystem("http", cache_type="none", client_kwargs={"headers": headers})


def with_polars(address: str, key: str) -> tuple[int, float]:
    values = polars.scan_parquet(f"{address}?apiKey={key}").select("Value").collect()["Value"]
    return len(values), float(values.sum())


def with_pandas(address: str, key: str) -> tuple[int, float]:
    # With `filesystem=` pyarrow asks whether the address is a folder, which fsspec finds out by fetching all of it.
    with files(key).open(address) as file:
        values = pandas.read_parquet(file, columns=["Value"])["Value"]
    return len(values), float(values.sum())


def with_fsspec(address: str, key: str) -> tuple[int, float]:
    with files(key).open(address) as file:
        values = pyarrow.parquet.read_table(file, columns=["Value"])["Value"].to_pandas()
    return len(values), float(values.sum())


def with_duckdb(address: str, key: str) -> tuple[int, float]:
    folder = Path(duckdb_extension_httpfs.__file__).parent / "extensions"
    connection = duckdb.connect()
    for extension in folder.rglob("httpfs.duckdb_extension"):
        connection.sql(f"INSTALL '{extension}'")
    connection.sql("LOAD httpfs")
    connection.sql(f"CREATE SECRET (TYPE http, BEARER_TOKEN '{key}')")
    query = f"SELECT count(\"Value\"), sum(\"Value\") FROM read_parquet('{address}')"
    rows, total = connection.sql(query).fetchall()[0]
    return rows, float(total)


tools = {"polars": with_polars, "pandas": with_pandas, "fsspec": with_fsspec, "DuckDB": with_duckdb}


if __name__ == "__main__":
    tool, address, key = sys.argv[1:]
    rows, total = tools[tool](address, key)
    end_with({"rows": rows, "sum": total})
