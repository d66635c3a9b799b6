/** Small answers are cached in memory without any other difference to a request. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../src/catalog/keys.js';
import { createPlans } from '../../../src/catalog/plans.js';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { type FurtherProcess, startFurther } from '../../support/further-process.js';
import { parseMetrics } from '../../support/metrics-text.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let other: FurtherProcess;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ resultCacheBytes: String(64 * 2 ** 20) });
  other = await startFurther(product, 'api');
  const { key } = await product.createAccount('owner');
  owner = { baseUrl: product.baseUrl, key };
});

afterAll(async () => {
  await other?.stop();
  await product?.close();
});

const rows = 'Country,Date,Value\nFrance,2024-01-01,1\nSpain,2024-01-01,2\nSpain,2024-02-01,3\n';
const question = "$format=json&$filter=Country eq 'Spain'";

const newDataset = async (): Promise<number> => {
  const dataset = await createDataset(owner);
  await upload(owner, dataset, rows);
  return dataset;
};

const ask = (client: Client, dataset: number, query = question, headers: Record<string, string> = {}) =>
  fetch(`${client.baseUrl}/datasets/${dataset}/data?${query}`, {
    headers: { authorization: `Bearer ${client.key}`, ...headers },
  });

const statusOf = async (...given: Parameters<typeof ask>): Promise<number> => {
  const answer = await ask(...given);
  await answer.text();
  return answer.status;
};

const hits = async (): Promise<number> => {
  const text = await (await fetch(`${product.baseUrl.replace(/\/api$/, '')}/metrics`)).text();
  return parseMetrics(text).value('tabulary_result_cache_lookups_total', { outcome: 'hit' }) ?? 0;
};

const pool = () => `${product.config.clickhouseDatabase}.pool_narrow`;

const segmentOf = async (dataset: number): Promise<number> => {
  const [range] = await product.sql.query<{ id: number }>(
    'SELECT segment_id AS id FROM segment_ranges WHERE dataset_id = $1 AND until_version IS NULL',
    [dataset],
  );
  return range?.id ?? 0;
};

const dropRows = (segment: number) =>
  product.clickhouse(`DELETE FROM ${pool()} WHERE _seg = ${segment} SETTINGS lightweight_deletes_sync = 1`);

const varyingHeaders = new Set(['date', 'x-request-id', 'connection', 'keep-alive']);
const headersOf = (answer: Response) => [...answer.headers].filter(([name]) => !varyingHeaders.has(name));

/** Requests until an answer is complete within the buffering time; slower answers are streamed and not cached. */
const askUntilBuffered = async (dataset: number, query: string): Promise<Response> => {
  for (;;) {
    const answer = await ask(owner, dataset, query);
    if (answer.headers.has('content-length')) return answer;
    await answer.arrayBuffer();
  }
};

