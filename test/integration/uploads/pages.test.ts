import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createCompactor } from '../../../src/rows/compact.js';
import { createCompactions } from '../../../src/rows/compactions.js';
import { createJoin } from '../../../src/rows/join.js';
import { createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { authorization, type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { leasesOf } from '../../support/leases.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    publicUrl: 'https://data.example.org/tab',
    poolMaxRows: '0',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const linkOf = (response: Response): string =>
  /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1] ?? '';

/** Path and query of a URL below the API. */
const pathOf = (link: string): string => link.replace('https://data.example.org/tab/api', '');

const pageOf = async (path: string): Promise<{ rows: { n: number }[]; next: string }> => {
  const response = await call(owner, 'GET', path);
  return { rows: await json<{ n: number }[]>(response), next: pathOf(linkOf(response)) };
};

const segmentsOf = async (dataset: number): Promise<number> => {
  const [row] = await product.sql.query<{ n: number }>(
    'SELECT count(*)::int AS n FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL',
    [dataset],
  );
  return row?.n ?? 0;
};

/** Joins the segments of all datasets that have several. */
const compact = async (): Promise<void> => {
  const { sql, config } = product;
  const clickhouse = createClickHouse({
    url: config.clickhouseUrl ?? '',
    database: config.clickhouseDatabase,
  });
  const compactor = createCompactor({
    compactions: createCompactions({ sql, leases: leasesOf(sql) }),
    join: createJoin({ clickhouse, log: silentLog }),
    bounds: { least: 2, maxBytes: 1_000_000_000 },
    onJoined: () => undefined,
    log: silentLog,
  });
  try {
    await compactor.compact(new AbortController().signal);
  } finally {
    await clickhouse.close();
  }
};

describe('pages of a dataset', () => {
  it('continue at their position after appends and compaction', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,n\na,1\nb,2\n');
    await uploadWith(owner, dataset, 'k,n\nc,3\nd,4\n', { mode: 'append' });
    const paths = ['$orderby=n desc&', '$filter=n gt 0&', ''].map(
      (options) => `/datasets/${dataset}/data?$format=json&${options}$pagesize=3`,
    );
    const first = await Promise.all(paths.map(pageOf));
    expect(first.map(({ rows }) => rows.map(({ n }) => n))).toEqual([
      [4, 3, 2],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(await segmentsOf(dataset)).toBe(2);
    await uploadWith(owner, dataset, 'k,n\ne,5\n', { mode: 'append' });
    await uploadWith(owner, dataset, 'k,n\nf,6\n', { mode: 'append' });
    await compact();
    expect(await segmentsOf(dataset)).toBe(1);
    const second = await Promise.all(first.map(({ next }) => pageOf(next)));
    expect(second.map(({ rows, next }) => [rows.map(({ n }) => n), next])).toEqual([
      [[1], ''],
      [[4], ''],
      [[4], ''],
    ]);
  });

  it('link to the public URL without a key, and access is checked for each', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,n\na,1\nb,2\n');
    const url = `${owner.baseUrl}/datasets/${dataset}/data?apiKey=${owner.key}&$pagesize=1`;
    const link = linkOf(await fetch(url));
    expect(link).toMatch(
      new RegExp(
        `^https://data\\.example\\.org/tab/api/datasets/${dataset}/data\\?\\$pagesize=1&\\$skiptoken=[\\w.-]+$`,
      ),
    );
    const next = `${owner.baseUrl}${pathOf(link)}`;
    const other = await product.createAccount('other');
    const mine = await fetch(next, { headers: authorization(owner.key) });
    const theirs = await fetch(next, { headers: authorization(other.key) });
    const anonymous = await fetch(next);
    expect([mine.status, theirs.status, anonymous.status]).toEqual([200, 403, 401]);
    await call(owner, 'DELETE', `/datasets/${dataset}`);
    expect((await fetch(next, { headers: authorization(owner.key) })).status).toBe(404);
  });

  it('of a deleted version are 404', async () => {
    const dataset = await createDataset(owner);
    const { versionId } = await upload(owner, dataset, 'k,n\na,1\nb,2\n');
    const { next } = await pageOf(`/datasets/${dataset}/data?$format=json&$pagesize=1`);
    await upload(owner, dataset, 'k,n\nz,9\n');
    await call(owner, 'DELETE', `/datasets/${dataset}/versions/${versionId}`);
    const response = await call(owner, 'GET', next);
    expect([response.status, await response.json()]).toMatchObject([404, { code: 'unknown_version' }]);
  });

  it('of a clone have tokens that its source refuses', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,n\na,1\nb,2\n');
    const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
    const clone = await json<{ id: number }>(
      await call(owner, 'POST', `/datasets/${dataset}/clone`, { name: 'Clone', repositoryId: home.id }),
      201,
    );
    const { rows, next } = await pageOf(`/datasets/${clone.id}/data?$format=json&$pagesize=1`);
    expect(rows).toMatchObject([{ n: 1 }]);
    expect((await pageOf(next)).rows).toMatchObject([{ n: 2 }]);
    expect((await call(owner, 'GET', next.replace(String(clone.id), String(dataset)))).status).toBe(400);
  });
});
