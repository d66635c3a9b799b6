/** Data frame libraries read one column of a remote table and fetch little more than that column. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { createPlans } from '../../../src/catalog/plans.js';
import { authorization, type Client, call, json, upload } from '../../support/datasets.js';
import { testWith } from '../../support/optional-tools.js';
import { longestTestMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const run = promisify(execFile);
const pythonTest = await testWith('Python readers');
const script = fileURLToPath(new URL('../../clients/read_tables.py', import.meta.url));

const rows = 200_000;
const columns = 16;
const tools = ['polars', 'pandas', 'fsspec', 'DuckDB'];
let product: TestProduct;
/** Accounts with a plan that counts exports. */
const readers = new Map<string, Client>();
let address: string;
let size: number;
let sum = 0;

beforeAll(async () => {
  product = await startProduct();
  const plans = createPlans({ sql: product.sql });
  const counted = { maxExportsPerDay: 1_000, maxExportBytesPerDay: 1e12 };
  await plans.put({ ...(await plans.read('unlimited')), name: 'counted', ...counted });
  const owner = await product.createAccount('owner');
  const repository = { name: 'shared', privacy: 'Private' };
  const { id: repositoryId } = await json<{ id: number }>(
    await call(owner, 'POST', '/repositories', repository),
    201,
  );
  for (const tool of tools) {
    readers.set(tool, await product.createAccount(tool.toLowerCase(), 'counted'));
    const path = `/repositories/${repositoryId}/permissions/${tool.toLowerCase()}`;
    expect((await call(owner, 'PUT', path, { level: 'Read' })).ok).toBe(true);
  }
  const { id } = await json<{ id: number }>(
    await call(owner, 'POST', '/datasets', { name: 'wide', repositoryId }),
    201,
  );
  // Pseudo-random numbers, which do not compress.
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state;
  };
  const names = ['Value', ...Array.from({ length: columns - 1 }, (_, at) => `Other ${at}`)];
  const lines = Array.from({ length: rows }, () => {
    const cells = names.map(next);
    sum += cells[0] ?? 0;
    return cells.join(',');
  });
  await upload(owner, id, `${names.join(',')}\n${lines.join('\n')}\n`);
  address = `${product.baseUrl}/datasets/${id}/data.parquet`;
  const answer = await fetch(address, { method: 'HEAD', headers: authorization(owner.key) });
  size = Number(answer.headers.get('content-length'));
});

afterAll(() => product?.close());

const used = async (client: Client): Promise<{ exports: number; bytes: number }> => {
  const { plan } = await json<{
    plan: { quotas: Record<'exportsPerDay' | 'exportBytesPerDay', { used: number }> };
  }>(await call(client, 'GET', '/account'));
  return { exports: plan.quotas.exportsPerDay.used, bytes: plan.quotas.exportBytesPerDay.used };
};

describe('one column is read with at most a tenth of the bytes and counted as one export, by', () => {
  pythonTest.each(tools)(
    '%s',
    async (tool) => {
      const client = readers.get(tool);
      if (client === undefined) throw new Error(`no account for ${tool}`);
      const { stdout } = await run(await programOf('Python readers'), [script, tool, address, client.key]);
      expect(JSON.parse(stdout)).toEqual({ rows, sum });
      await expect.poll(async () => (await used(client)).exports).toBe(1);
      const { bytes } = await used(client);
      expect(size).toBeGreaterThan(10_000_000);
      expect([tool, bytes > 0, bytes <= size / 10]).toEqual([tool, true, true]);
    },
    longestTestMs,
  );
});
