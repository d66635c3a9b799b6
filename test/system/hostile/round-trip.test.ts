/** Arbitrary values are read back unchanged, for any chunk size. TEST_ROUND_TRIPS sets the number of runs. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const chunkSizes = [64, 4096, 4 * 1024 * 1024];
const runs = Number(process.env.TEST_ROUND_TRIPS ?? 25);

let products: TestProduct[] = [];
let clients: Client[] = [];

beforeAll(async () => {
  for (const bytes of chunkSizes) {
    products.push(await startProduct({ firstChunkBytes: String(bytes), chunkBytes: String(bytes) }));
  }
  clients = await Promise.all(products.map((product) => product.createAccount('owner')));
});

afterAll(async () => {
  await Promise.all(products.map((product) => product.close()));
  products = [];
});

/** Parses CSV (RFC 4180); null for an empty unquoted field. */
const parse = (text: string): (string | null)[][] => {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/gy;
  for (let match = field.exec(text); match !== null; match = field.exec(text)) {
    const [, quoted, bare, end] = match;
    record.push(quoted === undefined ? bare || null : quoted.replaceAll('""', '"'));
    if (end === '\n') {
      records.push(record);
      record = [];
    }
    if (field.lastIndex === text.length) break;
  }
  return records;
};

const quoted = (value: string): string => `"${value.replaceAll('"', '""')}"`;
const csv = (records: readonly (readonly string[])[]): string =>
  records.map((record) => `${record.map(quoted).join(',')}\n`).join('');

/** Canonical form of a number: digits without leading and trailing zeros, and exponent. Exact at any size. */
const canonical = (text: string): string => {
  const match = /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return `text ${text}`;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
};

const markers = new Set(['', 'NA', 'N/A', 'n/a', 'null', 'NULL', 'NaN', '-', '.', '..', ':']);

/** True if the stored value equals the sent one for the type of its column. */
const same = (sent: string, stored: string | null, type: string): boolean => {
  // Empty strings are never stored: a null of a one-column table is written as two quotes.
  if (stored === null || stored === '') return type === 'String' ? sent === '' : markers.has(sent);
  if (type === 'String') return stored === sent;
  if (type === 'Decimal') return canonical(stored) === canonical(sent);
  return stored.startsWith(sent.slice(0, 4));
};

const digits = (from: number, to: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: from, maxLength: to });

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }).filter((value) => !/[\u0000\ud800-\udfff]/u.test(value)),
  fc.constantFrom(
    'a"b',
    '"',
    '""',
    'x\ny',
    'x\r\ny',
    'x\ry',
    ' lead',
    'trail ',
    ',',
    ';',
    '\t',
    '🙂',
    'שלום',
    '007',
  ),
);
const number = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.tuple(digits(1, 40), digits(1, 20)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.constantFrom(
    '-0',
    '0.10',
    '00123',
    '1e5',
    '1E-7',
    '+5',
    '.5',
    '5.',
    '0x1f',
    'inf',
    '1,234',
    '9'.repeat(40),
  ),
);
const date = fc.constantFrom(
  '2020-01-31',
  '2020-02',
  '2020Q1',
  '2020-W05',
  '1899-12-31',
  '2020-13-01',
  '31.12.2020',
);
const marker = fc.constantFrom(...markers);

const column = fc.oneof(
  fc.constant(text),
  fc.constant(number),
  fc.constant(digits(1, 9)),
  fc.constant(date),
  fc.constant(fc.oneof(number, marker)),
  fc.constant(fc.oneof({ weight: 12, arbitrary: digits(1, 5) }, { weight: 1, arbitrary: text })),
);

const table = fc.array(column, { minLength: 1, maxLength: 5 }).chain((columns) =>
  fc.array(fc.tuple(...columns.map((values) => values as fc.Arbitrary<string>)), {
    minLength: 1,
    maxLength: 60,
  }),
);

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `column ${at}`);

interface Loaded {
  readonly types: readonly string[];
  readonly text: string;
}

const load = async (client: Client, content: string): Promise<Loaded> => {
  const dataset = await createDataset(client);
  const ended: ProcessAnswer = await upload(client, dataset, content);
  if (ended.status !== 'completed') throw new Error(JSON.stringify(ended.error));
  const { columns } = await readDataset(client, dataset);
  return { types: columns.map(({ dataType }) => dataType), text: await download(client, dataset) };
};

describe('any table', () => {
  it('is read back value by value, for any chunk size', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (records) => {
        const [first] = records;
        const content = csv([names(first?.length ?? 0), ...records]);
        const loaded = await Promise.all(clients.map((client) => load(client, content)));
        for (const other of loaded.slice(1)) expect(other).toEqual(loaded[0]);
        const { types = [], text: back = '' } = loaded[0] ?? {};
        // `download` replaces every CRLF by LF, also inside of values.
        const sent = records.map((record) => record.map((value) => value.replaceAll('\r\n', '\n')));
        const stored = parse(back).slice(1);
        expect(stored).toHaveLength(sent.length);
        for (const [row, record] of sent.entries()) {
          for (const [at, value] of record.entries()) {
            const got = stored[row]?.[at] ?? null;
            if (!same(value, got, types[at] ?? ''))
              throw new Error(
                `row ${row}: ${JSON.stringify(value)} came back as ${JSON.stringify(got)} (${types[at]})`,
              );
          }
        }
      }),
      { numRuns: runs, seed: Number(process.env.TEST_SEED ?? 1), endOnFailure: true },
    );
  });

  it('keeps fields of a million bytes and names with unusual characters', async () => {
    const odd = [
      'a"b',
      'x, y',
      "it's",
      'שלום 🙂',
      '[col]',
      '$filter',
      'a/b\\c',
      ' spaced ',
      '%41',
      'SELECT 1;--',
    ];
    const long = 'ü'.repeat(500_000);
    const [client] = clients.slice(-1);
    if (client === undefined) throw new Error('no product');
    const { text: back } = await load(client, csv([odd, odd.map(() => long), odd.map((name) => name)]));
    const [header, first, second] = parse(back);
    expect(header?.map((name) => name?.trim())).toEqual(odd.map((name) => name.trim()));
    expect(first?.every((value) => value === long)).toBe(true);
    expect(second).toEqual(odd);
  });
});
