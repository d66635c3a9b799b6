import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  json,
  putFile,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    firstChunkBytes: '131072',
    chunkBytes: '65536',
    // A sweep would change the row counts below.
    sweepIntervalMs: '86400000',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const mib = 1024 * 1024;

/** Doubles, exact decimals, strings and dates by column, with some nulls. */
const valueAt = (row: number, column: number): string => {
  const mixed = (row * 7919 + column * 104_729) % 9_973;
  if (mixed % 13 === 0) return '';
  switch (column % 4) {
    case 0:
      return String(mixed);
    case 1:
      return `1234567890123456789${mixed}.${(mixed % 9) + 1}`;
    case 2:
      return `text ${mixed % 50}`;
    default:
      return `${1990 + (mixed % 30)}-0${1 + (mixed % 9)}-1${mixed % 9}`;
  }
};

const shown = (value: string, column: number): string =>
  value === '' || column % 4 < 2 ? value : `"${value}"`;

describe('a table of 1,000 columns', () => {
  const columns = Array.from({ length: 1_000 }, (_, column) => column);
  const rows = Array.from({ length: 40 }, (_, row) => columns.map((column) => valueAt(row, column)));
  const names = columns.map((column) => `column ${column}`);
  let dataset = 0;

  beforeAll(async () => {
    dataset = await createDataset(owner);
    const file = [names, ...rows].map((fields) => `${fields.join(',')}\n`).join('');
    const done = await upload(owner, dataset, file);
    expect(done).toMatchObject({ status: 'completed', rows: rows.length, progress: { attempt: 1 } });
    expect(done.progress.chunks).toBeGreaterThan(3);
  });

  it('is read back value by value', async () => {
    const body = rows.map((fields) => `${fields.map(shown).join(',')}\n`).join('');
    const header = `${names.map((name) => `"${name}"`).join(',')}\n`;
    expect(await download(owner, dataset)).toBe(header + body);
  });

  it('answers a filter and a selection', async () => {
    const entities = names.filter((_, column) => column % 4 >= 2);
    const query = new URLSearchParams({
      $filter: `column 0 eq ${valueAt(7, 0)} and column 1 eq ${valueAt(7, 1)}`,
      $select: 'column 1',
      $format: 'csv',
    });
    const [header = '', line = '', ...more] = (await download(owner, dataset, `?${query}`)).split('\n');
    expect(header.split(',')).toHaveLength(entities.length + 1);
    expect(line).toContain(valueAt(7, 1));
    expect(more).toEqual(['']);
  });
});

describe('a header', () => {
  it('of more than 10,000 columns is refused', async () => {
    const dataset = await createDataset(owner);
    const header = Array.from({ length: 10_001 }, (_, column) => `c${column}`).join(',');
    const answer = await json<{ code: string; error: string }>(
      await putFile(owner, dataset, `${header}\n`),
      400,
    );
    expect(answer.code).toBe('too_many_columns');
    expect((await readDataset(owner, dataset)).currentVersionId).toBeNull();
  });
});

describe('a record', () => {
  /** File whose second record has this many bytes of poorly compressible text. */
  const fileWith = (bytes: number): { file: string; text: string } => {
    const text = randomBytes(bytes)
      .toString('base64')
      .slice(0, bytes - 2);
    return { file: `k,t\n1,a\n2,${text}\n3,b\n`, text };
  };

  it('of 16 MiB is stored and read back', async () => {
    const dataset = await createDataset(owner);
    const { file, text } = fileWith(16 * mib - 1);
    expect(await upload(owner, dataset, file)).toMatchObject({ status: 'completed', rows: 3 });
    const back = await download(owner, dataset);
    expect(back === `"k","t"\n1,"a"\n2,"${text}"\n3,"b"\n`).toBe(true);
  });

  it('of more than 16 MiB is refused with its line number', async () => {
    const dataset = await createDataset(owner);
    const answer = await json<{ code: string; error: string }>(
      await putFile(owner, dataset, fileWith(16 * mib + 1).file),
      400,
    );
    expect(answer).toMatchObject({ code: 'record_too_large', details: { line: 3 } });
    expect((await readDataset(owner, dataset)).currentVersionId).toBeNull();
  });
});

describe('the PostgreSQL rows of an upload', () => {
  /** Tables written periodically or ahead of requests. */
  const excludedTables = ['ops_samples', 'api_key_days', 'version_summaries'];

  const rowsByTable = async (): Promise<Record<string, number>> => {
    const tables = await product.sql.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`,
    );
    const counts: Record<string, number> = {};
    for (const { name } of tables) {
      if (excludedTables.includes(name)) continue;
      const [row] = await product.sql.query<{ count: number }>(`SELECT count(*) AS count FROM "${name}"`);
      counts[name] = Number(row?.count ?? 0);
    }
    return counts;
  };

  const rowsWrittenTo = async (dataset: number): Promise<Record<string, number>> => {
    const before = await rowsByTable();
    expect(await upload(owner, dataset, 'a,b\n1,x\n')).toMatchObject({ status: 'completed' });
    const after = await rowsByTable();
    const added = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)] as const);
    return Object.fromEntries(added.filter(([, count]) => count !== 0));
  };

  it('do not grow with the number of versions', async () => {
    const dataset = await createDataset(owner);
    let versionId: string | null = null;
    for (let turn = 0; turn < 5; turn += 1) {
      versionId = (await upload(owner, dataset, `a,b\n${turn},x\n`)).versionId;
    }
    const early = await rowsWrittenTo(dataset);
    for (let turn = 0; turn < 200; turn += 1) {
      const answer = await call(owner, 'POST', `/datasets/${dataset}/versions/${versionId}/restore`);
      expect(answer.status).toBeLessThan(300);
      await answer.arrayBuffer();
    }
    expect(await rowsWrittenTo(dataset)).toEqual(early);
    expect(early).toMatchObject({ processes: 1, versions: 1, segment_ranges: 1, segments: 1, chunks: 1 });
  });
});
