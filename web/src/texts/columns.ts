/** Texts about changes of columns. */
export const columnsTexts = {
  rename: 'Rename',
  renameEntry: 'Rename …',
  renameTitle: (name: string) => `Rename the column ${name}`,
  newName: 'New name',
  renameNote: 'Filters and code that use the old name have to use the new one.',
  renamed: (from: string, to: string) => `The column ${from} is now called ${to}.`,
  remove: 'Delete',
  removeEntry: 'Delete …',
  removeTitle: (name: string) => `Delete the column ${name}?`,
  removeNote: 'A new version of the dataset without this column is made. Earlier versions keep it.',
  removed: (name: string) => `The column ${name} is deleted in a new version. Earlier versions keep it.`,
};
