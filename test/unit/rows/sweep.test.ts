import { expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createTidy, type TidyOptions } from '../../../src/rows/sweep.js';

it('drop gives up after its patience while another process drops rows', async () => {
  let attempts = 0;
  const tidy = createTidy({
    sql: { query: async () => [] },
    clickhouse: { shards: [] },
    tables: {},
    leases: {
      whileHeld: async () => {
        attempts += 1;
        return undefined;
      },
    },
    poolDropIntervalMs: 0,
    graceMs: 0,
    isBeingRead: () => 'false',
    log: silentLog,
  } as unknown as TidyOptions);
  await expect(tidy.drop([1], 0)).rejects.toThrow('another process still drops rows');
  expect(attempts).toBe(1);
});
