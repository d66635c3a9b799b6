import { expect, it } from 'vitest';
import { runConcurrency } from '../../concurrency/concurrency-run.js';
import { type Person, people } from '../../concurrency/rights.js';
import { restless } from '../../concurrency/settings.js';
import { findOrphans } from '../../harness/orphans.js';
import { untilNone } from '../../harness/until-none.js';
import { startProduct } from '../../support/product.js';

it('every row, version and permission is correct while accounts change the same datasets concurrently', async () => {
  const product = await startProduct(restless);
  try {
    const keys = {} as Record<Person, string>;
    for (const name of people) keys[name] = (await product.createAccount(name)).key;
    const report = await runConcurrency({
      target: { apis: [product.baseUrl], keys },
      seed: Number(process.env.TEST_CONCURRENCY_SEED ?? 7),
      minutes: 0.3,
      clients: 8,
      datasets: 3,
      roundSeconds: 9,
      say: () => undefined,
    });
    expect(report.faults).toEqual([]);
    for (const what of [
      'upload completed',
      'read 200',
      'clone 201',
      'restore 201',
      'revoked upload 201',
      'upload failed permission_ended',
    ])
      expect(report.counts[what], what).toBeGreaterThan(0);
    const { sql, clickhouse, config } = product;
    const stores = { sql, clickhouse, database: config.clickhouseDatabase };
    expect(await untilNone(() => findOrphans(stores), 60_000)).toEqual([]);
  } finally {
    await product.close();
  }
});
