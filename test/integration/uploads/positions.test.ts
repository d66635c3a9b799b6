/** Row positions are assigned when an upload is accepted and kept when rows are copied. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordsPerUpload } from '../../../src/model/position.js';
import type { ClickHouse } from '../../../src/storage/clickhouse/client.js';
import { compact, openClickHouse } from '../../support/compaction.js';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;
let clickhouse: ClickHouse;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '50',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
    firstChunkBytes: '512',
    chunkBytes: '1024',
  });
  owner = await product.createAccount('owner');
  clickhouse = openClickHouse(product);
});

afterAll(async () => {
  await clickhouse?.close();
  await product?.close();
});

const fileOf = (from: number, count: number, header = 'k,v'): string =>
  `${header}\n${Array.from({ length: count }, (_, at) => `k${from + at},${from + at}\n`).join('')}`;

const keysOf = async (dataset: number, query = ''): Promise<string[]> =>
  (await download(owner, dataset, query))
    .split(/\r?\n/)
    .slice(1, -1)
    .map((line) => line.split(',')[0]!.replaceAll('"', ''));

const keys = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `k${from + at}`);

/** Row positions of the current version, as `upload/record`. */
const positionsOf = async (dataset: number): Promise<string[]> => {
  const [row] = await product.sql.query<{ ids: string[]; store: number; pool: string | null }>(
    `SELECT array_agg(g.id::text) AS ids, max(g.store_id) AS store, max(m.pool) AS pool
     FROM segment_ranges r JOIN segments g ON g.id = r.segment_id LEFT JOIN slot_maps m ON m.id = g.slot_map_id
     WHERE r.dataset_id = $1 AND r.until_version IS NULL`,
    [dataset],
  );
  const table = row!.pool === null ? `s${row!.store}` : `pool_${row!.pool}`;
  const rows = await clickhouse.rows<{ at: string }>(
    `SELECT concat(toString(intDiv(_row, ${recordsPerUpload})), '/', toString(_row % ${recordsPerUpload})) AS at
     FROM ${clickhouse.database}.${table} WHERE _seg IN (${row!.ids.join(', ')}) ORDER BY _row`,
  );
  return rows.map(({ at }) => at);
};

