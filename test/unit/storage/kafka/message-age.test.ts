import { expect, it } from 'vitest';
import { agesOf } from '../../../../src/storage/kafka/message-age.js';

/** Log with the age in milliseconds of each message, by partition. */
const createLog = (ages: ReadonlyMap<number, readonly number[]>) => {
  let requests = 0;
  return {
    requests: () => requests,
    firstYounger: async (ageMs: number): Promise<Map<number, bigint>> => {
      requests += 1;
      return new Map(
        [...ages].map(([partition, all]) => {
          const first = all.findIndex((age) => age <= ageMs);
          return [partition, BigInt(first === -1 ? all.length : first)];
        }),
      );
    },
  };
};

it('finds the age of the first needed message of a partition to within an eighth', async () => {
  const minute = 60_000;
  const ages = new Map([
    [0, [86_400_000, 3_600_000, 90 * minute, 5 * minute].sort((a, b) => b - a)],
    [1, [12_000]],
    [2, [20 * 86_400_000, 40_000]],
  ]);
  for (const [partition, all] of ages)
    for (const [offset, age] of all.entries()) {
      const found = await agesOf([{ partition, needed: BigInt(offset) }], createLog(ages).firstYounger);
      const ratio = (found.get(partition) ?? 0) / age;
      expect(ratio).toBeLessThanOrEqual(1);
      expect(ratio).toBeGreaterThan(0.875);
    }
});

it('sends seven requests for any number of partitions with the same lag', async () => {
  const log = createLog(new Map([...Array(12).keys()].map((partition) => [partition, [7_200_000]])));
  const positions = [...Array(12).keys()].map((partition) => ({ partition, needed: 0n }));
  expect((await agesOf(positions, log.firstYounger)).size).toBe(12);
  expect(log.requests()).toBe(7);
});

it('sends no request without a lag', async () => {
  const log = createLog(new Map());
  expect((await agesOf([], log.firstYounger)).size).toBe(0);
  expect(log.requests()).toBe(0);
});
