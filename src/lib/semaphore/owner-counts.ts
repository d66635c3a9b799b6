/** Permits and waiting callers of one owner. */
interface OwnerCount {
  readonly running: number;
  readonly held: number;
  readonly waiting: number;
}

interface OwnerCounts {
  of(owner: string): OwnerCount;
  /** Adds to the counts of an owner. An owner whose counts are all zero is deleted. */
  change(owner: string, by: Partial<OwnerCount>): void;
  /** Permits that are running, including those above an owner's share. */
  running(): number;
  /** Running permits without those above an owner's share: permits that resume after a pause cost no other owner. */
  occupied(): number;
}

const none: OwnerCount = { running: 0, held: 0, waiting: 0 };

/** @param ownRunning Semaphore of one owner. */
export const createOwnerCounts = (ownRunning: number): OwnerCounts => {
  const owners = new Map<string, { -readonly [Name in keyof OwnerCount]: number }>();
  const sumOf = (part: (running: number) => number): number => {
    let sum = 0;
    for (const { running } of owners.values()) sum += part(running);
    return sum;
  };
  return {
    of: (key) => owners.get(key) ?? none,
    change(key, { running = 0, held = 0, waiting = 0 }) {
      const owner = owners.get(key) ?? { ...none };
      owners.set(key, owner);
      owner.running += running;
      owner.held += held;
      owner.waiting += waiting;
      if (owner.held === 0 && owner.waiting === 0) owners.delete(key);
    },
    running: () => sumOf((running) => running),
    occupied: () => sumOf((running) => Math.min(running, ownRunning)),
  };
};
