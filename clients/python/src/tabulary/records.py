"""Records of CSV as the service writes it: texts are in quotes, so that an empty field without them is null."""

from __future__ import annotations

import re
from collections.abc import Iterator

FIELD = re.compile(r'(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r\n|\Z)')


def records(text: str) -> Iterator[list[str | None]]:
    """Parses an answer. The module `csv` reads null as an empty text, and refuses fields of more than 131,072 characters."""
    record: list[str | None] = []
    place = 0
    while place < len(text):
        field = FIELD.match(text, place)
        if field is None:
            raise ValueError(f"the answer is no CSV at character {place}")
        quoted, plain, end = field.groups()
        record.append(plain or None if quoted is None else quoted.replace('""', '"'))
        place = field.end()
        if end != ",":
            yield record
            record = []
