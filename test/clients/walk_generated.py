"""Walks through the API with a client that openapi-python-client has generated, and prints what it saw as JSON.

Arguments: the folder that holds the package `tabulary_client`, the address of the API, an API key.
"""

import base64
import json
import sys
import time
from io import BytesIO

sys.path.insert(0, sys.argv[1])

from tabulary_client import AuthenticatedClient  # noqa: E402
from tabulary_client.api.data import (  # noqa: E402
    download_rows,
    get_process,
    query_rows,
    upload_file,
)
from tabulary_client.api.datasets import get_dataset, create_dataset  # noqa: E402
from tabulary_client.api.repositories import create_repository  # noqa: E402
from tabulary_client.models import (  # noqa: E402
    DownloadRowsFormat,
    CreateDatasetBody,
    QueryRowsBody,
    CreateRepositoryBody,
    CreateRepositoryBodyPrivacy,
    UploadFileBody,
    UploadFileMode,
)
from tabulary_client.types import File  # noqa: E402

table = "Country,Day,GDP\nFrance,2024-01-01,1.5\nSpain,2024-01-02,2.25\nFrance,2024-01-03,\n"


def walk(base_url: str, key: str) -> dict:
    token = base64.b64encode(f"{key}:".encode()).decode()
    with AuthenticatedClient(base_url=base_url, token=token, prefix="Basic", follow_redirects=True) as client:
        repository = create_repository.sync(
            client=client,
            body=CreateRepositoryBody(name="Python", privacy=CreateRepositoryBodyPrivacy.PRIVATE),
        )
        dataset = create_dataset.sync(
            client=client, body=CreateDatasetBody(name="Python", repository_id=repository.id)
        )
        file = File(payload=BytesIO(table.encode()), file_name="table.csv", mime_type="text/csv")
        process = upload_file.sync(
            dataset.id,
            client=client,
            body=UploadFileBody(data=file),
            mode=UploadFileMode.REPLACE,
            delimiter=",",
        )
        while process.status.value == "pending":
            time.sleep(0.05)
            process = get_process.sync(dataset.id, process.id, client=client)
        filtered = download_rows.sync_detailed(
            dataset.id,
            client=client,
            filter_="Country eq 'France'",
            top=1,
            format_=DownloadRowsFormat.JSON,
        )
        whole = download_rows.sync_detailed(dataset.id, client=client)
        asked = QueryRowsBody.from_dict({"$select": ["GDP"], "$format": "csv"})
        queried = query_rows.sync_detailed(dataset.id, client=client, body=asked)
        return {
            "process": process.status.value,
            "columns": [column.name for column in get_dataset.sync(dataset.id, client=client).columns],
            "filtered": json.loads(filtered.content),
            "matching": filtered.headers["Row-Count"],
            "whole": whole.content.decode(),
            "queried": queried.status_code,
        }


print(json.dumps(walk(sys.argv[2], sys.argv[3])))