const records = (upload: number | undefined, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${upload}/${at}`);

/** Upload numbers of a dataset in order of acceptance. Some numbers may be unused. */
const numbersOf = async (dataset: number): Promise<number[]> => {
  const rows = await product.sql.query<{ number: number }>(
    'SELECT upload_number AS number FROM processes WHERE dataset_id = $1 AND upload_number IS NOT NULL ORDER BY id',
    [dataset],
  );
  const numbers = rows.map(({ number }) => number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  return numbers;
};

it('positions stay when a small dataset grows into a table of its own, and when its rows are replaced', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 5), {});
  await uploadWith(owner, dataset, fileOf(5, 3), { mode: 'append' });
  const [one, two] = await numbersOf(dataset);
  expect(await positionsOf(dataset)).toEqual([...records(one, 5), ...records(two, 3)]);
  await uploadWith(owner, dataset, fileOf(8, 60), { mode: 'append' });
  const three = (await numbersOf(dataset))[2];
  expect(await positionsOf(dataset)).toEqual([...records(one, 5), ...records(two, 3), ...records(three, 60)]);
  await uploadWith(owner, dataset, 'k,v\nk6,1000\nnew,1\nk0,2000\n', { mode: 'upsert', key: 'k' });
  expect(await keysOf(dataset)).toEqual([...keys(0, 68), 'new']);
  const after = await positionsOf(dataset);
  const added = `${(await numbersOf(dataset))[3]}/1`;
  expect(new Set(after)).toEqual(
    new Set([...records(one, 5), ...records(two, 3), ...records(three, 60), added]),
  );
  expect(after.at(-1)).toBe(added);
});

it('positions are the same in the next attempt of an upload', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 1), {});
  // A value far after the first chunk needs a wider type.
  const done = await uploadWith(owner, dataset, `${fileOf(1, 2_000)}k2001,text\n`, {});
  const found = await product.sql.query<{ attempt: number; number: number }>(
    `SELECT (g.id % 1000)::int AS attempt, g.upload_number AS number FROM segments g
     WHERE g.process_id = $1 AND g.id % 1000 < 500 ORDER BY g.id`,
    [done.id],
  );
  const number = (await numbersOf(dataset))[1];
  expect(found.at(-1)).toEqual({ attempt: 2, number });
  expect(await positionsOf(dataset)).toEqual(records(number, 2_001));
});

it('positions follow the order in which files are accepted, also after an earlier reservation', async () => {
  const dataset = await createDataset(owner);
  const reserved = await json<ProcessAnswer>(
    await call(owner, 'POST', `/datasets/${dataset}/processes`),
    201,
  );
  await uploadWith(owner, dataset, fileOf(0, 2), {});
  const query = `?processId=${reserved.id}`;
  const filled = await putWith(owner, dataset, fileOf(2, 2), { mode: 'append' }, { query });
  await ended(owner, await json<ProcessAnswer>(filled, 201));
  await uploadWith(owner, dataset, fileOf(4, 2), { mode: 'append' });
  const numbers = await numbersOf(dataset);
  expect(numbers).toHaveLength(3);
  expect(await positionsOf(dataset)).toEqual(numbers.flatMap((number) => records(number, 2)));
  expect(await keysOf(dataset)).toEqual(keys(0, 6));
});

it('positions continue in a clone after those of its source, and after a restored version', async () => {
  const dataset = await createDataset(owner);
  for (let at = 0; at < 3; at += 1)
    await uploadWith(owner, dataset, fileOf(at * 2, 2), { mode: at === 0 ? 'replace' : 'append' });
  const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
  const answer = await call(owner, 'POST', `/datasets/${dataset}/clone`, {
    repositoryId: home.id,
    name: 'copy',
  });
  const clone = (await json<{ id: number }>(answer, 201)).id;
  await uploadWith(owner, clone, fileOf(6, 2), { mode: 'append' });
  await uploadWith(owner, dataset, fileOf(60, 2), { mode: 'append' });
  const [own] = await numbersOf(clone);
  const numbers = await numbersOf(dataset);
  expect(own).toBeGreaterThan(numbers[2]!);
  expect((await positionsOf(clone)).slice(-2)).toEqual(records(own, 2));
  const list = await json<{ versionId: string }[]>(await call(owner, 'GET', `/datasets/${dataset}/versions`));
  const oldest = list.at(-1)!.versionId;
  await json(await call(owner, 'POST', `/datasets/${dataset}/versions/${oldest}/restore`), 201);
  await uploadWith(owner, dataset, fileOf(70, 2), { mode: 'append' });
  const last = (await numbersOf(dataset)).at(-1);
  expect(await positionsOf(dataset)).toEqual([...records(numbers[0], 2), ...records(last, 2)]);
  expect(await keysOf(dataset)).toEqual([...keys(0, 2), ...keys(70, 2)]);
  expect(await keysOf(clone)).toEqual(keys(0, 8));
});

it('positions let pages continue when segments are joined in between', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 60), {});
  await uploadWith(owner, dataset, fileOf(60, 30), { mode: 'append' });
  await uploadWith(owner, dataset, fileOf(90, 40), { mode: 'append' });
  const versionId = (
    await json<{ currentVersionId: string }>(await call(owner, 'GET', `/datasets/${dataset}`))
  ).currentVersionId;
  const pageOf = async (path: string) => {
    const answer = await call(owner, 'GET', path);
    expect(answer.status).toBe(200);
    const link = /<([^>]*)>/.exec(answer.headers.get('link') ?? '')?.[1];
    const at = link?.indexOf('/datasets/') ?? -1;
    return { text: await answer.text(), next: at < 0 ? undefined : link!.slice(at) };
  };
  for (const order of ['', '&$orderby=v%20desc']) {
    await uploadWith(owner, dataset, fileOf(500, 3), { mode: 'append' });
    const query = `/datasets/${dataset}/data?versionId=${versionId}&$pagesize=50&$format=csv${order}`;
    const first = await pageOf(query);
    expect(await compact(product, clickhouse)).toBeGreaterThanOrEqual(order === '' ? 1 : 0);
    const pages = [first];
    for (let page = first; page.next !== undefined; ) {
      page = await pageOf(page.next);
      pages.push(page);
    }
    const rows = pages.flatMap(({ text }) =>
      text
        .split(/\r?\n/)
        .slice(1, -1)
        .map((line) => line.split(',')[0]),
    );
    const all = keys(0, 130).map((key) => `"${key}"`);
    expect(rows).toEqual(order === '' ? all : all.toReversed());
  }
});

it('an upload to a dataset that has used all positions is refused', async () => {
  const dataset = await createDataset(owner);
  await uploadWith(owner, dataset, fileOf(0, 2), {});
  await product.sql.query('UPDATE datasets SET upload_count = $2 WHERE id = $1', [dataset, 2 ** 28 - 1]);
  const answer = await putFile(owner, dataset, fileOf(2, 2));
  expect([answer.status, await answer.json()]).toMatchObject([409, { code: 'too_many_uploads' }]);
  expect(await keysOf(dataset)).toEqual(keys(0, 2));
});
