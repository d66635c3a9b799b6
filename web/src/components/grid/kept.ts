import type { Packed } from './packed.js';

/** Texts of cells, by column and then by row. */
export type Cells = ReadonlyMap<number, Packed>;

/** Blocks of cells that were fetched, the oldest forgotten first. */
interface Kept {
  cells(key: string): Cells | undefined;
  keep(key: string, cells: Cells): void;
  /** Blocks in view, which are never evicted. */
  inView: ReadonlySet<string>;
}

const weightOf = (cells: Cells): number => {
  let sum = 0;
  for (const { weight } of cells.values()) sum += weight;
  return sum;
};

/**
 * Tables differ: 16 rows of thousands of entity columns, or of long texts, take as much as a hundred other blocks.
 * @param most Characters beyond which blocks that are not in view are forgotten.
 */
export const createKept = (most: number): Kept => {
  const blocks = new Map<string, { readonly cells: Cells; readonly weight: number }>();
  let weight = 0;
  const drop = (key: string): void => {
    weight -= blocks.get(key)?.weight ?? 0;
    blocks.delete(key);
  };
  return {
    inView: new Set(),
    cells: (key) => blocks.get(key)?.cells,
    keep(key, cells) {
      drop(key);
      const block = { cells, weight: weightOf(cells) };
      blocks.set(key, block);
      weight += block.weight;
      for (const oldest of blocks.keys()) {
        if (weight <= most) return;
        if (oldest !== key && !this.inView.has(oldest)) drop(oldest);
      }
    },
  };
};
