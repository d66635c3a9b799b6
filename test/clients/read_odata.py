"""Reads an OData service with python-odata and prints what it saw as JSON.

Arguments: the address of the service, the key.
"""

import json
import sys

import requests
from odata import ODataService

address, key = sys.argv[1:]
session = requests.Session()
session.auth = (key, "")
service = ODataService(address, session=session, reflect_entities=True, quiet_progress=True)
Rows = service.entities["Rows"]
names = ["_row", "Country_x0020_name", "Day", "GDP_x0020__x0028_USD_x0029_", "Big"]


def shown(row) -> list[str | None]:
    values = [getattr(row, name) for name in names[1:]]
    return [None if value is None else str(value) for value in values]


rows = list(service.query(Rows))
country = Rows.Country_x0020_name
found = service.query(Rows).filter(country == "Côte d'Ivoire")
exact = service.query(Rows).filter(Rows.Big == "123456789012345678901234567890.25")
grouped = service.query(Rows).filter(country.startswith("Fra")).order_by(Rows.Day.desc()).limit(1)
print(
    json.dumps(
        {
            "properties": [name for name in names if hasattr(Rows, name)],
            "rows": len(rows),
            "different": len({row._row for row in rows}),
            "first": [shown(row) for row in rows[:4]],
            "filtered": [shown(row) for row in found],
            "exact": [shown(row) for row in exact],
            "ordered": [shown(row) for row in grouped],
            "counted": service.query(Rows).filter(country == "Côte d'Ivoire").count(),
        }
    )
)
