"""A shared table of values arrives unchanged by each kind of frame. VALUES: a file of JSON with `csv`, `columns` and `rows`."""

import json
import os
import unittest
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas

from tabulary import Client

VALUES = json.loads(Path(os.environ["VALUES"]).read_text("utf-8"))


def comparable(rows: Sequence[Sequence[Any]]) -> list[tuple[object, ...]]:
    """Days and texts as texts, numbers as decimals of the shortest text of each."""

    def cell(place: int, value: Any) -> object:
        if value is None or value is pandas.NA:
            return None
        return str(value)[:10] if place == 0 else value if place == 1 else Decimal(str(value))

    return sorted(tuple(cell(place, value) for place, value in enumerate(row)) for row in rows)


class ValuesTest(unittest.TestCase):
    def test_arrives_unchanged_in_each_library(self) -> None:
        with Client() as client:
            dataset = client.create_dataset("shared values")
            dataset.upload(VALUES["csv"].encode())
            names, expected = VALUES["columns"], comparable(VALUES["rows"])
            table = dataset.read(into="arrow").select(names)
            self.assertEqual(comparable([list(row.values()) for row in table.to_pylist()]), expected)
            self.assertEqual(comparable(dataset.read(into="polars").select(names).rows()), expected)
            frame = dataset.read(into="pandas")[names]
            self.assertEqual(comparable(frame.astype(object).values.tolist()), expected)
            # And back, as a frame.
            again = client.create_dataset("shared values again")
            again.upload(table)
            self.assertEqual(comparable([list(row.values()) for row in again.read(into="arrow").select(names).to_pylist()]), expected)

    def test_numbers_of_more_digits_than_polars_has_are_texts_there(self) -> None:
        long = "1" * 40 + ".25"
        with Client() as client:
            dataset = client.create_dataset("long numbers")
            dataset.upload(f"n,Long\n1,{long}\n2,\n".encode())
            self.assertEqual(dataset.read(into="polars")["Long"].to_list(), [long, None])
            self.assertEqual(dataset.read(into="arrow")["Long"].to_pylist(), [Decimal(long), None])
            self.assertEqual(dataset.read(into="pandas")["Long"][0], Decimal(long))


if __name__ == "__main__":
    unittest.main()
