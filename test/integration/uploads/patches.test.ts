/**
 * Upserts, syncs and deletes of a dataset with its own table store only the changed rows. The results must equal those
 * of a second product, which rewrites all rows.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RowChanges } from '../../../src/model/process.js';
import {
  type Client,
  call,
  createDataset,
  download,
  type ProcessAnswer,
  readDataset,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, uploadWith } from '../../support/upload-options.js';

interface Side {
  readonly product: TestProduct;
  readonly owner: Client;
}

let patching: Side;
let copying: Side;

const startSide = async (patchMaxPercent: string): Promise<Side> => {
  const product = await startProduct({
    poolMaxRows: '0',
    patchMaxPercent,
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  return { product, owner: await product.createAccount('owner') };
};

beforeAll(async () => {
  [patching, copying] = await Promise.all([startSide('40'), startSide('0')]);
});
afterAll(async () => {
  await patching?.product.close();
  await copying?.product.close();
});

/** Twenty rows with the keys a to t. */
const rows = Array.from({ length: 20 }, (_, at) => ({
  key: String.fromCharCode(97 + at),
  day: `2024-01-${String(at + 1).padStart(2, '0')}`,
}));
const lineOf = ({ key, day }: (typeof rows)[number], value: number | string = key.charCodeAt(0)): string =>
  `${key},${day},${value}\n`;
const header = 'key,day,value\n';
const table = header + rows.map((row) => lineOf(row)).join('');

/** A dataset in both products. */
interface Pair {
  readonly patched: number;
  readonly copied: number;
}

const createPair = async (file = table): Promise<Pair> => {
  const make = async ({ owner }: Side): Promise<number> => {
    const dataset = await createDataset(owner);
    await uploadWith(owner, dataset, file, {});
    return dataset;
  };
  const [patched, copied] = await Promise.all([make(patching), make(copying)]);
  return { patched, copied };
};

const stateOf = async ({ owner }: Side, dataset: number, done: ProcessAnswer) => {
  const { rowCount, minDate, maxDate, frequency, columns } = await readDataset(owner, dataset);
  const { status, inserted, replaced, unchanged, removed } = done as ProcessAnswer & Partial<RowChanges>;
  return {
    process: { status, inserted, replaced, unchanged, removed },
    facts: { rowCount, minDate, maxDate, frequency },
    columns: columns.map(({ name, dataType }) => ({ name, dataType })),
    file: await download(owner, dataset),
  };
};

/** Stored rows of the newest segment of the current version. */
const newestSegment = async (dataset: number) => {
  const [found] = await patching.product.sql.query<{ rows: number; patch: boolean; hidden: number }>(
    `SELECT g.rows, g.patch, g.hidden FROM segment_ranges r JOIN segments g ON g.id = r.segment_id
     WHERE r.dataset_id = $1 AND r.until_version IS NULL ORDER BY g.id DESC LIMIT 1`,
    [dataset],
  );
  return found;
};

/** Uploads a file to both and compares the results byte for byte. */
const change = async ({ patched, copied }: Pair, file: string, options: Options) => {
  const send = async (side: Side, dataset: number) => {
    const done = await uploadWith(side.owner, dataset, file, options);
    return { versionId: done.versionId, state: await stateOf(side, dataset, done) };
  };
  const [{ versionId, state }, copy] = await Promise.all([send(patching, patched), send(copying, copied)]);
  expect(state.process.status).toBe('completed');
  expect(state).toEqual(copy.state);
  return { versionId, text: state.file };
};

const upsert = { mode: 'upsert', key: 'key' };
const sync = { mode: 'sync', key: 'key' };
const remove = { mode: 'delete', key: 'key' };

