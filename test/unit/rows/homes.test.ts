import { afterEach, describe, expect, it, vi } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createHomeTurns, homesFor, turnAt, turnsOf } from '../../../src/rows/homes.js';
import { joinServers } from '../../../src/rows/servers.js';
import type { ClickHouseServers, Connection } from '../../../src/storage/clickhouse/client.js';
import { createEngine } from '../../../src/storage/clickhouse/engine.js';

const shards = (...weights: number[]) => weights.map((weight, at) => ({ number: at + 1, weight }));

describe('turns of shards', () => {
  it('give each shard as many turns as its weight, spaced evenly', () => {
    expect(turnsOf(shards(1, 1, 1))).toEqual([1, 2, 3]);
    expect(turnsOf(shards(1, 3, 2))).toEqual([2, 3, 1, 2, 3, 2]);
  });

  it('leave out a shard of weight 0', () => {
    expect(turnsOf(shards(1, 0, 1))).toEqual([1, 3]);
    expect(turnsOf(shards(0, 0))).toEqual([]);
    expect(turnAt([], 5)).toBeUndefined();
  });

  it('depend on proportions: equal weights alternate, however large they are', () => {
    expect(turnsOf(shards(4_000_000_000, 4_000_000_000))).toEqual([1, 2]);
    expect(turnsOf(shards(300, 600))).toEqual([2, 1, 2]);
    const turns = turnsOf(shards(1_000_003, 2_000_003));
    expect(turns.length).toBeLessThanOrEqual(1_001);
    expect(turns.filter((number) => number === 2).length / turns.length).toBeCloseTo(2 / 3, 2);
    expect(turnsOf(shards(1, 4_000_000_000))).toContain(1);
  });

  it('start over after the last one', () => {
    expect([0, 1, 2, 3, Number.MAX_SAFE_INTEGER].map((at) => turnAt([4, 5, 6], at))).toEqual([4, 5, 6, 4, 5]);
  });
});

describe('turns for the homes of new datasets', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const clusterOf = (answers: readonly boolean[]) => {
    const answering = [...answers];
    const pings: number[] = [];
    const connection = (number: number) =>
      ({
        database: 'db',
        ping: async () => {
          pings.push(number);
          return answering[number - 1];
        },
      }) as unknown as Connection;
    const servers: ClickHouseServers = joinServers({
      entry: connection(1),
      engine: createEngine('MergeTree', { cluster: 'c' }),
      shards: answers.map((_, at) => ({ number: at + 1, weight: at + 1, clickhouse: connection(at + 1) })),
      readShards: async () => servers.shards,
      makeTables: async () => undefined,
      log: silentLog,
    });
    return { servers, answering, pings };
  };

  it('leave out a shard that does not answer', async () => {
    expect(await createHomeTurns(clusterOf([true, false, true]).servers)()).toEqual([3, 1, 3, 3]);
  });

  it('are checked again when no shard answered', async () => {
    const { servers, answering } = clusterOf([false]);
    const turns = createHomeTurns(servers);
    await expect(turns()).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'store_unavailable',
      cause: { message: 'no shard with a weight above 0 answers: no dataset can be placed' },
    });
    answering[0] = true;
    expect(await turns()).toEqual([1]);
  });

  it.each([
    ['a minute', [true, true], 60_000],
    ['five seconds if a shard was down', [true, false], 5_000],
  ])('are valid for %s', async (_, answers, validMs) => {
    const { servers, pings } = clusterOf(answers);
    const now = vi.spyOn(performance, 'now').mockReturnValue(1_000);
    const turns = createHomeTurns(servers);
    const pingsAt = async (ms: number): Promise<number> => {
      now.mockReturnValue(1_000 + ms);
      await turns();
      return pings.length;
    };
    expect([await pingsAt(0), await pingsAt(validMs), await pingsAt(validMs + 1)]).toEqual([2, 2, 4]);
  });

  it('are checked again when the shards have changed', async () => {
    const { servers, pings } = clusterOf([true, true]);
    let { shards: present } = servers;
    const turns = createHomeTurns({
      ...servers,
      get shards() {
        return present;
      },
    });
    expect(await turns()).toEqual([2, 1, 2]);
    present = present.slice(0, 1);
    expect(await turns()).toEqual([1]);
    expect(pings).toEqual([1, 2, 1]);
  });

  it('are only the first shard without a cluster', async () => {
    const { servers, pings } = clusterOf([false]);
    expect(await createHomeTurns({ ...servers, engine: createEngine('MergeTree') })()).toEqual([1]);
    expect(pings).toEqual([]);
  });
});

describe('homes of restored datasets', () => {
  it('fill the shards in proportion to their weights, largest first', () => {
    const stores = [50, 10, 60, 30, 30].map((bytes, at) => ({ id: at + 1, bytes }));
    expect(Object.fromEntries(homesFor(shards(1, 2, 0), stores))).toEqual({ 3: 2, 1: 1, 4: 2, 5: 2, 2: 1 });
  });

  it('are assigned by weight, and in the order of their ids if they are equally large', () => {
    const stores = [4, 3, 2, 1].map((id) => ({ id, bytes: 10 }));
    expect(Object.fromEntries(homesFor(shards(2, 1), stores))).toEqual({ 1: 1, 2: 1, 3: 2, 4: 1 });
  });

  it('cannot be assigned if no shard has a weight', () => {
    expect(() => homesFor(shards(0, 0), [])).toThrow(
      expect.objectContaining({
        code: 'store_unavailable',
        cause: expect.objectContaining({ message: 'no shard has a weight above 0' }),
      }),
    );
  });

  it('spread empty datasets too', () => {
    const homes = homesFor(
      shards(1, 1),
      [1, 2, 3, 4].map((id) => ({ id, bytes: 0 })),
    );
    expect([...homes.values()]).toEqual([1, 2, 1, 2]);
  });
});
