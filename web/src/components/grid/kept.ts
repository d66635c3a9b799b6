import type { Packed } from './packed.js';

/** Cells of a block by column id. */
export type Cells = ReadonlyMap<number, Packed>;

/** Cache of fetched blocks, which evicts the oldest first. */
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
 * Limits characters and not blocks: a block of long texts may take as much memory as a hundred others.
 * @param most capacity in characters, which blocks in view may exceed
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
