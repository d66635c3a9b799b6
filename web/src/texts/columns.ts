/** Texts about changes of columns. */
export const columnsTexts = {
  rename: 'Rename',
  renameEntry: 'Rename or merge …',
  renameTitle: (name: string) => `Rename the column ${name}`,
  newName: 'New name',
  renameNote: 'Filters and code that use the old name have to use the new one.',
  renamed: (from: string, to: string) => `The column ${from} is now called ${to}.`,
  merge: 'Merge',
  mergeNote: (from: string, into: string) =>
    `There is a column ${into} already. Merged, ${from} becomes part of it in a new version: each row keeps the value that it has. If any row has two different values, nothing is changed.`,
  mergeAsText: 'Make it text if numbers or dates cannot hold both',
  merging: 'Merging …',
  merged: (from: string, into: string) =>
    `The column ${from} is now part of ${into}, in a new version. Earlier versions keep both.`,
  remove: 'Delete',
  removeEntry: 'Delete …',
  removeTitle: (name: string) => `Delete the column ${name}?`,
  removeNote: 'A new version of the dataset without this column is made. Earlier versions keep it.',
  removed: (name: string) => `The column ${name} is deleted in a new version. Earlier versions keep it.`,
};
