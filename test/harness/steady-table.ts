/** Unchanging dataset that is read repeatedly. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Deployment } from './deployment.js';
import type { Reader } from './reader.js';
import { sendFile } from './sending.js';

export interface SteadyTable {
  readonly datasetId: number;
  /** URLs of all rows: one that redirects to a file, and one with a filter that matches every row. */
  readonly wholeUrl: string;
  readonly rowsUrl: string;
  /** Hash of the table as CSV. */
  readonly sha256: string;
  /** Reads all rows by a signed link, slowly; returns an error text or undefined. */
  readByLink(reader: Reader): Promise<string | undefined>;
  /** Reads all rows with a filter that matches every row, slowly. */
  readRows(reader: Reader): Promise<string | undefined>;
}

export const steadyRows = 120_000;
/** Pause per 64 KiB piece; a second or two for the whole table. */
const pauseMs = 20;

/** Cells of a row as in a CSV download: texts and dates quoted, numbers unquoted. */
export const steadyCells = (row: number): readonly [number: string, day: string, text: string] => [
  String(row),
  `"2020-01-${String(1 + (row % 28)).padStart(2, '0')}"`,
  `"text of row ${row}"`,
];

/** Expected download of these rows. */
export const steadyText = (rows: readonly number[], separator = ','): string =>
  [['"number"', '"day"', '"text"'], ...rows.map(steadyCells)]
    .map((cells) => `${cells.join(separator)}\r\n`)
    .join('');

/** Numbers of all rows. */
export const steadyNumbers: readonly number[] = Array.from({ length: steadyRows }, (_, row) => row);

interface DatasetFacts {
  readonly rowCount: number;
}

/** Creates a dataset in the home repository. @param base URL of the API process to use */
export const createDataset = async (
  { apis, authorization, homeId }: Deployment,
  name: string,
  base = apis[0],
): Promise<number> => {
  const made = await fetch(`${base}/datasets`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name, repositoryId: homeId }),
  });
  const text = await made.text();
  if (made.status !== 201)
    throw new Error(`creating a dataset answered ${made.status}: ${text.slice(0, 200)}`);
  return (JSON.parse(text) as { id: number }).id;
};

export const createTable = async (product: Deployment): Promise<SteadyTable> => {
  const [base = ''] = product.apis;
  const { authorization } = product;
  const id = await createDataset(product, 'steady');
  const file = Buffer.from(steadyText(steadyNumbers));
  const sha256 = createHash('sha256').update(file).digest('hex');
  const sent = await sendFile({
    url: `${base}/datasets/${id}/data`,
    authorization,
    requestId: 'steady',
    file,
    pieces: 8,
    pauseMs: 0,
    hangUpAfter: undefined,
  });
  if (sent.kind === 'broken' || sent.status !== 201)
    throw new Error(`upload not accepted: ${JSON.stringify(sent)}`);
  const data = `${base}/datasets/${id}/data`;
  while (
    ((await (await fetch(`${base}/datasets/${id}`, { headers: { authorization } })).json()) as DatasetFacts)
      .rowCount !== steadyRows
  )
    await sleep(100);

  const read = async (reader: Reader, url: string): Promise<string | undefined> => {
    const answer = await reader.read(url, pauseMs);
    if (answer.status !== 200) return `answered ${answer.status}`;
    return answer.sha256 === sha256
      ? undefined
      : `${answer.bytes} bytes that differ from the ${file.length} uploaded ones`;
  };
  const rowsUrl = `${data}?$filter=${encodeURIComponent('number ge 0')}`;
  return {
    datasetId: id,
    wholeUrl: data,
    rowsUrl,
    sha256,
    async readByLink(reader) {
      const { status, location } = await reader.read(data);
      if (status !== 302 || location === undefined) return `answered ${status}`;
      return read(reader, new URL(location, base).href);
    },
    readRows: (reader) => read(reader, rowsUrl),
  };
};
