/** Requests of the readers, each with a check of its response. */
import { createHash } from 'node:crypto';
import { tableFromIPC } from 'apache-arrow';
import type { Deployment } from '../harness/deployment.js';
import type { Random } from '../harness/random.js';
import { steadyCells, steadyNumbers, steadyRows, steadyText } from '../harness/steady-table.js';
import { localSeries } from '../support/local-provider.js';

export interface Question {
  readonly kind: string;
  /** Path relative to the API. */
  readonly path: string;
  readonly rows?: number;
  readonly check: (body: Buffer) => string | undefined;
}

/** Generates a request of one kind; each may differ slightly. */
export type Questions = (random: Random) => Question;

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

const sameAs =
  (expected: string) =>
  (body: Buffer): string | undefined =>
    sha256(body) === expected ? undefined : `${body.length} bytes that differ from the table`;

/** Rows of an Arrow stream as lines. Record batches follow ClickHouse blocks, so the bytes differ from read to read. */
const arrowLines = (body: Buffer): string => {
  const table = tableFromIPC(body);
  const columns = table.schema.fields.map((_, at) => table.getChildAt(at));
  return Array.from({ length: table.numRows }, (_, row) =>
    columns.map((column) => column?.get(row)).join(),
  ).join('\n');
};

const sameRowsAs =
  (expected: string) =>
  (body: Buffer): string | undefined =>
    sha256(arrowLines(body)) === expected ? undefined : `${body.length} bytes with other rows`;

const textIs =
  (expected: string) =>
  (body: Buffer): string | undefined =>
    body.toString() === expected ? undefined : `got ${JSON.stringify(body.toString().slice(0, 300))}`;

const unquoted = (cell: string): string => cell.replaceAll('"', '');

/** Expected result of parsing the table as JSON. */
const steadyObjects = () =>
  steadyNumbers.map((row) => {
    const [number, day, text] = steadyCells(row);
    return { number: Number(number), day: unquoted(day), text: unquoted(text) };
  });

const daySums = (): string => {
  const days = new Map<string, { sum: number; count: number }>();
  for (const row of steadyNumbers) {
    const day = steadyCells(row)[1];
    const found = days.get(day) ?? { sum: 0, count: 0 };
    days.set(day, { sum: found.sum + row, count: found.count + 1 });
  }
  const lines = [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, { sum, count }]) => `${day},${sum},${count}`);
  return ['"day","total","n"', ...lines].map((line) => `${line}\r\n`).join('');
};

/**
 * Binary formats: every response is compared with one read before any disruption. In Parquet the table is one row
 * group.
 */
const binaryFormats = ['xlsx', 'parquet'] as const;

/** Reads a response before any disruption. */
const readUndisturbed = async (product: Deployment, path: string): Promise<Buffer> => {
  const answer = await fetch(`${product.apis[0]}${path}`, {
    headers: { authorization: product.authorization },
  });
  if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return Buffer.from(await answer.arrayBuffer());
};

/** @param datasetId dataset of the complete steady table */
export const createQuestions = async (
  product: Deployment,
  datasetId: number,
): Promise<Readonly<Record<string, Questions>>> => {
  const dataset = `/datasets/${datasetId}`;
  const data = `${dataset}/data`;
  // A filter that matches all rows, so that the response is a query instead of a file.
  const rowsAs = (format: string): string =>
    `${data}?$format=${format}&$filter=${encodeURIComponent('number ge 0')}`;

  const json = await readUndisturbed(product, rowsAs('json'));
  if (JSON.stringify(JSON.parse(json.toString())) !== JSON.stringify(steadyObjects()))
    throw new Error('the table as JSON differs from the uploaded rows');
  const whole: [string, string, string][] = [
    ['file by link', data, sha256(steadyText(steadyNumbers))],
    ['rows as csv', rowsAs('csv'), sha256(steadyText(steadyNumbers))],
    ['rows as tsv', rowsAs('tsv'), sha256(steadyText(steadyNumbers, '\t'))],
    ['rows as json', rowsAs('json'), sha256(json)],
  ];
  for (const format of binaryFormats)
    whole.push([`rows as ${format}`, rowsAs(format), sha256(await readUndisturbed(product, rowsAs(format)))]);
  const arrow = arrowLines(await readUndisturbed(product, rowsAs('arrow')));
  if (arrow.split('\n').length !== steadyRows)
    throw new Error('the table in Arrow differs from the uploaded rows');
  const sums = textIs(daySums());
  const apply = 'groupby((day),aggregate(number with sum as total,$count as n))';
  const metadata = [
    dataset,
    `${dataset}/columns`,
    `${dataset}/versions?$top=10`,
    '/repositories',
    '/datasets',
  ];

  return {
    ...Object.fromEntries(
      whole.map(([kind, path, expected]): [string, Questions] => [
        kind,
        () => ({ kind, path, rows: steadyRows, check: sameAs(expected) }),
      ]),
    ),
    'rows as arrow': () => ({
      kind: 'rows as arrow',
      path: rowsAs('arrow'),
      rows: steadyRows,
      check: sameRowsAs(sha256(arrow)),
    }),
    page: (random) => {
      const from = random.between(0, steadyRows - 100);
      const filter = encodeURIComponent(`number ge ${from}`);
      return {
        kind: 'page',
        path: `${data}?$filter=${filter}&$orderby=number&$top=50`,
        rows: 50,
        check: textIs(steadyText(steadyNumbers.slice(from, from + 50))),
      };
    },
    $apply: () => ({
      kind: '$apply',
      path: `${data}?$apply=${encodeURIComponent(apply)}`,
      rows: 28,
      check: sums,
    }),
    provider: (random) => {
      const id = `S${random.between(1, 2_000)}`;
      return {
        kind: 'provider',
        path: localSeries(id),
        check: (body) =>
          (JSON.parse(body.toString()) as { series_id: string }).series_id === id
            ? undefined
            : `another series than ${id}`,
      };
    },
    metadata: (random) => ({
      kind: 'metadata',
      path: random.pick(metadata),
      check: (body) => (JSON.parse(body.toString()) === null ? 'null' : undefined),
    }),
  };
};

/** Relative frequencies; an XLSX file costs a hundred times as much as a page. */
export const weights: Readonly<Record<string, number>> = {
  'file by link': 6,
  'rows as csv': 4,
  'rows as tsv': 2,
  'rows as json': 2,
  'rows as xlsx': 1,
  'rows as parquet': 2,
  'rows as arrow': 2,
  page: 30,
  $apply: 12,
  provider: 15,
  metadata: 25,
};
