export const columnsTexts = {
  rename: 'Rename',
  renameEntry: 'Rename or merge …',
  renameTitle: (name: string) => `Rename the column ${name}`,
  newName: 'New name',
  renameNote: 'Filters and code that use the old name must be changed to the new one.',
  renamed: (from: string, to: string) => `The column ${from} is now called ${to}.`,
  merge: 'Merge',
  mergeNote: (from: string, into: string) =>
    `There is already a column ${into}. Merging adds the values of ${from} to it in a new version. If any row has two different values, nothing is changed.`,
  mergeAsText: 'Convert to text if the types do not match',
  merging: 'Merging …',
  merged: (from: string, into: string) =>
    `The column ${from} is now part of ${into}, in a new version. Earlier versions keep both.`,
  remove: 'Delete',
  removeEntry: 'Delete …',
  removeTitle: (name: string) => `Delete the column ${name}?`,
  removeNote: 'This creates a new version of the dataset without the column. Earlier versions keep it.',
  removed: (name: string) => `The column ${name} is deleted in a new version. Earlier versions keep it.`,
};
