/** Finds columns by the names that callers write in options. */
interface ColumnNames<T> {
  /**
   * The column with exactly this name; otherwise the only one whose name differs only in spaces at its ends. Headers such as `Year,
   * Country` have names that start with a space.
   */
  find(name: string): T | undefined;
}

export const createColumnNames = <T extends { readonly name: string }>(
  columns: readonly T[],
): ColumnNames<T> => {
  const exact = new Map(columns.map((column) => [column.name, column]));
  let trimmed: Map<string, T | undefined> | undefined;

  /** Undefined for a name that several columns have. */
  const byTrimmed = (): ReadonlyMap<string, T | undefined> => {
    if (trimmed !== undefined) return trimmed;
    trimmed = new Map();
    for (const column of columns) {
      const name = column.name.trim();
      trimmed.set(name, trimmed.has(name) ? undefined : column);
    }
    return trimmed;
  };

  return { find: (name) => exact.get(name) ?? byTrimmed().get(name.trim()) };
};
