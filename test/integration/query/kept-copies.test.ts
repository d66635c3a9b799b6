import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Client, call, createDataset, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

const keepMs = 8_000;

beforeAll(async () => {
  product = await startProduct({
    readCopyMinRows: '100',
    readCopyQuietMs: '0',
    readCopyIntervalMs: '100',
    readCopyKeepMs: String(keepMs),
    poolMaxRows: '1',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

interface Copy {
  readonly table: string;
  readonly readAt: string;
}

const copyOf = async (versionId: string): Promise<Copy | undefined> => {
  const [copy] = await product.sql.query<Copy>(
    'SELECT table_name AS "table", read_at::text AS "readAt" FROM read_copies WHERE version_id = $1 AND made_at IS NOT NULL',
    [versionId],
  );
  return copy;
};

/** Reads a version until its copy meets a condition. */
const readUntil = async (path: string, versionId: string, isMet: (copy: Copy) => boolean): Promise<Copy> => {
  for (;;) {
    expect((await call(owner, 'GET', path)).status).toBe(200);
    const copy = await copyOf(versionId);
    if (copy !== undefined && isMet(copy)) return copy;
    await sleep(100);
  }
};

it('a read copy in constant use outlives the retention of unread copies', async () => {
  const dataset = await createDataset(owner);
  const rows = Array.from({ length: 200 }, (_, at) => `${at}\n`).join('');
  const { versionId } = await upload(owner, dataset, `n\n${rows}`);
  const path = `/datasets/${dataset}/data?versionId=${versionId}&$top=3`;
  const made = await readUntil(path, versionId ?? '', () => true);
  // The first record after that is still of a version without a copy.
  const first = await readUntil(path, versionId ?? '', ({ readAt }) => readAt !== made.readAt);
  const until = Date.now() + 1.5 * keepMs;
  const last = await readUntil(
    path,
    versionId ?? '',
    ({ readAt }) => readAt !== first.readAt && Date.now() > until,
  );
  expect(last.table).toBe(made.table);
});
