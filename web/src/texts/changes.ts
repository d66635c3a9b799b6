export const changesTexts = {
  caption: 'Rows that differ',
  change: 'Change',
  kinds: { added: 'added', removed: 'removed', before: 'before', after: 'after' },
  added: (rows: string) => `${rows} added`,
  removed: (rows: string) => `${rows} removed`,
  changed: (rows: string) => `${rows} changed`,
  empty: '(empty)',
  first: (rows: number) => `The first ${rows} rows are shown.`,
};
