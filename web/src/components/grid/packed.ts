/**
 * The cells of a column of a block as one string. Millions of small strings would make garbage collection pause while
 * scrolling.
 */
export interface Packed {
  /** Approximate size in characters. */
  readonly weight: number;
  /** Undefined after the last row. */
  at(row: number): string | null | undefined;
}

export const pack = (values: readonly (string | null)[]): Packed => {
  const text = values.map((value) => value ?? '').join('');
  // End offset of each cell; `-1 - offset` for null.
  const ends = new Int32Array(values.length);
  let end = 0;
  for (const [row, value] of values.entries()) {
    end += value?.length ?? 0;
    ends[row] = value === null ? -1 - end : end;
  }
  const endOf = (row: number): number => {
    const found = ends[row] ?? 0;
    return found < 0 ? -1 - found : found;
  };
  return {
    weight: text.length + 4 * values.length + 200,
    at(row) {
      const found = ends[row];
      if (found === undefined) return undefined;
      return found < 0 ? null : text.slice(row === 0 ? 0 : endOf(row - 1), found);
    },
  };
};
