/** Counts of the shared places that each owner has, and of all together. */
export interface OwnerCount {
  readonly running: number;
  readonly seats: number;
  readonly waiting: number;
}

export interface OwnerCounts {
  of(owner: string): OwnerCount;
  /** Adds to the counts of an owner; who has nothing any more is forgotten. */
  change(owner: string, by: Partial<OwnerCount>): void;
  /** Holders that run, beyond the share of an owner included. */
  running(): number;
  /** What owners run beyond their share when they go on after a rest is at nobody's cost but their own. */
  occupied(): number;
}

const none: OwnerCount = { running: 0, seats: 0, waiting: 0 };

/** @param ownPlaces Places of one owner. */
export const createOwnerCounts = (ownPlaces: number): OwnerCounts => {
  const owners = new Map<string, { -readonly [Name in keyof OwnerCount]: number }>();
  const sumOf = (part: (running: number) => number): number => {
    let sum = 0;
    for (const { running } of owners.values()) sum += part(running);
    return sum;
  };
  return {
    of: (key) => owners.get(key) ?? none,
    change(key, { running = 0, seats = 0, waiting = 0 }) {
      const owner = owners.get(key) ?? { ...none };
      owners.set(key, owner);
      owner.running += running;
      owner.seats += seats;
      owner.waiting += waiting;
      if (owner.seats === 0 && owner.waiting === 0) owners.delete(key);
    },
    running: () => sumOf((running) => running),
    occupied: () => sumOf((running) => Math.min(running, ownPlaces)),
  };
};
