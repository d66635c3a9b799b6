const cell = (value: unknown): string => {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const table = (rows: readonly object[]): string => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...rows.map((row) => names.map((name) => cell(Reflect.get(row, name))))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
};

const isTable = (item: unknown): item is object[] =>
  Array.isArray(item) && item.length > 0 && item.every((row) => typeof row === 'object' && row !== null);

/** Lists are printed below, as tables. */
const lines = (value: object): string => {
  const items = Object.entries(value);
  const single = items.filter(([, item]) => !isTable(item));
  const width = Math.max(0, ...single.map(([name]) => name.length));
  return [
    ...single.map(([name, item]) => `${name.padEnd(width)}  ${cell(item)}`),
    ...items.flatMap(([name, item]) => (isTable(item) ? ['', name, table(item)] : [])),
  ].join('\n');
};

/** Prints a list as a table and a single item as lines; with `json` as JSON. */
export const render = (value: object | undefined, json: boolean): string => {
  if (json) return JSON.stringify(value ?? null, null, 2);
  if (value === undefined) return 'done';
  if (!Array.isArray(value)) return lines(value);
  return value.length === 0 ? 'none' : table(value as object[]);
};
