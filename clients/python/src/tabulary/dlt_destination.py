"""A destination of dlt: each of its tables is a dataset.

Files are sent one after the other, each under an id that is reserved and saved first: a load that is repeated after a crash sends no
rows twice. Of a table that is replaced, the first file replaces the rows and further ones are added to them; if it fails, none is.
"""

from __future__ import annotations

import threading
from pathlib import PurePath
from typing import Any

import dlt
import pyarrow.parquet
from dlt.common.destination.exceptions import DestinationTerminalException, DestinationTransientException
from dlt.common.schema import TTableSchema
from dlt.common.storages.load_package import commit_load_package_state

from .client import Client, Dataset
from .errors import ApiError, UploadFailed

#: dlt loads files of a table in parallel; the first one that replaces must be first.
LOCK = threading.Lock()


def key_of(table: TTableSchema) -> list[str]:
    """Columns that say which row a new one replaces."""
    for hint in ("primary_key", "merge_key"):
        names = [name for name, column in table["columns"].items() if column.get(hint)]
        if names:
            return names
    raise DestinationTerminalException(f"table {table['name']} is merged, and has neither primary_key nor merge_key")


def dataset_of(client: Client, name: str, repository_id: int | None) -> Dataset:
    repository = repository_id or client.home()
    for found in client.datasets():
        if found["name"] == name and found["repositoryId"] == repository:
            return client.dataset(int(found["id"]))
    return client.create_dataset(name, repository_id=repository)


def options_of(table: TTableSchema, is_first: bool) -> dict[str, object]:
    disposition = table.get("write_disposition", "append")
    if disposition == "merge":
        return {"mode": "upsert", "key": key_of(table)}
    return {"mode": "replace" if disposition == "replace" and is_first else "append"}


def check_replaced(name: str, state: dict[str, Any]) -> None:
    """Keeps further files of a replaced table from being added to its old rows."""
    if state.get("is_failed"):
        raise DestinationTerminalException(f"table {name}: the first file, which replaces the rows, failed")
    if not state.get("is_replaced"):
        # dlt tries both files again.
        raise DestinationTransientException(f"table {name}: the first file, which replaces the rows, is not stored yet")


def send(client: Client, path: str, table: TTableSchema, repository_id: int | None) -> None:
    name = str(table["name"])
    state: dict[str, Any] = dlt.current.destination_state().setdefault(name, {"uploads": {}})
    # `table.file.attempt.parquet`: the attempt changes.
    file = PurePath(path).name.split(".")[1]
    dataset_id = state.get("dataset")
    dataset = dataset_of(client, name, repository_id) if dataset_id is None else client.dataset(dataset_id)
    upload = state["uploads"].get(file)
    options = upload["options"] if upload else options_of(table, not state["uploads"])
    if table.get("write_disposition") == "replace" and options["mode"] == "append":
        check_replaced(name, state)
    if upload is None:
        upload = {"process": dataset.reserve(), "options": options}
        state["uploads"][file] = upload
        state["dataset"] = dataset.id
        commit_load_package_state()
    rows = pyarrow.parquet.read_table(path)
    known = [column for column in rows.column_names if column in table["columns"]]
    try:
        dataset.upload(rows.select(known), process_id=upload["process"], **options)
    except (ApiError, UploadFailed):
        state["is_failed"] = True
        raise
    if options["mode"] == "replace":
        state["is_replaced"] = True
        commit_load_package_state()


@dlt.destination(name="tabulary", batch_size=0, loader_file_format="parquet", skip_dlt_columns_and_tables=True)
def tabulary(
    items: Any,
    table: TTableSchema,
    api: str = dlt.config.value,
    key: str = dlt.secrets.value,
    repository_id: int | None = None,
) -> None:
    """Loads tables into datasets of the same name, in the repository Home unless another one is named.

    Write dispositions: `append`, `replace`, and `merge` by `primary_key` or `merge_key`.
    """
    with LOCK, Client(api, key) as client:
        try:
            send(client, str(items), table, repository_id)
        except (ApiError, UploadFailed) as error:
            # Other errors pass, so that dlt tries again.
            raise DestinationTerminalException(str(error)) from error