describe('a cached answer', () => {
  it('is returned with the same headers, without reading rows', async () => {
    const dataset = await newDataset();
    const queries = [
      question,
      '$top=2',
      '$count=true',
      '$format=xlsx&$select=Value',
      '$apply=aggregate(Value with sum as Sum)',
    ];
    const first: Response[] = [];
    for (const query of queries) first.push(await askUntilBuffered(dataset, query));
    expect(first.map(({ status }) => status)).toEqual(queries.map(() => 200));
    const bytes = await Promise.all(first.map((answer) => answer.arrayBuffer()));
    await dropRows(await segmentOf(dataset));
    const before = await hits();
    for (const [index, query] of queries.entries()) {
      const again = await ask(owner, dataset, query);
      expect(await again.arrayBuffer()).toEqual(bytes[index]);
      expect(headersOf(again)).toEqual(headersOf(first[index]!));
    }
    // Scrapes share one answer for a quarter of a second.
    await expect.poll(hits).toBe(before + queries.length);
    expect(await statusOf(owner, dataset, '$top=1')).toBe(503);
    expect(await statusOf({ ...owner, baseUrl: other.baseUrl }, dataset)).toBe(503);
  });

  it('is returned in the requested coding, as 304, and for HEAD', async () => {
    const dataset = await newDataset();
    const plain = await ask(owner, dataset, question, { 'accept-encoding': 'identity' });
    const text = await plain.text();
    for (const turn of [1, 2]) {
      const coded = await ask(owner, dataset, question, { 'accept-encoding': 'gzip' });
      expect([turn, coded.headers.get('content-encoding'), await coded.text()]).toEqual([turn, 'gzip', text]);
      expect(coded.headers.get('etag')).not.toBe(plain.headers.get('etag'));
    }
    const tag = plain.headers.get('etag') ?? '';
    const identity = { 'accept-encoding': 'identity' };
    expect(await statusOf(owner, dataset, question, { ...identity, 'if-none-match': tag })).toBe(304);
    const head = await fetch(`${owner.baseUrl}/datasets/${dataset}/data?${question}`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${owner.key}`, ...identity },
    });
    expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, tag, '']);
  });

  it('is replaced at once, in every process, by that of a new version', async () => {
    const dataset = await newDataset();
    const clients = [owner, { ...owner, baseUrl: other.baseUrl }];
    for (const client of clients) expect(await (await ask(client, dataset)).json()).toHaveLength(2);
    await upload(owner, dataset, `${rows}Spain,2024-03-01,4\n`);
    for (const client of clients) expect(await (await ask(client, dataset)).json()).toHaveLength(3);
  });

  it('is not returned for a deleted version or dataset', async () => {
    const dataset = await newDataset();
    const [version] = await json<{ versionId: string }[]>(
      await call(owner, 'GET', `/datasets/${dataset}/versions`),
    );
    await upload(owner, dataset, `${rows}Spain,2024-03-01,4\n`);
    const old = `${question}&versionId=${version?.versionId}`;
    for (const status of [200, 200]) expect(await statusOf(owner, dataset, old)).toBe(status);
    expect((await call(owner, 'DELETE', `/datasets/${dataset}/versions/${version?.versionId}`)).status).toBe(
      204,
    );
    expect(await statusOf(owner, dataset, old)).toBe(404);
    expect(await statusOf(owner, dataset)).toBe(200);
    expect((await call(owner, 'DELETE', `/datasets/${dataset}`)).status).toBe(204);
    expect(await statusOf(owner, dataset)).toBe(404);
  });

  it('counts as an export like any other', async () => {
    const dataset = await newDataset();
    const plans = createPlans({ sql: product.sql });
    await plans.put({ ...(await plans.read('unlimited')), name: 'three', maxExportsPerDay: 3 });
    const bounded = await product.createAccount('bounded', 'three');
    await call(owner, 'PUT', `/datasets/${dataset}/permissions/bounded`, { level: 'Read' });
    const statuses = [];
    for (let turn = 0; turn < 4; turn += 1) statuses.push(await statusOf(bounded, dataset));
    expect(statuses).toEqual([200, 200, 200, 402]);

    const free = await product.createAccount('free');
    await call(owner, 'PUT', `/datasets/${dataset}/permissions/free`, { level: 'Read' });
    const plain = { 'accept-encoding': 'identity' };
    const lengths = [];
    for (let turn = 0; turn < 4; turn += 1)
      lengths.push((await (await ask(free, dataset, question, plain)).arrayBuffer()).byteLength);
    expect(new Set(lengths).size).toBe(1);
    const used = async () => {
      const {
        plan: { quotas },
      } = await json<{ plan: { quotas: Record<string, { used: number }> } }>(
        await call(free, 'GET', '/account'),
      );
      return [quotas.exportsPerDay?.used, quotas.exportBytesPerDay?.used];
    };
    await expect.poll(used).toEqual([4, 4 * (lengths[0] ?? 0)]);
  });
});

describe('access to a cached answer', () => {
  it('ends in every process with the key, the grant and the account', async () => {
    const dataset = await newDataset();
    const { id, key } = await product.createAccount('reader');
    const own = await createKeys({ sql: product.sql }).create(id, { name: 'second' });
    const clients = [product, other].map(({ baseUrl }) => ({ baseUrl, key: own.key }));
    const statuses = (withKey = own.key) =>
      Promise.all(clients.map((client) => statusOf({ ...client, key: withKey }, dataset)));
    expect(await statuses()).toEqual([403, 403]);
    const grant = `/datasets/${dataset}/permissions/reader`;
    expect((await call(owner, 'PUT', grant, { level: 'Read' })).ok).toBe(true);
    expect(await statuses()).toEqual([200, 200]);
    expect(await statuses()).toEqual([200, 200]);
    expect((await call(owner, 'DELETE', grant)).ok).toBe(true);
    expect(await statuses()).toEqual([403, 403]);
    expect((await call(owner, 'PUT', grant, { level: 'Read' })).ok).toBe(true);
    expect(await statuses()).toEqual([200, 200]);
    await createKeys({ sql: product.sql }).revoke(id, own.id);
    expect(await statuses()).toEqual([401, 401]);
    expect(await statuses(key)).toEqual([200, 200]);
    await product.sql.query('UPDATE accounts SET disabled_at = now() WHERE id = $1', [id]);
    expect(await statuses(key)).toEqual([401, 401]);
  });

  it('ends for anonymous callers when the repository becomes private', async () => {
    const repository = await json<{ id: number }>(
      await call(owner, 'POST', '/repositories', { name: 'open', privacy: 'Public' }),
      201,
    );
    const body = { name: 'rows', repositoryId: repository.id };
    const { id } = await json<{ id: number }>(await call(owner, 'POST', '/datasets', body), 201);
    await upload(owner, id, rows);
    const anonymous = async () => {
      const answer = await fetch(`${product.baseUrl}/datasets/${id}/data?${question}`);
      await answer.text();
      return answer.status;
    };
    expect([await anonymous(), await anonymous()]).toEqual([200, 200]);
    await call(owner, 'PUT', `/repositories/${repository.id}`, { name: 'open', privacy: 'Private' });
    expect(await anonymous()).toBe(401);
  });
});

describe('rows of a cached version', () => {
  it('are found after they were joined into another segment', async () => {
    const dataset = await newDataset();
    expect(await statusOf(owner, dataset)).toBe(200);
    const segment = await segmentOf(dataset);
    const joined = segment + 800;
    await product.clickhouse(
      `INSERT INTO ${pool()} SELECT * REPLACE (${joined} AS _seg) FROM (SELECT * FROM ${pool()} WHERE _seg = ${segment})`,
    );
    await product.sql.query(
      `INSERT INTO segments (id, store_id, slot_map_id, process_id, upload_number, rows, bytes)
       SELECT $2, store_id, slot_map_id, process_id, upload_number, rows, bytes FROM segments WHERE id = $1`,
      [segment, joined],
    );
    await product.sql.query('UPDATE segment_ranges SET segment_id = $2 WHERE segment_id = $1', [
      segment,
      joined,
    ]);
    await dropRows(segment);
    const queries = [
      '$format=json&$top=3',
      '$count=true&$filter=Value gt 1',
      '$format=json&$orderby=Value desc',
    ];
    for (const query of queries) expect(await statusOf(owner, dataset, query)).toBe(200);
  });
});
