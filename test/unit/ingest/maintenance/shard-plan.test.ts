import { describe, expect, it } from 'vitest';
import {
  type PlannedShard,
  type PlannedStore,
  planMoves,
  planPlaces,
  type StoreMove,
} from '../../../../src/ingest/maintenance/shard-plan.js';

const shard = (number: number, capacity = 1_000, drains = false): PlannedShard => ({
  number,
  capacity,
  drains,
});

const storesOn = (number: number, first: number, sizes: readonly number[]): PlannedStore[] =>
  sizes.map((bytes, at) => ({ id: first + at, shard: number, bytes }));

/** Bytes on each shard when all moves are made. */
const heldAfter = (stores: readonly PlannedStore[], moves: readonly StoreMove[]): Record<number, number> => {
  const places = new Map(moves.map(({ storeId, to }) => [storeId, to]));
  const held: Record<number, number> = {};
  for (const { id, shard: from, bytes } of stores) {
    const at = places.get(id) ?? from;
    held[at] = (held[at] ?? 0) + bytes;
  }
  return held;
};

describe('a plan of moves', () => {
  it('fills a new shard with its share and moves nothing else', () => {
    const stores = [...storesOn(1, 1, Array(30).fill(10)), ...storesOn(2, 101, Array(30).fill(10))];
    const moves = planMoves([shard(1), shard(2), shard(3)], stores);
    expect(heldAfter(stores, moves)).toEqual({ 1: 200, 2: 200, 3: 200 });
    expect(moves.every(({ to }) => to === 3)).toBe(true);
    expect(new Set(moves.map(({ storeId }) => storeId)).size).toBe(20);
  });

  it('is empty when it was carried out', () => {
    const stores = storesOn(1, 1, [700, 90, 80, 70, 33, 20, 7, 1, 0, 0]);
    const shards = [shard(1), shard(2)];
    const places = new Map(planMoves(shards, stores).map(({ storeId, to }) => [storeId, to]));
    const after = stores.map((store) => ({ ...store, shard: places.get(store.id) ?? store.shard }));
    expect(places.size).toBeGreaterThan(0);
    expect(planMoves(shards, after)).toEqual([]);
  });

  it('gives a shard with twice the room twice the bytes', () => {
    const stores = storesOn(1, 1, Array(90).fill(10));
    expect(heldAfter(stores, planMoves([shard(1, 1_000), shard(2, 2_000)], stores))).toEqual({
      1: 300,
      2: 600,
    });
  });

  it('leaves a store that is larger than the difference where it is', () => {
    expect(planMoves([shard(1), shard(2)], storesOn(1, 1, [5_000]))).toEqual([]);
  });

  it('leaves what differs by less than a twentieth', () => {
    const stores = [...storesOn(1, 1, Array(52).fill(10)), ...storesOn(2, 101, Array(50).fill(10))];
    expect(planMoves([shard(1), shard(2)], stores)).toEqual([]);
  });

  it('takes everything off a shard that is to be emptied, empty stores too, and puts nothing there', () => {
    const stores = [
      ...storesOn(1, 1, [100, 50]),
      ...storesOn(2, 101, [5_000, 40, 30, 0]),
      ...storesOn(3, 201, [60]),
    ];
    const moves = planMoves([shard(1), shard(2, 1_000, true), shard(3)], stores);
    expect(moves.filter(({ from }) => from === 2).map(({ storeId }) => storeId)).toEqual([
      101, 102, 103, 104,
    ]);
    expect(moves.some(({ to }) => to === 2)).toBe(false);
    expect(heldAfter(stores, moves)[2]).toBeUndefined();
  });

  it('moves nothing when there is nowhere to go', () => {
    expect(planMoves([shard(1, 1_000, true)], storesOn(1, 1, [10]))).toEqual([]);
  });
});

describe('a plan of places', () => {
  const shards = [
    { shard: 1, freeBytes: 2_000 },
    { shard: 2, freeBytes: 1_000 },
  ];
  const store = (id: number, bytes: number, versionBytes = bytes) => ({ id, bytes, versionBytes });

  it('spreads stores with a large version, and fills the shards with the others by what is free', () => {
    const stores = [store(1, 900), store(2, 600), store(3, 300), store(4, 50_000, 5_000), store(5, 0)];
    const places = planPlaces(shards, stores, 5_000);
    expect([...places.keys()].sort()).toEqual([1, 2, 3, 4, 5]);
    expect(places.get(4)).toBeNull();
    expect([1, 2, 3].map((id) => places.get(id))).toEqual([1, 2, 1]);
  });

  it('spreads nothing over a server that stands alone', () => {
    const alone = [{ shard: 1, freeBytes: null }];
    const stores = [store(1, 50_000), store(2, 0)];
    expect([...planPlaces(alone, stores, Number.POSITIVE_INFINITY).values()]).toEqual([1, 1]);
  });
});
