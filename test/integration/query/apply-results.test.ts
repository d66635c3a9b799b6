/** Results of `$apply` match public test suites and the specification. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { PhysicalType } from '../../../src/model/column.js';
import type { ReadableVersion } from '../../../src/model/version.js';
import { createDownloadServer, type DownloadServer } from './download-server.js';
import { type Cell, createStoredTables, type StoredTables } from './stored-table.js';

interface Case {
  readonly table: string;
  readonly options: Readonly<Record<string, string>>;
  readonly rows?: readonly Readonly<Record<string, Cell>>[];
  /** Code of the error. */
  readonly refused?: string;
}

interface Corpus {
  readonly tables: Readonly<Record<string, { columns: [string, PhysicalType][]; rows: Cell[][] }>>;
  readonly cases: readonly Case[];
}

const corpus = JSON.parse(
  readFileSync(new URL('../../fixtures/odata/results.json', import.meta.url), 'utf8'),
) as Corpus;

let tables: StoredTables;
let server: DownloadServer;
/** Versions by table name; the second one is read from a copy. */
const versions = new Map<string, readonly [ReadableVersion, ReadableVersion]>();

beforeAll(async () => {
  tables = await createStoredTables(inject('clickhouseUrl'));
  server = await createDownloadServer(tables.reader);
  for (const [name, { columns, rows }] of Object.entries(corpus.tables)) {
    const specs = columns.map(([column, physical]) => ({ name: column, physical }));
    const version = await tables.add(specs, rows.slice(0, 2), rows.slice(2));
    versions.set(name, [version, await tables.copied(version)]);
  }
});

afterAll(async () => {
  await server.close();
  await tables.close();
});

const ask = ({ table, options }: Case, form: 0 | 1): Promise<Response> => {
  const version = versions.get(table)?.[form];
  if (version === undefined) throw new Error(`there is no table ${table}`);
  return fetch(server.dataUrl(version, new URLSearchParams({ $format: 'json', ...options }).toString()));
};

/** Rounds numbers to 12 digits, since averages are doubles. */
const comparable = (row: Readonly<Record<string, Cell>>, names: readonly string[]): string =>
  JSON.stringify(
    names.map((name) => {
      const value = row[name];
      return typeof value === 'number' ? Number(value.toPrecision(12)) : value;
    }),
  );

const titleOf = ({ table, options }: Case): string => `${table}: ${Object.values(options).join(' & ')}`;

const answered = corpus.cases.flatMap(({ rows, ...rest }): [string, Case & { rows: object[] }][] =>
  rows === undefined ? [] : [[titleOf(rest), { ...rest, rows: [...rows] }]],
);
const refusals = corpus.cases.flatMap((each): [string, Case][] =>
  each.refused === undefined ? [] : [[titleOf(each), each]],
);

it.each(answered)('%s returns the recorded rows', async (_, given) => {
  const wanted = given.rows as Record<string, Cell>[];
  const names = Object.keys(wanted[0] ?? {});
  const expected = wanted.map((row) => comparable(row, names));
  const isOrdered = given.options.$orderby !== undefined;
  for (const form of [0, 1] as const) {
    const response = await ask(given, form);
    expect(response.status).toBe(200);
    const found = ((await response.json()) as Record<string, Cell>[]).map((row) => comparable(row, names));
    expect(isOrdered ? found : found.sort()).toEqual(isOrdered ? expected : expected.sort());
  }
});

it.each(refusals)('%s is refused', async (_, given) => {
  const response = await ask(given, 0);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ code: given.refused });
});