describe('a change of a dataset with a table of its own', () => {
  it.each<[string, string, Options, { rows: number; patch: boolean; hidden: number }]>([
    [
      'an upsert that replaces a row, leaves one and adds one',
      `${header}b,2024-01-02,7\nc,2024-01-03,99\nz,2025-01-01,1\n`,
      upsert,
      { rows: 2, patch: true, hidden: 1 },
    ],
    [
      'an upsert that changes nothing',
      header + lineOf(rows[3]!),
      upsert,
      { rows: 0, patch: false, hidden: 0 },
    ],
    [
      'an upsert of new keys among old ones',
      `${header}${lineOf(rows[0]!)}y,2023-12-31,1\nx,,2\n`,
      upsert,
      { rows: 2, patch: false, hidden: 0 },
    ],
    [
      'an upsert with a new column',
      'key,note\nd,hello\nw,new\n',
      upsert,
      { rows: 2, patch: true, hidden: 1 },
    ],
    ['an upsert that lacks a column', 'key,day\na,2024-01-01\n', upsert, { rows: 1, patch: true, hidden: 1 }],
    ['an upsert of the first day', `${header}a,2024-03-01,97\n`, upsert, { rows: 1, patch: true, hidden: 1 }],
    [
      'an upsert of a key that the file has twice',
      `${header}e,2024-01-05,1\ne,2024-01-05,2\nu,2024-01-05,3\nu,2024-01-06,4\n`,
      { ...upsert, onDuplicateKey: 'last' },
      { rows: 2, patch: true, hidden: 1 },
    ],
    ['a delete', 'key\na\nt\nnone\n', remove, { rows: 2, patch: true, hidden: 4 }],
    ['a delete of nothing', 'key\nnone\n', remove, { rows: 0, patch: false, hidden: 0 }],
    [
      'a delete of everything',
      `key\n${rows.map(({ key }) => `${key}\n`).join('')}`,
      remove,
      { rows: 0, patch: false, hidden: 0 },
    ],
    [
      'a sync with the whole file',
      header +
        rows
          .slice(1)
          .map((row, at) => lineOf(row, at === 5 ? 5 : undefined))
          .join('') +
        'z,2024-02-01,8\n',
      sync,
      { rows: 3, patch: true, hidden: 3 },
    ],
    ['a sync with an empty file', header, sync, { rows: 0, patch: false, hidden: 0 }],
    ['a sync that leaves little', header + lineOf(rows[0]!), sync, { rows: 1, patch: false, hidden: 0 }],
    [
      'an upsert of most rows',
      header +
        rows
          .slice(8)
          .map((row) => lineOf(row, 1))
          .join(''),
      upsert,
      { rows: 20, patch: false, hidden: 0 },
    ],
    [
      'an upsert of a longer number',
      `${header}a,2024-01-01,12345678901234567890.5\n`,
      upsert,
      { rows: 20, patch: false, hidden: 0 },
    ],
  ])('stores what %s changes', async (_what, file, options, stored) => {
    const pair = await createPair();
    await change(pair, file, options);
    expect(await newestSegment(pair.patched)).toEqual(stored);
  });

  it('can change the same rows repeatedly, and leaves earlier versions unchanged', async () => {
    const pair = await createPair();
    const made: Awaited<ReturnType<typeof change>>[] = [];
    const send = async (file: string, options: Options): Promise<void> => {
      made.push(await change(pair, file, options));
    };
    await send(`${header}c,2024-01-03,1\n`, upsert);
    await send(`${header}c,2024-01-03,2\n,2024-01-03,0\n`, upsert);
    await send('key\nc\n', remove);
    await send(`${header}c,2024-01-03,3\n,2024-01-04,5\n`, upsert);
    await send(`${header}a,2024-02-01,3\na,2024-02-02,4\n`, { mode: 'append' });
    await send(`${header}a,2024-02-03,5\n`, { ...upsert, onDuplicateKey: 'last' });
    expect(await newestSegment(pair.patched)).toEqual({ rows: 3, patch: true, hidden: 3 });
    await send('key\na\n', { ...remove, onDuplicateKey: 'last' });
    expect(await newestSegment(pair.patched)).toEqual({ rows: 3, patch: true, hidden: 6 });
    for (const { versionId, text } of made)
      expect(await download(patching.owner, pair.patched, `?versionId=${versionId}`)).toBe(text);
  });

  it('records the remaining days after a delete and a sync', async () => {
    const pair = await createPair(`${table}A,2024-01-02,1\nB,2024-01-02,2\nC,,3\n`);
    const daysOf = async ({ product }: Side, dataset: number): Promise<string | undefined> => {
      const [recorded] = await product.sql.query<{ days: string }>(
        `SELECT k.days FROM version_days k JOIN datasets d ON d.current_version_id = k.version_id WHERE d.id = $1`,
        [dataset],
      );
      return recorded?.days;
    };
    const byDay = { mode: 'delete', key: 'key,day' };
    const seen: (string | undefined)[] = [];
    for (const [file, options] of [
      // Deletes the first day, keeps that of b, and has days that the dataset lacks.
      ['key,day\na,2024-01-01\nb,2024-01-02\nc,2024-01-02\nd,2031-05-05\n', byDay],
      ['key,day\nA,2024-01-02\nC,\n', byDay],
      ['key,day\nB,2024-01-02\n', byDay],
      ['key\nd\n', remove],
      [
        header +
          rows
            .slice(4, 18)
            .map((row) => lineOf(row))
            .join(''),
        { ...sync, key: 'key,day' },
      ],
      [
        header +
          rows
            .slice(6, 18)
            .map((row) => lineOf(row))
            .join('') +
          's,2023-07-01,1\n',
        sync,
      ],
      [`${header}g,2024-01-07,1\ng,2024-01-08,2\nh,2024-01-08,3\n`, { ...sync, onDuplicateKey: 'first' }],
    ] as const) {
      await change(pair, file, options);
      const days = await daysOf(patching, pair.patched);
      expect(days).toBe(await daysOf(copying, pair.copied));
      seen.push(days);
    }
    expect(new Set(seen).size).toBe(seen.length - 1);
  });

  it('adds no more to the storage of an account than its rows', async () => {
    const { patched } = await createPair();
    const usage = async (): Promise<number> => {
      const [kept] = await patching.product.sql.query<{ bytes: number }>(
        'SELECT bytes FROM dataset_storage WHERE dataset_id = $1',
        [patched],
      );
      return kept?.bytes ?? 0;
    };
    const before = await usage();
    const file = `${header}b,2024-01-02,7\nc,2024-01-03,99\n`;
    await uploadWith(patching.owner, patched, file, upsert);
    expect((await usage()) - before).toBe(Math.round(file.length / 2));
    await uploadWith(patching.owner, patched, 'key\na\nb\n', remove);
    expect((await usage()) - before).toBe(Math.round(file.length / 2) + 16);
  });

  it('can be previewed by a dry run', async () => {
    const pair = await createPair();
    const file = `${header}b,2024-01-02,7\nz,2025-01-01,1\n`;
    const rowsOf = async ({ owner }: Side, dataset: number): Promise<string> => {
      const dry = await uploadWith(owner, dataset, file, { ...upsert, dryRun: 'true' });
      const answer = await call(owner, 'GET', `/datasets/${dataset}/processes/${dry.id}/diff/rows`);
      return answer.text();
    };
    const shown = await rowsOf(patching, pair.patched);
    expect(shown.replaceAll('"', '').trimEnd().split('\r\n')).toHaveLength(4);
    expect(shown).toBe(await rowsOf(copying, pair.copied));
    expect(await download(patching.owner, pair.patched)).toBe(await download(copying.owner, pair.copied));
  });

  it('is refused for a key that is not unique, whether another key is recorded or not', async () => {
    const { patched } = await createPair(`${table}a,2024-05-01,1\n`);
    const refused = await uploadWith(patching.owner, patched, `${header}z,2024-01-01,1\n`, upsert);
    expect(refused.error).toMatchObject({ code: 'key_not_unique', examples: [{ in: 'dataset', rows: 2 }] });
    const byDay = { mode: 'upsert', key: 'key,day' };
    expect(await uploadWith(patching.owner, patched, `${header}z,2024-01-01,1\n`, byDay)).toMatchObject({
      status: 'completed',
    });
    expect(await uploadWith(patching.owner, patched, `${header}y,2024-01-01,1\n`, byDay)).toMatchObject({
      status: 'completed',
    });
    const again = await uploadWith(patching.owner, patched, `${header}x,2024-01-01,1\n`, upsert);
    expect(again.error).toMatchObject({ code: 'key_not_unique' });
  });
});
