/** Which stores go to which shard, so that all shards are as full as each other. */

export interface PlannedShard {
  readonly number: number;
  /** Bytes that it has room for: what it holds and what is free. Only the proportion between shards counts. */
  readonly capacity: number;
  /** True for one that is to hold nothing. */
  readonly drains: boolean;
}

export interface PlannedStore {
  readonly id: number;
  readonly shard: number;
  readonly bytes: number;
}

export interface StoreMove {
  readonly storeId: number;
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** A shard that is less than this share above what it should hold is left as it is. */
const tolerance = 0.05;

/** What a store weighs at least: empty ones are shared out too. */
const leastBytes = 1;

/** Bytes that each shard should hold, in proportion to what it has room for; none of one that is to be emptied. */
const sharesOf = (shards: readonly PlannedShard[], total: number): Map<number, number> => {
  const room = shards.reduce((sum, { capacity, drains }) => sum + (drains ? 0 : Math.max(1, capacity)), 0);
  return new Map(
    shards.map(({ number, capacity, drains }) => [
      number,
      drains ? 0 : (total * Math.max(1, capacity)) / room,
    ]),
  );
};

/**
 * Moves from shards that hold too much to those that hold too little, largest stores first, none of them twice. A store
 * that is larger than the difference stays: it would only be the other shard that is too full then. Everything leaves a
 * shard that is to be emptied.
 */
export const planMoves = (
  shards: readonly PlannedShard[],
  stores: readonly PlannedStore[],
): readonly StoreMove[] => {
  const weightOf = ({ bytes }: PlannedStore): number => Math.max(leastBytes, bytes);
  const total = stores.reduce((sum, store) => sum + weightOf(store), 0);
  const shares = sharesOf(shards, total);
  const held = new Map(shards.map(({ number }) => [number, 0]));
  for (const store of stores) held.set(store.shard, (held.get(store.shard) ?? 0) + weightOf(store));
  const above = (number: number): number => (held.get(number) ?? 0) - (shares.get(number) ?? 0);
  const targets = shards.filter(({ drains }) => !drains).map(({ number }) => number);
  const emptiest = (): number | undefined =>
    targets.reduce<number | undefined>(
      (best, number) => (best === undefined || above(number) < above(best) ? number : best),
      undefined,
    );

  const moves: StoreMove[] = [];
  const consider = (store: PlannedStore, fits: (to: number) => boolean): void => {
    const to = emptiest();
    if (to === undefined || to === store.shard || !fits(to)) return;
    const weight = weightOf(store);
    held.set(store.shard, (held.get(store.shard) ?? 0) - weight);
    held.set(to, (held.get(to) ?? 0) + weight);
    moves.push({ storeId: store.id, from: store.shard, to, bytes: store.bytes });
  };

  const bySize = [...stores].sort((a, b) => b.bytes - a.bytes || a.id - b.id);
  const draining = new Set(shards.filter(({ drains }) => drains).map(({ number }) => number));
  for (const store of bySize) if (draining.has(store.shard)) consider(store, () => true);
  const full = new Set(targets.filter((number) => above(number) > (shares.get(number) ?? 0) * tolerance));
  for (const store of bySize) {
    if (!full.has(store.shard)) continue;
    const weight = weightOf(store);
    consider(store, (to) => weight <= above(store.shard) && weight <= -above(to));
  }
  return moves;
};

/** A store whose rows are not there yet. */
export interface PlacedStore {
  readonly id: number;
  readonly bytes: number;
  /** Of its largest version. */
  readonly versionBytes: number;
}

/**
 * Shards for stores whose rows come all at once: those with a large version are spread (null), the others fill the shards in
 * proportion to what is free, largest first.
 */
export const planPlaces = (
  shards: readonly { readonly shard: number; readonly freeBytes: number | null }[],
  stores: readonly PlacedStore[],
  spreadMinBytes: number,
): ReadonlyMap<number, number | null> => {
  // Disks without an end are as large as each other.
  const free = shards.map(({ shard, freeBytes }) => ({
    number: shard,
    capacity: freeBytes ?? 1,
    drains: false,
  }));
  const isSpread = ({ versionBytes }: PlacedStore): boolean => versionBytes >= spreadMinBytes;
  const whole = stores.filter((store) => !isSpread(store));
  const nowhere = { number: 0, capacity: 0, drains: true };
  const moves = planMoves(
    [...free, nowhere],
    whole.map(({ id, bytes }) => ({ id, bytes, shard: nowhere.number })),
  );
  return new Map<number, number | null>([
    ...stores.filter(isSpread).map(({ id }) => [id, null] as const),
    ...moves.map(({ storeId, to }) => [storeId, to] as const),
  ]);
};

/** Stores that are moved in one transaction. */
export interface MoveBatch {
  readonly from: number;
  readonly to: number;
  readonly storeIds: readonly number[];
}

/** Many small stores share a transaction, a large one has its own. */
const batchStores = 200;
const batchBytes = 256 * 1024 ** 2;

export const batchesOf = (moves: readonly StoreMove[]): readonly MoveBatch[] => {
  const batches: { from: number; to: number; storeIds: number[]; bytes: number }[] = [];
  for (const { storeId, from, to, bytes } of moves) {
    const open = batches.find(
      (batch) =>
        batch.from === from &&
        batch.to === to &&
        batch.storeIds.length < batchStores &&
        batch.bytes + bytes <= batchBytes,
    );
    if (open === undefined) batches.push({ from, to, storeIds: [storeId], bytes });
    else {
      open.storeIds.push(storeId);
      open.bytes += bytes;
    }
  }
  return batches;
};
