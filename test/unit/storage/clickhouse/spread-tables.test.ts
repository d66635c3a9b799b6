import { expect, it } from 'vitest';
import { shardingKey } from '../../../../src/rows/spread-tables.js';
import type { Connection } from '../../../../src/storage/clickhouse/client.js';

/** Answers with the shards of `system.clusters`. */
const clusterOf = (...weights: number[]) =>
  ({
    rows: async () => weights.map((weight, at) => ({ number: at + 1, weight })),
  }) as unknown as Connection;

const turn = 'cityHash64(_seg, intDiv(_row, 65536))';

it('gives the turns of closed shards to the others', async () => {
  expect(await shardingKey(clusterOf(1, 1, 1), 'c', [])).toBe(turn);
  expect(await shardingKey(clusterOf(1, 1, 1), 'c', [2])).toBe(`[0, 2][1 + ${turn} % 2]`);
  expect(await shardingKey(clusterOf(1, 1, 1), 'c', [1, 3])).toBe(`[1][1 + ${turn} % 1]`);
});

it('counts the turns of a shard by its weight, as ClickHouse does', async () => {
  expect(await shardingKey(clusterOf(2, 1, 3), 'c', [2])).toBe(`[0, 1, 3, 4, 5][1 + ${turn} % 5]`);
});

it('leaves the turns alone where no shard of the cluster is closed, or all are', async () => {
  expect(await shardingKey(clusterOf(1, 1), 'c', [3])).toBe(turn);
  expect(await shardingKey(clusterOf(1, 1), 'c', [1, 2])).toBe(turn);
});
