/** The recorded size of each dataset equals the sum of its segments, also after concurrent changes. */
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    sweepIntervalMs: '300',
    compactionMinSegments: '3',
    compactionIntervalMs: '200',
  });
  owner = await product.createAccount('owner');
});
afterAll(() => product?.close());

interface Usage {
  readonly used: number;
  readonly datasets: readonly { readonly id: number; readonly bytes: number; readonly versions: number }[];
}

const usage = async (): Promise<Usage> => {
  const { plan } = await json<{ plan: { quotas: { storedBytes: Usage } } }>(
    await call(owner, 'GET', '/account'),
  );
  return plan.quotas.storedBytes;
};

interface Sizes {
  readonly used: number;
  readonly datasets: readonly { readonly id: number; readonly bytes: number }[];
}

/** Computes sizes from the segments, in one statement: of one moment. */
const segmentSizes = async (): Promise<Sizes> => {
  const [sizes] = await product.sql.query<Sizes>(
    `WITH ranges AS (SELECT DISTINCT dataset_id, segment_id FROM segment_ranges), sizes AS (
       SELECT d.id, coalesce(sum(g.bytes), 0)::bigint AS bytes FROM datasets d LEFT JOIN ranges r ON r.dataset_id = d.id
         LEFT JOIN segments g ON g.id = r.segment_id GROUP BY d.id)
     SELECT (SELECT coalesce(sum(bytes), 0)::bigint FROM segments WHERE id IN (SELECT segment_id FROM ranges)) AS used,
       (SELECT jsonb_agg(jsonb_build_object('id', id, 'bytes', bytes) ORDER BY bytes DESC, id) FROM sizes) AS datasets`,
  );
  return sizes!;
};

/** The account shows its sizes by several statements, so a compaction may come between them: then they are read again. */
const requireExact = async (): Promise<void> => {
  const before = await segmentSizes();
  const { used, datasets } = await usage();
  if (!isDeepStrictEqual(await segmentSizes(), before)) return requireExact();
  expect({ used, datasets: datasets.map(({ id, bytes }) => ({ id, bytes })) }).toEqual(before);
};

const versionsOf = async (dataset: number): Promise<{ versionId: string }[]> =>
  json(await call(owner, 'GET', `/datasets/${dataset}/versions`));

describe('stored bytes', () => {
  it('stay exact under concurrent uploads, restores, deletions, clones and compaction', async () => {
    const datasets = await Promise.all(Array.from({ length: 4 }, () => createDataset(owner)));
    await Promise.all(
      datasets.map(async (dataset, at) => {
        await upload(owner, dataset, 'K,V\na,1\nb,2\n');
        for (let turn = 0; turn < 6; turn += 1)
          await uploadWith(owner, dataset, `K,V\n${'x'.repeat(turn + at)}${turn},${turn}\n`, {
            mode: turn % 3 === 2 ? 'upsert' : 'append',
          });
        const versions = await versionsOf(dataset);
        await call(owner, 'POST', `/datasets/${dataset}/versions/${versions.at(-1)?.versionId}/restore`);
        await call(owner, 'DELETE', `/datasets/${dataset}/versions/${versions[1]?.versionId}`);
      }),
    );
    await requireExact();
    const home = await json<{ id: number }>(await call(owner, 'GET', '/repositories/home'));
    const clones = await Promise.all(
      [0, 0, 1].map(async (at, copy) =>
        json<{ id: number }>(
          await call(owner, 'POST', `/datasets/${datasets[at]}/clone`, {
            repositoryId: home.id,
            name: `copy ${copy}`,
          }),
          201,
        ),
      ),
    );
    await requireExact();
    await uploadWith(owner, clones[0]!.id, 'K,V\nown,1\n', { mode: 'append' });
    await Promise.all([
      call(owner, 'DELETE', `/datasets/${datasets[0]}`),
      call(owner, 'DELETE', `/datasets/${clones[2]?.id}`),
    ]);
    await requireExact();
    const shown = await usage();
    expect(shown.datasets).toHaveLength(5);
    for (const { id, versions } of shown.datasets) expect(versions).toBe((await versionsOf(id)).length);
  });
});
